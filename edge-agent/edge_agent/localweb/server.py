"""The page's HTTP server: its socket, its middleware, and the pages whose routes it serves.

Answers are JSON; all but /api/session and /api/login need a session. A refusal is {"error": {"field",
"rule"}}, with "faults" when there are several and "code" of a field bus. The modules with routes()
list their addresses.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from aiohttp import web

from edge_agent.config.model import LocalPage
from edge_agent.config.network import page_faults
from edge_agent.errors import ConfigError, ConfigErrors
from edge_agent.localweb.connections import BoundedSite, Connections
from edge_agent.localweb.files import PageFiles
from edge_agent.localweb.guard import guarded, own_names, packed
from edge_agent.localweb.lasting import Lasting
from edge_agent.localweb.live import LivePages
from edge_agent.localweb.refusals import Pages
from edge_agent.localweb.sign_in import SigningPages
from edge_agent.localweb.unreadable import UnreadableRequests
from edge_agent.localweb.view import GatewayView

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 16 * 1024
"""Of a question; a configuration is read with a bound of its own."""
BIND_AGAIN_S = 10.0
STOP_TIMEOUT_S = 2.0


class LocalWeb:
    """run() until cancelled. folder: where the password lies; pages: what else can be asked.

    close: awaited at the end.
    """

    def __init__(
        self,
        settings: LocalPage,
        folder: Path,
        plant: GatewayView,
        lasting: Lasting,
        pages: Sequence[Pages],
        close: Callable[[], Awaitable[None]],
    ) -> None:
        self._settings = settings
        self._gateway = plant.gateway
        self._clock = plant.clock
        self._tls = tls_of(settings)
        self._close = close
        self._signing = SigningPages(folder, plant.title, lasting, plant.clock, secure=self._tls is not None)
        self._pages: list[Pages] = [self._signing, LivePages(plant), *pages, PageFiles()]
        self._connections = Connections(plant.clock)
        self.address: tuple[str, int] | None = None

    def app(self) -> web.Application:
        """The application without its socket."""
        app = web.Application(
            middlewares=[
                self._connections.middleware,
                guarded(own_names(self._gateway)),
                packed,
                self._signing.signed_in,
            ],
            client_max_size=MAX_BODY_BYTES,
        )
        app.cleanup_ctx.append(UnreadableRequests(self._clock.monotonic).installed)
        for group in self._pages:
            app.router.add_routes(group.routes())
        return app

    async def run(self) -> None:
        """Serve; a taken port stops nothing else, it is tried again."""
        runner = web.AppRunner(self.app(), access_log=None, shutdown_timeout=STOP_TIMEOUT_S)
        await runner.setup()
        assert runner.server is not None
        looking = asyncio.create_task(self._connections.run(runner.server), name="page's connections")
        try:
            await self._bind(runner)
            await looking
        finally:
            looking.cancel()
            await self._close()
            await runner.cleanup()

    async def _bind(self, runner: web.AppRunner) -> None:
        said = False
        while True:
            place = self._settings.host, self._settings.port
            site = BoundedSite(runner, *place, self._tls, self._connections)
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


def tls_of(settings: LocalPage) -> ssl.SSLContext | None:
    """TLS when a certificate is given; ConfigErrors when one is needed, or cannot be used."""
    faults = [ConfigError(f"local_page.{field}", rule) for field, rule in page_faults(settings).items()]
    if not faults:
        files = {"cert_file": settings.cert_file, "key_file": settings.key_file}
        faults += [fault for field, path in files.items() if path and (fault := _unreadable(field, path))]
    if faults:
        raise ConfigErrors(faults)
    if settings.cert_file is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(settings.cert_file, settings.key_file)
    except (OSError, ssl.SSLError) as error:
        where = "its key behind it, or local_page.key_file" if settings.key_file is None else "its key"
        raise ConfigError(
            "local_page.cert_file", f"must be a PEM certificate with {where}: {error}"
        ) from None
    return context


def _unreadable(field: str, path: str) -> ConfigError | None:
    try:
        with Path(path).open("rb") as file:
            file.read(1)
    except OSError as error:
        return ConfigError(
            f"local_page.{field}", f"must be a file that can be read on this machine: {error.strerror}"
        )
    return None
