"""S7-200 PLCs of a plant at their serial port."""

from __future__ import annotations

from firmware_sim.devices.base import DeviceKind, LineKind
from firmware_sim.devices.line_setup import LineSetup
from firmware_sim.devices.ppi.description import PpiDevice
from firmware_sim.devices.ppi.framing import FRAMING
from firmware_sim.devices.ppi.line import PpiLine
from firmware_sim.plc.siemens import S7Plc


def _line(setup: LineSetup[PpiDevice]) -> PpiLine:
    plcs = {}
    for device in setup.devices:
        plc = S7Plc(device.name, device.values, setup.process, family="200", seed=setup.seed)
        plcs[device.address] = (setup.add(device, plc.refresh, plc.restart), plc)
    return PpiLine(setup.place(), plcs, setup.served_log)


PPI = DeviceKind(PpiDevice, (LineKind("ppi", FRAMING, _line),))
