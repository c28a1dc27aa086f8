"""Completeness of all gateways together, summed in the database as `completeness` sums each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, and_, case, cast, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.completeness.buckets import Missing, by_reason
from cloud.domains.completeness.collection import LEAST_COVERED_MS, UNREPORTED_AFTER_MS
from cloud.domains.devices.filters import SILENT, has_slave
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import visible
from cloud.link import GapReason
from cloud.link.collection_models import LinkCollection, LinkCollectionHour
from cloud.link.reception_models import LinkGap
from cloud.link.reception_statistics import received_batches


@dataclass(frozen=True)
class Reads:
    """Expected and good reads. gateways: seen; measured: with a figure; complete: without a missing read.

    unexplained: connected gateways with missing reads of which every slave answers now.
    """

    expected: int
    good: int
    gateways: int
    measured: int
    complete: int
    unexplained: int


@dataclass(frozen=True)
class Worst:
    """A gateway of which reads are missing."""

    gateway: str
    expected: int
    good: int


class SumsRepository:
    """Works on the caller's session; changes nothing. start_ms, end_ms: whole hours."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def reads(self, start_ms: int, end_ms: int, now_ms: int, worst: int) -> tuple[Reads, list[Worst]]:
        """All gateways together, and those of which most reads are missing: first those of which no absence
        says why. One pass: what is estimated is worked out once for each gateway.
        """
        each = _each(self._scope, start_ms, end_ms, now_ms).cte("each").prefix_with("MATERIALIZED")
        missed = each.c.expected - each.c.good
        unexplained = and_(missed > 0, each.c.explained == 0)
        query = select(
            each.c.gateway,
            each.c.expected,
            each.c.good,
            func.sum(each.c.expected).over(),
            func.sum(each.c.good).over(),
            func.count().over(),
            func.count().filter(each.c.expected > 0).over(),
            func.count().filter(and_(each.c.expected > 0, missed == 0)).over(),
            func.count().filter(unexplained).over(),
        )
        order = (case((unexplained, 0), else_=1), missed.desc(), each.c.gateway)
        rows = (await self._session.execute(query.order_by(*order).limit(worst))).all()
        if not rows:
            return Reads(0, 0, 0, 0, 0, 0), []
        found = [Worst(row[0], int(row[1]), int(row[2])) for row in rows if row[1] > row[2]]
        return Reads(*map(int, rows[0][3:])), found

    async def batches(self, start_ms: int, end_ms: int) -> tuple[int, int]:
        """Received and missing batches."""
        seen = select(Device.gateway_id).where(visible(self._scope))
        batches = await received_batches(self._session, start_ms, end_ms, seen)
        touches = (LinkGap.missing > 0, LinkGap.to_ms >= start_ms, LinkGap.from_ms < end_ms)
        inside = and_(LinkGap.from_ms >= start_ms, LinkGap.to_ms <= end_ms)
        mine = LinkGap.gateway.in_(seen)
        whole = select(LinkGap.reason, func.sum(LinkGap.missing)).where(mine, *touches, inside)
        missing = {row[0]: int(row[1]) for row in await self._session.execute(whole.group_by(LinkGap.reason))}
        over = select(LinkGap.missing, LinkGap.from_ms, LinkGap.to_ms, LinkGap.reason)
        rows = await self._session.execute(over.where(mine, *touches, ~inside))
        for reason, count in by_reason((Missing(*row) for row in rows), [start_ms, end_ms])[0].items():
            missing[reason] = missing.get(reason, 0) + count
        return max(batches - missing.get(GapReason.NO_CATALOG, 0), 0), sum(missing.values())


def _each(scope: Scope, start_ms: int, end_ms: int, now_ms: int) -> Select[Any]:
    """Gateway, expected and good reads of every gateway that is seen; as collection.figure has them.

    explained: 1 of those that are away or have a silent slave, else 0.
    """
    hour, told = LinkCollectionHour, LinkCollection
    within = and_(hour.gateway == Device.gateway_id, hour.hour_ms >= start_ms, hour.hour_ms < end_ms)
    sums = [
        cast(func.coalesce(func.sum(column), 0), BigInteger).label(column.key)
        for column in (hour.covered_ms, hour.expected, hour.good)
    ]
    explained = case((and_(Device.online.is_(True), ~has_slave(*SILENT)), 0), else_=1)
    known = (
        select(Device.gateway_id.label("gateway"), explained.label("explained"), *sums)
        .select_from(Device)
        .outerjoin(hour, within)
        .where(visible(scope))
        .group_by(Device.id)
        .subquery("known")
    )
    until = _larger(told.to_ms, literal(now_ms - UNREPORTED_AFTER_MS))
    due = _smaller(literal(end_ms), until) - _larger(literal(start_ms), told.first_ms)
    lacks = case((told.to_ms > 0, _larger(due - known.c.covered_ms, literal(0))), else_=0).label("lacks")
    open_ = select(known, lacks).outerjoin(told, told.gateway == known.c.gateway).subquery("open_")

    def newest(column: Any) -> ColumnElement[int]:
        """Of the newest hour in which anything was expected; asked for where the known hours do not say."""
        query = select(column).where(hour.gateway == open_.c.gateway, hour.expected > 0)
        return query.order_by(hour.hour_ms.desc()).limit(1).correlate(open_).scalar_subquery()

    told_enough = open_.c.covered_ms >= LEAST_COVERED_MS
    rate_ms = case((told_enough, open_.c.covered_ms), else_=func.coalesce(newest(hour.covered_ms), 0))
    rate = case((told_enough, open_.c.expected), else_=func.coalesce(newest(hour.expected), 0))
    estimated = case(
        (open_.c.lacks <= 0, 0),
        (rate_ms > 0, cast(rate, BigInteger) * open_.c.lacks // cast(rate_ms, BigInteger)),
        else_=0,
    )
    return select(
        open_.c.gateway,
        (open_.c.expected + estimated).label("expected"),
        open_.c.good,
        open_.c.explained,
    )


def _larger(one: Any, other: Any) -> ColumnElement[int]:
    return case((one > other, one), else_=other)


def _smaller(one: Any, other: Any) -> ColumnElement[int]:
    return case((one < other, one), else_=other)
