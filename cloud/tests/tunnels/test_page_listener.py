"""The way to a gateway's page, with a real HTTP server as the page and a real client as the browser."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from cloud.core.unauthenticated import ClientConnection, UnauthenticatedClients
from cloud.link import LinkDown
from cloud.settings import SettingsError, load
from cloud.tunnels import browser_connection
from cloud.tunnels.page_listener import (
    MAX_IDENTIFIED,
    MAX_UNIDENTIFIED,
    MAX_UNIDENTIFIED_OF_ADDRESS,
    PageListener,
    server_tls,
)
from cloud.tunnels.page_pool import MAX_CONNECTIONS, PagePool
from cloud.tunnels.switchboard import Switchboard
from edge_contract import tunnel
from edge_contract.payloads import encode
from edge_contract.tunnel import Close, Kind, Open, Target
from edge_contract.tunnel_stream import TunnelStream

GATEWAY = "gw-test-1"
OPENING = Open(target=Target.PAGE, idle_s=30, longest_s=600, who="li")
BIG = 3_000_000
ENDS_S = 20.0
Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class PageGateway:
    """Carries tunnels to a TCP port, as a gateway does to its page."""

    port: int
    switchboard: Switchboard | None = None
    away: bool = False
    refuses: Close | None = None
    opened: int = 0
    _ends: dict[str, tuple[TunnelStream, asyncio.StreamWriter]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def send(self, gateway: str, payload: bytes) -> None:
        if self.away:
            raise LinkDown("no broker")
        frame = tunnel.decode(payload)
        if frame.kind is Kind.OPEN:
            await self._open(frame.tunnel)
        stream, writer = self._ends[frame.tunnel]
        stream.receive(frame)
        while (event := stream.read()) is not None:
            if event[0] is Kind.DATA:
                writer.write(event[1])
                await writer.drain()
                stream.took(len(event[1]))
            elif event[0] is Kind.CLOSE:
                writer.close()
        self._flush(stream)

    async def _open(self, name: str) -> None:
        self.opened += 1
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        stream = TunnelStream(name)
        self._ends[name] = stream, writer
        if self.refuses is not None:
            stream.close(self.refuses)
            return
        stream.put(Kind.OPENED)
        task = asyncio.create_task(self._pump(stream, reader))
        self._tasks.add(task)

    async def _pump(self, stream: TunnelStream, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(8192):
            while data:
                size = min(stream.free, len(data))
                stream.write(data[:size])
                data = data[size:]
                self._flush(stream)
                await asyncio.sleep(0)
        self._flush(stream)
        stream.close(Close(code="done"))
        self._flush(stream)

    def _flush(self, stream: TunnelStream) -> None:
        assert self.switchboard is not None
        while (frame := stream.next_frame()) is not None:
            self.switchboard.take(GATEWAY, tunnel.encode(frame))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        for _, writer in self._ends.values():
            writer.close()


def page_app() -> web.Application:
    async def show(request: web.Request) -> web.Response:
        reply = web.json_response({"headers": dict(request.headers), "body": (await request.read()).decode()})
        reply.set_cookie("edge_session", "s3cret", httponly=True, samesite="Strict")
        return reply

    async def big(request: web.Request) -> web.StreamResponse:
        reply = web.StreamResponse()
        await reply.prepare(request)
        for _ in range(BIG // 1000):
            await reply.write(b"x" * 1000)
        return reply

    async def slow(request: web.Request) -> web.Response:
        await asyncio.sleep(0.05)
        return web.Response(text="slow")

    async def bye(request: web.Request) -> web.Response:
        reply = web.Response(text="bye")
        reply.force_close()
        return reply

    app = web.Application()
    app.router.add_route("*", "/show", show)
    for path, handler in (("/big", big), ("/slow", slow), ("/bye", bye)):
        app.router.add_get(path, handler)
    return app


@dataclass
class Way:
    gateway: PageGateway
    pool: PagePool
    listener: PageListener
    browser: httpx.AsyncClient

    async def enter(self) -> httpx.Response:
        return await self.browser.get(self.listener.link())

    def request(self) -> bytes:
        """One of a browser that was let in."""
        cookie = f"edge_tunnel_00c0ffee={self.browser.cookies['edge_tunnel_00c0ffee']}"
        return f"HEAD /show HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n\r\n".encode()


@pytest.fixture
async def way() -> AsyncIterator[Way]:
    server = TestServer(page_app(), host="127.0.0.1")
    await server.start_server()
    gateway = PageGateway(server.port or 0)
    gateway.switchboard = switchboard = Switchboard(gateway.send, lambda: True)
    pool = PagePool(lambda: switchboard.open(GATEWAY, OPENING, timeout_s=ENDS_S), switchboard.monotonic)
    listener = PageListener("00c0ffee00c0ffee", pool, None, switchboard.monotonic)
    port = await listener.start("127.0.0.1", "0")
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=ENDS_S) as browser:
        yield Way(gateway, pool, listener, browser)
    await listener.stop()
    await switchboard.stop()
    await gateway.stop()
    await server.close()


async def test_a_link_lets_one_browser_in_once(way: Way) -> None:
    assert (await way.browser.get("/show")).status_code == 403
    link = way.listener.link()
    entered = await way.browser.get(link)
    assert entered.status_code == 200
    assert re.fullmatch(
        r"edge_tunnel_00c0ffee=[\w-]{43}; Path=/; HttpOnly; SameSite=Strict", entered.headers["set-cookie"]
    )
    assert "url=/" in entered.text
    assert (await way.browser.get("/show")).status_code == 200
    async with httpx.AsyncClient(base_url=way.browser.base_url, timeout=ENDS_S) as other:
        assert (await other.get(link)).status_code == 403
        assert (await other.get("/show")).status_code == 403
        assert (await other.get("/.tunnel/")).status_code == 403
        void, valid = way.listener.link(), way.listener.link()
        assert (await other.get(void)).status_code == 403
        assert (await other.head(valid)).status_code == 403
        assert (await other.get(valid)).status_code == 200
    assert way.gateway.opened == 1, "whoever is not let in opens no tunnel"


async def test_what_passes(way: Way) -> None:
    await way.enter()
    words = {"X-Token": "portal", "X-Edge": "1", "Origin": str(way.browser.base_url).rstrip("/")}
    reply = await way.browser.post("/show?a=1&b=%2F", content="text", headers=words)
    seen = {name.lower(): value for name, value in reply.json()["headers"].items()}
    assert reply.json()["body"] == "text"
    assert (seen["host"], seen["x-edge"]) == ("localhost", "1")
    assert not seen.keys() & {"x-token", "origin", "cookie"}
    assert reply.headers["cache-control"] == "no-store"
    assert "g00c0ffee_edge_session=s3cret" in reply.headers["set-cookie"]
    again = await way.browser.get("/show")
    assert again.json()["headers"]["Cookie"] == "edge_session=s3cret"
    assert (await way.browser.head("/show")).status_code == 200
    assert way.gateway.opened == 1, "one request after another on one tunnel"
    sent, received = way.pool.bytes_transferred()
    assert sent > 300 and received > 300


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("GET", {"Sec-Fetch-Site": "cross-site"}),
        ("GET", {"Sec-Fetch-Site": "same-site"}),
        ("POST", {"Origin": "http://127.0.0.1:1"}),
        ("GET", {"Service-Worker": "script"}),
        ("TRACE", {}),
    ],
)
async def test_what_other_pages_could_send_is_refused(way: Way, method: str, headers: dict[str, str]) -> None:
    await way.enter()
    assert (await way.browser.request(method, "/show", headers=headers)).status_code == 403
    assert way.gateway.opened == 0


async def test_a_long_answer_and_many_at_once(way: Way) -> None:
    await way.enter()
    assert len((await way.browser.get("/big")).content) == BIG
    replies = await asyncio.gather(*(way.browser.get("/slow") for _ in range(12)))
    assert [reply.text for reply in replies] == ["slow"] * 12
    assert way.gateway.opened <= MAX_CONNECTIONS


async def test_a_page_that_closes_its_connection_is_connected_to_again(way: Way) -> None:
    await way.enter()
    for _ in range(3):
        assert (await way.browser.get("/bye")).text == "bye"
    assert (await way.browser.get("/show")).status_code == 200
    assert way.gateway.opened >= 3


async def test_too_long_a_body_and_what_is_no_http(way: Way) -> None:
    await way.enter()
    reply = await way.browser.post("/show", content=b"x" * (2 * 1024 * 1024 + 1))
    assert reply.status_code == 413
    port = way.browser.base_url.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"\x16\x03\x01\x02\x00\x01 no http\r\n\r\n")
    assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
    writer.close()


@pytest.fixture
async def strangers(way: Way) -> AsyncIterator[Callable[[int], Awaitable[list[Ends]]]]:
    """Opens connections that begin a request and leave it at that."""
    opened: list[Ends] = []

    async def come(count: int) -> list[Ends]:
        for _ in range(count):
            ends = await asyncio.open_connection("127.0.0.1", way.browser.base_url.port)
            ends[1].write(b"GET / HT")
            opened.append(ends)
        return opened

    yield come
    for _, writer in opened:
        writer.close()


async def test_strangers_do_not_take_the_room_of_who_is_let_in(
    way: Way, strangers: Callable[[int], Awaitable[list[Ends]]]
) -> None:
    opened = await strangers(MAX_UNIDENTIFIED)
    assert (await way.enter()).status_code == 200
    assert (await way.browser.get("/show")).status_code == 200
    reader, writer = await asyncio.open_connection("127.0.0.1", way.browser.base_url.port)
    writer.write(way.request())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
    await strangers(MAX_UNIDENTIFIED)
    writer.write(way.request())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200"), "the same connection"
    writer.close()
    async with asyncio.timeout(ENDS_S):
        while [ends[0].at_eof() for ends in opened].count(False) > MAX_UNIDENTIFIED_OF_ADDRESS:  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("requests_before", [0, 1])
async def test_a_head_that_comes_by_the_byte_ends_in_time(
    way: Way, monkeypatch: pytest.MonkeyPatch, requests_before: int
) -> None:
    await way.enter()
    to_page = way.gateway._open

    async def hurry(name: str) -> None:
        """Before the answer goes out; the first head has had its time."""
        monkeypatch.setattr(browser_connection, "HEAD_S", 0.3)
        await to_page(name)

    monkeypatch.setattr(way.gateway, "_open", hurry)
    if not requests_before:
        monkeypatch.setattr(browser_connection, "HEAD_S", 0.3)
    reader, writer = await asyncio.open_connection("127.0.0.1", way.browser.base_url.port)
    for _ in range(requests_before):
        writer.write(way.request())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.5)  # between two requests there is more time
        assert not reader.at_eof()

    async def dribble() -> None:
        for byte in b"GET / HTTP/1.1\r\nX: " + b"x" * 1000:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.05)

    slowly = asyncio.create_task(dribble())
    async with asyncio.timeout(ENDS_S):
        with contextlib.suppress(ConnectionResetError):  # by a byte that was on its way
            assert await reader.read() == b""
    slowly.cancel()
    writer.close()


def test_who_has_to_make_room() -> None:
    guests = UnauthenticatedClients(MAX_UNIDENTIFIED, MAX_UNIDENTIFIED_OF_ADDRESS, MAX_IDENTIFIED)
    gone: list[ClientConnection] = []

    def guest(address: str) -> ClientConnection:
        made = ClientConnection(address, lambda: gone.append(made))
        return made

    owner, waiting = guest("10.0.0.1"), guest("10.0.0.1")
    assert guests.come(owner) and guests.identified(owner) and guests.come(waiting)
    flood = [guest("10.0.0.2") for _ in range(MAX_UNIDENTIFIED_OF_ADDRESS + 2)]
    assert [guests.come(one) for one in flood].count(False) == 2
    assert gone == flood[:2], "an address makes room for itself"
    for number in range(MAX_UNIDENTIFIED - MAX_UNIDENTIFIED_OF_ADDRESS + 5):
        guests.come(guest(f"10.1.0.{number}"))
    assert gone == flood[:8], "then the address with most"
    known = [guest("10.0.0.3") for _ in range(MAX_IDENTIFIED)]
    for one in known:
        guests.come(one)
    assert [guests.identified(one) for one in known].count(True) == MAX_IDENTIFIED - 1
    guests.leave(owner)
    assert guests.identified(known[-1])


async def test_a_gateway_that_does_not_answer(way: Way) -> None:
    await way.enter()
    way.gateway.refuses = Close(code="refused", detail="the local page is switched off")
    reply = await way.browser.get("/show")
    assert (reply.status_code, "switched off" in reply.text) == (503, True)
    way.gateway.away = True
    assert (await way.browser.get("/show")).status_code == 503
    assert encode(Close(code="done")) == b'{"code":"done"}'


async def test_the_end_closes_everything(way: Way) -> None:
    await way.enter()
    await way.browser.get("/show")
    await way.listener.stop()
    with pytest.raises(httpx.TransportError):
        await way.browser.get("/show")


def test_a_listener_outside_loopback_needs_a_certificate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDGE_RPROXY_HOST", "0.0.0.0")
    with pytest.raises(
        SettingsError, match="EDGE_RPROXY_CERT_FILE: needed with EDGE_RPROXY_HOST outside loopback"
    ):
        load()
    monkeypatch.setenv("EDGE_RPROXY_HOST", "::1")
    monkeypatch.setenv("EDGE_VCOM_PORTS", "9-1")
    with pytest.raises(SettingsError, match="EDGE_VCOM_PORTS: 0 for any free port"):
        load()
    (tmp_path / "cert.pem").write_text("none")
    with pytest.raises(ValueError, match="EDGE_RPROXY_CERT_FILE: a PEM certificate"):
        server_tls(tmp_path / "cert.pem", None)
    assert server_tls(None, None) is None
