"""HTTP around the API: error envelope, security headers, request numbers, limits, the portal's files."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloud.core.constraints import broken
from cloud.core.xlsx import WorkbookLimits
from cloud.domains.base import TileOrigins
from cloud.domains.files.kinds import KIB, MAX_BYTES
from cloud.errors import CloudError, Code
from cloud.logs import request_id
from edge_contract.firmware import MAX_HEADER_BYTES
from edge_contract.limits import MAX_FIRMWARE_BYTES

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 1024 * 1024
MAX_DIGITS = 15
"""Of a Content-Length."""

MAX_DOCUMENT_BYTES = 6 * 1024 * 1024
"""Body that carries a gateway's configuration; the document itself has at most 5 MiB in canonical form."""

MAX_UPLOAD_BYTES = MAX_BYTES + 64 * KIB
"""Body of an upload: the largest file, and the multipart form around it."""

MAX_IMPORT_BYTES = WorkbookLimits().max_bytes + 64 * KIB
"""Body of an import: the largest workbook, and the multipart form around it."""

MAX_FIRMWARE_FILE_BYTES = MAX_FIRMWARE_BYTES + MAX_HEADER_BYTES
"""Body that is a file of firmware; it is never in memory as one."""

DOCUMENTS = re.compile(r"/api/v1/device/\d+/(configuration|point)$")
UPLOADS = "/api/v1/file"
IMPORTS = "/api/v1/device/import"
FIRMWARE = "/api/v1/firmware/file"

POLICY = "Content-Security-Policy"


def policy(*tile_origins: str) -> str:
    """What a page may load. tile_origins: scheme, host and port of those who have the map's tiles."""
    tiles = "".join(f" {each}" for each in tile_origins)
    return (
        f"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:{tiles}; "
        f"connect-src 'self'{tiles}; "  # includes the WebSocket of the same host
        "frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
    )


HEADERS = {
    POLICY: policy(),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "geolocation=(self), camera=(self), microphone=()",
}

NOT_BUILT = """<!doctype html><meta charset="utf-8"><title>Portal not built</title>
<p>门户尚未构建：请在 web 目录运行 npm ci 和 npm run build，或设置 EDGE_PORTAL_DIR。</p>
<p>The portal is not built: run npm ci and npm run build in web, or set EDGE_PORTAL_DIR.</p>"""


class Problem(BaseModel):
    """What is wrong; field and rule name it when it is the input. request_id: the number in the log.

    reason: a code for which the portal has words, with its arguments; empty when code says enough.
    """

    message: str
    field: str
    rule: str
    request_id: str
    reason: str
    arguments: dict[str, int | str]


class Failure(BaseModel):
    """Every reply that is no success."""

    code: int
    msg: str
    data: Problem


ERRORS: dict[int | str, dict[str, Any]] = {"4XX": {"model": Failure}, "5XX": {"model": Failure}}

DATABASE_GONE = (OperationalError, InterfaceError, PoolTimeout, ConnectionError)

SECRET_PARAMETERS = frozenset({"ticket"})
"""Of paths: what is written in their place goes into no log."""

CHANGED_MEANWHILE = frozenset({
    "23503", "SQLITE_CONSTRAINT_FOREIGNKEY",
    "23505", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY",
})  # fmt: skip
"""What PostgreSQL and SQLite call a row that somebody else made or took away since it was looked for."""

PACKED = {"br": ".br", "gzip": ".gz"}
"""Content codings that the portal's build may have left beside a file, the best first."""

HTML = "text/html; charset=utf-8"
ORIGINS_S = 2.0
"""So long a page waits for where the map's tiles come from."""


class BodyTooLarge(HTTPException):
    """A body has more bytes than its operation takes. FastAPI passes an HTTPException on, and no other."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(413)
        self.rule = f"at most {max_bytes} bytes, with Content-Length"


class BodyLimit:
    """Counts the bytes of a body as they are received, whatever the headers say of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        max_bytes, taken = _max_body_bytes(scope["method"], scope["path"]), 0

        async def counted() -> Message:
            """Messages of the body. Raises BodyTooLarge when it is larger than allowed."""
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > max_bytes:
                raise BodyTooLarge(max_bytes)
            return message

        await self._app(scope, counted, send)


class RequestMiddleware:
    """Around every request: its number, what goes no further, safe headers, an answer for what failed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A reply that had begun breaks off when its rest fails: cut short it must not look whole."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False
        number = secrets.token_hex(6)

        async def headed(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                _head(MutableHeaders(raw=message.setdefault("headers", [])), scope["path"], number)
            await send(message)

        token = request_id.set(number)
        try:
            await (_refused(Request(scope)) or self._app)(scope, receive, headed)
        except Exception as error:
            # The one place where a request may fail for a reason that nobody foresaw: log it, answer in form.
            if begun:
                log.error("the reply to %s %s broke off", scope["method"], _path_without_secrets(scope))
                raise
            await _failed(scope, error)(scope, receive, headed)
        finally:
            request_id.reset(token)


def install(app: FastAPI) -> None:
    """Middleware and error handlers."""
    app.add_middleware(BodyLimit)
    app.add_middleware(RequestMiddleware)
    app.exception_handler(CloudError)(_cloud_error)
    app.exception_handler(IntegrityError)(_integrity_error)
    app.exception_handler(RequestValidationError)(_validation_error)
    app.exception_handler(HTTPException)(_http_error)
    app.exception_handler(BodyTooLarge)(_body_error)


def serve_portal(app: FastAPI, folder: Path | None, tile_origins: Sequence[TileOrigins]) -> None:
    """The built portal at /, index.html for every path that is a screen. Goes last: it takes all paths.

    tile_origins: who else a page may load the map's tiles from, now.
    """

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def portal(path: str, request: Request) -> Response:
        response = await asyncio.to_thread(response_of, path, request)
        if response.media_type == HTML:
            try:
                async with asyncio.timeout(ORIGINS_S):
                    response.headers[POLICY] = policy(
                        *[name for asked in tile_origins for name in await asked()]
                    )
            except (*DATABASE_GONE, TimeoutError) as error:
                # The page comes all the same; its map is the land.
                log.warning("where the map's tiles come from is not known now: %r", error)
        return response

    def response_of(path: str, request: Request) -> Response:
        """The file of a path, or the page. Raises HTTPException without either."""
        if path.startswith(("api/", "internal/")):
            raise HTTPException(404)
        if folder is None or not (folder / "index.html").is_file():
            return HTMLResponse(NOT_BUILT, status_code=503)
        root = folder.resolve()
        try:
            file = (root / path).resolve()
            is_there = file.is_relative_to(root) and file.is_file()
        except (OSError, ValueError):  # no name of a file
            raise HTTPException(404) from None
        if not is_there:
            if Path(path).suffix:
                raise HTTPException(404)
            file = root / "index.html"
        return _file(file, request, immutable=path.startswith("assets/"))


def _file(file: Path, request: Request, *, immutable: bool) -> Response:
    media = {
        ".html": HTML,
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
        ".json": "application/json",
    }.get(file.suffix)
    headers = {"Cache-Control": "public, max-age=31536000, immutable" if immutable else "no-cache"}
    accepted = request.headers.get("accept-encoding", "")
    for coding, ending in PACKED.items():
        packed = file.with_name(file.name + ending)
        if packed.is_file():
            headers["Vary"] = "Accept-Encoding"
            if coding in accepted:
                return FileResponse(packed, media_type=media, headers={**headers, "Content-Encoding": coding})
    return FileResponse(file, media_type=media, headers=headers)


def _head(headers: MutableHeaders, path: str, number: str) -> None:
    headers["X-Request-Id"] = number
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    if path.startswith("/api/"):
        headers.setdefault("Cache-Control", "no-store")


def _path_without_secrets(scope: Scope) -> str:
    path: str = scope["path"]
    for name, value in scope.get("path_params", {}).items():
        if name in SECRET_PARAMETERS:
            path = path.replace(str(value), "***")
    return path


def _failed(scope: Scope, error: Exception) -> Response:
    path = _path_without_secrets(scope)
    if isinstance(error, DATABASE_GONE):
        log.error("the database does not serve %s %s: %s", scope["method"], path, error)
        return _reply(503, Code.MESSAGE, "the database cannot serve now")
    log.error("unexpected error in %s %s", scope["method"], path, exc_info=error)
    return _reply(500, Code.MESSAGE, "internal error")


def _refused(request: Request) -> Response | None:
    """An answer for what goes no further. Some GETs of the specification change things: never from afar."""
    if request.url.path.startswith("/api/") and request.headers.get("sec-fetch-site") == "cross-site":
        return _reply(403, Code.NO_PERMISSION, "requests from other sites are refused")
    if "transfer-encoding" in request.headers:  # of any kind: a body without a length
        return _too_large(BodyTooLarge(_max_body_bytes(request.method, request.url.path)))
    length = request.headers.get("content-length", "0")
    max_bytes = _max_body_bytes(request.method, request.url.path)
    if not length.isdecimal() or len(length) > MAX_DIGITS or int(length) > max_bytes:
        return _too_large(BodyTooLarge(max_bytes), closes=False)
    return None


def _max_body_bytes(method: str, path: str) -> int:
    if DOCUMENTS.match(path):
        return MAX_DOCUMENT_BYTES
    uploads = {
        UPLOADS: MAX_UPLOAD_BYTES,
        IMPORTS: MAX_IMPORT_BYTES,
        FIRMWARE: MAX_FIRMWARE_FILE_BYTES,
    }
    return uploads.get(path, MAX_BODY_BYTES) if method == "POST" else MAX_BODY_BYTES


def _too_large(error: BodyTooLarge, *, closes: bool = True) -> Response:
    """closes: the rest of a body whose length nobody knows is not waited for."""
    reply = _reply(413, Code.PARAMETER, f"body: {error.rule}", "body", error.rule)
    if closes:
        reply.headers["Connection"] = "close"
    return reply


def _reply(
    status: int,
    code: Code,
    message: str,
    field: str = "",
    rule: str = "",
    reason: str = "",
    arguments: Mapping[str, int | float | str] | None = None,
) -> JSONResponse:
    data = {
        "message": message,
        "field": field,
        "rule": rule,
        "request_id": request_id.get(),
        "reason": reason,
        "arguments": arguments or {},
    }
    return JSONResponse({"code": int(code), "msg": message, "data": data}, status_code=status)


async def _cloud_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, CloudError)
    return _reply(
        error.status,
        error.code,
        error.message,
        error.field,
        error.rule,
        error.reason,
        error.arguments,
    )


async def _integrity_error(request: Request, error: Exception) -> Response:
    """Two did the same at once, and the database let the first have it. Not logged whole: it has values."""
    assert isinstance(error, IntegrityError)
    kind = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "sqlite_errorname", "")
    if kind not in CHANGED_MEANWHILE:
        raise error
    path = _path_without_secrets(request.scope)
    log.warning("somebody was faster than %s %s: %s", request.method, path, kind)
    return _reply(
        409, Code.MESSAGE, "somebody else changed this at the same moment", reason="changed_meanwhile"
    )


async def _validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    code, limits = broken(first)
    message = f"{field}: {first['msg']}"
    return _reply(400, Code.PARAMETER, message, field, first["msg"], f"constraint.{code}", limits)


async def _body_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, BodyTooLarge)
    return _too_large(error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _reply(error.status_code, Code.MESSAGE, str(error.detail))
