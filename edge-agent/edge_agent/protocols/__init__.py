"""Field bus protocols; one package each. PROTOCOLS is the explicit list."""

from edge_agent.protocols.base import FieldProtocol
from edge_agent.protocols.dlt645.protocol import Dlt645Protocol
from edge_agent.protocols.fx.protocol import FxProtocol
from edge_agent.protocols.mc.protocol import McProtocol
from edge_agent.protocols.modbus.protocol import ModbusProtocol
from edge_agent.protocols.s7.protocol import S7Protocol

PROTOCOLS: dict[str, FieldProtocol] = {
    protocol.name: protocol
    for protocol in (
        ModbusProtocol("modbus_tcp"),
        ModbusProtocol("modbus_rtu"),
        ModbusProtocol("modbus_rtu_tcp"),
        Dlt645Protocol("2007"),
        Dlt645Protocol("1997"),
        FxProtocol(),
        McProtocol("mc_1e"),
        McProtocol("mc_3e"),
        S7Protocol("s7"),
        S7Protocol("ppi"),
    )
}
