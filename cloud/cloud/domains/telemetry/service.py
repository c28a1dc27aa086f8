"""Last values and history; the time series store holds the samples, memory the newest of each."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from msgspec import structs

from cloud.core.chunks import chunked
from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.targets import Freshness
from cloud.domains.telemetry.newest import LastSample, take_newer
from cloud.domains.telemetry.schemas import DamagedRange, History, HistoryRow, HistoryRows, LastValue, Series
from cloud.errors import ParameterError, Unavailable
from cloud.timeseries.base import (
    DamagedSeries,
    DownsampledSeries,
    SeriesColumn,
    StoredSample,
    TimeSeries,
    TimeSeriesError,
)
from edge_contract.freshness import quality_now
from edge_contract.model import Quality

_SECONDS = (1, 2, 5, 10, 15, 30)
_HOURS = (1, 2, 3, 6, 12)
WIDTHS_MS = [s * 1000 for s in _SECONDS] + [s * 60_000 for s in _SECONDS] + [h * 3_600_000 for h in _HOURS]
DAY_MS = 86_400_000

LOOKED_BACK = 8
"""Samples among which the last good value is looked for: losing it is told once for each reason."""

LOOKS_AT_ONCE = 500
"""Points looked back for in one answer; each is a question to the store."""

MAX_LOOKED = 100_000
"""Points remembered that never had a value."""

T = TypeVar("T")

Pushed = Callable[[str, list["LastValue"]], Awaitable[None]]
"""Told the gateway and its newer values."""


class TelemetryService:
    """Last values and history of points that the caller's scope sees; any other is not found.

    watched: whether anybody hears what is pushed. remembers: False in a process that is not told what is
    filed; it asks the store each time.
    """

    def __init__(
        self,
        series: TimeSeries,
        devices: DeviceService,
        pushed: Pushed,
        *,
        watched: Callable[[], bool] = lambda: True,
        remembers: bool = True,
        clock: NowMs = now_ms,
    ) -> None:
        self._watched = watched
        self._remembers = remembers
        self._series = series
        self._devices = devices
        self._pushed = pushed
        self._clock = clock
        self._newest: dict[int, LastSample] = {}
        self._looked: dict[int, int] = {}

    async def stored(self, gateway: str, columns: Sequence[SeriesColumn], late: bool) -> None:
        """Samples are durable: newer ones become last values and are pushed. Late data is history only."""
        now = self._clock()
        newer = take_newer(self._newest, columns, late, now)
        if newer and self._watched() and not self._devices.is_cleared(gateway):
            async for some in chunked(newer):
                await self._pushed(gateway, [_last(series, fresh, now) for series, fresh in some])

    async def cleared(self, gateway: str, device_id: int, unknown: bool) -> None:
        """The last values of a gateway are unknown from now on, or known again: tell who watches (C-065)."""
        dsids = await self._devices.numbers(Scope.system(), device_id)
        now = self._clock()
        async for some in chunked([dsid for dsid in dsids if dsid in self._newest]):
            values = [_last(dsid, self._newest[dsid], now) for dsid in some if dsid in self._newest]
            await self._pushed(gateway, [_unknown(value) for value in values] if unknown else values)

    async def of_device(self, scope: Scope, device_id: int) -> AsyncIterator[list[LastValue]]:
        """Newest sample of each of a gateway's points that has one, in chunks."""
        async for some in self._last(await self._devices.numbers(scope, device_id)):
            yield await self._with_staleness(scope, some)

    async def last_values(self, scope: Scope, dsids: Sequence[int]) -> list[LastValue]:
        """Newest sample of each point that has one; of an offline gateway without the value (C-065)."""
        await self._devices.owners(scope, list(dsids))
        return [
            value async for some in self._last(dsids) for value in await self._with_staleness(scope, some)
        ]

    async def _with_staleness(self, scope: Scope, values: list[LastValue]) -> list[LastValue]:
        """With what speaks for each of them now."""
        known = await self._devices.freshness(scope, [value.dsid for value in values])
        now = self._clock()
        return [
            value.model_copy(update={"stale": True})
            if value.dsid in known and is_stale(value, known[value.dsid], now)
            else value
            for value in values
        ]

    async def _last(self, dsids: Sequence[int]) -> AsyncIterator[list[LastValue]]:
        newest = self._newest if self._remembers else {}
        cleared = await self._devices.cleared_points(dsids)
        looks = LOOKS_AT_ONCE
        async for some in chunked(dsids):
            unknown = [dsid for dsid in some if dsid not in newest]
            if unknown:
                for dsid, sample in (await mapped_errors(self._series.latest(unknown))).items():
                    newest.setdefault(
                        dsid, LastSample(sample.t_ms, sample.value, sample.quality, 0, held=sample.value)
                    )
            looks -= await self._look_back([dsid for dsid in some if dsid in newest], newest, looks)
            now = self._clock()
            values = [_last(dsid, newest[dsid], now) for dsid in some if dsid in newest]
            yield [_unknown(value) if value.dsid in cleared else value for value in values]

    async def _look_back(self, dsids: Sequence[int], newest: dict[int, LastSample], max_count: int) -> int:
        """The last good value of points of which only its loss is remembered, of so many at most; how many
        were looked for.
        """
        lost = [
            dsid
            for dsid in dsids
            if newest[dsid].value is None
            and newest[dsid].good is None
            and self._looked.get(dsid) != newest[dsid].t_ms
        ]
        for dsid in lost[:max_count]:
            known = newest[dsid]
            samples = await mapped_errors(
                self._series.samples(dsid, 0, known.t_ms, LOOKED_BACK, newest_first=True)
            )
            good = next((sample for sample in samples if sample.value is not None), None)
            if good is not None:
                newest[dsid] = structs.replace(known, good=good, held=good.value)
            elif len(self._looked) < MAX_LOOKED:
                self._looked[dsid] = known.t_ms  # in vain
        return min(len(lost), max_count)

    async def history(
        self, scope: Scope, dsids: Sequence[int], start_ms: int, end_ms: int, points: int
    ) -> History:
        """Raw samples when they are at most `points`, else buckets of a round width."""
        check_range(start_ms, end_ms)
        await self._devices.owners(scope, list(dsids))
        series = [await self._all_samples(dsid, start_ms, end_ms, points) for dsid in dsids]
        return History(series=series, server_ms=self._clock())

    async def trends(
        self, scope: Scope, dsids: Sequence[int], start_ms: int, end_ms: int, pixels: int
    ) -> dict[int, DownsampledSeries]:
        """The range of each point for a small picture: at most four samples a pixel, no extreme lost."""
        await self._devices.owners(scope, list(dsids))
        series: dict[int, DownsampledSeries] = {}
        for dsid in dsids:
            with suppress(DamagedHistory):
                series[dsid] = await mapped_errors(self._series.envelope(dsid, start_ms, end_ms, pixels))
        return series

    async def rows(self, scope: Scope, dsid: int, start_ms: int, end_ms: int, limit: int) -> HistoryRows:
        """Raw samples with start_ms <= t < end_ms, newest first."""
        check_range(start_ms, end_ms)
        await self._devices.owners(scope, [dsid])
        samples = await mapped_errors(self._series.samples(dsid, start_ms, end_ms, limit, newest_first=True))
        return HistoryRows(
            rows=[HistoryRow(t_ms=s.t_ms, value=s.value, quality=s.quality) for s in samples],
            gaps=await gaps(self._series, dsid, start_ms, end_ms),
        )

    async def _all_samples(self, dsid: int, start_ms: int, end_ms: int, points: int) -> Series:
        """With what of it cannot be read, which is all when the store does not tell."""
        try:
            series = await self._one(dsid, start_ms, end_ms, points)
        except DamagedHistory:
            all_of_it = [DamagedRange(start_ms=start_ms, end_ms=end_ms - 1)]
            return Series(dsid=dsid, width_ms=0, t=[], v=[], q=[], truncated=False, gaps=all_of_it)
        return series.model_copy(update={"gaps": await gaps(self._series, dsid, start_ms, end_ms)})

    async def _one(self, dsid: int, start_ms: int, end_ms: int, points: int) -> Series:
        count = await mapped_errors(self._series.count(dsid, start_ms, end_ms))
        if count <= points:
            raw: list[StoredSample] = await mapped_errors(
                self._series.samples(dsid, start_ms, end_ms, points)
            )
            return Series(
                dsid=dsid,
                width_ms=0,
                t=[sample.t_ms for sample in raw],
                v=[sample.value for sample in raw],
                q=[sample.quality for sample in raw],
                truncated=False,
            )
        width = bucket_width_ms(end_ms - start_ms, points)
        start = start_ms - start_ms % width
        buckets = await mapped_errors(self._series.buckets(dsid, start, end_ms, width))
        if not buckets:  # texts only: the newest of them
            raw = await mapped_errors(self._series.samples(dsid, start_ms, end_ms, points, newest_first=True))
            raw.reverse()
            return Series(
                dsid=dsid,
                width_ms=0,
                t=[sample.t_ms for sample in raw],
                v=[sample.value for sample in raw],
                q=[sample.quality for sample in raw],
                truncated=bool(raw),
            )
        return Series(
            dsid=dsid,
            width_ms=width,
            t=[bucket.start_ms for bucket in buckets],
            min=[bucket.min for bucket in buckets],
            max=[bucket.max for bucket in buckets],
            mean=[bucket.mean for bucket in buckets],
            count=[bucket.count for bucket in buckets],
            first=[bucket.first for bucket in buckets],
            last=[bucket.last for bucket in buckets],
            truncated=False,
        )


def bucket_width_ms(span_ms: int, points: int) -> int:
    """Smallest round width that cuts the span into at most `points` buckets."""
    least = span_ms / points
    for width in WIDTHS_MS:
        if width >= least:
            return width
    return DAY_MS * max(1, math.ceil(least / DAY_MS))


class DamagedHistory(Unavailable):
    """Nothing of this point can be read in this range; others can."""

    def __init__(self) -> None:
        super().__init__("the history of this point is damaged", reason="history.damaged")


async def mapped_errors(question: Awaitable[T]) -> T:
    """What the store answers; Unavailable while it cannot, DamagedHistory when it never will."""
    try:
        return await question
    except DamagedSeries as error:
        raise DamagedHistory from error
    except TimeSeriesError as error:
        raise Unavailable(f"history cannot be read now: {error}", reason="history.away") from error


async def gaps(series: TimeSeries, dsid: int, start_ms: int, end_ms: int) -> list[DamagedRange]:
    """What reading this range has left out."""
    damages = await mapped_errors(series.damage(dsid, start_ms, end_ms))
    return [
        DamagedRange(start_ms=max(each.start_ms, start_ms), end_ms=min(each.end_ms, end_ms - 1))
        for each in damages
    ]


def check_range(start_ms: int, end_ms: int) -> None:
    """Raises ParameterError unless the end is after the start."""
    if start_ms >= end_ms:
        raise ParameterError("end_ms", "must be after start_ms")


def _unknown(value: LastValue) -> LastValue:
    return value.model_copy(update={"value": None, "quality": int(Quality.DEVICE_OFFLINE)})


def is_stale(value: LastValue, fresh: Freshness, now_ms: int) -> bool:
    """Whether nothing speaks for a value any more (C-063)."""
    quality = quality_now(
        value.quality,
        value.t_ms,
        period_ms=fresh.period_ms,
        record=fresh.record,
        online=fresh.online,
        heard_ms=fresh.heard_ms,
        now_ms=now_ms,
        report_ms=fresh.report_ms,
    )
    return quality == Quality.STALE


def _last(dsid: int, newest: LastSample, now_ms: int) -> LastValue:
    doubted = newest.quality == Quality.GOOD and newest.is_ahead(now_ms)
    shown = newest.good or newest
    return LastValue(
        dsid=dsid,
        t_ms=shown.t_ms,
        value=shown.value,
        quality=int(Quality.UNCERTAIN_TIME) if doubted else newest.quality,
        received_ms=newest.received_ms,
        changed_ms=newest.changed_ms,
    )
