"""Connections to a gateway's page, each a tunnel of its own: few, and used one request after another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import h11

from cloud.tunnels.channel import Channel, TunnelEnded
from edge_contract.tunnel import Close, Kind

MAX_CONNECTIONS = 3
"""A gateway has four tunnels; one is left for a port."""
WAIT_S = 20.0
REPLY_S = 60.0
"""A page that says nothing for so long is as good as gone."""


class PageGone(Exception):
    """The page does not answer. before_reply: nothing of a reply has come."""


class PageConnection:
    """One HTTP connection to the page."""

    def __init__(self, channel: Channel, monotonic: Callable[[], float]) -> None:
        self.channel = channel
        self.used = False
        self._http = h11.Connection(h11.CLIENT)
        self._monotonic = monotonic

    @property
    def usable(self) -> bool:
        """True when another request may be sent on it."""
        return self.channel.ended is None and self._http.our_state is h11.IDLE

    async def send(self, request: h11.Request, body: bytes) -> None:
        """One request to the page; PageGone when its tunnel has ended."""
        self.used = True
        data = self._http.send(request) or b""
        if body:
            data += self._http.send(h11.Data(data=body)) or b""
        data += self._http.send(h11.EndOfMessage()) or b""
        try:
            await self.channel.write(data, self._monotonic())
        except TunnelEnded:
            raise PageGone(self._why()) from None

    async def next_event(self) -> h11.Response | h11.Data | h11.EndOfMessage:
        """What the page says next; PageGone."""
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise PageGone(f"the page does not speak HTTP: {error}") from None
            if isinstance(event, h11.Response | h11.Data | h11.EndOfMessage):
                return event
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._more())
            elif not isinstance(event, h11.InformationalResponse):
                raise PageGone(self._why())

    def next_cycle(self) -> None:
        """Make ready for another request, if the page keeps the connection."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()

    def close(self) -> None:
        self.channel.end(Close(code="done"))

    async def _more(self) -> bytes:
        try:
            async with asyncio.timeout(REPLY_S):
                event = await self.channel.read()
        except TimeoutError:
            raise PageGone(f"the page said nothing for {REPLY_S:.0f} s") from None
        if event is None or event[0] is not Kind.DATA:
            return b""
        self.channel.took(len(event[1]))
        return event[1]

    def _why(self) -> str:
        ended = self.channel.ended
        return f"{ended.code}: {ended.detail}" if ended else "the page closed the connection"


class PagePool:
    """open_channel: a new tunnel to the page, raises TunnelRefused."""

    def __init__(
        self, open_channel: Callable[[], Awaitable[Channel]], monotonic: Callable[[], float]
    ) -> None:
        self._open_channel = open_channel
        self._monotonic = monotonic
        self._turns = asyncio.Semaphore(MAX_CONNECTIONS)
        self._free: list[PageConnection] = []
        self._all: list[PageConnection] = []
        self._bytes = [0, 0]

    @asynccontextmanager
    async def connection(self, *, new: bool = False) -> AsyncIterator[PageConnection]:
        """A connection for one request. TunnelRefused; TimeoutError when all stay in use."""
        async with asyncio.timeout(WAIT_S):
            await self._turns.acquire()
        borrowed: PageConnection | None = None
        try:
            borrowed = None if new else self._idle()
            if borrowed is None:
                borrowed = PageConnection(await self._open_channel(), self._monotonic)
                self._all.append(borrowed)
            yield borrowed
            borrowed.next_cycle()
        finally:
            if borrowed is not None:
                self._put_back(borrowed)
            self._turns.release()

    def bytes_transferred(self) -> tuple[int, int]:
        """To the gateway, and from it."""
        live = [connection.channel.stream for connection in self._all]
        return (
            self._bytes[0] + sum(stream.sent for stream in live),
            self._bytes[1] + sum(stream.received for stream in live),
        )

    def close(self) -> None:
        for connection in self._all:
            connection.close()

    def _idle(self) -> PageConnection | None:
        while self._free:
            connection = self._free.pop()
            if connection.usable:
                return connection
            self._drop(connection)
        return None

    def _put_back(self, connection: PageConnection) -> None:
        if connection.usable:
            self._free.append(connection)
        else:
            self._drop(connection)

    def _drop(self, connection: PageConnection) -> None:
        connection.close()
        self._all.remove(connection)
        self._bytes[0] += connection.channel.stream.sent
        self._bytes[1] += connection.channel.stream.received
