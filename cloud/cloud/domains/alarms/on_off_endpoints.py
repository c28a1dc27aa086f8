"""What comes and goes: list, counts, workbook."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import Millis, PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.alarms.endpoints import FILE, XLSX, Number, Text
from cloud.domains.alarms.on_off_export import on_off_workbook
from cloud.domains.alarms.schemas import EVER_MS, Language, OnOfflineCounts
from cloud.domains.alarms.service import MAX_EXPORTED, AlarmService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.schemas import OnOfflineEvent
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["events"])

Outages = Annotated[OutageService, service(OutageService)]
Alarms = Annotated[AlarmService, service(AlarmService)]
OnOfflineReader = Annotated[CurrentUser, requires("DeviceMonitor_Online")]


@dataclass(frozen=True)
class _Period:
    """Which events. slaves: theirs too; status: 0 went, 1 came."""

    starttime: int
    endtime: int
    device_id: int | None
    slaves: bool
    search: str


def _period(
    starttime: Millis = 0,
    endtime: Millis = EVER_MS,
    device_id: Number | None = None,
    slaves: bool = True,
    search: Text = "",
) -> _Period:
    return _Period(starttime, endtime, device_id, slaves, search.strip())


Period = Annotated[_Period, Depends(_period)]
Status = Annotated[int | None, Query(ge=0, le=1)]


@router.get("/event/onoffline", operation_id="listOnOfflineEvents")
async def list_on_offline_events(
    log: Outages,
    user: OnOfflineReader,
    period: Period,
    status: Status = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[OnOfflineEvent]]:
    """What went (status 0) and came (status 1) of all gateways and their slaves, the newest first."""
    return ok(
        await log.events(
            user.scope,
            period.starttime,
            period.endtime,
            device_id=period.device_id,
            status=status,
            slaves=period.slaves,
            search=period.search,
            page=page,
            limit=limit,
        )
    )


@router.get("/event/onoffline/counts", operation_id="countOnOfflineEvents")
async def count_on_offline_events(
    log: Outages, user: OnOfflineReader, period: Period
) -> Envelope[OnOfflineCounts]:
    """How many went and came."""
    went, came = await log.counts(
        user.scope,
        period.starttime,
        period.endtime,
        device_id=period.device_id,
        slaves=period.slaves,
        search=period.search,
    )
    return ok(OnOfflineCounts(offline=went, online=came))


@router.get(
    "/event/onoffline/export",
    operation_id="exportOnOfflineEvents",
    response_class=Response,
    responses=FILE,
)
async def export_on_offline_events(
    log: Outages,
    alarms: Alarms,
    user: OnOfflineReader,
    period: Period,
    status: Status = None,
    language: Language = "zh",
    offset_min: Annotated[int, Query(ge=-840, le=840)] = 0,
) -> Response:
    """The same as a workbook, the newest 10,000. offset_min: the reader's time zone, minutes east of UTC."""
    async with alarms.exporting():
        found = await log.events(
            user.scope,
            period.starttime,
            period.endtime,
            device_id=period.device_id,
            status=status,
            slaves=period.slaves,
            search=period.search,
            limit=MAX_EXPORTED,
        )
        book = await asyncio.to_thread(on_off_workbook, found.rows, language, offset_min)
    headers = {"Content-Disposition": 'attachment; filename="onoffline.xlsx"'}
    return Response(book, media_type=XLSX, headers=headers)
