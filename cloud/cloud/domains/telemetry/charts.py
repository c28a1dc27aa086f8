"""What a chart of history needs: the samples in the binary form, and what is shaded and marked."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.domains.alarms.schemas import AlarmQuery
from cloud.domains.alarms.service import AlarmService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.scope import Scope
from cloud.domains.telemetry.packed import encode
from cloud.domains.telemetry.schemas import AlarmMark, OfflineSpan, Spans
from cloud.domains.telemetry.service import asked, check_range
from cloud.timeseries.base import TimeSeries

MOST_SPANS = 200
"""Absences, and alarms, of one gateway: a chart with more shows nothing else."""

SEES_ALARMS = "Event"


class ChartService:
    """Of points that the caller's scope sees; any other is not found."""

    def __init__(
        self, series: TimeSeries, devices: DeviceService, outages: OutageService, alarms: AlarmService
    ) -> None:
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
        found = [(dsid, await asked(self._series.envelope(dsid, start_ms, end_ms, pixels))) for dsid in dsids]
        return encode(found, start_ms, end_ms)

    async def spans(self, user: CurrentUser, dsids: Sequence[int], start_ms: int, end_ms: int) -> Spans:
        """Absences of the points' gateways and slaves, and alarms for who may read them."""
        check_range(start_ms, end_ms)
        owners = await self._devices.owners(user.scope, list(dsids))
        offline: list[OfflineSpan] = []
        marks: list[AlarmMark] = []
        truncated = False
        for device_id in sorted(set(owners.values())):
            sources = await self._devices.sources(user.scope, device_id)
            slaves = {source.slave for source in sources if source.dsid in owners} | {None}
            absent = await self._outages.page(user.scope, device_id, start_ms, end_ms, limit=MOST_SPANS)
            truncated |= absent.total > len(absent.rows)
            offline += [
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
            if user.may(SEES_ALARMS):
                found, more = await self._marks(user, device_id, set(owners), start_ms, end_ms)
                marks += found
                truncated |= more
        return Spans(offline=offline, alarms=marks, truncated=truncated)

    async def _marks(
        self, user: CurrentUser, device_id: int, dsids: set[int], start_ms: int, end_ms: int
    ) -> tuple[list[AlarmMark], bool]:
        wanted = AlarmQuery(from_ms=start_ms, to_ms=end_ms, device_id=device_id)
        events = await self._alarms.page(user, wanted, 1, MOST_SPANS)
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
