"""The page's HTTP server: static files, sign-in, and the JSON that the page asks for."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import logging
import secrets
import ssl
from pathlib import Path

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from edge_agent.config.model import LocalPage
from edge_agent.errors import ConfigError
from edge_agent.localweb.admission import LoginGate, Sessions
from edge_agent.localweb.guard import answer, own_names, walls
from edge_agent.localweb.history import HistoryPages
from edge_agent.localweb.passwords import verify
from edge_agent.localweb.tools import Tools
from edge_agent.localweb.view import Plant
from edge_agent.model import Value
from edge_contract.limits import COMMAND_EXPIRY_S
from edge_contract.payloads import Command, CommandAction

log = logging.getLogger(__name__)

COOKIE = "edge_session"
STATIC = Path(__file__).parent / "static"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
MOST_BODY_BYTES = 16 * 1024
BIND_AGAIN_S = 10.0
STOP_TIMEOUT_S = 2.0
PUBLIC = {"/api/login", "/api/session"}


class SignIn(msgspec.Struct, forbid_unknown_fields=True):
    password: str


class WriteRequest(msgspec.Struct, forbid_unknown_fields=True):
    slave: str
    point: str
    value: Value


class LocalWeb:
    """run() until cancelled. folder: where the password lies."""

    def __init__(
        self,
        settings: LocalPage,
        folder: Path,
        plant: Plant,
        tools: Tools,
        history: HistoryPages | None = None,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._plant = plant
        self._tools = tools
        self._history = history or HistoryPages(None)
        self._clock = plant.clock
        self._gate = LoginGate()
        self._sessions = Sessions()
        self._hashing = asyncio.Lock()  # one at a time: each takes 19 MB
        self._tls = tls_of(settings)
        self.address: tuple[str, int] | None = None

    def app(self) -> web.Application:
        """The application without its socket."""
        app = web.Application(
            middlewares=[walls(own_names(self._plant.gateway)), self._signed_in],
            client_max_size=MOST_BODY_BYTES,
        )
        app.router.add_get("/api/session", self._session)
        app.router.add_post("/api/login", self._login)
        app.router.add_post("/api/logout", self._logout)
        app.router.add_get("/api/points", self._points)
        app.router.add_get("/api/live", self._live)
        app.router.add_get("/api/status", self._status)
        app.router.add_post("/api/write", self._write)
        app.router.add_routes(self._tools.routes())
        app.router.add_routes(self._history.routes())
        for file in sorted(STATIC.iterdir()):
            if file.suffix in TYPES:
                app.router.add_get("/" if file.name == "index.html" else f"/{file.name}", static(file))
        return app

    async def run(self) -> None:
        """Serve; a taken port stops nothing else, it is tried again."""
        runner = web.AppRunner(self.app(), access_log=None, shutdown_timeout=STOP_TIMEOUT_S)
        await runner.setup()
        try:
            await self._bind(runner)
            await asyncio.Event().wait()
        finally:
            await self._tools.close()
            await runner.cleanup()

    async def _bind(self, runner: web.AppRunner) -> None:
        said = False
        while True:
            site = web.TCPSite(runner, self._settings.host, self._settings.port, ssl_context=self._tls)
            try:
                await site.start()
            except OSError as error:
                if not said:
                    log.error(
                        "the local page cannot listen on port %d: %s", self._settings.port, error.strerror
                    )
                said = True
                await site.stop()
                await self._clock.sleep(BIND_AGAIN_S)
                continue
            host, port = runner.addresses[0][:2]
            self.address = (host, port)
            log.info("local page on %s://%s:%d", "https" if self._tls else "http", host, port)
            return

    @web.middleware
    async def _signed_in(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        path = request.path
        if path.startswith("/api/") and path not in PUBLIC and not self._valid(request):
            return answer(401, {"error": {"field": "session", "rule": "must be signed in"}})
        return await handler(request)

    def _valid(self, request: web.Request) -> bool:
        return self._sessions.valid(request.cookies.get(COOKIE, ""), self._clock.monotonic())

    async def _session(self, request: web.Request) -> web.Response:
        return answer(200, {"signed_in": self._valid(request), "title": self._plant.title})

    async def _login(self, request: web.Request) -> web.Response:
        address = request.remote or ""
        try:
            wanted = msgspec.json.decode(await request.read(), type=SignIn)
        except msgspec.MsgspecError as error:
            return answer(400, {"error": {"field": "password", "rule": str(error)}})
        async with self._hashing:
            wait_s = self._gate.wait_s(address, self._clock.monotonic())
            if wait_s > 0:
                response = answer(
                    429, {"error": {"field": "password", "rule": "too many failures"}, "wait_s": wait_s}
                )
                response.headers["Retry-After"] = str(int(wait_s) + 1)
                return response
            right = await asyncio.to_thread(verify, self._folder, wanted.password)
            if not right:
                self._gate.failed(address, self._clock.monotonic())
        if not right:
            log.warning("audit: failed sign-in to the local page from %s", address)
            return answer(401, {"error": {"field": "password", "rule": "is wrong"}})
        self._gate.succeeded(address)
        log.info("audit: sign-in to the local page from %s", address)
        response = answer(200, {"signed_in": True})
        response.set_cookie(
            COOKIE,
            self._sessions.begin(self._clock.monotonic()),
            httponly=True,
            samesite="Strict",
            secure=self._tls is not None,
            path="/",
        )
        return response

    async def _logout(self, request: web.Request) -> web.Response:
        self._sessions.end(request.cookies.get(COOKIE, ""))
        response = answer(200, {"signed_in": False})
        response.del_cookie(COOKIE, path="/")
        return response

    async def _points(self, request: web.Request) -> web.Response:
        return answer(200, self._plant.points())

    async def _live(self, request: web.Request) -> web.Response:
        return answer(200, self._plant.live())

    async def _status(self, request: web.Request) -> web.Response:
        return answer(200, self._plant.status())

    async def _write(self, request: web.Request) -> web.Response:
        try:
            wanted = msgspec.json.decode(await request.read(), type=WriteRequest)
        except msgspec.MsgspecError as error:
            return answer(400, {"error": {"field": "value", "rule": str(error)}})
        command = Command(
            id=f"local-{secrets.token_hex(8)}",
            slave=wanted.slave,
            point=wanted.point,
            action=CommandAction.WRITE,
            expires_ms=self._clock.now_ms() + round(COMMAND_EXPIRY_S * 1000),
            value=wanted.value,
        )
        who = f"admin at {request.remote}"
        # A browser that goes away does not undo a write: it runs to its end and is logged.
        return answer(200, await asyncio.shield(self._plant.execution.execute(command, who)))


def static(file: Path) -> Handler:
    """Serve one small file from memory, with a tag that saves sending it twice."""
    body = file.read_bytes()
    tag = hashlib.sha256(body).hexdigest()[:16]

    async def handler(request: web.Request) -> web.Response:
        headers = {"ETag": f'"{tag}"', "Cache-Control": "no-cache"}
        if tag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        return web.Response(body=body, content_type=TYPES[file.suffix], charset="utf-8", headers=headers)

    return handler


def tls_of(settings: LocalPage) -> ssl.SSLContext | None:
    """TLS when a certificate is given; ConfigError when one is needed, or cannot be used."""
    if settings.cert_file is None:
        if not _loopback(settings.host):
            raise ConfigError("local_page.cert_file", "must be given when local_page.host is not loopback")
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(settings.cert_file, settings.key_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            "local_page.cert_file", f"must be a PEM certificate with its key: {error}"
        ) from None
    return context


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
