"""Bodies of any length and form against a real server, because a test client is no HTTP parser."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI, Request

from cloud import web

from .real_server import serving

CHUNK = b"%x\r\n" % 65536 + b"A" * 65536 + b"\r\n"


class Taken:
    """What the application was given."""

    bytes = 0


@pytest.fixture(scope="module")
def taken() -> Taken:
    return Taken()


@pytest.fixture(scope="module")
def port(taken: Taken) -> Iterator[int]:
    app = FastAPI()
    web.install(app)

    @app.post("/api/v1/login/login")
    async def sign_in(body: dict[str, str]) -> int:
        return len(body)

    @app.post("/api/v1/parts")
    async def parts(request: Request) -> int:
        async for part in request.stream():
            taken.bytes += len(part)
        return taken.bytes

    with serving(app, lifespan="off") as found:
        yield found


def flood(port: int, path: str, encoding: str) -> tuple[bytes, int]:
    """The answer to a body without end, and how many bytes of it went out before the server was through."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{encoding}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(head.encode())
        answer = connection.recv(4096)
        sent = 0
        try:
            while sent < 100 * 1024 * 1024:
                connection.sendall(CHUNK)
                sent += len(CHUNK)
        except OSError:
            pass
    return answer, sent


@pytest.mark.parametrize("word", ["chunked", "Chunked", "CHUNKED", "gzip, CHUNKED"])
@pytest.mark.parametrize("path", ["/api/v1/login/login", "/api/v1/parts"])
def test_chunked_bodies_are_refused_and_not_taken(port: int, taken: Taken, path: str, word: str) -> None:
    taken.bytes = 0
    answer, sent = flood(port, path, f"Transfer-Encoding: {word}")
    assert answer.startswith(b"HTTP/1.1 413") or (
        word.startswith("gzip") and answer.startswith(b"HTTP/1.1 400")
    )
    assert taken.bytes == 0
    assert sent < 16 * 1024 * 1024  # what buffers of both sides hold


def test_length_is_checked_before_the_body(port: int) -> None:
    too_long = httpx.post(
        f"http://127.0.0.1:{port}/api/v1/login/login", content=b"A" * (web.MAX_BODY_BYTES + 1), timeout=30
    )
    assert (too_long.status_code, too_long.json()["data"]["field"]) == (413, "body")
    fits = httpx.post(f"http://127.0.0.1:{port}/api/v1/login/login", json={"a": "A" * 1_000_000}, timeout=30)
    assert (fits.status_code, fits.text) == (200, "1")


@pytest.mark.parametrize("path", ["/api/v1/login/login", "/api/v1/parts"])
def test_bytes_are_counted_where_no_header_tells(
    port: int, taken: Taken, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken.bytes = 0
    monkeypatch.setattr(web, "_refused", lambda request: None)

    def body() -> Iterator[bytes]:
        for _ in range(40):
            yield b"A" * 65536

    reply = httpx.post(f"http://127.0.0.1:{port}{path}", content=body(), timeout=30)
    assert (reply.status_code, reply.json()["data"]["rule"]) == (
        413,
        "at most 1048576 bytes, with Content-Length",
    )
    assert taken.bytes <= web.MAX_BODY_BYTES
    assert reply.headers["x-request-id"]
