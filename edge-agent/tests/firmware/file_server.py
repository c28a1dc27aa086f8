"""A real HTTP server for one file, that cuts connections and breaks rules when it is told to."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web


@dataclass
class FileServer:
    """cut_after: bytes of an answer after which its connection is cut; cuts: so often. ranges: of RFC 9110.
    status: of every answer, if not 0. requests: their Range fields.
    """

    content: bytes
    cut_after: int = 0
    cuts: int = 0
    ranges: bool = True
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    sent: int = 0
    pause_s: float = 0.0
    url: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        wanted = request.headers.get("Range", "")
        self.requests.append(wanted)
        if self.status:
            return web.Response(status=self.status, headers=self.headers)
        match = re.fullmatch(r"bytes=(\d+)-", wanted) if self.ranges else None
        first = int(match[1]) if match else 0
        body, size = self.content[first:], len(self.content)
        response = web.StreamResponse(status=206 if match else 200)
        if match:
            response.headers["Content-Range"] = f"bytes {first}-{size - 1}/{size}"
        response.headers.update(self.headers)
        response.content_length = len(body)
        await response.prepare(request)
        cut = self.cut_after if self.cuts else 0
        if cut and cut < len(body):
            self.cuts -= 1
            await response.write(body[:cut])
            self.sent += cut
            assert request.transport is not None
            await asyncio.sleep(0.05)
            request.transport.close()
            return response
        for at in range(0, len(body), 65_536):
            await response.write(body[at : at + 65_536])
            self.sent += len(body[at : at + 65_536])
            if self.pause_s:
                await asyncio.sleep(self.pause_s)
        return response


@asynccontextmanager
async def serving(server: FileServer) -> AsyncIterator[FileServer]:
    """url is set while it serves, on loopback."""
    application = web.Application()
    application.router.add_get("/firmware.bin", server.answer)
    runner = web.AppRunner(application, shutdown_timeout=0.5)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.url = f"http://{host}:{port}/firmware.bin"
    try:
        yield server
    finally:
        await runner.cleanup()
