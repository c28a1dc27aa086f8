"""Alarm events, their life cycle, and what of them is unread."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import Millis, PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.alarms.life_cycle import State
from cloud.domains.alarms.reports import AlarmReports
from cloud.domains.alarms.schemas import (
    EVER_MS,
    AcknowledgeBody,
    AlarmCounts,
    AlarmDetail,
    AlarmGroup,
    AlarmQuery,
    AlarmReport,
    AlarmRow,
    HandleBody,
    Language,
    NoteBody,
    Outcome,
    ReadEventsBody,
    Unread,
    View,
)
from cloud.domains.alarms.service import AlarmService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["events"])

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The rows", "content": {XLSX: {"schema": {"type": "string", "format": "binary"}}}}
}


Service = Annotated[AlarmService, service(AlarmService)]
Reports = Annotated[AlarmReports, service(AlarmReports)]
Reader = Annotated[CurrentUser, requires("Event")]
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
    view: View = "",
    state: State | None = None,
    alarm_rule_id: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    parent_event_id: Number | None = None,
    folded: bool = False,
) -> AlarmQuery:
    return AlarmQuery(
        starttime, endtime, status, level, type, device_id, search.strip(),
        view, "" if state is None else state.value, alarm_rule_id, parent_event_id, folded,
    )  # fmt: skip


Wanted = Annotated[AlarmQuery, Depends(_query)]


@router.get("/event/alarmlog", operation_id="listAlarms")
async def list_alarms(
    service: Service, user: Reader, wanted: Wanted, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[AlarmRow]]:
    """Alarm events, the newest first. level: success, danger, info, warning, custom, unknown, or the number
    of an own level; search looks into device, serial number, slave, text and note. view: active (the most
    severe first), unhandled or quiet, whatever the period. alarm_rule_id: 0 for events of no rule. folded:
    without events under a root cause; parent_event_id: those under this one.
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


@router.get("/event/alarmlog/groups", operation_id="listAlarmGroups")
async def list_alarm_groups(
    service: Service, user: Reader, wanted: Wanted, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[AlarmGroup]]:
    """The same by gateway, rule and type: repeats of an alarm are one row with a count."""
    return ok(await service.groups(user, wanted, page, limit))


@router.get("/event/alarmlog/counts", operation_id="getAlarmCounts")
async def get_alarm_counts(reports: Reports, user: Reader) -> Envelope[AlarmCounts]:
    """How many alarms there are by state and level, and whether they come as a flood."""
    return ok(await reports.counts(user))


@router.get("/event/alarmlog/report", operation_id="getAlarmReport")
async def get_alarm_report(reports: Reports, user: Reader) -> Envelope[AlarmReport]:
    """Alarms that stand for more than a day, that are noisy, that nobody has acknowledged."""
    return ok(await reports.report(user))


@router.get("/event/alarmlog/{event_id:int}", operation_id="getAlarm")
async def get_alarm(service: Service, user: Reader, event_id: EventId) -> Envelope[AlarmDetail]:
    """An event with the record of what happened to it."""
    return ok(await service.detail(user, event_id))


@router.post("/event/alarmlog/acknowledge", operation_id="acknowledgeAlarms")
async def acknowledge_alarms(service: Service, user: Reader, body: AcknowledgeBody) -> Envelope[Outcome]:
    """Say that you have seen events; one that is latched and over ends with it."""
    return ok(await service.acknowledge(user, body))


@router.put("/event/alarmlog/{event_id:int}", operation_id="handleAlarm")
async def handle_alarm(
    service: Service, user: Reader, event_id: EventId, body: HandleBody
) -> Envelope[AlarmRow]:
    """Say that an event is handled or a false alarm, or take that back with a note."""
    return ok(await service.handle(user, event_id, body))


@router.post("/event/alarmlog/{event_id:int}/note", operation_id="noteAlarm")
async def note_alarm(service: Service, user: Reader, event_id: EventId, body: NoteBody) -> Envelope[AlarmRow]:
    """Add a note to an event; it is as handled and as acknowledged as before."""
    return ok(await service.note(user, event_id, body.note))


@router.delete("/event/alarmlog/{event_id:int}", operation_id="deleteAlarm")
async def delete_alarm(service: Service, user: Reader, event_id: EventId) -> Envelope[None]:
    """Delete an event."""
    await service.delete(user, event_id)
    return ok(None)


@router.get("/event/unread", operation_id="getUnread")
async def get_unread(service: Service, user: EitherReader) -> Envelope[Unread]:
    """How many events of each kind came since you last read them; 0 of a kind that you may not see."""
    return ok(await service.unread(user))


@router.post("/event/read", operation_id="readEvents")
async def read_events(service: Service, user: EitherReader, body: ReadEventsBody) -> Envelope[Unread]:
    """You have read all events of a kind that you may see."""
    return ok(await service.read(user, body.kind))
