"""What a gateway reports that it collects, as slaves and data points.

A catalog whose hash does not fit its content is refused; samples that refer to it wait in the link. The
last 20,000 removed points stay with their history (C-137).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.log_once import LogOnce
from cloud.core.scope import Scope
from cloud.core.shielded import shielded
from cloud.core.token_bucket import TokenBuckets, TokenRate
from cloud.db import Database
from cloud.domains.devices.catalog_plan import (
    Changes,
    PointKey,
    Row,
    name_points,
    point_changes,
    slave_changes,
)
from cloud.domains.devices.catalog_repository import READ, CatalogRepository, Table
from cloud.domains.devices.catalog_steps import (
    CatalogSteps,
    ManyTransactions,
    SingleTransaction,
    Step,
)
from cloud.domains.devices.metrics import CATALOG_FAULTS, POINTS_FORGOTTEN
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.inventory.models import DataPoint, SlaveDevice
from edge_contract.limits import CATALOGS_AN_HOUR, REMOVED_POINTS
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash

log = logging.getLogger(__name__)

T = TypeVar("T")

Taken = Callable[[AsyncSession, int], Awaitable[None]]
"""Told the gateway whose points are others, in the transaction that says so."""

POINTS_AT_ONCE = 2000
"""Data points of one question."""

REMEMBERED = 5000
"""(gateway, catalog) pairs whose numbers are cached."""

NEW_CATALOGS = TokenRate(20, CATALOGS_AN_HOUR / 3600)
"""Catalogs of one gateway that change something. What is above is requested again later."""

CHUNK = 250
"""Rows written in one transaction, so that landing and others wait for a few milliseconds."""

AT_ONCE = CHUNK
"""A gateway that has no more rows, with its new catalog, takes it over in one transaction."""

MAX_REMOVED_SLAVES = 1000
MAX_CATALOGS = 50
"""What is stored of one gateway beside what it has now, and REMOVED_POINTS, those that were removed last."""


async def no_follower(session: AsyncSession, device_id: int) -> None:
    """Nobody else keeps what depends on points."""


class CatalogService:
    """A point keeps its dsid, by slave and name; what a catalog leaves out is marked removed.

    clock: UTC milliseconds. monotonic: seconds.
    """

    def __init__(
        self,
        database: Database,
        taken: Taken = no_follower,
        *,
        clock: NowMs = now_ms,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._taken = taken
        self._clock = clock
        self._new = TokenBuckets(NEW_CATALOGS, monotonic)
        self._known: OrderedDict[tuple[str, str], dict[int, int]] = OrderedDict()
        self._complaints = LogOnce()

    async def series_of(self, gateway: str, wanted: str) -> dict[int, int] | None:
        """Point number to dsid; None when this catalog never came."""
        key = (gateway, wanted)
        if key not in self._known:
            async with self._database.reading() as session:
                entry = await DeviceRepository(session, Scope.system()).catalog(gateway, wanted)
            if entry is None:
                return None
            self._known[key] = {int(number): dsid for number, dsid in entry.points.items()}
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]

    async def numbers_of(self, dsids: Sequence[int]) -> dict[str, tuple[str, list[int]]]:
        """By connected gateway: its catalog, and the numbers of these data points in it, rising."""
        by_catalog: dict[tuple[str, str], set[int]] = {}
        async with self._database.reading() as session:
            repository = DeviceRepository(session, Scope.system())
            for start in range(0, len(dsids), POINTS_AT_ONCE):
                rows = await repository.gateways_of(dsids[start : start + POINTS_AT_ONCE])
                for dsid, gateway, catalog in rows:
                    by_catalog.setdefault((gateway, catalog), set()).add(dsid)
        numbers: dict[str, tuple[str, list[int]]] = {}
        for (gateway, catalog), wanted in by_catalog.items():
            series = await self.series_of(gateway, catalog) or {}
            numbers[gateway] = catalog, sorted(number for number, dsid in series.items() if dsid in wanted)
        return numbers

    def forget(self, gateway: str) -> None:
        """A gateway is no more; one with the same serial number has other points."""
        self._forget_maps(gateway)
        self._new.forget(gateway)

    def _forget_maps(self, gateway: str) -> None:
        for key in [key for key in self._known if key[0] == gateway]:
            del self._known[key]

    async def apply(self, gateway: str, catalog: Catalog) -> None:
        """Store a catalog and make slaves and points follow it. A hash that does not fit is refused, and one
        above NEW_CATALOGS.

        The last transaction says that the catalog is the gateway's: one that ended in between is requested
        again, and begins anew.
        """
        async with self._database.reading() as session:
            repository = CatalogRepository(session)
            device = await repository.device(gateway)
            if device is None:
                self._complain(gateway, "refused", "the gateway is not claimed")
                return
            device_id, current = device
            if current == catalog.hash and await repository.is_known(device_id, catalog.hash):
                return  # repeated
            rows = await repository.size(device_id) + len(catalog.slaves) + len(catalog.points)
        if not self._new.take(gateway):
            self._complain(gateway, "left for later", f"at most {CATALOGS_AN_HOUR} an hour")
            return
        if await asyncio.to_thread(catalog_hash, catalog.slaves, catalog.points) != catalog.hash:
            self._complain(gateway, "refused", "hash: must be the hash of its content")
            return
        try:
            if rows <= AT_ONCE:
                await self._take_over_small(gateway, device_id, catalog)
            else:
                steps = ManyTransactions(self._database)
                await self._take_over(steps, gateway, device_id, catalog)
                await self._forget_old(steps, gateway, device_id, catalog.hash)
        except IntegrityError:
            self._complain(gateway, "refused", "the gateway was deleted meanwhile")
            return
        log.info("catalog of %s: %d slaves, %d points", gateway, len(catalog.slaves), len(catalog.points))

    @shielded
    async def _take_over_small(self, gateway: str, device_id: int, catalog: Catalog) -> None:
        async with self._database.session() as session:
            await self._take_over(SingleTransaction(session), gateway, device_id, catalog)
            await session.commit()

    async def _take_over(self, steps: CatalogSteps, gateway: str, device_id: int, catalog: Catalog) -> None:
        slaves = await self._slaves(steps, device_id, catalog.slaves)
        points = await self._points(steps, gateway, device_id, slaves, catalog.points)

        async def take(session: AsyncSession) -> None:
            repository = CatalogRepository(session)
            await repository.take(device_id, catalog.hash, points, self._clock())
            await repository.forget_catalogs(device_id, catalog.hash, MAX_CATALOGS)
            await self._taken(session, device_id)

        await steps.last(take)

    async def _slaves(self, steps: CatalogSteps, device_id: int, entries: list[SlaveEntry]) -> dict[str, int]:
        """Name to number of the slaves of a catalog."""
        rows = await _all(steps, lambda after: lambda repository: repository.slaves(device_id, after))
        changes = await steps.compute(slave_changes, device_id, rows, entries)
        await self._write(steps, SlaveDevice, changes)
        if changes.new:
            rows = await _all(steps, lambda after: lambda repository: repository.slaves(device_id, after))
        names = {entry.name for entry in entries}
        return {row["name"]: row["id"] for row in rows if row["name"] in names}

    async def _points(
        self,
        steps: CatalogSteps,
        gateway: str,
        device_id: int,
        slaves: dict[str, int],
        entries: list[PointEntry],
    ) -> dict[str, int]:
        """Point number (as text) to dsid."""
        named, faults = await steps.compute(name_points, entries, slaves)
        for name, rule in faults:
            self._complain(gateway, f"point {name}", rule)
        rows = await _all(steps, lambda after: lambda repository: repository.points(device_id, after))
        changes = await steps.compute(point_changes, device_id, rows, named)
        await self._write(steps, DataPoint, changes)
        numbers = await _numbers(steps, device_id)
        return await steps.compute(lambda: {str(each.id): numbers[key] for key, each in named.items()})

    async def _write(self, steps: CatalogSteps, table: Table, changes: Changes) -> None:
        now = self._clock()
        for new in _chunks(changes.new):
            await steps.write(partial(CatalogRepository.insert, table=table, rows=new))
        for changed in _chunks(changes.changed):
            await steps.write(partial(CatalogRepository.change, table=table, rows=changed))
        for gone in _chunks(changes.gone):
            await steps.write(partial(CatalogRepository.remove, table=table, ids=gone, now_ms=now))

    async def _forget_old(self, steps: CatalogSteps, gateway: str, device_id: int, current: str) -> None:
        """Points and slaves that were removed go when there are too many, and with a point its samples."""
        too_many = await steps.read(lambda repository: repository.removed_points(device_id)) - REMOVED_POINTS
        if too_many > 0:
            POINTS_FORGOTTEN.inc(too_many)
            log.warning("%d removed points of %s are forgotten with their history", too_many, gateway)
        while too_many > 0:
            count = min(too_many, CHUNK)
            await steps.write(
                partial(
                    CatalogRepository.delete_removed_points, device_id=device_id, current=current, count=count
                )
            )
            too_many -= count
            self._forget_maps(gateway)
        gone = CHUNK
        while gone == CHUNK:
            gone = await steps.write(
                lambda repository: repository.delete_removed_slaves(device_id, MAX_REMOVED_SLAVES, CHUNK)
            )

    def _complain(self, gateway: str, what: str, rule: str) -> None:
        CATALOG_FAULTS.inc()
        if self._complaints.first(gateway, rule):
            log.warning("catalog of %s: %s: %s", gateway, what, rule)


async def _all(steps: CatalogSteps, rows_after: Callable[[int], Step[list[Row]]]) -> list[Row]:
    """All rows of a table, READ at a time."""
    rows: list[Row] = []
    more = True
    while more:
        some = await steps.read(rows_after(rows[-1]["id"] if rows else 0))
        rows += some
        more = len(some) == READ
    return rows


async def _numbers(steps: CatalogSteps, device_id: int) -> dict[PointKey, int]:
    rows = await _all(steps, lambda after: lambda repository: repository.numbers(device_id, after))
    return {(row["slave_id"], row["name"]): row["id"] for row in rows}


def _chunks(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), CHUNK):
        yield rows[start : start + CHUNK]
