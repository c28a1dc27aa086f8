"""Timed tasks: lists, making, changing, switching, deleting, running now. What runs: runner.py."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.checks import check
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.rights import refuse_read_only
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tasks.calendars import days_of, existing_calendar
from cloud.domains.tasks.models import Task, TaskRun
from cloud.domains.tasks.planning import (
    NEEDS_MANAGER,
    CalendarDays,
    Subjects,
    actions_of,
    next_ms,
    schedule_of,
    subjects,
)
from cloud.domains.tasks.repository import TaskRepository
from cloud.domains.tasks.rights import MANAGES, WRITES
from cloud.domains.tasks.rows import run_row, task_row
from cloud.domains.tasks.schemas import (
    ActionBody,
    FormulaAction,
    GatewayAction,
    PreviewQuery,
    RunBody,
    RunStatus,
    ScheduleBody,
    TaskBody,
    TaskRow,
    TaskRunRow,
    WindowBody,
    WriteAction,
)
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from edge_contract.model import sort_of
from edge_contract.tasks.runs import next_runs

log = logging.getLogger(__name__)

MAX_TASKS = 500
"""Of one user."""

PREVIEWED = 10

Changed = Callable[[], Awaitable[None]]
"""Called when tasks or calendars are others now."""


class TaskService:
    """A task is seen by who sees all of its gateways, and changed by who may write to them."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        commands: CommandService,
        changed: Changed,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._commands = commands
        self._changed = changed
        self._clock = clock

    async def page(
        self,
        user: CurrentUser,
        page: int,
        limit: int,
        search: str,
        device_id: int | None,
        enabled: bool | None,
    ) -> Page[TaskRow]:
        """Tasks of whose gateways the user sees all, newest first."""
        async with self._database.reading() as session:
            repository = TaskRepository(session, user.scope)
            tasks, total = await repository.page(page, limit, search, device_id, enabled)
        return Page(rows=await self._rows(user.scope, tasks), total=total)

    async def create(self, user: CurrentUser, body: TaskBody) -> TaskRow:
        """Make a task. Raises NotFound for a point, preset, gateway or calendar that is not seen,
        ParameterError that names the field and the rule it breaks, NoPermission when a gateway is shared read
        only, wants its access password, or the user may not do what an action does, Conflict when the user
        has MAX_TASKS.
        """
        return await self._save(user, None, body)

    async def change(
        self, user: CurrentUser, task_id: int, body: TaskBody, base: int | None = None
    ) -> TaskRow:
        """Replace a task; from now on it runs with the rights of who changed it. base: changed_ms as the
        editor saw it. Raises NotFound, Conflict for one that was changed since base, and the errors of
        create.
        """
        return await self._save(user, task_id, body, base)

    async def enable(self, user: CurrentUser, task_id: int, enabled: bool) -> TaskRow:
        """Switch on or off; runs of the time when it was off are not made up. Raises NotFound and
        NoPermission when a gateway is shared read only.
        """
        async with self._database.session() as session:
            repository = TaskRepository(session, user.scope)
            task = await _changeable(session, user, task_id)
            before, title = task.enabled, task.title
            task.enabled = enabled
            task.version += 1
            now = self._clock()
            task.changed_ms = max(now, task.changed_ms + 1)
            days = await self._days(repository, task.calendar_id, task.calendar_id)
            schedule = schedule_of(ScheduleBody.model_validate(task.schedule), days)
            task.after_ms, task.next_ms = now, next_ms(schedule, now)
            await session.commit()
        record_change({"enabled": before}, {"enabled": enabled}, title=title)
        await self._changed()
        return await self._row(user.scope, task)

    async def delete(self, user: CurrentUser, task_id: int) -> None:
        """Delete a task and its log; commands that are under way stay. Raises as enable()."""
        async with self._database.session() as session:
            repository = TaskRepository(session, user.scope)
            task = await _changeable(session, user, task_id)
            title = task.title
            await repository.delete(task)
            await session.commit()
        record_change({"title": title}, {})
        log.info("task %d deleted by %s", task_id, user.name)
        await self._changed()

    async def run_now(self, user: CurrentUser, task_id: int, body: RunBody) -> TaskRunRow:
        """Have a task run once, with the rights of who wants it. Raises NotFound, NoPermission as create(),
        Conflict while another run is about to begin.
        """
        async with self._database.reading() as session:
            repository = TaskRepository(session, user.scope)
            task = await _existing(repository, task_id)
            if body.request_id is not None:
                before = await repository.run_of_request(task_id, body.request_id)
                if before is not None:
                    return run_row(before)
        granted = await self._may_run(user, actions_of(task.actions))
        run = TaskRun(
            task_id=task_id,
            version=task.version,
            request_id=body.request_id,
            noted_ms=self._clock(),
            is_due=True,
            status=RunStatus.PENDING,
            problem="",
            missed=0,
            user_id=user.id,
            user_name=user.name,
            granted=granted,
        )
        try:
            async with self._database.session() as session:
                repository = TaskRepository(session, user.scope)
                if await repository.has_due_run(task_id):
                    raise Conflict("the task is about to run", reason="task.running")
                await repository.add(run)
                await session.commit()
        except IntegrityError:  # another press of the same moment
            async with self._database.reading() as session:
                repository = TaskRepository(session, user.scope)
                made = await repository.run_of_request(task_id, body.request_id or "")
            if made is None:
                raise NotFound("task") from None
            return run_row(made)
        record_change({}, {"title": task.title})
        return run_row(run)

    async def log(self, user: CurrentUser, task_id: int, page: int, limit: int) -> Page[TaskRunRow]:
        """Runs of a task, newest first. Raises NotFound."""
        async with self._database.reading() as session:
            repository = TaskRepository(session, user.scope)
            await _existing(repository, task_id)
            runs, total = await repository.runs(task_id, page, limit)
        return Page(rows=[run_row(run) for run in runs], total=total)

    async def preview(self, user: CurrentUser, query: PreviewQuery) -> list[int]:
        """The next runs of a schedule, at most PREVIEWED. Raises ParameterError, NotFound for a calendar."""
        async with self._database.reading() as session:
            days = await self._days(TaskRepository(session, user.scope), query.calendar_id)
        fields = query.model_dump(exclude={"calendar_id", "window_begin", "window_end"})
        if query.kind != "cyclic":
            fields["interval_min"] = None
        window = WindowBody(begin=query.window_begin, end=query.window_end)
        schedule = schedule_of(ScheduleBody(**fields, window=window), days)
        return next_runs(schedule, self._clock(), PREVIEWED)

    async def owner_left(self, device_id: int) -> None:
        """What he prepared is not for who has the gateway next."""
        async with self._database.session() as session:
            repository = TaskRepository(session, Scope.system())
            for task in await repository.of_device(device_id):
                await repository.delete(task)
            await session.commit()
        await self._changed()

    async def _save(
        self, user: CurrentUser, task_id: int | None, body: TaskBody, base: int | None = None
    ) -> TaskRow:
        schedule_of(body.schedule)
        named = subjects(body.actions)
        granted = await self._may_run(user, body.actions)
        gateways = await self._gateways(user.scope, named)
        await self._check(user.scope, body.actions)
        now = self._clock()
        before: dict[str, Any] = {}
        async with self._database.session() as session:
            repository = TaskRepository(session, user.scope)
            before_id = None
            if task_id is None:
                if await repository.count_of(user.id) >= MAX_TASKS:
                    raise Conflict(
                        f"at most {MAX_TASKS} tasks",
                        field="title",
                        rule="too many",
                        reason="task.too_many",
                        arguments={"most": MAX_TASKS},
                    )
                task = Task(created_ms=now, version=0)
            else:
                task = await _changeable(session, user, task_id)
                _refuse_moved(task, base)
                before, before_id = _audited(task), task.calendar_id
                now = max(now, task.changed_ms + 1)  # each change has a time of its own
            days = await self._days(repository, body.calendar_id, before_id)
            schedule = schedule_of(body.schedule, days)
            task.title, task.enabled = body.title, body.enabled
            task.version += 1
            task.schedule = body.schedule.model_dump(mode="json")
            task.actions = [action.model_dump(mode="json") for action in body.actions]
            task.calendar_id = body.calendar_id
            task.after_ms, task.next_ms = self._clock(), next_ms(schedule, self._clock())
            task.user_id, task.user_name, task.changed_ms, task.granted = user.id, user.name, now, granted
            await repository.add(task)
            await repository.set_gateways(task.id, gateways)
            after = _audited(task)
            await session.commit()
        record_change(before, after)
        log.info("task %d saved by %s", task.id, user.name)
        await self._changed()
        return await self._row(user.scope, task)

    async def _may_run(self, user: CurrentUser, actions: Iterable[ActionBody]) -> dict[str, int]:
        """Which access passwords the user gave, by gateway. Raises NotFound, NoPermission."""
        actions = list(actions)
        if not user.may(WRITES):
            raise NoPermission(WRITES)
        commands = [action for action in actions if isinstance(action, GatewayAction)]
        if any(action.command in NEEDS_MANAGER for action in commands) and not user.may(MANAGES):
            raise NoPermission(MANAGES)
        named = subjects(actions)
        written = await self._gateways(
            user.scope, Subjects(written=named.written, presets=named.presets, devices=named.devices)
        )
        await self._devices.refuse_read_only(user, sorted(written))
        granted = await self._devices.access_passwords.refuse(user, written)
        return {str(number): changed_ms for number, changed_ms in granted.items()}

    async def _gateways(self, scope: Scope, named: Subjects) -> set[int]:
        """Which gateways actions name. Raises NotFound for what the scope does not see."""
        dsids = set(named.points)
        for preset_id in sorted(named.presets):
            dsids |= {write.dsid for write in await self._commands.presets.writes(scope, preset_id)}
        owners = await self._devices.owners(scope, sorted(dsids)) if dsids else {}
        for device_id in sorted(named.devices):
            await self._devices.gateway_of(scope, device_id)
        return set(owners.values()) | named.devices

    async def _check(self, scope: Scope, actions: list[ActionBody]) -> None:
        """Raises ParameterError for a value that a point does not take."""
        for place, action in enumerate(actions):
            if not isinstance(action, WriteAction | FormulaAction):
                continue
            target = await self._devices.target(scope, action.dsid)
            if isinstance(action, WriteAction):
                try:
                    check(target, "W", action.value)
                except ParameterError as error:
                    raise ParameterError(f"actions.{place}.{error.field}", error.rule) from None
                continue
            if target.rw == "readonly" or target.kind == "cal":
                raise ParameterError(f"actions.{place}.dsid", "a point that can be written")
            is_plain = (action.ratio, action.bias) == (1, 0)
            if sort_of(target.kind, target.data_type) != "number" and not is_plain:
                raise ParameterError(f"actions.{place}.ratio", "1, with bias 0", reason="task.not_converted")
            source = await self._devices.target(scope, action.source_dsid)
            if source.rw == "writeonly":
                raise ParameterError(f"actions.{place}.source_dsid", "a point that can be read")

    async def _days(
        self, repository: TaskRepository, calendar_id: int | None, before_id: int | None = None
    ) -> CalendarDays:
        """before_id: of the calendar that the task has; who changes the task need not see it. Raises
        NotFound.
        """
        if calendar_id is None:
            return days_of(None)
        if calendar_id == before_id:
            return days_of(await repository.any_calendar(calendar_id))
        return days_of(await existing_calendar(repository, calendar_id))

    async def _row(self, scope: Scope, task: Task) -> TaskRow:
        return (await self._rows(scope, [task]))[0]

    async def _rows(self, scope: Scope, tasks: list[Task]) -> list[TaskRow]:
        named = subjects(action for task in tasks for action in actions_of(task.actions))
        presets = await self._commands.presets.named(scope, named.presets)
        async with self._database.reading() as session:
            repository = TaskRepository(session, scope)
            points = await repository.points(named.points)
            devices = await repository.device_titles(named.devices)
            calendars = await repository.calendar_titles(
                {task.calendar_id for task in tasks if task.calendar_id is not None}
            )
            newest = await repository.newest_runs([task.id for task in tasks])
            lost = await repository.lost_runs([task.id for task in tasks])
        return [
            task_row(task, points, presets, devices, calendars, newest.get(task.id), lost.get(task.id, 0))
            for task in tasks
        ]


async def _changeable(session: AsyncSession, user: CurrentUser, task_id: int) -> Task:
    repository = TaskRepository(session, user.scope)
    task = await _existing(repository, task_id, is_locked=True)
    await refuse_read_only(session, user, sorted(await repository.gateways(task_id)))
    return task


async def _existing(repository: TaskRepository, task_id: int, *, is_locked: bool = False) -> Task:
    task = await repository.task(task_id, is_locked=is_locked)
    if task is None:
        raise NotFound("task")
    return task


def _refuse_moved(task: Task, base: int | None) -> None:
    if base is not None and base != task.changed_ms:
        raise Conflict(
            "the task was changed by somebody else meanwhile",
            field="base",
            rule=str(task.changed_ms),
            reason="task.moved",
            arguments={"user": task.user_name, "changed_ms": task.changed_ms},
        )


def _audited(task: Task) -> dict[str, Any]:
    """What the audit keeps of a task."""
    actions = {f"action_{place}": action for place, action in enumerate(task.actions, start=1)}
    return (
        {"title": task.title, "enabled": task.enabled, "calendar_id": task.calendar_id}
        | task.schedule
        | actions
    )
