"""What a gateway read of each slave, and its gaps."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.domains.completeness import collection
from cloud.domains.completeness.buckets import DAY_MS, HOUR_MS, bounds
from cloud.domains.completeness.schemas import (
    Collection,
    CollectionGap,
    PointCollection,
    SlaveCollection,
)
from cloud.domains.devices.service import DeviceService
from cloud.errors import ParameterError
from cloud.link import CollectedHour, CollectionGapRow, CollectionStore, MissedReason, Reported
from cloud.link.collection_hours import total_of, worst

MAX_PERIOD_DAYS = 31
MAX_GAPS = 2000
MAX_POINTS = 100


class CollectionService:
    """Periods in UTC milliseconds are widened to whole hours."""

    def __init__(self, collected: CollectionStore, devices: DeviceService, *, clock: NowMs = now_ms) -> None:
        self._collected = collected
        self._devices = devices
        self._clock = clock

    async def of_device(self, scope: Scope, device_id: int, from_ms: int, to_ms: int) -> Collection:
        """By slave, the worst points, and the newest gaps. Raises ParameterError for a period that is
        reversed or above MAX_PERIOD_DAYS days, NotFound for a gateway that the scope does not see.
        """
        _check(from_ms, to_ms)
        if to_ms - from_ms > MAX_PERIOD_DAYS * DAY_MS:
            raise ParameterError("to_ms", f"at most {MAX_PERIOD_DAYS} days after from_ms")
        edges = bounds(from_ms, to_ms, HOUR_MS)
        start, end = edges[0], edges[-1]
        device = await self._devices.detail(scope, device_id)
        gateway = device.gateway_id
        reported = collection.with_delay(
            (await self._collected.reported(gateway)).get(gateway), device.link.report_interval_s * 1000
        )
        hours = await self._collected.hours(gateway, start, end, detailed=True)
        earlier = await self._collected.before(gateway, start)
        spans = list(collection.by_hour(hours, reported, start, end, self._clock()))
        by_hour = collection.of_gateway(spans, earlier)
        by_slave = await asyncio.to_thread(collection.of_slaves, spans, earlier)
        titles = {slave.name: slave.title for slave in device.slaves}
        rows, total = await self._collected.gaps(gateway, start, end, None, "", 0, MAX_GAPS)
        gaps = [*_going_on(reported, start, end, self._clock()), *map(_gap, rows)]
        return Collection(
            device_id=device_id,
            from_ms=start,
            to_ms=end,
            collection=collection.figure(collection.total(by_hour.values()), reported, start, end),
            slaves=[
                SlaveCollection(
                    slave=name,
                    title=titles.get(name),
                    collection=collection.figure(sums, reported, start, end),
                )
                for name, sums in by_slave.items()
            ],
            points=await self._points(scope, device_id, list(hours.values())),
            gaps=gaps,
            gaps_total=total + len(gaps) - len(rows),
        )

    async def gaps(
        self,
        scope: Scope,
        device_id: int,
        from_ms: int,
        to_ms: int,
        slave: str | None,
        reason: MissedReason | None,
        page: int,
        limit: int,
    ) -> Page[CollectionGap]:
        """Gaps that touch a period, the newest first. slave: its own and those of the gateway. Raises
        ParameterError for a reversed period, NotFound for a gateway that the scope does not see.
        """
        _check(from_ms, to_ms)
        gateway = await self._devices.gateway_of(scope, device_id)
        wanted = "" if reason is None else reason.value
        rows, total = await self._collected.gaps(
            gateway, from_ms, to_ms, slave, wanted, (page - 1) * limit, limit
        )
        return Page(rows=[_gap(row) for row in rows], total=total)

    async def _points(
        self, scope: Scope, device_id: int, hours: Sequence[CollectedHour]
    ) -> list[PointCollection]:
        counts = (await asyncio.to_thread(total_of, [hour.detail for hour in hours])).points
        ranked = list(worst(counts))[:MAX_POINTS]
        if not ranked:
            return []
        sources = await self._devices.sources(scope, device_id)
        known = {(source.slave, source.ds_name): source for source in sources}
        points = []
        for slave, point, expected, good in ranked:
            source = known.get((slave, point))
            share = good * 100_000 // expected / 1000 if expected else None
            points.append(
                PointCollection(
                    slave=slave,
                    point=point,
                    title=source.ds_title if source else None,
                    dsid=source.dsid if source else None,
                    expected=expected,
                    good=good,
                    percent=share,
                )
            )
        return points


def _check(from_ms: int, to_ms: int) -> None:
    if from_ms >= to_ms:
        raise ParameterError("to_ms", "must be after from_ms")


def _going_on(reported: Reported | None, start: int, end: int, now: int) -> list[CollectionGap]:
    """The time since the last record, when the next one is overdue."""
    if reported is None or now - reported.to_ms <= collection.UNREPORTED_AFTER_MS + reported.late_ms:
        return []
    low, high = max(reported.to_ms, start), min(now, end)
    if low >= high:
        return []
    return [
        CollectionGap(
            id=0, slave=None, points=[], from_ms=low, to_ms=high,
            reason=MissedReason.NOT_REPORTED, lent_to=None, missed=0,
        )
    ]  # fmt: skip


def _gap(row: CollectionGapRow) -> CollectionGap:
    return CollectionGap(
        id=row.id,
        slave=row.slave or None,
        points=row.points,
        from_ms=row.from_ms,
        to_ms=row.to_ms,
        reason=MissedReason(row.reason),
        lent_to=row.lent_to or None,
        missed=row.missed,
    )
