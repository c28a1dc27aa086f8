"""What an api process asks of the full one: two real servers of HTTP, one of which only passes on."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from cloud import leader_proxy, web
from cloud.domains.all import DOMAINS

STARTED_S = 30.0


@contextlib.asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[str]:
    """URL of a server that believes loopback's word about addresses."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, lifespan="off", forwarded_allow_ips="127.0.0.1")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        async with asyncio.timeout(STARTED_S):
            while not server.started:  # noqa: ASYNC110 (the server has no event for it)
                await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


def full() -> FastAPI:
    """Says what it was asked."""
    app = FastAPI()

    @app.api_route("/{path:path}", methods=["GET", "POST", "PUT", "DELETE"])
    async def say(request: Request) -> Response:
        if request.url.path == "/api/v1/file/picture":
            return Response(b"\x89PNG", 200, {"Cache-Control": "public", "ETag": '"e"'}, "image/png")
        said = {
            "method": request.method,
            "target": request.scope["raw_path"].decode() + "?" + request.url.query,
            "token": request.headers.get("x-token", ""),
            "host": request.headers["host"],
            "client": request.client.host if request.client else "",
            "scheme": request.url.scheme,
            "body": (await request.body()).decode(),
        }
        return JSONResponse(said, 409 if request.url.path.endswith("/owner") else 200)

    return app


@contextlib.asynccontextmanager
async def api(url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A caller of a process that answers 'here' to whatever it does not hand over."""
    app = FastAPI()
    web.install(app)
    async with leader_proxy.client(url) as client:
        app.add_middleware(leader_proxy.LeaderProxy, routes=leader_proxy.routes(DOMAINS), client=client)

        @app.api_route("/{path:path}", methods=["GET", "POST", "PUT", "DELETE"])
        def here(path: str) -> str:
            return "here"

        async with (
            serving(app) as own,
            httpx.AsyncClient(base_url=own, trust_env=False, timeout=30) as caller,
        ):
            yield caller


HANDED_OVER = [
    ("POST", "/api/v1/login/login"),
    ("POST", "/api/v1/login/refreshtoken"),
    ("POST", "/api/v1/device/vcom/1"),
    ("DELETE", "/api/v1/device/vcom/1/00112233aabbccdd"),
    ("GET", "/api/v1/device/rproxy/1?mode=open"),
    ("PUT", "/api/v1/device/1/owner"),
    ("DELETE", "/api/v1/device/1/share/2"),
    ("POST", "/api/v1/device/1/configuration/check"),
    ("POST", "/api/v1/device/1/deploy"),
    ("POST", "/api/v1/file?kind=logo"),
]
OWN = [
    ("GET", "/api/v1/device/vcom/1"),  # leases are read from the database
    ("GET", "/api/v1/device/1/share"),
    ("GET", "/api/v1/device/1"),
    ("POST", "/api/v1/device/cmd"),
    ("GET", "/api/v1/login/login"),
    ("POST", "/api/v1/login/login/more"),
    ("POST", "/login/login"),
]


async def test_what_is_handed_over_arrives_as_it_was_asked() -> None:
    async with serving(full()) as url, api(url) as caller:
        for method, target in HANDED_OVER:
            headers = {"X-Token": "t", "X-Forwarded-For": "192.0.2.7", "Host": "portal.example"}
            reply = await caller.request(method, target, content=b"body", headers=headers)
            said = reply.json()
            assert reply.status_code == (409 if target.endswith("/owner") else 200)
            assert (said["method"], said["token"], said["body"]) == (method, "t", "body")
            assert said["target"].rstrip("?") == target
            assert (said["client"], said["host"], said["scheme"]) == ("192.0.2.7", "portal.example", "http")
            assert reply.headers["cache-control"] == "no-store"
        for method, target in OWN:
            assert (await caller.request(method, target)).json() == "here"


async def test_a_file_keeps_its_headers() -> None:
    async with serving(full()) as url, api(url) as caller:
        reply = await caller.get("/api/v1/file/picture")
        assert (reply.content, reply.headers["content-type"]) == (b"\x89PNG", "image/png")
        assert (reply.headers["etag"], reply.headers["cache-control"]) == ('"e"', "public")


async def test_limits_count_before_anything_is_passed_on() -> None:
    async with serving(full()) as url, api(url) as caller:
        reply = await caller.post("/api/v1/login/login", content=b"x" * (web.MAX_BODY_BYTES + 1))
        assert reply.status_code == 413
        reply = await caller.post("/api/v1/login/login", headers={"Sec-Fetch-Site": "cross-site"})
        assert reply.status_code == 403


async def test_a_full_process_that_is_away_or_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leader_proxy, "ANSWER_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        for listening in (silent, nobody):
            async with api(f"http://127.0.0.1:{listening.getsockname()[1]}") as caller:
                reply = await caller.post("/api/v1/login/login")
                assert reply.status_code == 503
                assert reply.json()["data"]["reason"] == "process.full_away"
                assert (await caller.get("/api/v1/device/1")).json() == "here"


def test_an_operation_that_nobody_has_is_named() -> None:
    wrong = replace(DOMAINS[0], leader_only=frozenset({"gatewayPage"}))
    with pytest.raises(ValueError, match="identity has no gatewayPage"):
        leader_proxy.routes([wrong])
