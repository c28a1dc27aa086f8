"""Modbus slaves of a plant, on TCP and on serial lines (RTU), and slaves for load."""

from __future__ import annotations

from firmware_sim.devices.base import DeviceKind, LineKind
from firmware_sim.devices.line_setup import LineSetup
from firmware_sim.devices.modbus.description import ModbusDevice
from firmware_sim.devices.modbus.framing import RTU, TCP
from firmware_sim.devices.modbus.load_command import LOAD
from firmware_sim.devices.modbus.serial_line import ModbusLine
from firmware_sim.devices.modbus.slave import ModbusSlave
from firmware_sim.devices.modbus.tcp import ModbusTcp, Units


def _units(setup: LineSetup[ModbusDevice]) -> Units:
    units = {}
    for device in setup.devices:
        slave = ModbusSlave(
            device, setup.process,
            seed=setup.seed, resume=setup.resume(device), wrote=setup.wrote(device),
        )  # fmt: skip
        units[device.unit] = (setup.add(device, slave.refresh, slave.restart), slave)
    return units


def _tcp(setup: LineSetup[ModbusDevice]) -> ModbusTcp:
    return ModbusTcp(setup.port, _units(setup), setup.served_log)


def _rtu(setup: LineSetup[ModbusDevice]) -> ModbusLine:
    return ModbusLine(setup.place(), _units(setup), setup.served_log)


MODBUS = DeviceKind(
    ModbusDevice,
    (LineKind("modbus_tcp", TCP, _tcp, port_key="modbus_port"), LineKind("modbus_rtu", RTU, _rtu)),
    (LOAD,),
)
