"""Null modem: two ends in one process, for tests and simulated devices."""

from __future__ import annotations

from edge_agent.errors import PortDown
from edge_agent.model import Seen
from edge_agent.transports.base import ByteQueue


class MemoryTransport:
    """One end; what is written here arrives at the other."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.refuses = False
        self._queue = ByteQueue()
        self._other: MemoryTransport | None = None
        self._seen: Seen | None = None

    def watch(self, seen: Seen | None) -> None:
        self._seen = self._queue.seen = seen

    async def open(self) -> None:
        """Raises PortDown when it is set to refuse."""
        if self.refuses:
            raise PortDown(f"{self.where}: refused")
        self._queue.lost = None

    async def read_some(self, timeout_s: float) -> bytes:
        return await self._queue.read_some(timeout_s)

    async def write(self, data: bytes) -> None:
        """Raises PortDown when nothing is at the other end."""
        if self._queue.lost is not None or self._other is None:
            raise PortDown(f"{self.where}: {self._queue.lost}")
        if self._seen is not None:
            self._seen("request", data)
        self._other._queue.data_received(data)

    async def drained(self, timeout_s: float) -> None:
        """At once: memory takes everything."""

    def discard_input(self) -> int:
        return self._queue.discard()

    async def close(self) -> None:
        self._queue.connection_lost(None)

    def join(self, other: MemoryTransport) -> None:
        self._other, other._other = other, self


def null_modem() -> tuple[MemoryTransport, MemoryTransport]:
    """Two joined ends, not yet open."""
    near, far = MemoryTransport("memory:near"), MemoryTransport("memory:far")
    near.join(far)
    return near, far
