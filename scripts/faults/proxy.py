"""A TCP proxy that spoils what passes: delay, dribble, black hole without a reset, cut, reset."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

CHUNK = 65_536
STOP_S = 5.0
ABORT = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing sends a reset."""


@dataclass(frozen=True)
class Fault:
    """What happens to connections from now on. cut_after: bytes of all connections until they are closed.

    silent: nothing is read or passed on, nothing is closed; so a connection is half open for its two ends.
    dribble: so many bytes at once, with delay_s before each.
    """

    delay_s: float = 0.0
    dribble: int = CHUNK
    silent: bool = False
    cut_after: int | None = None


NONE = Fault()


class FaultProxy:
    """Listens on port of loopback and connects to target_port there. Runs in a thread of its own.

    rule: sees each connection's bytes first and may answer itself or keep some back; see forgetful_broker.py.
    """

    def __init__(self, target_port: int = 0, rule: Callable[[], Rule] | None = None) -> None:
        self.port = 0
        self.target_port = target_port
        self.accepted = 0
        self._rule = rule or Rule
        self.fault = NONE
        self._left: int | None = None
        self._frozen: set[Connection] = set()
        self._open: set[Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._stop: asyncio.Event
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> FaultProxy:
        self._thread.start()
        if not self._ready.wait(STOP_S):
            raise RuntimeError("the proxy did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(STOP_S)

    def put(self, fault: Fault) -> None:
        """For connections that are open and those to come; one that was silent stays so for ever."""
        self._loop.call_soon_threadsafe(self._put, fault)

    def reset(self) -> None:
        """End every open connection with a reset to both sides."""
        self._loop.call_soon_threadsafe(self._end, True)

    def _put(self, fault: Fault) -> None:
        self.fault, self._left = fault, fault.cut_after
        if fault.silent:
            self._frozen |= self._open

    def _end(self, hard: bool) -> None:
        for connection in list(self._open):
            connection.end(hard)

    def silences(self, connection: Connection) -> bool:
        return connection in self._frozen

    def spend(self, count: int) -> int:
        """How many of these bytes may pass before everything is cut."""
        if self._left is None:
            return count
        passed = min(count, self._left)
        self._left -= passed
        return passed

    def spent(self) -> bool:
        """Whether the cut is due; the bytes after it pass again."""
        if self._left != 0:
            return False
        self._left = None
        return True

    def cut(self) -> None:
        self._end(False)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        async with server:
            await self._stop.wait()
            self._end(True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        task = self._loop.create_task(self._carry(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(self, writer, self._rule())
        self._open.add(connection)
        if self.fault.silent:
            self._frozen.add(connection)
        try:
            await connection.run(reader, self.target_port)
        finally:
            self._open.discard(connection)
            self._frozen.discard(connection)


class Rule:
    """Passes everything on."""

    def up(self, data: bytes) -> tuple[bytes, bytes]:
        """From bytes of the client: what goes to the server, and what the client gets at once."""
        return data, b""

    def down(self, data: bytes) -> tuple[bytes, bytes]:
        """From bytes of the server: what goes to the client, and what the server gets at once."""
        return data, b""


class Connection:
    """One client and its connection to the server."""

    def __init__(self, proxy: FaultProxy, client: asyncio.StreamWriter, rule: Rule) -> None:
        self._proxy = proxy
        self._client = client
        self._server: asyncio.StreamWriter | None = None
        self._rule = rule

    async def run(self, reader: asyncio.StreamReader, port: int) -> None:
        """Until one side ends."""
        try:
            await self._unless_silent()
            answers, self._server = await asyncio.open_connection("127.0.0.1", port)
            ways = [
                asyncio.create_task(self._pump(reader, self._server, self._client, self._rule.up)),
                asyncio.create_task(self._pump(answers, self._client, self._server, self._rule.down)),
            ]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        except OSError:
            pass  # the server is away: the client sees its connection end
        finally:
            self.end(False)

    def end(self, hard: bool) -> None:
        for writer in (self._client, self._server):
            if writer is None:
                continue
            raw = writer.get_extra_info("socket")
            if hard and raw is not None:
                with contextlib.suppress(OSError):
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
            writer.transport.abort()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        back: asyncio.StreamWriter,
        rule: Callable[[bytes], tuple[bytes, bytes]],
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await self._read(reader):
                forward, answer = rule(data)
                if answer:
                    back.write(answer)
                await self._write(writer, forward)

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        data = await reader.read(CHUNK)
        await self._unless_silent()
        return data

    async def _unless_silent(self) -> None:
        """A silent connection never speaks again: it waits until the proxy ends."""
        if self._proxy.silences(self):
            await asyncio.Event().wait()

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        while data:
            await self._unless_silent()
            fault = self._proxy.fault
            if fault.delay_s:
                await asyncio.sleep(fault.delay_s)
            piece, data = data[: fault.dribble], data[fault.dribble :]
            allowed = self._proxy.spend(len(piece))
            writer.write(piece[:allowed])
            await writer.drain()
            if self._proxy.spent():
                self._proxy.cut()
                return
