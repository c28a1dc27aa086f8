"""Holiday calendars: list, making, changing, deleting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tasks.models import HolidayCalendar
from cloud.domains.tasks.planning import NO_CALENDAR, CalendarDays, next_ms, schedule_of
from cloud.domains.tasks.repository import TaskRepository
from cloud.domains.tasks.rows import calendar_row
from cloud.domains.tasks.schemas import CalendarBody, CalendarRow, ScheduleBody
from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.tasks.schedule import Schedule, TaskKind

MAX_CALENDARS = 100
"""Of one owner."""

AT_ONCE = 500
"""Tasks whose next run is computed in one transaction."""


class CalendarService:
    """A calendar belongs to who made it; whoever is above him sees and changes it too."""

    def __init__(
        self, database: Database, changed: Callable[[], Awaitable[None]], *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._changed = changed
        self._clock = clock

    async def page(self, user: CurrentUser, page: int, limit: int, search: str) -> Page[CalendarRow]:
        """Calendars by title."""
        async with self._database.reading() as session:
            listed, total = await TaskRepository(session, user.scope).calendars(page, limit, search)
        return Page(rows=[calendar_row(*each) for each in listed], total=total)

    async def create(self, user: CurrentUser, body: CalendarBody) -> CalendarRow:
        """Make a calendar. Raises ParameterError for a day that is none, Conflict when the owner has
        MAX_CALENDARS.
        """
        return await self._save(user, None, body)

    async def change(self, user: CurrentUser, calendar_id: int, body: CalendarBody) -> CalendarRow:
        """Replace a calendar; tasks that have it run by it from now on. Raises NotFound and the errors of
        create.
        """
        return await self._save(user, calendar_id, body)

    async def delete(self, user: CurrentUser, calendar_id: int) -> None:
        """Delete a calendar. Raises NotFound, and Conflict while tasks have it: they
        would run on holidays.
        """
        async with self._database.session() as session:
            repository = TaskRepository(session, user.scope)
            calendar = await existing_calendar(repository, calendar_id)
            uses = await repository.calendar_uses(calendar_id)
            if uses:
                raise Conflict(
                    "tasks have this calendar", reason="task.calendar_used", arguments={"count": uses}
                )
            before = _audited(calendar)
            await repository.delete(calendar)
            await session.commit()
        record_change(before, {})

    async def replan(self, calendar_id: int | None = None) -> None:
        """Compute the next runs anew: of tasks with this calendar, or of all when the process begins, whose
        time zones may be others by now.
        """
        after_id = 0
        while True:
            async with self._database.session() as session:
                repository = TaskRepository(session, Scope.system())
                tasks = await repository.with_calendars(after_id, AT_ONCE, calendar_id)
                for task, calendar in tasks:
                    schedule = schedule_of(ScheduleBody.model_validate(task.schedule), days_of(calendar))
                    task.next_ms = next_ms(schedule, task.after_ms)
                await session.commit()
            if len(tasks) < AT_ONCE:
                return
            after_id = tasks[-1][0].id

    async def _save(self, user: CurrentUser, calendar_id: int | None, body: CalendarBody) -> CalendarRow:
        _check_days(body)
        owner_id = None if user.scope.everything else user.id
        before: dict[str, Any] = {}
        async with self._database.session() as session:
            repository = TaskRepository(session, user.scope)
            if calendar_id is None:
                if await repository.count_calendars(owner_id) >= MAX_CALENDARS:
                    raise Conflict(
                        f"at most {MAX_CALENDARS} calendars",
                        field="title",
                        rule="too many",
                        reason="task.too_many_calendars",
                        arguments={"most": MAX_CALENDARS},
                    )
                calendar = HolidayCalendar(owner_id=owner_id, created_ms=self._clock())
            else:
                calendar = await existing_calendar(repository, calendar_id)
                before = _audited(calendar)
            calendar.title, calendar.changed_ms = body.title, self._clock()
            calendar.off, calendar.on = sorted(set(body.off)), sorted(set(body.on))
            await repository.add(calendar)
            uses = await repository.calendar_uses(calendar.id)
            row = calendar_row(calendar, await repository.owner_name(calendar.owner_id), uses)
            await session.commit()
        record_change(before, _audited(calendar))
        if uses:
            await self.replan(row.id)
            await self._changed()
        return row


def days_of(calendar: HolidayCalendar | None) -> CalendarDays:
    """Of a calendar, or of none."""
    return NO_CALENDAR if calendar is None else CalendarDays(calendar.off, calendar.on)


async def existing_calendar(repository: TaskRepository, calendar_id: int) -> HolidayCalendar:
    """Raises NotFound."""
    calendar = await repository.calendar(calendar_id)
    if calendar is None:
        raise NotFound("calendar")
    return calendar


def _check_days(body: CalendarBody) -> None:
    try:
        Schedule(kind=TaskKind.DAILY, zone="UTC", times=["00:00"], off=body.off, on=body.on)
    except ValueError as error:
        name, _, rule = str(error).partition(": ")
        raise ParameterError(name, rule, reason="task.no_day") from None


def _audited(calendar: HolidayCalendar) -> dict[str, Any]:
    return {"title": calendar.title, "off": list(calendar.off), "on": list(calendar.on)}
