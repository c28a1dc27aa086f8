"""Siemens PLCs of a plant over ISO-on-TCP."""

from __future__ import annotations

from firmware_sim.behaviours.framing import Framing
from firmware_sim.devices.base import DeviceKind, LineKind
from firmware_sim.devices.line_setup import LineSetup
from firmware_sim.devices.s7.description import S7Device
from firmware_sim.devices.s7.tcp import S7Tcp
from firmware_sim.plc.siemens import S7Plc


def _tcp(setup: LineSetup[S7Device]) -> S7Tcp:
    plcs = {}
    for device in setup.devices:
        plc = S7Plc(
            device.name, device.values, setup.process,
            family=device.family, pdu=device.pdu, protected=device.protected, seed=setup.seed,
        )  # fmt: skip
        station = setup.add(device, plc.refresh, plc.restart)
        plcs.update({int(tsap, 16): (station, plc) for tsap in device.tsaps})
    return S7Tcp(setup.port, plcs, setup.served_log)


S7 = DeviceKind(S7Device, (LineKind("s7", Framing("S7", serial=False), _tcp),))
