"""The cloud's composition root: builds what is below the domains, then the domains; starts and stops all."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import Depends, FastAPI

from cloud import leader_proxy, openapi, web
from cloud.core.bus import EventBus
from cloud.core.events import PermissionsInvalidated
from cloud.core.services import Services
from cloud.db import Database
from cloud.domains.all import DOMAINS
from cloud.domains.base import Build, Domain
from cloud.json_bodies import readable_texts
from cloud.link import Link
from cloud.periodic import begin
from cloud.prefiltered_router import PrefilteredRouter
from cloud.realtime.clients import ClientRegistry
from cloud.realtime.hub import Hub, NoPeers
from cloud.realtime.push_connection import push_connection
from cloud.settings import Settings
from cloud.timeseries import create as create_timeseries
from cloud.timeseries.base import TimeSeries


class Cloud:
    """All objects of one process. Building checks settings and connects nothing."""

    def __init__(self, settings: Settings, domains: Sequence[Domain] = DOMAINS) -> None:
        self.settings = settings
        self.domains = domains
        self.database = Database(settings.database)
        self.series: TimeSeries = create_timeseries(settings)
        self.bus = bus = EventBus()
        self.services = Services()
        clients = self.services.add(ClientRegistry(lambda: bus.publish_now(PermissionsInvalidated())))
        self._push_connection = push_connection(settings, clients)
        peers = NoPeers() if self._push_connection is None else self._push_connection.fanout
        hub = self.services.add(Hub(clients, peers))
        self.build = Build(settings, self.database, self.series, hub, bus, self.services, domains)
        for domain in domains:
            domain.build(self.build)
        for domain in domains:
            domain.handlers(bus, self.services)
        bus.seal()
        self._link = self.services[Link]
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        gc.freeze()  # what was imported and built stays: a full collection is not to go through it each time
        await self.series.start()
        for step in self.build.on_start:
            await step()
        await self._link.start()
        if self._push_connection is not None:
            await self._push_connection.start(self._link.dynsec)
        for work in self.build.background:
            self._tasks.append(asyncio.ensure_future(work()))
        if self.build.is_full:
            self._tasks += begin(self.domains, self.services)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for step in reversed(self.build.on_stop):
            await step()
        if self._push_connection is not None:
            await self._push_connection.stop()
        await self._link.stop()
        await self.bus.stop()
        for step in reversed(self.build.on_close):
            await step()
        await self.series.close()
        await self.database.close()


def create_app(settings: Settings, domains: Sequence[Domain] = DOMAINS) -> FastAPI:
    """The whole HTTP application on one set of objects."""
    cloud = Cloud(settings, domains)
    services = cloud.services
    full = leader_proxy.client(settings.full_url) if settings.role == "api" else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await cloud.start()
        yield
        await cloud.stop()
        if full is not None:
            await full.aclose()

    app = FastAPI(
        title="Edge cloud",
        version=version("edge-cloud"),
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        responses=web.ERRORS,
        dependencies=[Depends(readable_texts)],
    )
    app.state.services = services
    web.install(app)
    openapi.install(app, domains)
    for each in cloud.build.middleware:
        app.add_middleware(each.cls, *each.args, **each.kwargs)
    if full is not None:
        app.add_middleware(leader_proxy.LeaderProxy, routes=leader_proxy.routes(domains), client=full)
    for domain in domains:
        for router in domain.routers:
            app.include_router(PrefilteredRouter(router, domain.prefix), prefix=domain.prefix)
    for router in cloud.build.internal_routers:
        app.include_router(PrefilteredRouter(router))
    web.serve_portal(app, settings.portal_dir, cloud.build.tile_origins)
    return app
