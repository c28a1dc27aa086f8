"""The transport of a port, for who has the port to itself for a while."""

from __future__ import annotations

from edge_agent.config.model import Port
from edge_agent.model import Seen
from edge_agent.transports.base import Transport


def transport_of(port: Port, seen: Seen) -> Transport:
    """What a port leads to, not yet open."""
    if port.type == "COM":
        from edge_agent.transports.serial import (
            SerialTransport,  # only gateways with a COM port load pyserial
        )

        transport: Transport = SerialTransport(port)
    else:
        from edge_agent.transports.tcp import TcpTransport

        transport = TcpTransport(port.host, port.port)
    transport.watch(seen)
    return transport
