"""What an api process hands to the full one over HTTP: operations that live in the full process' memory."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import httpx
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from cloud import web
from cloud.domains.base import Domain
from cloud.errors import Unavailable

log = logging.getLogger(__name__)

CONNECT_S = 3.0
ANSWER_S = 30.0
"""Above the longest wait of these operations: a gateway's judgement on a configuration takes up to 9 s."""

MAX_CONNECTIONS = 100

AWAY = "process.full_away"

_NOT_PASSED_ON = frozenset(
    {
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "forwarded", "x-forwarded-for", "x-forwarded-proto",
    }
)  # fmt: skip
"""Of one connection only, or said by this process."""


@dataclass(frozen=True)
class Route:
    """A path with its methods."""

    path: re.Pattern[str]
    methods: frozenset[str]


def routes(domains: Sequence[Domain]) -> tuple[Route, ...]:
    """Of the domains' leader_only; ValueError names one that its domain does not have."""
    proxied: list[Route] = []
    for domain in domains:
        own = {
            route.operation_id: Route(
                compile_path(domain.prefix + route.path)[0], frozenset(route.methods or ())
            )
            for router in domain.routers
            for route in router.routes
            if isinstance(route, APIRoute) and route.operation_id in domain.leader_only
        }
        if missing := domain.leader_only - own.keys():
            raise ValueError(f"{domain.name} has no {', '.join(sorted(missing))}")
        proxied += own.values()
    return tuple(proxied)


class LeaderProxy:
    """ASGI middleware, the outermost: the full process checks, answers and records for the audit.

    It must trust this process' address (EDGE_TRUSTED_PROXIES), because the caller's comes in X-Forwarded-For.
    """

    def __init__(self, app: ASGIApp, *, routes: Sequence[Route], client: httpx.AsyncClient) -> None:
        self._app = app
        self._routes = routes
        self._proxy = proxy(client)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_leaders = scope["type"] == "http" and any(
            scope["method"] in route.methods and route.path.match(scope["path"]) for route in self._routes
        )
        await (self._proxy if is_leaders else self._app)(scope, receive, send)


def proxy(client: httpx.AsyncClient) -> FastAPI:
    """Passes every call on, within the limits and with the headers and errors of this process' own API."""
    app = FastAPI(openapi_url=None)
    web.install(app)

    @app.api_route("/{path:path}", methods=["GET", "POST", "PUT", "DELETE"])
    async def pass_on(request: Request) -> Response:
        """The full process' answer to this request. Raises Unavailable when there is none. A large body is
        passed on as it comes, with its length.
        """
        is_large = int(request.headers.get("content-length", "0")) > web.MAX_BODY_BYTES
        question = client.build_request(
            request.method,
            _url(client, request),
            headers=_headers(request),
            content=request.stream() if is_large else await request.body(),
        )
        try:
            answer = await client.send(question, stream=True)
        except httpx.HTTPError as error:
            log.warning("the full process did not answer %s %s: %r", request.method, request.url.path, error)
            raise Unavailable("the full process does not answer", reason=AWAY) from None
        reply = StreamingResponse(_body(answer), answer.status_code)
        reply.raw_headers = _end_to_end(answer.headers.raw)
        return reply

    return app


def _url(client: httpx.AsyncClient, request: Request) -> httpx.URL:
    """The path as it was spelled."""
    path = request.scope.get("raw_path") or request.url.path.encode()
    query: bytes = request.scope["query_string"]
    return client.base_url.copy_with(raw_path=path + (b"?" + query if query else b""))


def _headers(request: Request) -> list[tuple[bytes, bytes]]:
    """The caller's, with his address as this process knows it."""
    headers = _end_to_end(request.headers.raw)
    if request.client is not None:
        headers.append((b"x-forwarded-for", request.client.host.encode()))
    headers.append((b"x-forwarded-proto", request.url.scheme.encode()))
    return headers


def _end_to_end(headers: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    lowered = [(name.lower(), value) for name, value in headers]
    return [(name, value) for name, value in lowered if name.decode("latin-1") not in _NOT_PASSED_ON]


async def _body(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for part in answer.aiter_raw():
            yield part
    finally:
        await answer.aclose()


def client(url: str) -> httpx.AsyncClient:
    """To the full process; bounded in connections and in time, and never by way of a proxy."""
    return httpx.AsyncClient(
        base_url=url.rstrip("/"),
        timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S, pool=CONNECT_S),
        limits=httpx.Limits(max_connections=MAX_CONNECTIONS),
        trust_env=False,
        follow_redirects=False,
    )
