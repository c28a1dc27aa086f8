"""FX controllers of a plant, each at a line of its own."""

from __future__ import annotations

from firmware_sim.devices.base import DeviceKind, LineKind
from firmware_sim.devices.fx.description import FxDevice
from firmware_sim.devices.fx.framing import FRAMING
from firmware_sim.devices.fx.line import FxLine
from firmware_sim.devices.fx.plc import FxPlc
from firmware_sim.devices.line_setup import LineSetup


def _line(setup: LineSetup[FxDevice]) -> FxLine:
    (device,) = setup.devices
    plc = FxPlc(
        device.name, device.model, device.cells, setup.process,
        seed=setup.seed, resume=setup.resume(device),
    )  # fmt: skip
    station = setup.add(device, plc.refresh, plc.restart)
    return FxLine(setup.place(), station, plc, setup.served_log)


FX = DeviceKind(FxDevice, (LineKind("fx", FRAMING, _line),))
