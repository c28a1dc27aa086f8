"""Slow and silent clients of the local page, on real sockets: their connections end, others' do not."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from aiohttp import web

from edge_agent.config.model import LocalPage
from edge_agent.localweb import connections
from edge_agent.localweb.connections import BoundedSite, Connections, body_of
from edge_agent.localweb.server import tls_of
from edge_agent.system.clock import SystemClock

HEAD_S = 1.0
MAX_WAITING = 8
WAIT_S = 15.0
GET = b"GET /quick HTTP/1.1\r\nHost: x\r\n\r\n"
Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Serve = Callable[..., contextlib.AbstractAsyncContextManager[int]]


async def quick(request: web.Request) -> web.Response:
    return web.Response(text="done")


async def slow(request: web.Request) -> web.Response:
    await asyncio.sleep(3)
    return web.Response(text="done")


async def body(request: web.Request) -> web.Response:
    return web.Response(text=str(len(await body_of(request))))


@contextlib.asynccontextmanager
async def serving(settings: LocalPage | None = None) -> AsyncIterator[int]:
    bounds = Connections(SystemClock(), head_timeout_s=HEAD_S, max_waiting=MAX_WAITING)
    app = web.Application(middlewares=[bounds.middleware])
    app.router.add_routes([web.get("/quick", quick), web.get("/slow", slow), web.post("/body", body)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    assert runner.server is not None
    looking = asyncio.create_task(bounds.run(runner.server))
    tls = tls_of(settings) if settings else None
    await BoundedSite(runner, "127.0.0.1", 0, tls, bounds, handshake_timeout_s=HEAD_S).start()
    try:
        yield runner.addresses[0][1]
    finally:
        looking.cancel()
        await runner.cleanup()


async def opened(port: int, first: bytes = b"") -> Ends:
    ends = await asyncio.open_connection("127.0.0.1", port)
    ends[1].write(first)
    return ends


async def ended_after(ends: Ends, drip: bytes = b"") -> float:
    """Seconds until the other side closes."""
    reader, writer = ends
    began = time.monotonic()

    async def feed() -> None:
        for at in range(1000):
            writer.write(drip[at % len(drip) : at % len(drip) + 1])
            await asyncio.sleep(0.2)

    feeding = asyncio.create_task(feed()) if drip else None
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(WAIT_S):
            while await reader.read(4096):
                pass
    if feeding is not None:
        feeding.cancel()
    writer.close()
    return time.monotonic() - began


async def reply(ends: Ends) -> bytes:
    data = b""
    async with asyncio.timeout(WAIT_S):
        while not data.endswith(b"done"):
            part = await ends[0].read(4096)
            if not part:
                break
            data += part
    return data


@pytest.mark.parametrize(
    ("first", "drip"),
    [
        (b"", b""),
        (b"GET /quick HTTP/1.1\r\nHost: x\r\n", b""),
        (b"GET /quick HTTP/1.1\r\nHost: x\r\n", b"X-Slow: loris\r\n"),
        (GET, b""),
        (GET, b"GET /quick HTTP/1.1\r\nX-Slow: loris\r\nY"),
    ],
    ids=["nothing", "half a head", "slow head", "after a reply", "slow second"],
)
async def test_a_head_that_does_not_come_ends_the_connection(first: bytes, drip: bytes) -> None:
    async with serving() as port:
        seconds = await ended_after(await opened(port, first), drip)
    assert 0.7 < seconds < HEAD_S + 5


async def test_a_body_that_does_not_come_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_TIMEOUT_S", 1.0)
    head = b"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\nConnection: close\r\n\r\n"
    async with serving() as port:
        ends = await opened(port, head)
        answer = await asyncio.wait_for(ends[0].readline(), WAIT_S)
        assert b"408" in answer
        ends[1].close()


async def test_a_slow_answer_and_a_busy_browser_are_not_ended() -> None:
    async with serving() as port:
        slow_one, busy = await opened(port, b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"), await opened(port)
        for _ in range(5):
            busy[1].write(GET)
            assert b"done" in await reply(busy)
            await asyncio.sleep(0.6)
        assert b"done" in await reply(slow_one)
        for _, writer in (slow_one, busy):
            writer.close()


async def test_a_flood_frees_connections() -> None:
    async with serving() as port:
        working = await opened(port, b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        flood = [await opened(port) for _ in range(40)]
        newcomer = await opened(port, GET)
        assert b"done" in await reply(newcomer)
        assert await ended_after(flood[0]) < 0.5
        assert b"done" in await reply(working)
        for _, writer in (*flood, newcomer, working):
            writer.close()


async def test_a_handshake_that_does_not_come_ends_the_connection(tmp_path: Path) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=x"]
    words += ["-keyout", str(key), "-out", str(cert)]
    await asyncio.to_thread(subprocess.run, words, check=True, capture_output=True)
    async with serving(LocalPage(cert_file=str(cert), key_file=str(key))) as port:
        assert 0.7 < await ended_after(await opened(port)) < HEAD_S + 5
