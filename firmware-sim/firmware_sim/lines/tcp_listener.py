"""TCP ports of loopback and the masters that connect to them: how many may, and how they are let go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_sim.errors import StartError

HOST = "127.0.0.1"


class Masters:
    """Those that are connected, at most max_count; one more is let go at once."""

    def __init__(self, max_count: int) -> None:
        self.connected: set[Master] = set()
        self.refused = 0
        self._max_count = max_count

    def admit(self, master: Master) -> bool:
        if len(self.connected) >= self._max_count:
            self.refused += 1
            return False
        self.connected.add(master)
        return True

    def disconnect(self) -> None:
        """Let every master go, as a restart does."""
        for master in list(self.connected):
            master.close()


class Master(asyncio.Protocol):
    """One that is connected. A subclass takes its bytes, in data_received, and answers with write."""

    def __init__(self, masters: Masters) -> None:
        self._masters = masters
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if not self._masters.admit(self):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._masters.connected.discard(self)

    def pause_writing(self) -> None:
        """The master does not take its answers: take no more requests."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def hang_up(self) -> None:
        """Close once everything that was written has left."""
        if self._transport is not None:
            self._transport.close()

    def write(self, data: bytes) -> bool:
        """False when the master is gone."""
        if self._transport is None or self._transport.is_closing():
            return False
        self._transport.write(data)
        return True


class TcpListener:
    """One port. protocol: of its devices, for errors; made: the protocol of a master that comes.

    bad_frames: of masters that were let go because they sent what is no frame.
    """

    def __init__(self, protocol: str, port: int, max_count: int, made: Callable[[], Master]) -> None:
        self.port = port
        self.masters = Masters(max_count)
        self.bad_frames = 0
        self._protocol = protocol
        self._made = made
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Raises StartError when the port is taken. port is afterwards the one that was bound."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self._made, HOST, self.port)
        except OSError as error:
            raise StartError(f"{self._protocol} port {self.port}: {error.strerror}") from None
        self.port = self._server.sockets[0].getsockname()[1]

    def disconnect(self) -> None:
        """Let every master go, as a restart does."""
        self.masters.disconnect()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.disconnect()
