"""The statistical report: alarms and absences of gateways over a period."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.reports.export import workbook
from cloud.domains.reports.repository import DAY_MS, Counted, ReportRepository
from cloud.domains.reports.schemas import (
    LONGEST_DAYS,
    SORTS,
    DayStatistics,
    DeviceStatistics,
    Language,
    ReportQuery,
    StatisticalReport,
    Totals,
)
from cloud.errors import Busy, ParameterError

MAX_EXPORTED = 10_000

EXPORT_WAIT_S = 8.0
"""One workbook is made at a time. A browser's patience ends after 10 s."""


class ReportService:
    """Counts what the asker's scope sees."""

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock
        self._exporting = asyncio.Lock()

    async def statistics(
        self, user: CurrentUser, wanted: ReportQuery, page: int, limit: int
    ) -> StatisticalReport:
        """ParameterError for a period that is turned round or too long, and for a sort that there is not."""
        _check(wanted)
        now = self._clock()
        async with self._database.reading() as session:
            repository = ReportRepository(session, user.scope)
            rows = await repository.page(wanted, now, (page - 1) * limit, limit)
            devices = await repository.devices(wanted)
            offline = await repository.offline_ms(wanted, now)
            alarms, unhandled, absences = await repository.totals(wanted, now)
            alarm_days = await repository.alarm_days(wanted)
            offline_days = await repository.offline_days(wanted)
        shares = [
            share
            for number, first_ms in devices
            if (share := available(wanted, first_ms, offline.get(number, 0), now)) is not None
        ]
        totals = Totals(
            devices=len(devices),
            alarms=alarms,
            unhandled=unhandled,
            offline_count=absences,
            offline_ms=sum(offline.values()),
            available=sum(shares) / len(shares) if shares else None,
            available_of=len(shares),
            never_connected=sum(first_ms is None for _, first_ms in devices),
        )
        return StatisticalReport(
            rows=[_statistics(wanted, row, now) for row in rows],
            total=len(devices),
            totals=totals,
            days=days(wanted, alarm_days, offline_days),
        )

    async def workbook(self, user: CurrentUser, wanted: ReportQuery, language: Language) -> bytes:
        """The first 10,000 gateways and the days as .xlsx; Busy while others export."""
        try:
            async with asyncio.timeout(EXPORT_WAIT_S):
                await self._exporting.acquire()
        except TimeoutError:
            raise Busy("other exports are being made") from None
        try:
            report = await self.statistics(user, wanted, 1, MAX_EXPORTED)
            return await asyncio.to_thread(workbook, report, language)
        finally:
            self._exporting.release()


def available(wanted: ReportQuery, first_online_ms: int | None, offline_ms: int, now: int) -> float | None:
    """Share of the time since the gateway was first online in which it was not away."""
    if first_online_ms is None:
        return None
    begin, end = max(wanted.from_ms, first_online_ms), min(wanted.to_ms, now)
    return None if end <= begin else max(0.0, 1 - offline_ms / (end - begin))


def days(wanted: ReportQuery, alarms: dict[int, int], offline: dict[int, int]) -> list[DayStatistics]:
    """Every day of the period on the reader's calendar, quiet ones too."""
    shift = wanted.offset_min * 60_000
    first, last = (wanted.from_ms + shift) // DAY_MS, (wanted.to_ms - 1 + shift) // DAY_MS
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return [
        DayStatistics(
            day=(epoch + timedelta(days=number)).date().isoformat(),
            alarms=alarms.get(number, 0),
            offline=offline.get(number, 0),
        )
        for number in range(first, last + 1)
    ]


def _check(wanted: ReportQuery) -> None:
    if wanted.from_ms >= wanted.to_ms:
        raise ParameterError("endtime", "must be after starttime")
    if wanted.to_ms - wanted.from_ms > LONGEST_DAYS * DAY_MS:
        raise ParameterError("endtime", f"at most {LONGEST_DAYS} days after starttime")
    if wanted.sort.lstrip("-") not in SORTS:
        raise ParameterError("sort", f"one of {', '.join(SORTS)}, with '-' before it to reverse")


def _statistics(wanted: ReportQuery, row: Counted, now: int) -> DeviceStatistics:
    device: Device = row.device
    return DeviceStatistics(
        device_id=device.id,
        device_title=device.display_title,
        gateway_id=device.gateway_id,
        alarms=row.alarms,
        danger=row.danger,
        warning=row.warning,
        other=row.alarms - row.danger - row.warning,
        unhandled=row.unhandled,
        handled=row.handled,
        false_alarms=row.false_alarms,
        offline_count=row.offline_count,
        offline_ms=row.offline_ms,
        available=available(wanted, device.first_online_ms, row.offline_ms, now),
        never_connected=device.first_online_ms is None,
    )
