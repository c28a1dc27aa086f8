"""How much was received, by gateway and hour: counted from the buffered rows, so that ingest does no more.

Exact at any moment: what is not in the hours yet is counted from the rows, and a row is deleted only after it
was counted, or with its gateway. Row numbers are never used again, because the newest row always stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, case, delete, func, select, union_all
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.link.models import LinkBatch, LinkStream
from cloud.link.reception_models import LinkHour, LinkHourMark, LinkStreamReport
from edge_contract.limits import CLOCK_AHEAD_MS, EARLIEST_MS

HOUR_MS = 3_600_000
LATE_MS = 60_000
"""A batch that came longer after its closing is late."""

COUNT_DELAY_MS = 5_000
"""Younger rows wait for the next round: two clouds that overlap commit their numbers out of order."""

CHUNK = 20_000
"""Rows counted in one transaction."""

KEEP_MS = 397 * 24 * HOUR_MS
"""13 months."""

MAX_COUNT = 2**48
"""What an hour counts to: gateways say what they dropped, and 13 months of hours are summed in 64 bits."""


@dataclass(frozen=True)
class ReceptionCounts:
    """What was received. late: more than LATE_MS after closing, or by the back-fill lane."""

    batches: int = 0
    samples: int = 0
    late_batches: int = 0
    late_samples: int = 0
    duplicates: int = 0
    dropped_samples: int = 0

    def __add__(self, other: ReceptionCounts) -> ReceptionCounts:
        return ReceptionCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


_COUNTED = ("batches", "samples", "late_batches", "late_samples", "duplicates", "dropped_samples")

_possible = LinkBatch.t_ms.between(EARLIEST_MS, LinkBatch.received_ms + CLOCK_AHEAD_MS)
_closed_ms: ColumnElement[int] = case((_possible, LinkBatch.t_ms), else_=LinkBatch.received_ms)
_late: ColumnElement[int] = case(
    ((LinkBatch.lane == "history") | (LinkBatch.received_ms - LinkBatch.t_ms > LATE_MS), 1), else_=0
)


class ReceptionStatistics:
    """Its jobs are periodic; now_ms: UTC milliseconds.

    lock: held from reading to writing, and by who deletes in between.
    """

    def __init__(self, database: Database, *, now_ms: Callable[[], int]) -> None:
        self._database = database
        self._now_ms = now_ms
        self.lock = asyncio.Lock()

    async def update(self) -> None:
        """Periodic: bring the hours up to date."""
        more = True
        while more:
            async with self.lock:
                more = await self._count_some()
        async with self.lock:
            await self._count_duplicates()

    @shielded
    async def _count_some(self) -> bool:
        """One chunk; True when there may be another. Another's count in between makes this one void."""
        async with self._database.reading() as session:
            counted_upto = await _counted_upto(session)
            ready = select(LinkBatch.id).where(
                LinkBatch.id > counted_upto, LinkBatch.received_ms <= self._now_ms() - COUNT_DELAY_MS
            )
            upto = select(func.max(ready.order_by(LinkBatch.id).limit(CHUNK).subquery().c.id))
            last = (await session.execute(upto)).scalar_one()
            if last is None:
                return False
            rows = (await session.execute(_uncounted(counted_upto, last))).all()
        async with self._database.session() as session:
            if await _counted_upto(session, lock=True) != counted_upto:
                return True
            await add_hours(session, [tuple(row) for row in rows])
            await session.merge(LinkHourMark(id=1, last_batch=last))
            await session.commit()
        return True

    @shielded
    async def _count_duplicates(self) -> None:
        """Duplicates of a stream belong to the hour in which the last of them came."""
        query = (
            select(LinkStream.gateway, LinkStream.stream, LinkStream.duplicates, LinkStream.last_ms)
            .outerjoin(
                LinkStreamReport,
                (LinkStreamReport.gateway == LinkStream.gateway)
                & (LinkStreamReport.stream == LinkStream.stream),
            )
            .where(LinkStream.duplicates > func.coalesce(LinkStreamReport.duplicates, 0))
        )
        async with self._database.reading() as session:
            rows = (await session.execute(query)).all()
        if not rows:
            return
        async with self._database.session() as session:
            for gateway, stream, duplicates, last_ms in rows:
                report = await session.get(LinkStreamReport, (gateway, stream), with_for_update=True)
                if report is None:
                    report = LinkStreamReport(gateway=gateway, stream=stream, duplicates=0)
                    session.add(report)
                fresh = duplicates - report.duplicates
                report.duplicates = duplicates
                hour = last_ms - last_ms % HOUR_MS
                await add_hours(session, [(gateway, hour, *astuple(ReceptionCounts(duplicates=fresh)))])
            await session.commit()

    @shielded
    async def forget_old(self, now_ms: int) -> None:
        """Periodic: hours are kept for 13 months."""
        async with self._database.session() as session:
            await session.execute(delete(LinkHour).where(LinkHour.hour_ms < now_ms - KEEP_MS))
            await session.commit()

    @shielded
    async def hours(self, gateway: str, from_ms: int, to_ms: int) -> dict[int, ReceptionCounts]:
        """Hour (its beginning) to counts, from_ms <= hour < to_ms; hours without any are left out."""
        async with self._database.reading() as session:
            everything = _everything(await _counted_upto(session), from_ms, to_ms, gateway)
            sums = [func.sum(everything.c[name]) for name in _COUNTED]
            query = select(everything.c.hour_ms, *sums).group_by(everything.c.hour_ms)
            return {row[0]: ReceptionCounts(*map(int, row[1:])) for row in await session.execute(query)}

    @shielded
    async def totals(self, from_ms: int, to_ms: int) -> dict[str, ReceptionCounts]:
        """Gateway to counts over whole hours, from_ms <= hour < to_ms."""
        async with self._database.reading() as session:
            everything = _everything(await _counted_upto(session), from_ms, to_ms, None)
            sums = [func.sum(everything.c[name]) for name in _COUNTED]
            query = select(everything.c.gateway, *sums).group_by(everything.c.gateway)
            return {row[0]: ReceptionCounts(*map(int, row[1:])) for row in await session.execute(query)}


async def received_batches(session: AsyncSession, from_ms: int, to_ms: int, gateways: Select[str]) -> int:
    """Batches of these gateways over whole hours, from_ms <= hour < to_ms."""
    everything = _everything(await _counted_upto(session), from_ms, to_ms, None)
    query = select(func.coalesce(func.sum(everything.c.batches), 0)).where(everything.c.gateway.in_(gateways))
    return int((await session.execute(query)).scalar_one())


async def backlog(session: AsyncSession) -> tuple[int, int]:
    """Batches that are received and not in the time series yet, and of the others those that wait for what
    their points are.
    """
    found = []
    for waits in (LinkBatch.waits_ms.is_(None), LinkBatch.waits_ms.is_not(None)):
        query = select(func.count()).select_from(LinkBatch).where(LinkBatch.filed_ms.is_(None), waits)
        found.append(int((await session.execute(query)).scalar_one()))
    return found[0], found[1]


async def add_hours(session: AsyncSession, rows: list[tuple[Any, ...]]) -> None:
    """Add to the hours, up to MAX_COUNT: rows of gateway, hour and the counts."""
    if not rows:
        return
    on_postgresql = session.get_bind().dialect.name == "postgresql"
    table: Any = LinkHour.__table__
    insert: Any = postgresql.insert(table) if on_postgresql else sqlite.insert(table)
    sums = {name: _capped_sum(table.c[name], insert.excluded[name]) for name in _COUNTED}
    statement = insert.on_conflict_do_update(index_elements=["gateway", "hour_ms"], set_=sums)
    names = ("gateway", "hour_ms", *_COUNTED)
    await session.execute(statement, [dict(zip(names, row, strict=True)) for row in rows])


def _capped_sum(counted: Any, more: Any) -> ColumnElement[int]:
    return case((counted > MAX_COUNT - more, MAX_COUNT), else_=counted + more)


async def add_dropped(session: AsyncSession, dropped: dict[str, int], now_ms: int) -> None:
    """These gateways lost so many samples, by their own word, that never became a batch."""
    hour = now_ms - now_ms % HOUR_MS
    rows = [
        (name, hour, *astuple(ReceptionCounts(dropped_samples=min(count, MAX_COUNT))))
        for name, count in dropped.items()
    ]
    await add_hours(session, rows)


async def _counted_upto(session: AsyncSession, *, lock: bool = False) -> int:
    query = select(LinkHourMark.last_batch).where(LinkHourMark.id == 1)
    return (await session.execute(query.with_for_update() if lock else query)).scalar_one_or_none() or 0


def _uncounted(after: int, upto: int | None) -> Any:
    """Gateway, hour and counts of buffered rows with after < id <= upto."""
    hour = (_closed_ms - _closed_ms % HOUR_MS).label("hour_ms")
    zero = func.sum(0)
    query = (
        select(
            LinkBatch.gateway.label("gateway"),
            hour,
            func.count().label("batches"),
            func.sum(LinkBatch.samples).label("samples"),
            func.sum(_late).label("late_batches"),
            func.sum(_late * LinkBatch.samples).label("late_samples"),
            zero.label("duplicates"),
            zero.label("dropped_samples"),
        )
        .where(LinkBatch.id > after)
        .group_by(LinkBatch.gateway, hour)
    )
    return query if upto is None else query.where(LinkBatch.id <= upto)


def _everything(counted_upto: int, from_ms: int, to_ms: int, gateway: str | None) -> Any:
    """What is in the hours and what is not yet, as one table."""
    stored = select(LinkHour.gateway, LinkHour.hour_ms, *(getattr(LinkHour, name) for name in _COUNTED))
    stored = stored.where(LinkHour.hour_ms >= from_ms, LinkHour.hour_ms < to_ms)
    fresh = _uncounted(counted_upto, None).where(_closed_ms >= from_ms, _closed_ms < to_ms)
    if gateway is not None:
        stored = stored.where(LinkHour.gateway == gateway)
        fresh = fresh.where(LinkBatch.gateway == gateway)
    return union_all(stored, fresh).subquery()
