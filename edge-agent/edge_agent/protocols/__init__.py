"""Field bus protocols; one room each. PROTOCOLS is the explicit list."""

from edge_agent.protocols.base import Room
from edge_agent.protocols.dlt645.room import Dlt645Room
from edge_agent.protocols.modbus.room import ModbusRoom

PROTOCOLS: dict[str, Room] = {
    room.name: room
    for room in (
        ModbusRoom("modbus_tcp"),
        ModbusRoom("modbus_rtu"),
        ModbusRoom("modbus_rtu_tcp"),
        Dlt645Room(),
    )
}
