"""Alarm events, what comes and goes, and what of it is unread."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import Millis, PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.alarms.schemas import (
    EVER_MS,
    AlarmQuery,
    AlarmRow,
    HandleBody,
    Language,
    ReadBody,
    Unread,
)
from cloud.domains.alarms.service import AlarmService
from cloud.domains.devices.outages import OutageService
from cloud.domains.devices.schemas import OnOfflineEvent
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["events"])

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The rows", "content": {XLSX: {"schema": {"type": "string", "format": "binary"}}}}
}


Service = Annotated[AlarmService, service(AlarmService)]
Outages = Annotated[OutageService, service(OutageService)]
Reader = Annotated[CurrentUser, requires("Event")]
OnOfflineReader = Annotated[CurrentUser, requires("DeviceMonitor_Online")]
EitherReader = Annotated[CurrentUser, requires("Event", "DeviceMonitor_Online")]
EventId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Number = Annotated[int, Query(ge=1, le=2**31 - 1)]
Text = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]


def _query(
    starttime: Millis = 0,
    endtime: Millis = EVER_MS,
    status: Annotated[int | None, Query(ge=0, le=2)] = None,
    level: Annotated[str, Query(pattern=r"^([a-z]{0,10}|[0-9]{1,9})$")] = "",
    type: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    device_id: Number | None = None,
    search: Text = "",
) -> AlarmQuery:
    return AlarmQuery(starttime, endtime, status, level, type, device_id, search.strip())


Wanted = Annotated[AlarmQuery, Depends(_query)]


@router.get("/event/alarmlog", operation_id="listAlarms")
async def list_alarms(
    service: Service, user: Reader, wanted: Wanted, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[AlarmRow]]:
    """Alarm events, the newest first. level: success, danger, info, warning, custom, unknown, or the number
    of an own level; search looks into device, serial number, slave, text and note.
    """
    return ok(await service.page(user, wanted, page, limit))


@router.get("/event/alarmlog/export", operation_id="exportAlarms", response_class=Response, responses=FILE)
async def export_alarms(
    service: Service,
    user: Reader,
    wanted: Wanted,
    language: Language = "zh",
    offset_min: Annotated[int, Query(ge=-840, le=840)] = 0,
) -> Response:
    """The same as a workbook, the newest 10,000. offset_min: the reader's time zone, minutes east of UTC."""
    book = await service.workbook(user, wanted, language, offset_min)
    headers = {"Content-Disposition": 'attachment; filename="alarms.xlsx"'}
    return Response(book, media_type=XLSX, headers=headers)


@router.put("/event/alarmlog/{event_id:int}", operation_id="handleAlarm")
async def handle_alarm(
    service: Service, user: Reader, event_id: EventId, body: HandleBody
) -> Envelope[AlarmRow]:
    """Say that an event is handled or a false alarm, or take that back with a note."""
    return ok(await service.handle(user, event_id, body))


@router.delete("/event/alarmlog/{event_id:int}", operation_id="deleteAlarm")
async def delete_alarm(service: Service, user: Reader, event_id: EventId) -> Envelope[None]:
    """Delete an event."""
    await service.delete(user, event_id)
    return ok(None)


@router.get("/event/onoffline", operation_id="listOnOfflineEvents")
async def list_on_offline_events(
    log: Outages,
    user: OnOfflineReader,
    starttime: Millis = 0,
    endtime: Millis = EVER_MS,
    device_id: Number | None = None,
    status: Annotated[int | None, Query(ge=0, le=1)] = None,
    slaves: bool = True,
    search: Text = "",
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[OnOfflineEvent]]:
    """What went (status 0) and came (status 1) of all gateways and their slaves, the newest first."""
    return ok(
        await log.events(
            user.scope,
            starttime,
            endtime,
            device_id=device_id,
            status=status,
            slaves=slaves,
            search=search.strip(),
            page=page,
            limit=limit,
        )
    )


@router.get("/event/unread", operation_id="getUnread")
async def get_unread(service: Service, user: EitherReader) -> Envelope[Unread]:
    """How many events of each kind came since you last read them; 0 of a kind that you may not see."""
    return ok(await service.unread(user))


@router.post("/event/read", operation_id="readEvents")
async def read_events(service: Service, user: EitherReader, body: ReadBody) -> Envelope[Unread]:
    """You have read all events of a kind that you may see."""
    return ok(await service.read(user, body.kind))
