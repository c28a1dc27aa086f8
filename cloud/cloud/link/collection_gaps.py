"""Gaps of collection: parts of consecutive records become one row, and an hour has a bound of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import msgspec
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.text import storable
from cloud.link.collection_hours import HOUR_MS, MAX_COUNT, MAX_GAPS, MissedReason, reason_of
from cloud.link.collection_models import LinkCollectionGap, LinkCollectionHour
from edge_contract.collection import CollectionRecord, ReadGap

TOUCHING_MS = 1000
"""Gateways cut a long gap at the end of a record; clocks are disciplined by less than this meanwhile."""
MIN_GAP_MS = 1000
"""Less between two records is rounding."""

Key = tuple[str, str, str, str]


@dataclass(slots=True)
class NewGap:
    """The columns of a row that is not there yet; a report may bring a thousand."""

    gateway: str
    slave: str
    points: str
    from_ms: int
    to_ms: int
    reason: str
    lent_to: str
    missed: int


async def add_gaps(
    session: AsyncSession,
    gateway: str,
    records: Sequence[CollectionRecord],
    uncovered: tuple[int, int] | None,
) -> None:
    """uncovered: time before the first record that nobody covers."""
    gaps = [gap for record in records for gap in record.gaps if gap.from_ms < min(gap.to_ms, record.to_ms)]
    since_ms = min((gap.from_ms for gap in gaps), default=0)
    known: dict[Key, LinkCollectionGap | NewGap] = {}
    if gaps:
        known.update(await _touching(session, gateway, since_ms))
    added: list[NewGap] = []
    if uncovered is not None and uncovered[1] - uncovered[0] >= MIN_GAP_MS:
        gap = ReadGap(from_ms=uncovered[0], to_ms=uncovered[1], reason=MissedReason.NOT_REPORTED)
        added.append(_gap_of(gateway, gap, *uncovered))
    for record in records:
        start = record.to_ms - 1 - (record.to_ms - 1) % HOUR_MS
        hour = await session.get(LinkCollectionHour, (gateway, start))
        if hour is None:
            continue  # outside of what is kept
        hour.more_gaps = min(hour.more_gaps + record.more_gaps, MAX_COUNT)
        for gap in record.gaps:
            if gap.from_ms >= min(gap.to_ms, record.to_ms):
                continue
            fresh = _gap_of(gateway, gap, record.from_ms, record.to_ms)
            key = _key(fresh)
            row = known.get(key)
            if row is not None and fresh.from_ms <= row.to_ms + TOUCHING_MS and fresh.to_ms >= row.from_ms:
                row.from_ms, row.to_ms = min(row.from_ms, fresh.from_ms), max(row.to_ms, fresh.to_ms)
                row.missed = min(row.missed + fresh.missed, MAX_COUNT)
            elif hour.gaps >= MAX_GAPS:
                hour.more_gaps = min(hour.more_gaps + 1, MAX_COUNT)
            else:
                hour.gaps += 1
                added.append(fresh)
                known[key] = fresh
    if added:
        await session.execute(insert(LinkCollectionGap), [asdict(one) for one in added])


async def _touching(session: AsyncSession, gateway: str, from_ms: int) -> dict[Key, LinkCollectionGap]:
    """The newest row of each kind that a gap from this time on may go on."""
    row = LinkCollectionGap
    query = select(row).where(row.gateway == gateway, row.to_ms >= from_ms - TOUCHING_MS).order_by(row.to_ms)
    return {_key(one): one for one in (await session.execute(query)).scalars()}


def _key(row: LinkCollectionGap | NewGap) -> Key:
    return row.slave, row.points, row.reason, row.lent_to


def _gap_of(gateway: str, gap: ReadGap, earliest_ms: int, latest_ms: int) -> NewGap:
    return NewGap(
        gateway=gateway,
        slave=gap.slave or "",
        points=msgspec.json.encode(gap.points).decode(),
        from_ms=max(gap.from_ms, earliest_ms),
        to_ms=min(gap.to_ms, latest_ms),
        reason=gap.reason if gap.reason == MissedReason.NOT_REPORTED else reason_of(gap.reason),
        lent_to=storable(gap.by, 200),
        missed=min(gap.missed, MAX_COUNT),
    )
