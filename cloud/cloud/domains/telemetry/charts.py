"""What a chart of history needs: the samples in the binary form, and what is shaded and marked.

Spans are absences of the points' gateways and slaves, and alarms for who may read alarms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cloud.core.scope import Scope
from cloud.domains.alarms.schemas import AlarmQuery
from cloud.domains.alarms.service import AlarmService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.telemetry.packed import Drawn, encode
from cloud.domains.telemetry.schemas import AlarmMark, OfflineSpan, Spans
from cloud.domains.telemetry.service import DamagedHistory, bucket_width_ms, check_range, gaps, mapped_errors
from cloud.link import CollectionGapRow, CollectionStore, MissedReason
from cloud.timeseries.base import DownsampledSeries, StoredSample, TimeSeries
from edge_contract.model import Quality

MAX_SPANS = 200
"""Absences, and alarms, of one gateway: a chart with more shows nothing else."""

MAX_A_PIXEL = 4
MEAN_BUCKETS = 400
"""Of which a mean is made: what is before the range but in its first bucket is less than a 400th."""

TRUSTED = (Quality.GOOD, Quality.UNCERTAIN_TIME)

SEES_ALARMS = "Event"

UNEXPECTED = {MissedReason.DISABLED, MissedReason.CLOCK_MOVED}
"""Gaps in which nothing was to be read."""


class ChartService:
    """Of points that the caller's scope sees; any other is not found."""

    def __init__(
        self,
        series: TimeSeries,
        devices: DeviceService,
        outages: OutageService,
        alarms: AlarmService,
        collected: CollectionStore,
    ) -> None:
        self._collected = collected
        self._series = series
        self._devices = devices
        self._outages = outages
        self._alarms = alarms

    async def packed(
        self, scope: Scope, dsids: Sequence[int], start_ms: int, end_ms: int, pixels: int
    ) -> bytes:
        """At most four samples a pixel and point, as packed.py says."""
        check_range(start_ms, end_ms)
        await self._devices.owners(scope, list(dsids))
        return encode(
            [await self._series_drawn(dsid, start_ms, end_ms, pixels) for dsid in dsids], start_ms, end_ms
        )

    async def _series_drawn(self, dsid: int, start_ms: int, end_ms: int, pixels: int) -> Drawn:
        """With what of it cannot be read, which is all when the store does not tell."""
        try:
            found = await self._drawn(dsid, start_ms, end_ms, pixels)
        except DamagedHistory:
            nothing = DownsampledSeries(np.empty(0, np.int64), np.empty(0, np.float64), 0, 0)
            return Drawn(dsid, nothing, gaps=[(start_ms, end_ms - 1)])
        left_out = await gaps(self._series, dsid, start_ms, end_ms)
        return replace(found, gaps=[(gap.start_ms, gap.end_ms) for gap in left_out])

    async def _drawn(self, dsid: int, start_ms: int, end_ms: int, pixels: int) -> Drawn:
        found = await mapped_errors(self._series.envelope(dsid, start_ms, end_ms, pixels))
        if found.width_ms > 0 and len(found.t_ms):
            return Drawn(dsid, found, await self._mean(dsid, start_ms, end_ms))
        if found.width_ms == 0 and not np.isnan(found.value).any():
            return Drawn(dsid, found)
        # The store sums up good samples; others may be good but for their gateway's clock.
        most = MAX_A_PIXEL * pixels
        samples = await mapped_errors(self._series.samples(dsid, start_ms, end_ms, most, newest_first=True))
        samples.reverse()
        times = np.array([sample.t_ms for sample in samples], np.int64)
        values = np.array([_number(sample) for sample in samples], np.float64)
        is_truncated = found.width_ms > 0 and len(samples) == most
        return Drawn(dsid, DownsampledSeries(times, values, 0, len(samples)), is_truncated=is_truncated)

    async def _mean(self, dsid: int, start_ms: int, end_ms: int) -> float:
        """Of the good samples, of buckets that the store has at hand: the range begins at the edge of one."""
        width_ms = bucket_width_ms(end_ms - start_ms, MEAN_BUCKETS)
        aligned_ms = start_ms - start_ms % width_ms
        buckets = await mapped_errors(self._series.buckets(dsid, aligned_ms, end_ms, width_ms))
        count = sum(bucket.count for bucket in buckets)
        # Each by its share: a sum of large means may have no number.
        return sum(bucket.mean * (bucket.count / count) for bucket in buckets) if count else math.nan

    async def spans(self, user: CurrentUser, dsids: Sequence[int], start_ms: int, end_ms: int) -> Spans:
        """Absences of the points' gateways and slaves, and alarms for who may read them."""
        check_range(start_ms, end_ms)
        owners = await self._devices.owners(user.scope, list(dsids))
        offline: list[OfflineSpan] = []
        marks: list[AlarmMark] = []
        truncated = False
        for device_id in sorted(set(owners.values())):
            sources = await self._devices.sources_among(user.scope, device_id, owners)
            named = {(source.slave, source.ds_name) for source in sources.values()}
            slaves = {slave for slave, _ in named} | {None}
            absent = await self._outages.page(user.scope, device_id, start_ms, end_ms, limit=MAX_SPANS)
            truncated |= absent.total > len(absent.rows)
            away = [
                OfflineSpan(
                    device_id=device_id,
                    slave=entry.slave,
                    start_ms=entry.offline_ms,
                    end_ms=entry.online_ms,
                    reason=entry.reason,
                )
                for entry in absent.rows
                if entry.slave in slaves
            ]
            gateway = await self._devices.gateway_of(user.scope, device_id)
            gaps, total = await self._collected.gaps(gateway, start_ms, end_ms, None, "", 0, MAX_SPANS)
            truncated |= total > len(gaps)
            offline += [*away, *unread(device_id, gaps, named, away)]
            if user.may(SEES_ALARMS):
                found, more = await self._marks(user, device_id, set(owners), start_ms, end_ms)
                marks += found
                truncated |= more
        return Spans(offline=offline, alarms=marks, truncated=truncated)

    async def _marks(
        self, user: CurrentUser, device_id: int, dsids: set[int], start_ms: int, end_ms: int
    ) -> tuple[list[AlarmMark], bool]:
        wanted = AlarmQuery(from_ms=start_ms, to_ms=end_ms, device_id=device_id)
        events = await self._alarms.page(user, wanted, 1, MAX_SPANS)
        marks = [
            AlarmMark(
                id=event.id,
                device_id=device_id,
                dsid=event.dsid,
                t_ms=event.at,
                end_ms=event.recovered_ms,
                alarm_type=event.alarm_type,
                shown=event.shown,
                title=event.title,
            )
            for event in events.rows
            if event.dsid is None or event.dsid in dsids
        ]
        return marks, events.total > len(events.rows)


def _number(sample: StoredSample) -> float:
    is_number = sample.quality in TRUSTED and isinstance(sample.value, float | int)
    return float(sample.value or 0) if is_number else math.nan


def unread(
    device_id: int, gaps: Sequence[CollectionGapRow], named: set[tuple[str, str]], away: Sequence[OfflineSpan]
) -> list[OfflineSpan]:
    """Gaps in the reading of these points (slave, name), but for those that the on-offline log tells too."""
    slaves = {slave for slave, _ in named}
    return [
        OfflineSpan(
            device_id=device_id,
            slave=gap.slave or None,
            start_ms=gap.from_ms,
            end_ms=gap.to_ms,
            reason=gap.reason,
        )
        for gap in gaps
        if gap.reason not in UNEXPECTED
        and (not gap.slave or gap.slave in slaves)
        and (not gap.points or any((gap.slave, point) in named for point in gap.points))
        and not any(
            span.slave is not None
            and span.slave == gap.slave
            and span.start_ms < gap.to_ms
            and (span.end_ms is None or span.end_ms > gap.from_ms)
            for span in away
        )
    ]
