"""What a domain is: its routers, how it is built, what it does periodically, and which events it handles."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from fastapi import APIRouter
from starlette.middleware import Middleware

from cloud.core.bus import EventBus
from cloud.core.services import Services
from cloud.core.tables import NamedTable, OwnedTable
from cloud.db import Database
from cloud.realtime.hub import Hub
from cloud.settings import Settings
from cloud.timeseries.base import TimeSeries

Step = Callable[[], Awaitable[None]]
"""Of the start or the end of the process."""

TileOrigins = Callable[[], Awaitable[tuple[str, ...]]]
"""Scheme, host and port of those who have the map's tiles, now."""


@dataclass(frozen=True)
class Periodic:
    """Run again and again, interval_s after the end of the run before; of the full process alone."""

    interval_s: float
    work: Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Forgetting:
    """As Periodic; work gets the time (UTC milliseconds) by which old rows are deleted."""

    interval_s: float
    work: Callable[[int], Awaitable[None]]


FORGET_S = 3600.0
"""Interval of what deletes by age."""

Job = Periodic | Forgetting


@dataclass
class Build:
    """What a domain is built from. services: all of the lower layers; a domain adds its own.

    on_start: before the link connects. background: tasks that run until the end. on_stop: while the link is
    still connected, the last domain first. on_close: after the link has ended. middleware: around every
    request, the last one outermost. tile_origins: who else the portal's pages may load tiles from.
    """

    settings: Settings
    database: Database
    series: TimeSeries
    hub: Hub
    bus: EventBus
    services: Services
    domains: Sequence[Domain]
    internal_routers: list[APIRouter] = field(default_factory=list)
    middleware: list[Middleware] = field(default_factory=list)
    tile_origins: list[TileOrigins] = field(default_factory=list)
    on_start: list[Step] = field(default_factory=list)
    background: list[Step] = field(default_factory=list)
    on_stop: list[Step] = field(default_factory=list)
    on_close: list[Step] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Is this the one process that takes in and has the periodic jobs?"""
        return self.settings.role == "full"


def _nothing_built(build: Build) -> None:
    """A domain without services."""


def _no_jobs(services: Services) -> Sequence[Job]:
    return ()


def _no_handlers(bus: EventBus, services: Services) -> None:
    """A domain that handles no event."""


@dataclass(frozen=True)
class Domain:
    """One package below domains, named in DOMAINS behind those that it uses.

    routers: in the order in which their paths are matched. leader_only: ids of the operations that an api
    process hands to the full one. permissions: codes that its operations require, checked by a test.
    prefix: where its routes begin. owned: tables whose rows belong to users. named: tables whose rows the
    audit names. secret_names: of secrets in free-form parts of requests. Lower domains find these three in
    Build.domains.
    """

    name: str
    routers: Sequence[APIRouter]
    build: Callable[[Build], None] = _nothing_built
    periodic: Callable[[Services], Sequence[Job]] = _no_jobs
    handlers: Callable[[EventBus, Services], None] = _no_handlers
    leader_only: frozenset[str] = frozenset()
    permissions: frozenset[str] = frozenset()
    prefix: str = "/api/v1"
    owned: Sequence[OwnedTable] = ()
    named: Sequence[NamedTable] = ()
    secret_names: frozenset[str] = frozenset()
