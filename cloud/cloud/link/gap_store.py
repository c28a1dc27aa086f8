"""Queries of the gap table and of what gateways reported."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, delete, func, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.link.gap_rules import Gap, GapReason, StreamReport
from cloud.link.models import LinkBatch, LinkStream
from cloud.link.reception_models import LinkGap, LinkStreamReport
from cloud.link.reception_statistics import add_dropped
from cloud.link.rows import received_of
from cloud.link.streams import Received
from edge_contract.ranges import Range

CHUNK = 200
"""Streams in one question."""

StreamKey = tuple[str, str]


KEY = ["gateway", "stream"]

_WRONG_DATA = ("22", "23")
"""Classes of SQLSTATE: data exception, integrity constraint violation."""


@dataclass(frozen=True)
class PreviousReport:
    """What a gateway said last about a stream. replaced: another has taken its place."""

    boot: str
    first_seq: int
    next_seq: int
    dropped_samples: int
    replaced: bool


@dataclass(frozen=True)
class StreamRecord:
    """What the database has of one stream. report: None when its gateway never said anything of it.

    first_own: only from this number on anything can be missing.
    """

    received: Received
    report: PreviousReport | None
    gaps: list[Gap]
    first_own: int = 1


@dataclass
class GapChanges:
    """What one check has found, written in one transaction."""

    reports: dict[StreamKey, StreamReport] = field(default_factory=dict)
    replaced: list[StreamKey] = field(default_factory=list)
    gaps: list[tuple[StreamKey, Gap]] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)  # gateway to samples that never became a batch


@dataclass(frozen=True)
class GapRow:
    """A gap as it is shown. filled_ms: None while something of it is missing."""

    id: int
    gateway: str
    stream: str
    first_seq: int
    last_seq: int
    missing: int
    reason: GapReason
    found_ms: int
    filled_ms: int | None
    from_ms: int
    to_ms: int


class GapStore:
    """Sessions are short: one transaction a call, finished even when its caller is cancelled.

    lock: held from `known` to `write`, and by who deletes in between.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.lock = asyncio.Lock()

    @shielded
    async def known(self, gateways: Collection[str]) -> dict[str, dict[str, StreamRecord]]:
        """By gateway and stream: what runs, was never spoken of, or has open gaps."""
        by_gateway: dict[str, dict[str, StreamRecord]] = {}
        names = sorted(gateways)
        async with self._database.reading() as session:
            for start in range(0, len(names), CHUNK):
                for (gateway, stream), item in (await _known(session, names[start : start + CHUNK])).items():
                    by_gateway.setdefault(gateway, {})[stream] = item
        return by_gateway

    @shielded
    async def write(self, changes: GapChanges, now_ms: int) -> None:
        """Write what a check has found."""
        async with self._database.session() as session:
            if changes.reports:
                await _put_reports(session, changes.reports, now_ms)
            for gateway, stream in changes.replaced:
                await _replace(session, gateway, stream, now_ms)
            if changes.deleted:
                await session.execute(delete(LinkGap).where(LinkGap.id.in_(changes.deleted)))
            for key, gap in changes.gaps:
                await _put(session, key, gap, now_ms)
            await add_dropped(session, changes.dropped, now_ms)
            await session.commit()

    @shielded
    async def page(
        self, gateway: str, from_ms: int, to_ms: int, reason: str, start: int, limit: int
    ) -> tuple[list[GapRow], int]:
        """GapDetector of a gateway that touch a period, the newest first, and how many there are."""
        query = _within(select(LinkGap).where(LinkGap.gateway == gateway), from_ms, to_ms)
        if reason:
            query = query.where(LinkGap.reason == reason)
        async with self._database.reading() as session:
            total = (await session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
            order = query.order_by(LinkGap.to_ms.desc(), LinkGap.id.desc())
            rows = await session.scalars(order.offset(start).limit(limit))
            return [_row(row) for row in rows], int(total)

    @shielded
    async def missing(self, from_ms: int, to_ms: int, gateway: str | None = None) -> list[GapRow]:
        """GapDetector that touch a period and are not filled, of one gateway or all."""
        query = _within(select(LinkGap).where(LinkGap.missing > 0), from_ms, to_ms)
        if gateway is not None:
            query = query.where(LinkGap.gateway == gateway)
        async with self._database.reading() as session:
            return [_row(row) for row in await session.scalars(query)]


def is_unwritable(error: Exception) -> bool:
    """Is it what was to be written that is wrong, and not the database that is away?"""
    if isinstance(error, DBAPIError):
        sqlstate = str(getattr(error.orig, "sqlstate", None) or "")
        return isinstance(error, DataError | IntegrityError) or sqlstate.startswith(_WRONG_DATA)
    return isinstance(error, StatementError | ArithmeticError | LookupError | TypeError | ValueError)


async def add_damaged(session: AsyncSession, gateway: str, stream: str, seq: int, received_ms: int) -> None:
    """A batch that the gateway was told to forget cannot be read: a gap of its own, once."""
    same = (LinkGap.gateway == gateway) & (LinkGap.stream == stream) & (LinkGap.first_seq == seq)
    query = select(LinkGap.id).where(same, LinkGap.reason == GapReason.DAMAGED.value)
    if (await session.execute(query)).first() is not None:
        return
    gap = Gap(None, seq, seq, 1, GapReason.DAMAGED, received_ms)
    await _put(session, (gateway, stream), gap, received_ms)


async def add_given_up(
    session: AsyncSession, key: StreamKey, seqs: Range, times: tuple[int, int], now_ms: int
) -> None:
    """Batches that came and are not stored, because their catalog did not: one row as long as they follow
    each other. times: when the first and the last were closed.
    """
    gateway, stream = key
    first, last = seqs
    query = select(LinkGap).where(
        LinkGap.gateway == gateway,
        LinkGap.stream == stream,
        LinkGap.reason == GapReason.NO_CATALOG.value,
        LinkGap.last_seq == first - 1,
    )
    row = (await session.scalars(query.limit(1))).one_or_none()
    if row is None:
        session.add(
            LinkGap(
                gateway=gateway, stream=stream, first_seq=first, last_seq=last, missing=last - first + 1,
                reason=GapReason.NO_CATALOG.value, found_ms=now_ms, filled_ms=None, asked=0,
                from_ms=times[0], to_ms=times[1],
            )
        )  # fmt: skip
    else:
        row.last_seq, row.missing = last, row.missing + last - first + 1
        row.from_ms, row.to_ms = min(row.from_ms, times[0]), max(row.to_ms, times[1])
    await session.flush()


async def _known(session: AsyncSession, names: Sequence[str]) -> dict[StreamKey, StreamRecord]:
    said = select(
        LinkStreamReport.gateway,
        LinkStreamReport.stream,
        LinkStreamReport.boot,
        LinkStreamReport.first_seq,
        LinkStreamReport.next_seq,
        LinkStreamReport.dropped_samples,
        LinkStreamReport.replaced_ms,
    )
    report_rows = await session.execute(said.where(LinkStreamReport.gateway.in_(names)))
    report = {(row[0], row[1]): PreviousReport(*row[2:6], row[6] is not None) for row in report_rows}
    gap_rows = await session.scalars(
        select(LinkGap).where(
            LinkGap.gateway.in_(names),
            LinkGap.filled_ms.is_(None),
            LinkGap.reason != GapReason.NO_CATALOG.value,  # they came: no check concerns them
        )
    )
    gaps: dict[StreamKey, list[Gap]] = {}
    for row in gap_rows:
        reason = GapReason(row.reason)
        gap = Gap(row.id, row.first_seq, row.last_seq, row.missing, reason, row.found_ms, row.asked)
        gaps.setdefault((row.gateway, row.stream), []).append(gap)
    streams = select(
        LinkStream.gateway,
        LinkStream.stream,
        LinkStream.first_own,
        LinkStream.contiguous_upto,
        LinkStream.above,
    )
    received: dict[StreamKey, Received] = {}
    first_own: dict[StreamKey, int] = {}
    rows = await session.execute(streams.where(LinkStream.gateway.in_(names)))
    for gateway, stream, own, contiguous, above in rows:
        first_own[gateway, stream] = own
        received[gateway, stream] = received_of(contiguous, above)
    running = {key for key, row in report.items() if not row.replaced}
    keys = running | (set(received) - set(report)) | set(gaps)
    return {
        key: StreamRecord(
            received.get(key, Received()), report.get(key), gaps.get(key, []), first_own.get(key, 1)
        )
        for key in keys
    }


async def _put_reports(session: AsyncSession, reports: Mapping[StreamKey, StreamReport], now_ms: int) -> None:
    rows = [
        {
            "gateway": gateway,
            "stream": stream,
            "boot": report.boot,
            "first_seq": report.first_seq or 1,
            "next_seq": report.next_seq,
            "dropped_samples": report.dropped_samples,
            "duplicates": 0,
            "told_ms": now_ms,
            "replaced_ms": None,
        }
        for (gateway, stream), report in reports.items()
    ]
    insert = _insert_report(session)
    changing = ("boot", "first_seq", "next_seq", "dropped_samples", "told_ms", "replaced_ms")
    changes = {name: insert.excluded[name] for name in changing}
    await session.execute(insert.on_conflict_do_update(index_elements=KEY, set_=changes), rows)


async def _replace(session: AsyncSession, gateway: str, stream: str, now_ms: int) -> None:
    """Another stream took the place of this one."""
    empty = {"boot": "", "first_seq": 1, "next_seq": 1, "dropped_samples": 0, "duplicates": 0}
    row = {"gateway": gateway, "stream": stream, **empty, "told_ms": now_ms, "replaced_ms": now_ms}
    change = {"replaced_ms": now_ms}
    insert = _insert_report(session)
    await session.execute(insert.on_conflict_do_update(index_elements=KEY, set_=change), row)


def _insert_report(session: AsyncSession) -> Any:
    """INSERT of the session's dialect, which knows ON CONFLICT."""
    table: Any = LinkStreamReport.__table__
    on_postgresql = session.get_bind().dialect.name == "postgresql"
    return postgresql.insert(table) if on_postgresql else sqlite.insert(table)


async def _put(session: AsyncSession, key: StreamKey, gap: Gap, now_ms: int) -> None:
    values: dict[str, Any] = {
        "first_seq": gap.first,
        "last_seq": gap.last,
        "missing": gap.missing,
        "reason": gap.reason.value,
        "asked": gap.requests,
        "filled_ms": now_ms if gap.filled else None,
    }
    if gap.id is not None:
        await session.execute(update(LinkGap).where(LinkGap.id == gap.id).values(**values))
        return
    from_ms, to_ms = await _times_around(session, key, (gap.first, gap.last), gap.detected_ms)
    session.add(
        LinkGap(
            gateway=key[0], stream=key[1], found_ms=gap.detected_ms,
            from_ms=from_ms, to_ms=to_ms, **values,
        )
    )  # fmt: skip
    await session.flush()


async def _times_around(
    session: AsyncSession, key: StreamKey, gap: Range, detected_ms: int
) -> tuple[int, int]:
    """Closing times of the nearest batches around a gap, as far as they are still kept."""
    mine = select(LinkBatch.t_ms).where(tuple_(LinkBatch.gateway, LinkBatch.stream) == key)
    before = mine.where(LinkBatch.seq < gap[0]).order_by(LinkBatch.seq.desc()).limit(1)
    after = mine.where(LinkBatch.seq > gap[1]).order_by(LinkBatch.seq).limit(1)
    low = (await session.execute(before)).scalar_one_or_none()
    high = (await session.execute(after)).scalar_one_or_none()
    to_ms = detected_ms if high is None else high
    from_ms = to_ms if low is None else low
    return min(from_ms, to_ms), to_ms


def _within(query: Select[LinkGap], from_ms: int, to_ms: int) -> Select[LinkGap]:
    return query.where(LinkGap.from_ms < to_ms, LinkGap.to_ms >= from_ms)


def _row(row: LinkGap) -> GapRow:
    return GapRow(
        id=row.id,
        gateway=row.gateway,
        stream=row.stream,
        first_seq=row.first_seq,
        last_seq=row.last_seq,
        missing=row.missing,
        reason=GapReason(row.reason),
        found_ms=row.found_ms,
        filled_ms=row.filled_ms,
        from_ms=row.from_ms,
        to_ms=row.to_ms,
    )
