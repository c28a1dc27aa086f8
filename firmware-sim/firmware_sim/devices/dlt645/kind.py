"""Meters of DL/T 645 on a line of a plant."""

from __future__ import annotations

from collections.abc import Callable

from firmware_sim.devices.base import DeviceKind, LineKind
from firmware_sim.devices.dlt645.description import MeterDevice
from firmware_sim.devices.dlt645.framing import FRAMING
from firmware_sim.devices.dlt645.line import Dlt645Line
from firmware_sim.devices.dlt645.meter import Dlt645Meter
from firmware_sim.devices.line_setup import LineSetup
from firmware_sim.process.process import Process


def _line(setup: LineSetup[MeterDevice]) -> Dlt645Line:
    meters = []
    for device in setup.devices:
        meter = Dlt645Meter(device, setup.process, setup.now, seed=setup.seed)
        station = setup.add(device, meter.refresh, _restart(device, setup.process))
        meters.append((station, meter))
    return Dlt645Line(setup.place(), meters)


def _restart(device: MeterDevice, process: Process) -> Callable[[], None]:
    """A meter keeps its registers through a loss of power; its contact goes where it was delivered."""
    relay = device.relay
    return lambda: None if relay is None else process.restart(relay)


DLT645 = DeviceKind(MeterDevice, (LineKind("dlt645", FRAMING, _line),))
