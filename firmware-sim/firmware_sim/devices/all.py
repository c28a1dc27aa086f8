"""The kinds of simulated devices. A new one is a folder here and a line in DEVICES."""

from __future__ import annotations

from firmware_sim.devices.base import DeviceKind, LineKind
from firmware_sim.devices.dlt645.kind import DLT645
from firmware_sim.devices.fx.kind import FX
from firmware_sim.devices.mc.kind import MC
from firmware_sim.devices.modbus.kind import MODBUS
from firmware_sim.devices.modem.kind import MODEM
from firmware_sim.devices.ppi.kind import PPI
from firmware_sim.devices.s7.kind import S7

DEVICES: tuple[DeviceKind, ...] = (MODBUS, DLT645, S7, PPI, FX, MC, MODEM)

LINE_KINDS: dict[str, LineKind] = {line.name: line for kind in DEVICES for line in kind.lines}
"""By the name in plant files."""
