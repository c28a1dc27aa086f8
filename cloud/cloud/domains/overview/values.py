"""Points at a glance: those that the user marked, else the first ones, with their last hour."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from cloud.db import Database
from cloud.domains.devices.rows import point_facts
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.monitoring.schemas import MonitorDevice, MonitorPoint
from cloud.domains.options.schemas import HistoryPointsOption
from cloud.domains.options.service import OptionService
from cloud.domains.overview.repository import OverviewRepository
from cloud.domains.overview.schemas import KeyValues, Trend
from cloud.domains.telemetry.schemas import LastValue
from cloud.domains.telemetry.service import TelemetryService
from cloud.errors import NotFound, Unavailable
from cloud.timeseries.base import DownsampledSeries

MAX_POINTS = 12
MAX_FIRST = 6
"""Points that are shown while the user has marked none."""

SPAN_MS = 3_600_000
PIXELS = 30
SERIES_WAIT_S = 4.0
"""The rest of the page does not wait longer for the time series."""


class ValueService:
    """Reads what the user's scope sees."""

    def __init__(self, database: Database, options: OptionService, telemetry: TelemetryService) -> None:
        self._database = database
        self._options = options
        self._telemetry = telemetry

    async def key_values(self, user: CurrentUser, now_ms: int) -> KeyValues:
        """Without values and trends while the time series does not answer: away says so."""
        option = await self._options.user_option(user, "history_points")
        marked = [one.dsid for one in option.value] if isinstance(option, HistoryPointsOption) else []
        async with self._database.reading() as session:
            repository = OverviewRepository(session, user.scope)
            found = (await repository.points(marked))[:MAX_POINTS] if marked else []
            is_marked = bool(found)
            if not found:
                found = await repository.first_points(MAX_FIRST)
        dsids = [point.id for point, _, _ in found]
        last, trends, away = await self._read(user, dsids, now_ms)
        devices = {device.id: device for _, _, device in found}
        return KeyValues(
            marked=is_marked,
            points=[
                MonitorPoint(device_id=device.id, **point_facts(point, slave))
                for point, slave, device in found
            ],
            devices=[
                MonitorDevice(
                    id=device.id,
                    gateway_id=device.gateway_id,
                    device_title=device.display_title,
                    online=device.online,
                    last_ms=device.last_ms,
                    writes=False,
                    report_interval_s=device.reports_every_s,
                )
                for device in devices.values()
            ],
            last=last,
            trends=trends,
            from_ms=now_ms - SPAN_MS,
            away=away,
        )

    async def _read(
        self, user: CurrentUser, dsids: Sequence[int], now_ms: int
    ) -> tuple[list[LastValue], list[Trend], bool]:
        last: list[LastValue] = []
        if not dsids:
            return last, [], False
        try:
            async with asyncio.timeout(SERIES_WAIT_S):
                last = await self._telemetry.last_values(user.scope, dsids)
                found = await self._telemetry.trends(user.scope, dsids, now_ms - SPAN_MS, now_ms + 1, PIXELS)
        except (Unavailable, TimeoutError):
            return last, [], True
        except NotFound:  # taken from the user, or deleted, since they were found
            return [], [], False
        return last, [trend(dsid, envelope) for dsid, envelope in found.items()], False


def trend(dsid: int, envelope: DownsampledSeries) -> Trend:
    """As the page draws it: a sample that is no number breaks the line."""
    return Trend(
        dsid=dsid,
        t_ms=[int(t_ms) for t_ms in envelope.t_ms],
        v=[None if math.isnan(value) else float(value) for value in envelope.value],
    )
