"""The TCP port behind which a gateway's port stands: RFC 2217 or raw, one connection of one caller."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from cloud.tunnels.addresses import ports, same_caller
from cloud.tunnels.channel import Channel, TunnelEnded, read_line
from cloud.tunnels.codec import Action, Data, Purge, Rfc2217, Say, SetLine
from cloud.tunnels.metrics import REFUSED
from edge_contract.tunnel import Close, Kind, Line

log = logging.getLogger(__name__)

COME_S = 60.0
"""The caller's program has to connect within this time; the port is not polled meanwhile."""
MAX_READ_BYTES = 16 * 1024
MAX_PENDING = 16
"""Settings on their way to the gateway; the client is not read meanwhile."""
LINGER_S = 5.0
"""What is on its way when the other side ends is delivered within this time, or not at all."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NoFreePort(Exception):
    """Every port of the range is taken."""


class Raw:
    """Bytes as they are; settings are those of the tunnel."""

    suspended = False

    def greeting(self) -> bytes:
        return b""

    def feed(self, data: bytes) -> list[Action]:
        return [Data(data)]

    def to_client(self, data: bytes) -> bytes:
        return data

    def line_is(self, line: Line) -> bytes:
        return b""


class Dialect(Protocol):
    """What is spoken with the client."""

    @property
    def suspended(self) -> bool: ...
    def greeting(self) -> bytes: ...
    def feed(self, data: bytes) -> list[Action]: ...
    def to_client(self, data: bytes) -> bytes: ...
    def line_is(self, line: Line) -> bytes: ...


async def listen(
    take: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]],
    host: str,
    range_text: str,
    **options: Any,
) -> asyncio.Server:
    """A server on the first free port of the range; NoFreePort."""
    why = ""
    for port in ports(range_text):
        try:
            return await asyncio.start_server(take, host, port, **options)
        except OSError as error:
            why = error.strerror or str(error)
    raise NoFreePort(f"no free port of {range_text} on {host}: {why}")


class SerialListener:
    """caller: the address that asked for the tunnel. start(), then run() until it ended."""

    def __init__(self, channel: Channel, caller: str, mode: str, monotonic: Callable[[], float]) -> None:
        self._channel = channel
        self._caller = caller
        opening = channel.opening
        signature = f"edge gateway {channel.gateway} port {opening.port}"
        line = channel.line or opening.line or Line()
        self._dialect: Dialect = Raw() if mode == "raw" else Rfc2217(line, signature)
        self._monotonic = monotonic
        self._server: asyncio.Server | None = None
        self._came: asyncio.Future[Streams] = asyncio.get_running_loop().create_future()
        self._pending = 0
        self._answered = asyncio.Event()
        self._resumed = asyncio.Event()

    async def start(self, host: str, range_text: str) -> int:
        """Listen; the port. NoFreePort."""
        self._server = await listen(self._accept, host, range_text)
        return int(self._server.sockets[0].getsockname()[1])

    def close(self) -> None:
        """Instead of run()."""
        self._stop_listening()
        self._channel.end(Close(code="done"))

    async def run(self, come_s: float = COME_S) -> Close:
        """Until the caller, the gateway or the time ended it; why. The tunnel is ended, the port closed."""
        writer: asyncio.StreamWriter | None = None
        try:
            streams = await self._first(come_s)
            if isinstance(streams, Close):
                return self._ended(streams)
            reader, writer = streams
            return self._ended(await self._carry(reader, writer))
        finally:
            self.close()
            if writer is not None:
                writer.close()
                with contextlib.suppress(OSError, TimeoutError):
                    async with asyncio.timeout(LINGER_S):
                        await writer.wait_closed()

    async def _first(self, come_s: float) -> Streams | Close:
        """The caller's connection; or why there is none."""
        over = asyncio.ensure_future(self._channel.over.wait())
        either: set[asyncio.Future[Any]] = {self._came, over}
        await asyncio.wait(either, timeout=come_s, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        self._stop_listening()
        if self._came.done():
            return self._came.result()
        self._came.cancel()
        return Close(code="done", detail=f"nobody connected within {come_s:g} s")

    def _ended(self, close: Close) -> Close:
        self._channel.end(close)
        return self._channel.ended or close

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = str(writer.get_extra_info("peername", ("",))[0])
        if self._came.done() or not same_caller(address, self._caller):
            REFUSED.labels("second" if self._came.done() else "address").inc()
            log.warning("audit: %s was turned away from tunnel %s", address, self._channel.name)
            writer.close()
            return
        self._came.set_result((reader, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Close:
        writer.write(self._dialect.greeting())
        to_gateway = asyncio.create_task(self._to_gateway(reader, writer))
        to_client = asyncio.create_task(self._to_client(writer))
        over = asyncio.create_task(self._channel.over.wait())
        tasks: set[asyncio.Task[Any]] = {to_gateway, to_client, over}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if self._channel.ended is not None:
                await asyncio.wait({to_client}, timeout=LINGER_S)
                return self._channel.ended
            return Close(code="done", detail="the caller has disconnected")
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _to_gateway(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Until the client has finished, and what it sent has left."""
        with contextlib.suppress(OSError, TunnelEnded):
            while data := await reader.read(MAX_READ_BYTES):
                for action in self._dialect.feed(data):
                    await self._do(action, writer)
                if not self._dialect.suspended:
                    self._resumed.set()
            async with asyncio.timeout(LINGER_S):
                await self._channel.flushed()

    async def _do(self, action: Action, writer: asyncio.StreamWriter) -> None:
        match action:
            case Data(data):
                await self._channel.write(data, self._monotonic())
            case Say(data):
                writer.write(data)
                await writer.drain()
            case SetLine(line):
                while self._pending >= MAX_PENDING:
                    self._answered.clear()
                    await self._answered.wait()
                self._pending += 1
                await self._channel.set_line(line)
            case Purge():
                self._channel.drop()

    async def _to_client(self, writer: asyncio.StreamWriter) -> None:
        """Until the gateway's end has finished, and the client has all of it."""
        with contextlib.suppress(OSError):
            while (event := await self._channel.read()) is not None:
                kind, payload = event
                if kind is Kind.DATA:
                    await self._not_suspended()
                    writer.write(self._dialect.to_client(payload))
                    await writer.drain()
                    self._channel.took(len(payload))
                elif kind is Kind.LINE and (line := read_line(payload)) is not None:
                    self._pending = max(self._pending - 1, 0)
                    self._answered.set()
                    writer.write(self._dialect.line_is(line))
                    await writer.drain()

    async def _not_suspended(self) -> None:
        while self._dialect.suspended:
            self._resumed.clear()
            await self._resumed.wait()
