"""Batches whose catalog is not known: apart from those that can be stored, bounded for each gateway."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.link.gap_store import add_given_up
from cloud.link.models import LinkBatch
from edge_contract.limits import WAITING_BATCHES, WAITING_BYTES, WAITING_CATALOGS, WAITING_MS
from edge_contract.ranges import join

CHUNK = 500
"""Batches given up in one transaction, so that ingest waits for a few milliseconds."""

PAIRS = 2000
"""Catalogs looked at together."""

Pair = tuple[str, str]
"""Gateway and hash of a catalog."""

_waits: tuple[ColumnElement[bool], ...] = (LinkBatch.filed_ms.is_(None), LinkBatch.waits_ms.is_not(None))


@dataclass(frozen=True)
class Bounds:
    """What may wait of one gateway. size: bytes."""

    batches: int = WAITING_BATCHES
    size: int = WAITING_BYTES
    catalogs: int = WAITING_CATALOGS
    age_ms: int = WAITING_MS


@dataclass(frozen=True)
class Waiting:
    """What waits of one gateway. size: bytes. oldest_ms: since when the longest does."""

    gateway: str
    batches: int
    size: int
    catalogs: int
    oldest_ms: int


@dataclass(frozen=True)
class GivenUp:
    """Batches and samples that are not stored."""

    batches: int = 0
    samples: int = 0


class WaitingRepository:
    """Sessions are short: one transaction a call, which is finished even when its caller is cancelled."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @shielded
    async def put(self, ids: Sequence[int], now_ms: int) -> None:
        """These batches wait from now on. A mark that a power cut takes is made again."""
        async with self._database.asynchronous_commit() as session:
            await session.execute(update(LinkBatch).where(LinkBatch.id.in_(ids)).values(waits_ms=now_ms))
            await session.commit()

    @shielded
    async def end(self, gateway: str, catalog: str) -> int:
        """The catalog is there: its batches can be stored; how many there are."""
        mine = (LinkBatch.gateway == gateway, LinkBatch.catalog == catalog, *_waits)
        async with self._database.asynchronous_commit() as session:
            done: Any = await session.execute(update(LinkBatch).where(*mine).values(waits_ms=None))
            await session.commit()
        return max(int(done.rowcount), 0)

    @shielded
    async def all(self) -> list[Waiting]:
        """What waits, by gateway."""
        columns = (
            LinkBatch.gateway,
            func.count(),
            func.sum(func.length(LinkBatch.payload)),
            func.count(LinkBatch.catalog.distinct()),
            func.min(LinkBatch.waits_ms),
        )
        async with self._database.reading() as session:
            rows = await session.execute(select(*columns).where(*_waits).group_by(LinkBatch.gateway))
            return [Waiting(row[0], *map(int, row[1:])) for row in rows]

    @shielded
    async def pairs(self) -> list[Pair]:
        """Catalogs that are waited for."""
        query = select(LinkBatch.gateway, LinkBatch.catalog).where(*_waits).distinct().limit(PAIRS)
        async with self._database.reading() as session:
            return [(row[0], row[1]) for row in await session.execute(query)]

    async def shorten(self, gateway: str, bounds: Bounds, now_ms: int) -> GivenUp:
        """Give up what is beyond the bounds: the oldest, and all of the oldest catalogs."""
        batches = samples = 0
        while True:
            some = await self._give_up_some(gateway, bounds, now_ms)
            batches, samples = batches + some.batches, samples + some.samples
            if some.batches < CHUNK:
                return GivenUp(batches, samples)

    @shielded
    async def _give_up_some(self, gateway: str, bounds: Bounds, now_ms: int) -> GivenUp:
        """One chunk, kept as evidence: marked as done, and written into the gap table with the reason."""
        async with self._database.session() as session:
            ids = await _beyond(session, gateway, bounds, now_ms)
            if not ids:
                return GivenUp()
            columns = (LinkBatch.stream, LinkBatch.seq, LinkBatch.samples, LinkBatch.t_ms)
            rows = (await session.execute(select(*columns).where(LinkBatch.id.in_(ids)))).all()
            await session.execute(update(LinkBatch).where(LinkBatch.id.in_(ids)).values(filed_ms=now_ms))
            for stream, seqs, from_ms, to_ms in _ranges(tuple(row) for row in rows):
                await add_given_up(session, (gateway, stream), seqs, (from_ms, to_ms), now_ms)
            await session.commit()
        return GivenUp(len(rows), sum(row[2] for row in rows))


async def _beyond(session: AsyncSession, gateway: str, bounds: Bounds, now_ms: int) -> list[int]:
    """Batches of a gateway that go next."""
    mine = (LinkBatch.gateway == gateway, *_waits)
    newest = func.max(LinkBatch.id)
    catalogs = select(LinkBatch.catalog).where(*mine).group_by(LinkBatch.catalog).order_by(newest.desc())
    known = list(await session.scalars(catalogs.limit(bounds.catalogs + CHUNK)))
    too_many = known[bounds.catalogs :]
    ids = select(LinkBatch.id).where(*mine).order_by(LinkBatch.id).limit(CHUNK)
    if too_many:
        return list(await session.scalars(ids.where(LinkBatch.catalog.in_(too_many))))
    too_old = ids.where(LinkBatch.waits_ms < now_ms - bounds.age_ms)
    if found := list(await session.scalars(too_old)):
        return found
    sums = select(func.count(), func.coalesce(func.sum(func.length(LinkBatch.payload)), 0)).where(*mine)
    count, size = (await session.execute(sums)).one()
    found = []
    sizes = select(LinkBatch.id, func.length(LinkBatch.payload)).where(*mine).order_by(LinkBatch.id)
    for number, its_size in await session.execute(sizes.limit(CHUNK)):
        if count <= bounds.batches and size <= bounds.size:
            break
        found.append(number)
        count, size = count - 1, size - its_size
    return found


def _ranges(rows: Iterable[tuple[Any, ...]]) -> list[tuple[str, tuple[int, int], int, int]]:
    """Rows of stream, seq, samples and closing time as runs: stream, numbers, first and last closing time."""
    closed: dict[str, dict[int, int]] = defaultdict(dict)
    for stream, seq, _, t_ms in rows:
        closed[stream][seq] = t_ms
    found = []
    for stream, times in closed.items():
        for first, last in join((seq, seq) for seq in times):
            within = [times[seq] for seq in range(first, last + 1)]
            found.append((stream, (first, last), min(within), max(within)))
    return found
