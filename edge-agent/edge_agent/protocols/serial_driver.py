"""What drivers of a serial line have in common."""

from __future__ import annotations

import asyncio

from edge_agent.model import Seen
from edge_agent.protocols.line_decoder import LineDecoder
from edge_agent.transports.base import Transport

QUIET_S = 0.05  # after a late answer's first bytes: it is over


class SerialDriver:
    """A line with its decoder."""

    _transport: Transport
    _decoder: LineDecoder

    @property
    def checksum_errors(self) -> int:
        return self._decoder.checksum_errors

    def watch(self, seen: Seen | None) -> None:
        self._transport.watch(seen)

    async def connect(self) -> None:
        """Open the line. Raises PortDown when it cannot be opened."""
        await self._transport.open()
        self._decoder.reset()

    async def close(self) -> None:
        await self._transport.close()


async def drop_late_answer(transport: Transport, until: float, inter_byte_s: float) -> None:
    """Read a late answer away: wait until then on the loop's clock, and for what has begun to come.

    A line that does not fall silent is waited for inter_byte_s longer at most. Raises PortDown.
    """
    loop = asyncio.get_running_loop()
    last = until + inter_byte_s
    while (left := min(until, last) - loop.time()) > 0:
        if await transport.read_some(left):
            until = loop.time() + QUIET_S
