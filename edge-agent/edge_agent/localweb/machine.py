"""What the page does to the agent itself: starts it again, keeps the cloud's secret, passwords of targets and
the list of networks, shows the log.

GET /api/logs?after: the newest 500 lines. GET /api/support.zip. POST /api/link/secret {secret} and
/api/targets/password {target, password, secret}, never shown again. GET and POST /api/system/networks
{networks}. POST /api/system/restart {}.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import msgspec
from aiohttp import web

from edge_agent.config.allowed import NETWORKS_FILE, read_networks, write_networks
from edge_agent.config.model import Configuration
from edge_agent.config.reach import networks_of
from edge_agent.forwarding import passwords
from edge_agent.forwarding.passwords import PasswordState
from edge_agent.localweb.guard import answer
from edge_agent.localweb.logbook import LogBook
from edge_agent.localweb.refusals import guarded
from edge_agent.localweb.support import Support
from edge_agent.system.clock import Clock
from edge_agent.system.private_files import SECRET_FILE, write_private

log = logging.getLogger(__name__)

SAY_S = 0.5
"""So long the answer may take to reach the browser before the agent stops."""


class Secret(msgspec.Struct, forbid_unknown_fields=True):
    secret: Annotated[str, msgspec.Meta(pattern=r"^[!-~]([ -~]{0,198}[!-~])?$(?!\n)")]


class TargetPassword(msgspec.Struct, forbid_unknown_fields=True):
    """target: name of a forwarder that takes a secret from here. secret: its name, empty for the first."""

    target: Annotated[str, msgspec.Meta(max_length=64)]
    password: passwords.Password
    secret: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Networks(msgspec.Struct, forbid_unknown_fields=True):
    """networks: None takes the list away."""

    networks: (
        Annotated[list[Annotated[str, msgspec.Meta(max_length=50)]], msgspec.Meta(max_length=100)] | None
    )


class MachinePages:
    """restart: ends this process for a new one. book: of the log."""

    def __init__(
        self,
        folder: Path,
        configuration: Configuration,
        restart: Callable[[], Awaitable[None]],
        book: LogBook,
        support: Support,
        clock: Clock,
    ) -> None:
        self._folder = folder
        self._configuration = configuration
        self._begin = restart
        self._book = book
        self._support = support
        self._clock = clock
        self._restarting: asyncio.Task[None] | None = None
        self._packing = asyncio.Lock()  # one bundle at a time

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/logs", self._logs),
            web.get("/api/support.zip", self._bundle),
            web.post("/api/system/restart", guarded(self._restart)),
            web.post("/api/link/secret", guarded(self._keep_secret)),
            web.post("/api/targets/password", guarded(self._keep_password)),
            web.get("/api/system/networks", self._networks),
            web.post("/api/system/networks", guarded(self._keep_networks)),
        ]

    async def _logs(self, request: web.Request) -> web.Response:
        """?after=number: the lines that are newer."""
        after = request.query.get("after", "0")
        number = int(after) if after.isascii() and after.isdigit() and len(after) < 16 else 0
        return answer(200, {"lines": self._book.lines(number), "dropped": self._book.dropped})

    async def _bundle(self, request: web.Request) -> web.Response:
        async with self._packing:
            name, body = await self._support.bundle()
        log.info("audit: admin at %s took a support bundle", request.remote)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return web.Response(body=body, content_type="application/zip", headers=headers)

    async def _restart(self, body: bytes, who: str) -> web.Response:
        if self._restarting is None:
            log.warning("audit: %s starts the agent again", who)
            self._restarting = asyncio.create_task(self._soon(), name="restart")
        return answer(202, {"restarting": True})

    async def _soon(self) -> None:
        await self._clock.sleep(SAY_S)
        await self._begin()

    async def _keep_secret(self, body: bytes, who: str) -> web.Response:
        """The secret is stored and never reported again; the link takes it with its next attempt."""
        wanted = msgspec.json.decode(body, type=Secret)
        await asyncio.to_thread(write_private, self._folder / SECRET_FILE, wanted.secret)
        log.info("audit: %s set the cloud secret", who)
        return answer(200, {"secret_set": True})

    async def _keep_password(self, body: bytes, who: str) -> web.Response:
        """As _keep_secret, for a target of [[forwarders]]."""
        wanted = msgspec.json.decode(body, type=TargetPassword)
        secret = await asyncio.to_thread(
            passwords.keep,
            self._folder,
            self._configuration,
            wanted.target,
            wanted.password,
            wanted.secret,
        )
        log.info("audit: %s set the password of target %s (%s)", who, wanted.target, secret)
        return answer(200, {"password": PasswordState.SET})

    async def _networks(self, request: web.Request) -> web.Response:
        networks = await asyncio.to_thread(read_networks, self._folder / NETWORKS_FILE)
        return answer(200, {"networks": None if networks is None else [str(each) for each in networks]})

    async def _keep_networks(self, body: bytes, who: str) -> web.Response:
        """Which addresses NET ports and tunnels may reach; it holds at once."""
        wanted = msgspec.json.decode(body, type=Networks).networks
        networks = None if wanted is None else networks_of(wanted)
        await asyncio.to_thread(write_networks, self._folder / NETWORKS_FILE, networks)
        described = None if networks is None else [str(each) for each in networks]
        log.warning("audit: %s set the networks that ports and tunnels may reach: %s", who, described)
        return answer(200, {"networks": described})
