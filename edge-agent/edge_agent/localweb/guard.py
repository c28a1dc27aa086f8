"""The page's middleware: host names, headers, and what every answer carries."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import socket

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
ASKING_HEADER = "X-Edge"
"""A foreign page cannot send it without a preflight, which nobody here answers."""

SMALLEST_PACKED = 2_000
PACKED_ASIDE = 200_000
"""From this size on packing takes long enough to hold up the loop."""


def known_host(host: str, names: frozenset[str]) -> bool:
    """An address, localhost or this machine's own name: a foreign name that points here is an attack."""
    name = host.rsplit(":", 1)[0] if host.count(":") <= 1 or "]" in host else host
    name = name.strip("[]").lower().rstrip(".")
    if name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def own_names(gateway: str) -> frozenset[str]:
    """Names under which this machine may be called in a local network."""
    names = {"localhost", gateway.lower(), socket.gethostname().lower()}
    return frozenset(names | {f"{name.partition('.')[0]}.local" for name in names})


def guarded(names: frozenset[str]) -> Middleware:
    """Middleware that checks host and origin and sets the headers of every answer, errors too."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await _checked(request, handler, names)
        except web.HTTPException as error:
            response = answer(error.status, {"error": {"field": "request", "rule": error.reason}})
        response.headers.update(HEADERS)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return middleware


async def _checked(request: web.Request, handler: Handler, names: frozenset[str]) -> web.StreamResponse:
    if not known_host(request.host, names):
        return answer(421, {"error": {"field": "Host", "rule": "must be an address or name of this gateway"}})
    if request.method not in ("GET", "HEAD"):
        if ASKING_HEADER not in request.headers:
            return answer(403, {"error": {"field": ASKING_HEADER, "rule": "must be sent"}})
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return answer(403, {"error": {"field": "Sec-Fetch-Site", "rule": "must be same-origin"}})
    return await handler(request)


@web.middleware
async def packed(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Larger answers go compressed: the values of 5,000 points each second, often through a tunnel."""
    response = await handler(request)
    if (
        isinstance(response, web.Response)
        and isinstance(response.body, bytes)
        and len(response.body) >= SMALLEST_PACKED
        and "Content-Encoding" not in response.headers
        and response.content_type != "application/zip"
        and "gzip" in request.headers.get("Accept-Encoding", "")
    ):
        body = response.body
        aside = len(body) >= PACKED_ASIDE
        response.body = await asyncio.to_thread(gzip.compress, body, 1) if aside else gzip.compress(body, 1)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
    return response


def answer(status: int, body: object) -> web.Response:
    """A JSON answer."""
    return web.Response(status=status, body=msgspec.json.encode(body), content_type="application/json")
