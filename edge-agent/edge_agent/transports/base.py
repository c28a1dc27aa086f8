"""Interface of a byte stream, and the bounded buffer between asyncio's callbacks and its reader."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Protocol

from edge_agent.config.model import Port
from edge_agent.errors import PortDown
from edge_agent.model import Seen

MAX_HELD_BYTES = 64 * 1024
"""A field bus answers with hundreds of bytes; more than this unread is a babbling line."""

MAX_UNSENT_BYTES = 16 * 1024
"""A peer that takes no data is as good as gone."""

HELD = "another program holds it (a running agent? its local page has these tools)"

CLOSE_TIMEOUT_S = 1.0  # aborting waits for nobody; more would be a hung driver


class Transport(Protocol):
    """A byte stream with one reader."""

    where: str
    """Device or host:port, for messages."""

    def watch(self, seen: Seen | None) -> None:
        """Hand what is sent and received to seen from now on."""

    async def open(self) -> None:
        """PortDown when it cannot be opened."""

    async def read_some(self, timeout_s: float) -> bytes:
        """What has arrived, at least one byte; empty at the time-out; PortDown when the stream ended."""

    async def write(self, data: bytes) -> None:
        """Send; PortDown when the stream is closed or the peer takes nothing."""

    async def drained(self, timeout_s: float) -> None:
        """Return when what was written has been handed on; PortDown when that takes longer."""

    def discard_input(self) -> int:
        """Throw away what has arrived; the number of bytes."""

    async def close(self) -> None: ...


def framing(port: Port) -> tuple[int, str]:
    """Data bits and parity to set. A pseudo terminal has none, its second opening would fail."""
    if Path(port.device).resolve().is_relative_to("/dev/pts"):
        return 8, "N"
    return port.data_bits, port.parity


class ByteQueue(asyncio.Protocol):
    """Receiving end of an asyncio transport. Bounded: the oldest bytes go first and are counted."""

    def __init__(self) -> None:
        self.dropped_bytes = 0
        self.lost: str | None = "not open"
        self.gone = asyncio.Event()
        self.writable = asyncio.Event()
        self.writable.set()
        self.seen: Seen | None = None
        self._held = bytearray()
        self._changed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.lost = None

    def data_received(self, data: bytes) -> None:
        if self.seen is not None:
            self.seen("answer", data)
        self._held += data
        excess = len(self._held) - MAX_HELD_BYTES
        if excess > 0:
            del self._held[:excess]
            self.dropped_bytes += excess
        self._changed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = str(exc) if exc else "closed by the other end"
        self.gone.set()
        self.writable.set()
        self._changed.set()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    async def read_some(self, timeout_s: float) -> bytes:
        """What has arrived, at the latest after timeout_s; none then. Raises PortDown when the connection is
        lost.
        """
        if not self._held and self.lost is None:
            self._changed.clear()
            try:
                async with asyncio.timeout(timeout_s):
                    await self._changed.wait()
            except TimeoutError:
                return b""
        if self._held:
            data = bytes(self._held)
            self._held.clear()
            return data
        raise PortDown(self.lost or "closed")

    def discard(self) -> int:
        count = len(self._held)
        self._held.clear()
        return count


class StreamTransport:
    """What tcp and serial share: a ByteQueue and an asyncio transport."""

    where = ""

    def __init__(self) -> None:
        self._queue = ByteQueue()
        self._stream: asyncio.WriteTransport | None = None
        self._seen: Seen | None = None

    def watch(self, seen: Seen | None) -> None:
        self._seen = self._queue.seen = seen

    def _new_queue(self) -> ByteQueue:
        """A connection has its own, so that nothing of the last one is read from it."""
        self._queue = ByteQueue()
        self._queue.seen = self._seen
        return self._queue

    async def read_some(self, timeout_s: float) -> bytes:
        """Raises PortDown when the connection is lost."""
        try:
            return await self._queue.read_some(timeout_s)
        except PortDown as error:
            raise PortDown(f"{self.where}: {error}") from None

    async def write(self, data: bytes) -> None:
        """Raises PortDown when it is not open, or the other end takes no data."""
        stream = self._stream
        if stream is None or self._queue.lost is not None:
            raise PortDown(f"{self.where}: {self._queue.lost or 'not open'}")
        if self._seen is not None:
            self._seen("request", data)
        stream.write(data)
        if stream.get_write_buffer_size() > MAX_UNSENT_BYTES:
            raise PortDown(f"{self.where}: the other end takes no data")

    @property
    def dropped_bytes(self) -> int:
        """Bytes of this connection that came faster than they were read, and are gone."""
        return self._queue.dropped_bytes

    async def drained(self, timeout_s: float) -> None:
        """Return when most of what was written has left; PortDown when that takes longer, or it broke."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._queue.writable.wait()
        except TimeoutError:
            raise PortDown(f"{self.where}: the other end takes no data") from None
        if self._queue.lost is not None:
            raise PortDown(f"{self.where}: {self._queue.lost}")

    def discard_input(self) -> int:
        return self._queue.discard()

    async def close(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.abort()
            # The library closes the device in a later turn; until then it cannot be opened again.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await self._queue.gone.wait()
