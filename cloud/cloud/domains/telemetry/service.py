"""Last values and history; the time series store holds the samples, memory the newest of each."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from cloud.core.chunks import chunked
from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.targets import Freshness
from cloud.domains.telemetry.schemas import Gap, History, HistoryRow, HistoryRows, LastValue, Series
from cloud.errors import ParameterError, Unavailable
from cloud.timeseries.base import (
    DamagedSeries,
    Envelope,
    SeriesColumn,
    StoredSample,
    TimeSeries,
    TimeSeriesError,
)
from edge_contract.freshness import judged
from edge_contract.model import Quality, Value

_SECONDS = (1, 2, 5, 10, 15, 30)
_HOURS = (1, 2, 3, 6, 12)
WIDTHS_MS = [s * 1000 for s in _SECONDS] + [s * 60_000 for s in _SECONDS] + [h * 3_600_000 for h in _HOURS]
DAY_MS = 86_400_000

AHEAD_MS = 5000
"""Clocks that are set differ by less. A sample of a later time than its receipt has no time to trust."""

LOOKED_BACK = 8
"""Samples among which the last good value is looked for: losing it is told once for each reason."""

LOOKS_AT_ONCE = 500
"""Points looked back for in one answer; each is a question to the store."""

MOST_LOOKED = 100_000
"""Points remembered that never had a value."""

LIVE_MS = 60_000
"""What was sampled so lately is of now: later than that, data is late for the link too."""

T = TypeVar("T")

Pushed = Callable[[str, list["LastValue"]], Awaitable[None]]
"""Told the gateway and its newer values."""


class _Newest(NamedTuple):
    """Newest sample of a point. good: the newest one with a value, when this one has none."""

    t_ms: int
    value: Value
    quality: int
    received_ms: int
    good: StoredSample | None = None
    """The last one before it that had a value, where it has none."""
    held: Value = None
    """The value, or the last one before it had none."""
    changed_ms: int | None = None
    """When it took the held value after another one; None when that is not known."""

    def followed_by(self, column: SeriesColumn, now_ms: int) -> _Newest:
        """A later column of the point. The same value again, after a restart or a silence, is no change."""
        held, changed_ms = self.held, self.changed_ms
        for t_ms, value in zip(column.t_ms, column.values, strict=True):
            if value is None or value == held:
                continue
            changed_ms = None if held is None else t_ms
            held = value
        value = column.values[-1]
        good = (_good_of(column) or _good_before(self)) if value is None else None
        return _Newest(column.t_ms[-1], value, int(column.qualities[-1]), now_ms, good, held, changed_ms)

    def is_ahead(self, now_ms: int) -> bool:
        """Of a time that had not come when it was received, or, when that is not known, has not come now."""
        return self.t_ms > (self.received_ms or now_ms) + AHEAD_MS

    def gives_way(self, t_ms: int, late: bool, now_ms: int) -> bool:
        """To a sample of this time, received now. Else one of the future would stand until its time comes."""
        if self.t_ms < t_ms:
            return True
        return not late and t_ms >= now_ms - LIVE_MS and t_ms != self.t_ms and self.is_ahead(now_ms)


_NOTHING = _Newest(0, None, 0, 0)


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
        self._newest: dict[int, _Newest] = {}
        self._looked: dict[int, int] = {}

    async def filed(self, gateway: str, columns: Sequence[SeriesColumn], late: bool) -> None:
        """Samples are durable: newer ones become last values and are pushed. Late data is history only."""
        newer: list[tuple[int, _Newest]] = []
        now, newest = self._clock(), self._newest
        for column in columns:
            series, t_ms = column.series, column.t_ms[-1]  # times rise
            known = newest.get(series)
            if known is None and late:
                continue  # the store may hold something newer
            if known is None or known.gives_way(t_ms, late, now):
                fresh = (known or _NOTHING).followed_by(column, now)
                newest[series] = fresh
                newer.append((series, fresh))
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
        """Newest sample of each of a gateway's points that has one, in pieces."""
        async for some in self._last(await self._devices.numbers(scope, device_id)):
            yield await self._judged(scope, some)

    async def last_values(self, scope: Scope, dsids: Sequence[int]) -> list[LastValue]:
        """Newest sample of each point that has one; of an offline gateway without the value (C-065)."""
        await self._devices.owners(scope, list(dsids))
        return [value async for some in self._last(dsids) for value in await self._judged(scope, some)]

    async def _judged(self, scope: Scope, found: list[LastValue]) -> list[LastValue]:
        """With what speaks for each of them now."""
        known = await self._devices.freshness(scope, [value.dsid for value in found])
        now = self._clock()
        return [
            value.model_copy(update={"stale": True})
            if value.dsid in known and is_stale(value, known[value.dsid], now)
            else value
            for value in found
        ]

    async def _last(self, dsids: Sequence[int]) -> AsyncIterator[list[LastValue]]:
        newest = self._newest if self._remembers else {}
        cleared = await self._devices.cleared_points(dsids)
        looks = LOOKS_AT_ONCE
        async for some in chunked(dsids):
            unknown = [dsid for dsid in some if dsid not in newest]
            if unknown:
                for dsid, sample in (await asked(self._series.latest(unknown))).items():
                    newest.setdefault(
                        dsid, _Newest(sample.t_ms, sample.value, sample.quality, 0, held=sample.value)
                    )
            looks -= await self._look_back([dsid for dsid in some if dsid in newest], newest, looks)
            now = self._clock()
            values = [_last(dsid, newest[dsid], now) for dsid in some if dsid in newest]
            yield [_unknown(value) if value.dsid in cleared else value for value in values]

    async def _look_back(self, dsids: Sequence[int], newest: dict[int, _Newest], most: int) -> int:
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
        for dsid in lost[:most]:
            known = newest[dsid]
            samples = await asked(self._series.samples(dsid, 0, known.t_ms, LOOKED_BACK, newest_first=True))
            good = next((sample for sample in samples if sample.value is not None), None)
            if good is not None:
                newest[dsid] = known._replace(good=good, held=good.value)
            elif len(self._looked) < MOST_LOOKED:
                self._looked[dsid] = known.t_ms  # in vain
        return min(len(lost), most)

    async def history(
        self, scope: Scope, dsids: Sequence[int], start_ms: int, end_ms: int, points: int
    ) -> History:
        """Raw samples when they are at most `points`, else buckets of a round width."""
        check_range(start_ms, end_ms)
        await self._devices.owners(scope, list(dsids))
        found = [await self._whole(dsid, start_ms, end_ms, points) for dsid in dsids]
        return History(series=found, server_ms=self._clock())

    async def trends(
        self, scope: Scope, dsids: Sequence[int], start_ms: int, end_ms: int, pixels: int
    ) -> dict[int, Envelope]:
        """The range of each point for a small picture: at most four samples a pixel, no extreme lost."""
        await self._devices.owners(scope, list(dsids))
        found: dict[int, Envelope] = {}
        for dsid in dsids:
            with suppress(DamagedHistory):
                found[dsid] = await asked(self._series.envelope(dsid, start_ms, end_ms, pixels))
        return found

    async def rows(self, scope: Scope, dsid: int, start_ms: int, end_ms: int, limit: int) -> HistoryRows:
        """Raw samples with start_ms <= t < end_ms, newest first."""
        check_range(start_ms, end_ms)
        await self._devices.owners(scope, [dsid])
        found = await asked(self._series.samples(dsid, start_ms, end_ms, limit, newest_first=True))
        return HistoryRows(
            rows=[HistoryRow(t_ms=s.t_ms, value=s.value, quality=s.quality) for s in found],
            gaps=await gaps(self._series, dsid, start_ms, end_ms),
        )

    async def _whole(self, dsid: int, start_ms: int, end_ms: int, points: int) -> Series:
        """With what of it cannot be read, which is all when the store does not tell."""
        try:
            found = await self._one(dsid, start_ms, end_ms, points)
        except DamagedHistory:
            all_of_it = [Gap(start_ms=start_ms, end_ms=end_ms - 1)]
            return Series(dsid=dsid, width_ms=0, t=[], v=[], q=[], truncated=False, gaps=all_of_it)
        return found.model_copy(update={"gaps": await gaps(self._series, dsid, start_ms, end_ms)})

    async def _one(self, dsid: int, start_ms: int, end_ms: int, points: int) -> Series:
        count = await asked(self._series.count(dsid, start_ms, end_ms))
        if count <= points:
            raw: list[StoredSample] = await asked(self._series.samples(dsid, start_ms, end_ms, points))
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
        buckets = await asked(self._series.buckets(dsid, start, end_ms, width))
        if not buckets:  # texts only: the newest of them
            raw = await asked(self._series.samples(dsid, start_ms, end_ms, points, newest_first=True))
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


async def asked(question: Awaitable[T]) -> T:
    """What the store answers; Unavailable while it cannot, DamagedHistory when it never will."""
    try:
        return await question
    except DamagedSeries as error:
        raise DamagedHistory from error
    except TimeSeriesError as error:
        raise Unavailable(f"history cannot be read now: {error}", reason="history.away") from error


async def gaps(series: TimeSeries, dsid: int, start_ms: int, end_ms: int) -> list[Gap]:
    """What reading this range has left out."""
    found = await asked(series.damage(dsid, start_ms, end_ms))
    return [Gap(start_ms=max(each.start_ms, start_ms), end_ms=min(each.end_ms, end_ms - 1)) for each in found]


def check_range(start_ms: int, end_ms: int) -> None:
    if start_ms >= end_ms:
        raise ParameterError("end_ms", "must be after start_ms")


def _unknown(value: LastValue) -> LastValue:
    return value.model_copy(update={"value": None, "quality": int(Quality.DEVICE_OFFLINE)})


def is_stale(value: LastValue, fresh: Freshness, now_ms: int) -> bool:
    """Whether nothing speaks for a value any more (C-063)."""
    found = judged(
        value.quality,
        value.t_ms,
        period_ms=fresh.period_ms,
        record=fresh.record,
        online=fresh.online,
        heard_ms=fresh.heard_ms,
        now_ms=now_ms,
        report_ms=fresh.report_ms,
    )
    return found == Quality.STALE


def _good_of(column: SeriesColumn) -> StoredSample | None:
    """The newest sample of a column that has a value."""
    for at in range(len(column.t_ms) - 1, -1, -1):
        if column.values[at] is not None:
            return StoredSample(column.t_ms[at], column.values[at], int(column.qualities[at]))
    return None


def _good_before(known: _Newest | None) -> StoredSample | None:
    if known is None or known.value is None:
        return known.good if known else None
    return StoredSample(known.t_ms, known.value, known.quality)


def _last(dsid: int, newest: _Newest, now_ms: int) -> LastValue:
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
