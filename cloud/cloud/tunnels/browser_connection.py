"""One HTTP/1.1 connection of a browser to a page's listener."""

from __future__ import annotations

import asyncio

import h11

from cloud.tunnels.http_headers import Header

KEEP_ALIVE_S = 30.0
"""A connection without another request is closed after this; so is one whose body has stopped."""
HEAD_S = 10.0
"""For a whole head: from the connection's begin, or from the first bytes of a later request."""
MAX_BODY_BYTES = 2 * 1024 * 1024
MAX_HEAD_BYTES = 32 * 1024
MAX_READ_BYTES = 16 * 1024
SEND_S = 60.0
"""A browser that takes nothing for so long is gone."""

HEADERS: list[Header] = [
    (b"Content-Security-Policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'"),
    (b"Referrer-Policy", b"no-referrer"),
    (b"X-Content-Type-Options", b"nosniff"),
    (b"Cache-Control", b"no-store"),
]


class BadRequest(Exception):
    """What the browser sent cannot be served; status: of the reply."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class BrowserConnection:
    """begun: true once a reply is on its way."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._reader = reader
        self._writer = writer
        self._is_reused = False
        self.begun = False

    async def request(self) -> h11.Request | None:
        """The next request, None when the browser has gone. BadRequest, TimeoutError."""
        self.begun = False
        if self._is_reused and not self._http.trailing_data[0]:
            await self._receive()
        self._is_reused = True
        async with asyncio.timeout(HEAD_S):
            event = await self._next_event()
        if isinstance(event, h11.Request):
            return event
        return None

    async def body(self) -> bytes:
        """The whole body of the request. BadRequest: too long."""
        if self._http.they_are_waiting_for_100_continue:
            await self.send(h11.InformationalResponse(status_code=100, headers=[]))
        body = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            body += event.data
            if len(body) > MAX_BODY_BYTES:
                raise BadRequest(413, f"at most {MAX_BODY_BYTES} bytes")
        return bytes(body)

    async def say(self, events: list[h11.Event]) -> None:
        """A whole reply, unless one has begun."""
        if not self.begun and self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            for event in events:
                await self.send(event)

    async def send(self, event: h11.Event) -> None:
        if isinstance(event, h11.Response):
            self.begun = True
        data = self._http.send(event)
        if data:
            self._writer.write(data)
            async with asyncio.timeout(SEND_S):
                await self._writer.drain()

    def next_cycle(self) -> bool:
        """Whether the browser may send another request here."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            return True
        return False

    async def _next_event(self) -> h11.Event | type[h11.PAUSED]:
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise BadRequest(error.error_status_hint, str(error)) from None
            if event is not h11.NEED_DATA:
                assert not isinstance(event, type) or event is h11.PAUSED
                return event
            await self._receive()

    async def _receive(self) -> None:
        async with asyncio.timeout(KEEP_ALIVE_S):
            self._http.receive_data(await self._reader.read(MAX_READ_BYTES))


def reply(status: int, body: str | bytes, headers: list[Header] | None = None) -> list[h11.Event]:
    """A whole reply of the listener itself; a text is plain, bytes are a page."""
    kind = b"text/plain; charset=utf-8" if isinstance(body, str) else b"text/html; charset=utf-8"
    data = body.encode() if isinstance(body, str) else body
    given = [(b"Content-Type", kind), (b"Content-Length", str(len(data)).encode()), *HEADERS]
    head = h11.Response(status_code=status, headers=[*given, *(headers or [])])
    return [head, h11.Data(data=data), h11.EndOfMessage()]
