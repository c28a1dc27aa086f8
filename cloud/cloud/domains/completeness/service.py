"""What arrived, what is missing and why: the link's statistics by hour or day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.natural_order import natural_key
from cloud.core.scope import Scope
from cloud.domains.completeness import collection
from cloud.domains.completeness.buckets import DAY_MS, HOUR_MS, Missing, bounds, by_reason, percent
from cloud.domains.completeness.schemas import (
    Collected,
    Completeness,
    CompletenessBucket,
    GapEntry,
    GatewayCompleteness,
)
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.service import DeviceService
from cloud.errors import ParameterError
from cloud.link import (
    CollectionStore,
    GapReason,
    GapRow,
    GapStore,
    MissedReason,
    ReadTotals,
    ReceptionCounts,
    ReceptionStatistics,
    Reported,
)

MAX_BUCKETS = 1000
MAX_OUTAGES = 200
MAX_PERIOD_MS = 397 * DAY_MS
MAX_REASONS_MS = 32 * DAY_MS
"""Over a longer period the list of all gateways does not say why reads are missing: it is read by hour."""

Width = Literal["hour", "day"]
WIDTHS: dict[Width, int] = {"hour": HOUR_MS, "day": DAY_MS}

SORTS = ("percent", "missing", "collection", "device_title")


class CompletenessService:
    """reception, gaps, collected: the link's stores. Periods (UTC ms) are widened to whole hours."""

    def __init__(
        self,
        reception: ReceptionStatistics,
        gaps: GapStore,
        collected: CollectionStore,
        devices: DeviceService,
        outages: OutageService,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._collected = collected
        self._clock = clock
        self._statistics = reception
        self._gaps = gaps
        self._devices = devices
        self._outages = outages

    async def of_device(
        self, scope: Scope, device_id: int, from_ms: int, to_ms: int, width: Width, offset_min: int
    ) -> Completeness:
        """One gateway by hour or by local day. offset_min: minutes of the local time east of UTC. Raises
        ParameterError for a period that is reversed, above 13 months or of more than MAX_BUCKETS buckets,
        NotFound for a gateway that the scope does not see.
        """
        _check(from_ms, to_ms)
        edges = bounds(from_ms, to_ms, WIDTHS[width], offset_min * 60_000)
        if len(edges) - 1 > MAX_BUCKETS:
            raise ParameterError("bucket", f"at most {MAX_BUCKETS} in one answer: ask for days, or for less")
        gateway = await self._devices.gateway_of(scope, device_id)
        start, end = edges[0], edges[-1]
        hours = await self._statistics.hours(gateway, start, end)
        missing = by_reason(map(_missing, await self._gaps.missing(start, end, gateway)), edges)
        counts = [ReceptionCounts() for _ in missing]
        for hour, count in hours.items():
            counts[(hour - start) // WIDTHS[width]] += count
        outages = await self._outages.page(scope, device_id, start, end, limit=MAX_OUTAGES)
        reported, read = await self._reads(gateway, edges)
        figures = [
            collection.figure(sums, reported, low, high)
            for sums, low, high in zip(read, edges, edges[1:], strict=False)
        ]
        buckets = [
            CompletenessBucket(start_ms=low, end_ms=high, **_reception(count, reasons, share))
            for low, high, count, reasons, share in zip(
                edges, edges[1:], counts, missing, figures, strict=False
            )
        ]
        return Completeness(
            device_id=device_id,
            from_ms=start,
            to_ms=end,
            buckets=buckets,
            outages=outages.rows,
            outages_total=outages.total,
            **_reception(
                sum(counts, ReceptionCounts()),
                _sum(missing),
                collection.figure(collection.total(read), reported, start, end),
            ),
        )

    async def _reads(
        self, gateway: str, edges: list[int]
    ) -> tuple[Reported | None, list[collection.ReadSums]]:
        """What was read in each bucket."""
        start, end, width = edges[0], edges[-1], edges[1] - edges[0]
        reported = collection.with_delay(
            (await self._collected.reported(gateway)).get(gateway),
            (await self._devices.report_intervals(gateway)).get(gateway, 0),
        )
        hours = await self._collected.hours(gateway, start, end)
        earlier = await self._collected.before(gateway, start)
        spans = collection.by_hour(hours, reported, start, end, self._clock())
        read_sums = [collection.ReadSums() for _ in edges[1:]]
        for hour, sums in collection.of_gateway(spans, earlier).items():
            at = (hour - start) // width
            read_sums[at] = collection.total([read_sums[at], sums])
        return reported, read_sums

    async def of_all(
        self, scope: Scope, from_ms: int, to_ms: int, page: int, limit: int, sort: str
    ) -> Page[GatewayCompleteness]:
        """Every gateway over a period, the worst first unless sort says otherwise ('-' reverses). Raises
        ParameterError for an unknown sort and for a period that is reversed or above 13 months.
        """
        _check(from_ms, to_ms)
        key = sort.removeprefix("-") or "percent"
        if key not in SORTS:
            raise ParameterError("sort", f"one of {', '.join(SORTS)}, with '-' before it to reverse")
        edges = bounds(from_ms, to_ms, HOUR_MS)
        period = [edges[0], edges[-1]]
        totals = await self._statistics.totals(edges[0], edges[-1])
        gaps: dict[str, list[Missing]] = {}
        for gap in await self._gaps.missing(edges[0], edges[-1]):
            gaps.setdefault(gap.gateway, []).append(_missing(gap))
        reads = await self._all_reads(edges[0], edges[-1])
        rows = [
            GatewayCompleteness(
                device_id=device_id,
                device_title=title,
                gateway_id=gateway,
                **_reception(
                    totals.get(gateway, ReceptionCounts()),
                    by_reason(gaps.get(gateway, []), period)[0],
                    reads(gateway),
                ),
            )
            for device_id, gateway, title in await self._devices.names(scope)
        ]
        rows.sort(key=_RANKS[key], reverse=sort.startswith("-"))
        page_rows = rows[(page - 1) * limit : page * limit]
        await self._name_reasons(page_rows, edges[0], edges[-1])
        return Page(rows=page_rows, total=len(rows))

    async def _name_reasons(self, rows: Sequence[GatewayCompleteness], start: int, end: int) -> None:
        """Why reads are missing, of the gateways of one page."""
        lacking = [row for row in rows if row.collection.missed]
        if not lacking or end - start > MAX_REASONS_MS:
            return
        by_gateway = await self._collected.reasons([row.gateway_id for row in lacking], start, end)
        for row in lacking:
            named = by_gateway.get(row.gateway_id, {})
            row.collection.reasons |= {
                MissedReason(reason): count for reason, count in named.items() if count
            }

    async def _all_reads(self, start: int, end: int) -> Callable[[str], Collected]:
        """Gateway to what it read, without the reasons of what gateways reported."""
        reported = await self._collected.reported()
        totals = await self._collected.totals(start, end)
        newest = await self._collected.newest()
        late = await self._devices.report_intervals()
        now = self._clock()

        def of(gateway: str) -> Collected:
            report = collection.with_delay(reported.get(gateway), late.get(gateway, 0))
            known = totals.get(gateway, ReadTotals())
            unreported = max(collection.due_ms(report, start, end, now) - known.covered_ms, 0)
            rate = collection.Rate()
            for one in (newest.get(gateway, ReadTotals()), known):
                rate.learn(one.expected, one.covered_ms)
            sums = collection.ReadSums()
            sums.add(known.good, {}, unreported, rate.of(unreported))
            sums.unnamed = known.expected - known.good
            return collection.figure(sums, report, start, end)

        return of

    async def gaps(
        self,
        scope: Scope,
        device_id: int,
        from_ms: int,
        to_ms: int,
        reason: GapReason | None,
        page: int,
        limit: int,
    ) -> Page[GapEntry]:
        """Gaps of a gateway that touch a period, filled ones too, the newest first. Raises ParameterError for
        a reversed period, NotFound for a gateway that the scope does not see.
        """
        if from_ms >= to_ms:
            raise ParameterError("to_ms", "must be after from_ms")
        gateway = await self._devices.gateway_of(scope, device_id)
        wanted = "" if reason is None else reason.value
        rows, total = await self._gaps.page(gateway, from_ms, to_ms, wanted, (page - 1) * limit, limit)
        return Page(rows=[_entry(row) for row in rows], total=total)


def _by_percent(row: GatewayCompleteness) -> Any:
    return 101.0 if row.percent is None else row.percent, -row.missing, row.device_id


def _by_missing(row: GatewayCompleteness) -> Any:
    return row.missing, row.device_id


def _by_title(row: GatewayCompleteness) -> Any:
    return natural_key(row.device_title), row.device_id


def _by_collection(row: GatewayCompleteness) -> Any:
    share = row.collection.percent
    return 101.0 if share is None else share, -row.collection.missed, row.device_id


_RANKS = {
    "percent": _by_percent, "missing": _by_missing, "collection": _by_collection, "device_title": _by_title
}  # fmt: skip


def _check(from_ms: int, to_ms: int) -> None:
    if from_ms >= to_ms:
        raise ParameterError("to_ms", "must be after from_ms")
    if to_ms - from_ms > MAX_PERIOD_MS:
        raise ParameterError("to_ms", "at most 13 months after from_ms")


def _missing(gap: GapRow) -> Missing:
    return Missing(gap.missing, gap.from_ms, gap.to_ms, gap.reason.value)


def _sum(buckets: Sequence[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for bucket in buckets:
        for reason, count in bucket.items():
            total[reason] = total.get(reason, 0) + count
    return total


def _reception(counts: ReceptionCounts, reasons: dict[str, int], collected: Collected) -> dict[str, Any]:
    """Fields of a Reception."""
    missing = sum(reasons.values())
    # Those without a catalog were received, and are missing.
    came = max(counts.batches - reasons.get(GapReason.NO_CATALOG, 0), 0)
    return {
        "received": came,
        "samples": counts.samples,
        "late": counts.late_batches,
        "late_samples": counts.late_samples,
        "duplicates": counts.duplicates,
        "missing": missing,
        "reasons": reasons,
        "percent": percent(came, missing),
        "dropped_samples": counts.dropped_samples,
        "collection": collected,
    }


def _entry(row: GapRow) -> GapEntry:
    return GapEntry(
        id=row.id,
        stream=row.stream,
        first_seq=row.first_seq,
        last_seq=row.last_seq,
        missing=row.missing,
        reason=row.reason,
        found_ms=row.found_ms,
        filled_ms=row.filled_ms,
        from_ms=row.from_ms,
        to_ms=row.to_ms,
    )
