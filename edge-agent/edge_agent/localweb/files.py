"""The page's own files, from memory, packed once."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

STATIC = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}


class PageFiles:
    """Every file of the static folder at its name; index.html at the root."""

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/" if file.name == "index.html" else f"/{file.name}", static(file))
            for file in sorted(STATIC.iterdir())
            if file.suffix in TYPES
        ]


def static(file: Path) -> Handler:
    """Serve one small file, with a tag that saves sending it twice."""
    plain = file.read_bytes()
    packed = gzip.compress(plain, 9, mtime=0)
    tag = hashlib.sha256(plain).hexdigest()[:16]

    async def handler(request: web.Request) -> web.Response:
        headers = {"ETag": f'"{tag}"', "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if tag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        body = plain
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            body, headers["Content-Encoding"] = packed, "gzip"
        return web.Response(body=body, content_type=TYPES[file.suffix], charset="utf-8", headers=headers)

    return handler
