"""Queries of what was read: records come in, hours and gaps are read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.link.collection_gaps import add_gaps
from cloud.link.collection_hours import HOUR_MS, MAX_COUNT, Detail, Hour, SlaveDetail, hours_of, pack, unpack
from cloud.link.collection_models import LinkCollection, LinkCollectionGap, LinkCollectionHour
from cloud.link.reception_statistics import KEEP_MS
from edge_contract.collection import Collection, CollectionRecord
from edge_contract.limits import CLOCK_AHEAD_MS, EARLIEST_MS

BESIDE_THE_LOOP = 2000
"""Slaves times hours from which on records are spread in a thread."""


@dataclass(frozen=True)
class Reported:
    """How far the records of a gateway go. late_ms: its report interval, which they may wait for."""

    first_ms: int
    to_ms: int
    late_ms: int = 0


@dataclass(frozen=True)
class CollectedHour:
    """Reads of a gateway in one hour. detail: slaves and points, when they were asked for."""

    covered_ms: int
    expected: int
    good: int
    reasons: dict[str, int]
    detail: Detail = field(default_factory=Detail)


@dataclass(frozen=True)
class ReadTotals:
    """Sums over several hours."""

    covered_ms: int = 0
    expected: int = 0
    good: int = 0


@dataclass(frozen=True)
class CollectionGapRow:
    """A row of the gaps. slave: empty for the whole gateway; points: none for all of the slave."""

    id: int
    slave: str
    points: list[str]
    from_ms: int
    to_ms: int
    reason: str
    lent_to: str
    missed: int


class CollectionStore:
    """now_ms: UTC milliseconds."""

    def __init__(self, database: Database, *, now_ms: Callable[[], int]) -> None:
        self._database = database
        self._now_ms = now_ms
        self.lock = asyncio.Lock()

    async def take(self, reports: Sequence[tuple[str, Collection]]) -> None:
        """Keep reports in one transaction; a record counts once, whatever comes again."""
        async with self.lock:
            await self._take(reports)

    @shielded
    async def _take(self, reports: Sequence[tuple[str, Collection]]) -> None:
        async with self._database.session() as session:
            for gateway, report in reports:
                await self._take_one(session, gateway, report)
            await session.commit()

    async def _take_one(self, session: AsyncSession, gateway: str, report: Collection) -> None:
        known = await session.get(LinkCollection, gateway, with_for_update=True)
        same = known is not None and known.stream == report.stream
        fresh = [one for one in report.records if not same or known is None or one.seq > known.last_seq]
        if not fresh:
            return
        latest_ms = self._now_ms() + CLOCK_AHEAD_MS
        earliest_ms = max(self._now_ms() - KEEP_MS, EARLIEST_MS)
        possible = [one for one in fresh if one.from_ms >= earliest_ms and one.to_ms <= latest_ms]
        hole = None
        for record in possible:
            work = len(record.slaves) * (record.to_ms - record.from_ms) // HOUR_MS
            spread = (record, earliest_ms, latest_ms)
            beside = work > BESIDE_THE_LOOP
            hours = await asyncio.to_thread(hours_of, *spread) if beside else hours_of(*spread)
            await _add_hours(session, gateway, hours)
        if known is not None and possible and possible[0].from_ms > known.to_ms:
            hole = known.to_ms, possible[0].from_ms
        await add_gaps(session, gateway, possible, hole)
        await _remember(session, known, gateway, report, fresh, possible)

    async def reported(self, gateway: str | None = None) -> dict[str, Reported]:
        """Gateway to how far its records go; without those that never reported."""
        query = select(LinkCollection.gateway, LinkCollection.first_ms, LinkCollection.to_ms)
        if gateway is not None:
            query = query.where(LinkCollection.gateway == gateway)
        return {row[0]: Reported(row[1], row[2]) for row in await self._read(query) if row[2]}

    async def hours(
        self, gateway: str, from_ms: int, to_ms: int, *, detailed: bool = False
    ) -> dict[int, CollectedHour]:
        """Hour (its beginning) to reads, from_ms <= hour < to_ms."""
        query = select(*_columns(detailed=detailed)).where(
            LinkCollectionHour.gateway == gateway,
            LinkCollectionHour.hour_ms >= from_ms,
            LinkCollectionHour.hour_ms < to_ms,
        )
        rows = await self._read(query)
        return await asyncio.to_thread(lambda: {row[0]: _hour(row) for row in rows})

    async def before(self, gateway: str, before_ms: int) -> CollectedHour | None:
        """The newest hour before, with its slaves; None when there is none."""
        query = (
            select(*_columns(detailed=True))
            .where(LinkCollectionHour.gateway == gateway, LinkCollectionHour.hour_ms < before_ms)
            .where(LinkCollectionHour.expected > 0)
            .order_by(LinkCollectionHour.hour_ms.desc())
            .limit(1)
        )
        rows = await self._read(query)
        return _hour(rows[0]) if rows else None

    async def totals(self, from_ms: int, to_ms: int) -> dict[str, ReadTotals]:
        """Gateway to sums over whole hours, from_ms <= hour < to_ms."""
        sums = [
            func.sum(getattr(LinkCollectionHour, name)) for name in ("covered_ms", "expected", "good")
        ]  # fmt: skip
        query = (
            select(LinkCollectionHour.gateway, *sums)
            .where(LinkCollectionHour.hour_ms >= from_ms, LinkCollectionHour.hour_ms < to_ms)
            .group_by(LinkCollectionHour.gateway)
        )
        return {row[0]: ReadTotals(*map(int, row[1:])) for row in await self._read(query)}

    async def reasons(self, gateways: Sequence[str], from_ms: int, to_ms: int) -> dict[str, dict[str, int]]:
        """Gateway to its missing reads by reason over whole hours, from_ms <= hour < to_ms."""
        row = LinkCollectionHour
        query = select(row.gateway, row.reasons).where(
            row.gateway.in_(gateways), row.hour_ms >= from_ms, row.hour_ms < to_ms, row.good < row.expected
        )
        return await asyncio.to_thread(_reasons, await self._read(query))

    async def newest(self) -> dict[str, ReadTotals]:
        """Gateway to its newest hour in which anything was expected."""
        last = (
            select(LinkCollectionHour.gateway, func.max(LinkCollectionHour.hour_ms).label("hour_ms"))
            .where(LinkCollectionHour.expected > 0)
            .group_by(LinkCollectionHour.gateway)
            .subquery()
        )
        row = LinkCollectionHour
        query = select(row.gateway, row.covered_ms, row.expected, row.good).join(
            last, (last.c.gateway == row.gateway) & (last.c.hour_ms == row.hour_ms)
        )
        return {one[0]: ReadTotals(*one[1:]) for one in await self._read(query)}

    async def gaps(
        self, gateway: str, from_ms: int, to_ms: int, slave: str | None, reason: str, offset: int, limit: int
    ) -> tuple[list[CollectionGapRow], int]:
        """Gaps that touch a period, the newest first, and their number. slave: with the gateway's own."""
        row = LinkCollectionGap
        wanted: list[ColumnElement[bool]] = [
            row.gateway == gateway, row.to_ms > from_ms, row.from_ms < to_ms
        ]  # fmt: skip
        if slave is not None:
            wanted.append(row.slave.in_((slave, "")))
        if reason:
            wanted.append(row.reason == reason)
        counted = await self._read(select(func.count()).select_from(row).where(*wanted))
        query = select(row).where(*wanted).order_by(row.from_ms.desc(), row.id.desc())
        rows = await self._read(query.offset(offset).limit(limit))
        return [_gap(one[0]) for one in rows], counted[0][0]

    @shielded
    async def forget_old(self, now_ms: int) -> None:
        """Periodic: hours and gaps are kept as long as those of batches."""
        async with self._database.session() as session:
            oldest_ms = now_ms - KEEP_MS
            await session.execute(delete(LinkCollectionHour).where(LinkCollectionHour.hour_ms < oldest_ms))
            await session.execute(delete(LinkCollectionGap).where(LinkCollectionGap.to_ms < oldest_ms))
            await session.commit()

    @shielded
    async def _read(self, query: Any) -> Sequence[Any]:
        async with self._database.reading() as session:
            return (await session.execute(query)).all()


async def _remember(
    session: AsyncSession,
    known: LinkCollection | None,
    gateway: str,
    report: Collection,
    fresh: Sequence[CollectionRecord],
    possible: Sequence[CollectionRecord],
) -> None:
    """How far the records go now; what cannot be is acknowledged all the same."""
    begun_ms = min((one.from_ms for one in possible), default=0)
    ended_ms = max((one.to_ms for one in possible), default=0)
    if known is None:
        on_postgresql = session.get_bind().dialect.name == "postgresql"
        table: Any = LinkCollection.__table__
        insert: Any = postgresql.insert(table) if on_postgresql else sqlite.insert(table)
        row = {
            "gateway": gateway, "stream": report.stream, "last_seq": fresh[-1].seq,
            "first_ms": begun_ms, "to_ms": ended_ms,
        }  # fmt: skip
        await session.execute(insert.on_conflict_do_nothing(), [row])
        return
    known.stream, known.last_seq = report.stream, fresh[-1].seq
    if begun_ms and not known.to_ms:
        known.first_ms = begun_ms
    known.first_ms = min(known.first_ms, begun_ms) if begun_ms else known.first_ms
    known.to_ms = max(known.to_ms, ended_ms)


async def _add_hours(session: AsyncSession, gateway: str, hours: dict[int, Hour]) -> None:
    for start, hour in hours.items():
        row = await session.get(LinkCollectionHour, (gateway, start), with_for_update=True)
        if row is None:
            row = LinkCollectionHour(
                gateway=gateway, hour_ms=start, covered_ms=0, expected=0, good=0, reasons="{}",
                gaps=0, more_gaps=0, detail=b"",
            )  # fmt: skip
            session.add(row)
            await session.flush()
        reasons = msgspec.json.decode(row.reasons, type=dict[str, int])
        sums = SlaveDetail(row.good, reasons)
        sums.add(SlaveDetail(hour.good, dict(hour.missed)))
        row.covered_ms = min(row.covered_ms + hour.covered_ms, HOUR_MS)
        row.good, row.expected = sums.good, min(sums.expected, MAX_COUNT * 16)
        row.reasons = msgspec.json.encode(sums.missed).decode()
        detail = unpack(row.detail)
        detail.add(hour.detail)
        row.detail = pack(detail)


def _reasons(rows: Sequence[Any]) -> dict[str, dict[str, int]]:
    result: dict[str, dict[str, int]] = {}
    for gateway, blob in rows:
        known = result.setdefault(gateway, {})
        for reason, count in msgspec.json.decode(blob, type=dict[str, int]).items():
            known[reason] = known.get(reason, 0) + count
    return result


def _columns(*, detailed: bool) -> list[Any]:
    row = LinkCollectionHour
    columns = [row.hour_ms, row.covered_ms, row.expected, row.good, row.reasons]
    return [*columns, row.detail] if detailed else columns


def _hour(row: Any) -> CollectedHour:
    reasons = msgspec.json.decode(row[4], type=dict[str, int])
    return CollectedHour(row[1], row[2], row[3], reasons, unpack(row[5]) if len(row) > 5 else Detail())


def _gap(row: LinkCollectionGap) -> CollectionGapRow:
    points = msgspec.json.decode(row.points, type=list[str])
    return CollectionGapRow(
        row.id, row.slave, points, row.from_ms, row.to_ms, row.reason, row.lent_to, row.missed
    )
