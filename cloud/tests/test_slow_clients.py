"""Clients that send slowly or nothing, on real sockets: their connections end in time, others' do not."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request, WebSocket

from cloud.http_server import BoundedHttp, HttpLimits, bounded_http

from .real_server import serving

LIMITS = HttpLimits(
    head_timeout_s=1.0, body_stall_s=1.0, body_timeout_s=3.0, max_waiting=30, max_waiting_of_address=10
)
WAIT_S = 15.0
GET = b"GET /quick HTTP/1.1\r\nHost: x\r\n\r\n"


def application() -> FastAPI:
    app = FastAPI()

    @app.get("/quick")
    async def quick() -> str:
        return "done"

    @app.get("/slow")
    async def slow() -> str:
        await asyncio.sleep(2.5)
        return "done"

    @app.post("/body")
    async def body(request: Request) -> int:
        return len(await request.body())

    @app.post("/early")
    async def early() -> str:
        return "done"

    @app.websocket("/ws")
    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(await socket.receive_text())

    return app


@pytest.fixture(scope="module")
def http() -> type[BoundedHttp]:
    return bounded_http(LIMITS)


@pytest.fixture(scope="module")
def port(http: type[BoundedHttp]) -> Iterator[int]:
    with serving(application(), http=http, timeout_keep_alive=5) as port:
        yield port


def connected(port: int, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=WAIT_S, source_address=(source, 0))


def ended_after(client: socket.socket, *, drip: bytes = b"", pause_s: float = 0.2) -> float:
    """Seconds until the server closes the connection, into which drip goes byte by byte over and over."""
    began = time.monotonic()
    client.settimeout(pause_s)
    at = 0
    while time.monotonic() - began < WAIT_S:
        with contextlib.suppress(TimeoutError):
            try:
                if not client.recv(4096):
                    break
            except ConnectionError:
                break
        if drip:
            with contextlib.suppress(OSError):
                client.send(drip[at % len(drip) : at % len(drip) + 1])
            at += 1
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("first", "drip"),
    [
        (b"", b""),
        (b"GET /quick HTTP/1.1\r\nHost: x\r\n", b""),
        (b"GET /quick HTTP/1.1\r\nHost: x\r\n", b"X-Slow: loris\r\n"),
        (b"", b"\r\n"),
        (GET, b""),
        (GET, b"\r\n"),
        (GET, b"GET /quick HTTP/1.1\r\nX-Slow: loris\r\nY"),
    ],
    ids=[
        "nothing",
        "half a head",
        "a slow head",
        "empty lines",
        "after a reply",
        "lines after",
        "a slow second",
    ],
)
def test_a_head_that_does_not_come_ends_the_connection(port: int, first: bytes, drip: bytes) -> None:
    with connected(port) as client:
        client.sendall(first)
        seconds = ended_after(client, drip=drip)
    assert 0.7 < seconds < 4.0, seconds


@pytest.mark.parametrize(("drip", "limit_s"), [(b"", 1.0), (b"x", 3.0)], ids=["stalls", "drips"])
def test_a_body_that_does_not_come_ends_the_connection(port: int, drip: bytes, limit_s: float) -> None:
    with connected(port) as client:
        client.sendall(b"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nx")
        seconds = ended_after(client, drip=drip)
    assert limit_s * 0.7 < seconds < limit_s + 3.0, seconds


def test_a_body_has_a_least_rate() -> None:
    """Well before its whole time is over; who is fast enough is not ended."""
    http = bounded_http(HttpLimits(body_grace_s=1.0, body_rate=50.0))
    with serving(application(), http=http) as port, connected(port) as slow, connected(port) as fast:
        head = b"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
        fast.sendall(head % 1000)
        for _ in range(20):
            fast.sendall(b"x" * 50)
            time.sleep(0.15)
        assert b"1000" in fast.recv(4096)
        slow.sendall(head % 1000)
        assert 0.7 < ended_after(slow, drip=b" ") < 6.0


def test_a_flood_of_bodies_makes_room() -> None:
    """Long before their own time would be over."""
    http = bounded_http(HttpLimits(max_waiting=30, max_waiting_of_address=10))
    with serving(application(), http=http) as port, contextlib.ExitStack() as opened:
        flood = [opened.enter_context(connected(port)) for _ in range(60)]
        for each in flood:
            with contextlib.suppress(ConnectionError):
                each.sendall(b"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        with connected(port) as client:
            client.sendall(GET)
            assert b"done" in read_reply(client)
        assert 5 <= http.unauthenticated.waiting <= 12, "bodies under way are among them"
        assert ended_after(flood[0]) < 0.5


def test_the_rest_of_a_body_that_nobody_reads_has_its_time_too(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nx")
        assert ended_after(client, drip=b"x") < 5.0


def test_what_takes_its_time_inside_is_not_ended(port: int) -> None:
    """A reply that takes longer than a head may, and a socket that is kept open."""
    with connected(port) as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"done" in read_reply(client)
        client.sendall(GET)
        assert b"done" in read_reply(client), "the connection is kept"
    with connected(port) as client:
        client.sendall(
            b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        assert b"101" in client.recv(4096)
        time.sleep(2.5)
        client.sendall(bytes([0x81, 0x82, 0, 0, 0, 0]) + b"ok")
        assert client.recv(4) == b"\x81\x02ok"


def read_reply(client: socket.socket) -> bytes:
    client.settimeout(WAIT_S)
    data = b""
    while not data.endswith(b'"done"'):
        part = client.recv(4096)
        if not part:
            break
        data += part
    return data


def test_a_flood_of_waiting_connections_makes_room(port: int, http: type[BoundedHttp]) -> None:
    """Of one address the oldest go; another's stay, and whoever comes is answered."""
    with contextlib.ExitStack() as opened:
        quiet = opened.enter_context(connected(port, "127.0.0.3"))
        quiet.sendall(b"GET /quick HTTP/1.1\r\n")
        flood = [opened.enter_context(connected(port)) for _ in range(60)]
        for _ in range(3):
            client = opened.enter_context(connected(port))
            client.sendall(GET)
            assert b"done" in read_reply(client)
        assert http.unauthenticated.waiting <= 12
        quiet.sendall(b"Host: x\r\n\r\n")
        assert b"done" in read_reply(quiet)
        assert ended_after(flood[0]) < 0.5
    deadline = time.monotonic() + WAIT_S
    while http.unauthenticated.waiting and time.monotonic() < deadline:
        time.sleep(0.02)
    assert http.unauthenticated.waiting == 0


def test_connections_of_a_trusted_proxy_have_no_share() -> None:
    http = bounded_http(
        HttpLimits(max_waiting=30, max_waiting_of_address=2, trusted_proxies="127.0.0.0/8, ::1")
    )
    with serving(application(), http=http) as port, contextlib.ExitStack() as opened:
        clients = [opened.enter_context(connected(port)) for _ in range(20)]
        for client in clients:
            client.sendall(GET)
            assert b"done" in read_reply(client)
