"""Byte streams to field devices, and the MQTT client. One file per library."""

from edge_agent.config.model import Port
from edge_agent.transports.base import Transport


def create(port: Port) -> Transport:
    """The byte stream of a port, not yet open."""
    if port.type == "COM":
        from edge_agent.transports.serial import (
            SerialTransport,
        )  # only gateways with a COM port load pyserial

        return SerialTransport(port)
    from edge_agent.transports.tcp import TcpTransport

    return TcpTransport(port.host, port.port)
