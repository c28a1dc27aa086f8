"""Field bus protocols; one package each. PROTOCOLS is the explicit list."""

from edge_agent.protocols.base import Room
from edge_agent.protocols.dlt645.room import Dlt645Room
from edge_agent.protocols.fx.room import FxRoom
from edge_agent.protocols.mc.room import McRoom
from edge_agent.protocols.modbus.room import ModbusRoom
from edge_agent.protocols.s7.room import S7Room

PROTOCOLS: dict[str, Room] = {
    room.name: room
    for room in (
        ModbusRoom("modbus_tcp"),
        ModbusRoom("modbus_rtu"),
        ModbusRoom("modbus_rtu_tcp"),
        Dlt645Room("2007"),
        Dlt645Room("1997"),
        FxRoom(),
        McRoom("mc_1e"),
        McRoom("mc_3e"),
        S7Room("s7"),
        S7Room("ppi"),
    )
}
