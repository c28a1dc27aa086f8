"""Bytes that belong together: what comes without a pause."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from edge_agent.config.model import Configuration, Registration
from edge_contract.parameters.packets import packet_bytes

MAX_PACKET_BYTES = 4096
"""A longer one goes on in parts."""

ReadSome = Callable[[float], Awaitable[bytes]]
"""What arrives within so many seconds; empty at the time-out."""


async def packet_of(read_some: ReadSome, wait_s: float, quiet_s: float) -> bytes:
    """The packet that begins within wait_s and ends with a pause of quiet_s, 0: at once; empty: none came."""
    packet = await read_some(wait_s)
    while packet and quiet_s > 0 and len(packet) < MAX_PACKET_BYTES:
        more = await read_some(quiet_s)
        if not more:
            break
        packet += more
    return packet


async def read_stream(reader: asyncio.StreamReader, timeout_s: float) -> bytes:
    """As ReadSome. EOFError: the other end has closed."""
    try:
        async with asyncio.timeout(timeout_s):
            data = await reader.read(MAX_PACKET_BYTES)
    except TimeoutError:
        return b""
    if not data:
        raise EOFError
    return data


def registration_of(configuration: Configuration) -> bytes:
    """What a channel sends first on every connection; empty: nothing."""
    registration = configuration.registration or Registration(enable=False)
    if not registration.enable:
        return b""
    if registration.format == "gateway_id":
        return configuration.gateway.id.encode()
    return packet_bytes(registration.content, registration.format)
