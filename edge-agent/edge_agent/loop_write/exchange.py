"""A custom message on a port: sent as it is, and the answer compared with how it must begin."""

from __future__ import annotations

import asyncio

from edge_agent.config.model import Port
from edge_agent.errors import BadFrame, NoAnswer
from edge_agent.transports.base import Transport

CHARACTER_BITS = 11
QUIET_S = 0.05
"""So long after its last bytes an answer is over."""
SEND_TIMEOUT_S = 5.0
MAX_ANSWER_BYTES = 4096


async def exchange(transport: Transport, port: Port, message: bytes, expect: bytes, timeout_s: float) -> None:
    """Open, send, hear the answer where one is expected, and close.

    PortDown. NoAnswer: nothing came within timeout_s; BadFrame: the answer begins otherwise.
    """
    try:
        await transport.open()
        await transport.write(message)
        await transport.drained(SEND_TIMEOUT_S)
        if port.type == "COM":
            # Closing the line drops what it has not sent.
            await asyncio.sleep(len(message) * CHARACTER_BITS / port.baud)
        if expect:
            await _hear(transport, message, expect, timeout_s)
    finally:
        await transport.close()


async def _hear(transport: Transport, message: bytes, expect: bytes, timeout_s: float) -> None:
    """The whole answer. Raises NoAnswer, BadFrame."""
    loop = asyncio.get_running_loop()
    until, heard = loop.time() + timeout_s, b""
    while (left := until - loop.time()) > 0 and len(heard) < MAX_ANSWER_BYTES:
        data = await transport.read_some(min(left, QUIET_S) if _without_echo(heard, message) else left)
        if not data and _without_echo(heard, message):
            break
        heard += data
    answer = _without_echo(heard, message)
    if not answer:
        raise NoAnswer(f"no answer within {timeout_s * 1000:.0f} ms")
    if not answer.startswith(expect):
        raise BadFrame(f"answer {answer[:16].hex(' ')}, {expect.hex(' ')} expected")


def _without_echo(heard: bytes, message: bytes) -> bytes:
    """An adapter that hears itself gives the message back first."""
    return heard.removeprefix(message)
