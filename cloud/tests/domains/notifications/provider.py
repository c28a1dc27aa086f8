"""A small HTTP server that answers as a provider's contract says, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = tuple[int, Any]


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    query: dict[str, str]
    raw_query: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Provider:
    """answer: of each request, a status and a body."""

    answer: Callable[[Asked], Answer]
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, target, _ = head[0].split(" ")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        asked = Asked(method, parts.path, query, parts.query, headers, body)
        self.asked.append(asked)
        status, said = self.answer(asked)
        content = said if isinstance(said, bytes) else json.dumps(said).encode()
        location = "Location: http://127.0.0.1:1/\r\n" if 300 <= status < 400 else ""
        start = (
            f"HTTP/1.1 {status} x\r\n{location}Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        )
        writer.write(start.encode() + content)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def serving(answer: Callable[[Asked], Answer]) -> AsyncIterator[Provider]:
    """A provider on a free port of this machine."""
    provider = Provider(answer)
    server = await asyncio.start_server(provider.handle, "127.0.0.1", 0)
    provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield provider
