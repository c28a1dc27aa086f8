"""Connections to the page that wait for a request: each has a time, and there are few of them.

aiohttp waits for a head as long as it takes, and 60 s for a TLS handshake.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator

from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler

from edge_agent.system.clock import Clock

HEAD_TIMEOUT_S = 15.0
"""From the connection, or the last request, to the end of the next head, however slowly it comes."""
BODY_TIMEOUT_S = 30.0
"""Of a request's body, the largest of which is a configuration."""
HANDSHAKE_TIMEOUT_S = 10.0
MAX_WAITING = 64
"""Connections without a request under way; a browser has six. For one more the longest idle one ends."""
LOOK_S = 1.0


class Connections:
    """middleware sees every request; run() ends what has waited too long."""

    def __init__(
        self, clock: Clock, *, head_timeout_s: float = HEAD_TIMEOUT_S, max_waiting: int = MAX_WAITING
    ) -> None:
        self._clock = clock
        self._head_timeout_s = head_timeout_s
        self._max_waiting = max_waiting
        self._since: dict[RequestHandler, float] = {}
        self._server: web.Server | None = None

    @property
    def middleware(self) -> web.middleware:  # type: ignore[valid-type]
        @web.middleware
        async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._since.pop(request.protocol, None)
            return await handler(request)

        return note

    async def run(self, server: web.Server) -> None:
        """Until cancelled."""
        self._server = server
        while True:
            self._look(self._max_waiting)
            await self._clock.sleep(LOOK_S)

    def drop_idle(self) -> None:
        """For a connection that comes now."""
        self._look(self._max_waiting - 1)

    def _look(self, limit: int) -> None:
        if self._server is None:
            return
        now = self._clock.monotonic()
        # aiohttp says nowhere else whether a connection waits for a request.
        waiting = [each for each in self._server.connections if each._waiter is not None]
        self._since = {each: self._since.get(each, now) for each in waiting}
        waiting.sort(key=self._since.__getitem__)
        for place, each in enumerate(waiting):
            if now - self._since[each] >= self._head_timeout_s or len(waiting) - place > limit:
                each.force_close()
                del self._since[each]


class BoundedSite(web.TCPSite):
    """Frees a place for each newcomer, and bounds its TLS handshake."""

    def __init__(
        self,
        runner: web.AppRunner,
        host: str,
        port: int,
        tls: ssl.SSLContext | None,
        connections: Connections,
        handshake_timeout_s: float = HANDSHAKE_TIMEOUT_S,
    ) -> None:
        super().__init__(runner, host, port, ssl_context=tls)
        self._place = host, port
        self._tls = tls
        self._connections = connections
        self._handshake_timeout_s = handshake_timeout_s

    async def start(self) -> None:
        await web.BaseSite.start(self)
        server = self._runner.server
        assert server is not None

        def come() -> asyncio.Protocol:
            self._connections.drop_idle()
            protocol: asyncio.Protocol = server()
            return protocol

        self._server = await asyncio.get_running_loop().create_server(
            come,
            *self._place,
            ssl=self._tls,
            ssl_handshake_timeout=None if self._tls is None else self._handshake_timeout_s,
        )


@contextlib.asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """Around the reading of a body; HTTPRequestTimeout when it does not come."""
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            yield
    except TimeoutError:
        raise web.HTTPRequestTimeout from None


async def body_of(request: web.Request) -> bytes:
    """The whole body; HTTPRequestTimeout when it does not come."""
    async with in_time():
        return await request.read()
