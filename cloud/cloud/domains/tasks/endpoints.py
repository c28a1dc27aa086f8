"""Timed tasks: list, making, changing, switching, deleting, running now, what came of them; calendars."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tasks.calendars import CalendarService
from cloud.domains.tasks.schemas import (
    CalendarBody,
    CalendarRow,
    ChangedTaskBody,
    PreviewQuery,
    RunBody,
    TaskBody,
    TaskEnabledBody,
    TaskRow,
    TaskRunRow,
)
from cloud.domains.tasks.service import TaskService

router = APIRouter(tags=["tasks"])

Tasks = Annotated[TaskService, service(TaskService)]
Calendars = Annotated[CalendarService, service(CalendarService)]
Keeper = Annotated[CurrentUser, requires("DeviceCronTasks/index")]
TaskId = Annotated[int, Path(ge=1, le=2**31 - 1)]
CalendarId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Search = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]


@router.get("/task", operation_id="listTasks")
async def list_tasks(
    tasks: Tasks,
    user: Keeper,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Search = "",
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    enabled: bool | None = None,
) -> Envelope[Page[TaskRow]]:
    """Timed tasks of whose gateways you see all, newest first, each with its newest run."""
    return ok(await tasks.page(user, page, limit, search.strip(), device_id, enabled))


@router.post("/task", operation_id="createTask")
async def create_task(tasks: Tasks, user: Keeper, body: TaskBody) -> Envelope[TaskRow]:
    """A new timed task. It runs with your rights, as they are at that moment; it needs Device/cmd, and
    DeviceManage for commands that restart or reconnect a gateway.
    """
    return ok(await tasks.create(user, body))


@router.get("/task/preview", operation_id="previewTask")
async def preview_task(
    tasks: Tasks, user: Keeper, query: Annotated[PreviewQuery, Query()]
) -> Envelope[list[int]]:
    """When a schedule runs next, at most ten times; nothing is saved."""
    return ok(await tasks.preview(user, query))


@router.put("/task/{task_id:int}", operation_id="changeTask")
async def change_task(
    tasks: Tasks, user: Keeper, task_id: TaskId, body: ChangedTaskBody
) -> Envelope[TaskRow]:
    """Replace a timed task, unless somebody was faster; from now on it runs with your rights."""
    return ok(await tasks.change(user, task_id, body, body.base))


@router.put("/task/{task_id:int}/enabled", operation_id="enableTask")
async def enable_task(
    tasks: Tasks, user: Keeper, task_id: TaskId, body: TaskEnabledBody
) -> Envelope[TaskRow]:
    """Switch a timed task on or off; what it missed while it was off is not made up."""
    return ok(await tasks.enable(user, task_id, body.enabled))


@router.delete("/task/{task_id:int}", operation_id="deleteTask")
async def delete_task(tasks: Tasks, user: Keeper, task_id: TaskId) -> Envelope[None]:
    """Delete a timed task with its log; commands that are on their way stay."""
    await tasks.delete(user, task_id)
    return ok(None)


@router.post("/task/{task_id:int}/run", operation_id="runTask")
async def run_task(tasks: Tasks, user: Keeper, task_id: TaskId, body: RunBody) -> Envelope[TaskRunRow]:
    """Have a timed task run once now, with your rights; its log has what came of it."""
    return ok(await tasks.run_now(user, task_id, body))


@router.get("/task/{task_id:int}/log", operation_id="listTaskRuns")
async def list_task_runs(
    tasks: Tasks, user: Keeper, task_id: TaskId, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[TaskRunRow]]:
    """Runs of a timed task, newest first, with what came of each action."""
    return ok(await tasks.log(user, task_id, page, limit))


@router.get("/task/calendar", operation_id="listHolidayCalendars")
async def list_holiday_calendars(
    calendars: Calendars, user: Keeper, page: PageNumber = 1, limit: PageSize = 20, search: Search = ""
) -> Envelope[Page[CalendarRow]]:
    """Holiday calendars of yours and of those below you, by title."""
    return ok(await calendars.page(user, page, limit, search.strip()))


@router.post("/task/calendar", operation_id="createHolidayCalendar")
async def create_holiday_calendar(
    calendars: Calendars, user: Keeper, body: CalendarBody
) -> Envelope[CalendarRow]:
    """A new holiday calendar."""
    return ok(await calendars.create(user, body))


@router.put("/task/calendar/{calendar_id:int}", operation_id="changeHolidayCalendar")
async def change_holiday_calendar(
    calendars: Calendars, user: Keeper, calendar_id: CalendarId, body: CalendarBody
) -> Envelope[CalendarRow]:
    """Replace a holiday calendar; tasks that have it run by it from now on."""
    return ok(await calendars.change(user, calendar_id, body))


@router.delete("/task/calendar/{calendar_id:int}", operation_id="deleteHolidayCalendar")
async def delete_holiday_calendar(
    calendars: Calendars, user: Keeper, calendar_id: CalendarId
) -> Envelope[None]:
    """Delete a holiday calendar that no task has."""
    await calendars.delete(user, calendar_id)
    return ok(None)
