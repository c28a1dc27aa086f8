"""The address under which one gateway's page is reached for as long as its tunnel is open.

Each tunnel has a port of its own, hence an origin of its own: pages of two gateways, and the portal, cannot
read each other. Who has used the tunnel's link, once, has a cookie; nobody else is let through.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
import ssl
from collections.abc import Callable
from pathlib import Path

import h11

from cloud.core.unauthenticated import ClientConnection, UnauthenticatedClients
from cloud.tunnels.browser_connection import HEAD_S, BadRequest, BrowserConnection, reply
from cloud.tunnels.channel import TunnelRefused
from cloud.tunnels.http_headers import Header, cookie, to_browser, to_gateway, value_of
from cloud.tunnels.metrics import REFUSED
from cloud.tunnels.page_pool import PageConnection, PageGone, PagePool
from cloud.tunnels.serial_listener import listen

log = logging.getLogger(__name__)

ENTRY = b"/.tunnel/"
MAX_ANSWER_HEADERS = 64 * 1024
MAX_IDENTIFIED = 32
MAX_UNIDENTIFIED = 64
MAX_UNIDENTIFIED_OF_ADDRESS = 16
"""A browser comes with six connections, none of which has shown a session until its first request."""
METHODS = {b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"PATCH"}
REPEATABLE = {b"GET", b"HEAD"}

# The browser sends a strict cookie only where the way here began on this origin: hence a page, no redirect.
ENTERED = b"""<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">"""


class PageListener:
    """link(): a path that lets one browser in, once. start(), then run() until ended."""

    def __init__(
        self, tunnel_id: str, pool: PagePool, tls: ssl.SSLContext | None, clock: Callable[[], float]
    ) -> None:
        self.used_s = clock()
        self._pool = pool
        self._tls = tls
        self._clock = clock
        self._cookie = f"edge_tunnel_{tunnel_id[:8]}"
        self._prefix = f"g{tunnel_id[:8]}_"
        self._token = b""
        self._sessions: set[bytes] = set()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._unauthenticated = UnauthenticatedClients(
            MAX_UNIDENTIFIED, MAX_UNIDENTIFIED_OF_ADDRESS, MAX_IDENTIFIED
        )

    async def start(self, host: str, range_text: str) -> int:
        """Listen; the port. NoFreePort."""
        handshake_s = HEAD_S if self._tls is not None else None
        self._server = await listen(
            self._accept, host, range_text, ssl=self._tls, ssl_handshake_timeout=handshake_s
        )
        return int(self._server.sockets[0].getsockname()[1])

    def link(self) -> str:
        """Path of a new link; an earlier one that was not used is void."""
        token = secrets.token_urlsafe(32)
        self._token = digest(token)
        return f"{ENTRY.decode()}{token}"

    async def stop(self) -> None:
        """Close the port, every browser's connection and every tunnel."""
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self._pool.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        address = str(writer.get_extra_info("peername", ("",))[0])
        client = ClientConnection(address, lambda: _cut(task, writer))
        if not self._unauthenticated.come(client):
            REFUSED.labels("crowd").inc()
        connection = BrowserConnection(reader, writer)
        try:
            await self._serve(connection, client)
        except (OSError, h11.LocalProtocolError, TimeoutError, PageGone) as error:
            log.debug("a browser's connection ended: %s", error)
        finally:
            self._unauthenticated.leave(client)
            writer.close()

    async def _serve(self, connection: BrowserConnection, client: ClientConnection) -> None:
        """One request after another."""
        try:
            while (request := await connection.request()) is not None:
                await self._answer(connection, request, client)
                if not connection.next_cycle():
                    break
        except BadRequest as error:
            await connection.say(reply(error.status, str(error)))

    async def _answer(
        self, browser: BrowserConnection, request: h11.Request, client: ClientConnection
    ) -> None:
        """One request: the link, or on to the gateway."""
        headers: list[Header] = list(request.headers)
        if request.target.startswith(ENTRY):
            await browser.say(self._enter(request))
            return
        if (refusal := self._refusal(request, headers)) is not None:
            REFUSED.labels(refusal).inc()
            await browser.say(reply(403, f"no access: {refusal}"))
            return
        if not self._unauthenticated.identified(client):
            raise BadRequest(503, f"at most {MAX_IDENTIFIED} connections at once")
        self.used_s = self._clock()
        body = await browser.body()
        length = len(body) if body or request.method not in REPEATABLE else None
        onward = h11.Request(
            method=request.method, target=request.target, headers=to_gateway(headers, self._prefix, length)
        )
        try:
            await self._pass(browser, onward, body)
        except (TunnelRefused, TimeoutError) as error:
            await browser.say(reply(503, f"the gateway cannot be reached: {error}"))
        except PageGone as error:
            if browser.begun:
                raise
            await browser.say(reply(502, f"the gateway's page does not answer: {error}"))

    async def _pass(self, browser: BrowserConnection, request: h11.Request, body: bytes) -> None:
        async with self._pool.connection() as page:
            used = page.used
            try:
                await page.send(request, body)
                await self._relay(browser, page)
                return
            except PageGone:
                # A connection that was kept may be closed by now; what changes nothing is asked again.
                if browser.begun or not used or request.method not in REPEATABLE:
                    raise
        async with self._pool.connection(new=True) as page:
            await page.send(request, body)
            await self._relay(browser, page)

    async def _relay(self, browser: BrowserConnection, page: PageConnection) -> None:
        while True:
            event = await page.next_event()
            if isinstance(event, h11.Response):
                headers = to_browser(event.headers, self._prefix, tls=self._tls is not None)
                event = h11.Response(status_code=event.status_code, headers=headers, reason=event.reason)
            await browser.send(event)
            if isinstance(event, h11.EndOfMessage):
                return

    def _refusal(self, request: h11.Request, headers: list[Header]) -> str | None:
        """Why a request goes no further."""
        if digest(cookie(headers, self._cookie)) not in self._sessions:
            return "cookie"
        if request.method not in METHODS:
            return "method"
        if value_of(headers, b"sec-fetch-site") not in (b"", b"same-origin", b"none"):
            return "site"
        origin = value_of(headers, b"origin")
        if origin and origin.partition(b"://")[2] != value_of(headers, b"host"):
            return "origin"
        if value_of(headers, b"service-worker"):
            return "service_worker"  # it would outlive the tunnel, on an address that another gateway gets
        return None

    def _enter(self, request: h11.Request) -> list[h11.Event]:
        given = digest(request.target.removeprefix(ENTRY).decode("latin-1"))
        if request.method != b"GET" or not self._token or not hmac.compare_digest(given, self._token):
            REFUSED.labels("link").inc()
            return reply(403, "this link was used or is not valid; open the page again from the portal")
        self._token = b""
        session = secrets.token_urlsafe(32)
        self._sessions.add(digest(session))
        self.used_s = self._clock()
        secure = "; Secure" if self._tls is not None else ""
        set_cookie = f"{self._cookie}={session}; Path=/; HttpOnly; SameSite=Strict{secure}"
        return reply(200, ENTERED, [(b"Set-Cookie", set_cookie.encode())])


def server_tls(cert_file: Path | None, key_file: Path | None) -> ssl.SSLContext | None:
    """TLS of the listeners, None without a certificate; ValueError when it cannot be used."""
    if cert_file is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(cert_file, key_file)
    except (OSError, ssl.SSLError) as error:
        raise ValueError(f"EDGE_RPROXY_CERT_FILE: a PEM certificate with its key: {error}") from None
    return context


def _cut(task: asyncio.Task[None], writer: asyncio.StreamWriter) -> None:
    """End a connection at once; what it would not take is not waited for."""
    task.cancel()
    writer.transport.abort()


def digest(text: str) -> bytes:
    """What is kept of a secret."""
    return hashlib.sha256(text.encode()).digest()
