"""Every query of timed tasks, their runs, and holiday calendars."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CursorResult,
    Select,
    and_,
    delete,
    false,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.gateway_work import HomeKind
from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.inventory.visibility import seen, visible
from cloud.domains.tasks.models import HolidayCalendar, Task, TaskGateway, TaskHome, TaskRun
from cloud.domains.tasks.schemas import RunStatus

PointPlace = tuple[Device, SlaveDevice, DataPoint]


def calendar_seen(scope: Scope) -> ColumnElement[bool]:
    """Calendars of the user and of everybody below him."""
    return within(scope, HolidayCalendar.owner_id) if scope.everything or scope.is_placed else false()


def task_seen(scope: Scope) -> ColumnElement[bool]:
    """Tasks of whose gateways the scope sees all."""
    if scope.everything:
        return Task.id.is_not(None)
    unseen = select(TaskGateway.task_id).where(
        TaskGateway.device_id.not_in(select(Device.id).where(visible(scope)))
    )
    return and_(Task.id.in_(select(TaskGateway.task_id)), Task.id.not_in(unseen))


class TaskRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, row: Task | TaskRun | HolidayCalendar) -> None:
        """Afterwards it has its number. Raises IntegrityError for a run that there is."""
        self._session.add(row)
        await self._session.flush()

    async def delete(self, row: Task | HolidayCalendar) -> None:
        await self._session.delete(row)

    async def task(self, task_id: int, *, is_locked: bool = False) -> Task | None:
        query = select(Task).where(Task.id == task_id, task_seen(self._scope))
        if is_locked:
            query = query.with_for_update()
        return (await self._session.scalars(query)).one_or_none()

    async def count_of(self, user_id: int) -> int:
        query = select(func.count()).select_from(Task).where(Task.user_id == user_id)
        return int((await self._session.execute(query)).scalar_one())

    async def page(
        self, page: int, limit: int, search: str, device_id: int | None, enabled: bool | None
    ) -> tuple[list[Task], int]:
        """Newest first, and how many match."""
        query = select(Task).where(task_seen(self._scope))
        if search:
            query = query.where(Task.title.icontains(search, autoescape=True))
        if device_id is not None:
            of_device = select(TaskGateway.task_id).where(TaskGateway.device_id == device_id)
            query = query.where(Task.id.in_(of_device))
        if enabled is not None:
            query = query.where(Task.enabled.is_(enabled))
        total = await self._count(query)
        query = query.order_by(Task.id.desc()).offset((page - 1) * limit).limit(limit)
        return list(await self._session.scalars(query)), total

    async def set_gateways(self, task_id: int, device_ids: Collection[int]) -> None:
        """Which gateways a task is about."""
        await self._session.execute(delete(TaskGateway).where(TaskGateway.task_id == task_id))
        self._session.add_all(
            TaskGateway(task_id=task_id, device_id=device_id) for device_id in sorted(device_ids)
        )

    async def gateways(self, task_id: int) -> set[int]:
        query = select(TaskGateway.device_id).where(TaskGateway.task_id == task_id)
        return set(await self._session.scalars(query))

    async def lost_runs(self, task_ids: Collection[int]) -> dict[int, int]:
        """By task, of those whose gateways have lost runs of tasks unsent: how many, of whichever task."""
        query = select(TaskGateway.task_id, func.sum(TaskHome.dropped))
        query = query.join(TaskHome, TaskHome.device_id == TaskGateway.device_id)
        query = query.where(TaskGateway.task_id.in_(task_ids), TaskHome.dropped > 0)
        rows = await self._session.execute(query.group_by(TaskGateway.task_id))
        return {row[0]: int(row[1]) for row in rows}

    async def of_device(self, device_id: int) -> list[Task]:
        """Those that are about a gateway."""
        query = select(Task).join(TaskGateway, TaskGateway.task_id == Task.id)
        return list(await self._session.scalars(query.where(TaskGateway.device_id == device_id)))

    async def delete_without_gateways(self) -> None:
        """Tasks whose gateways are all gone."""
        await self._session.execute(delete(Task).where(Task.id.not_in(select(TaskGateway.task_id))))

    async def points(self, dsids: Collection[int]) -> dict[int, PointPlace]:
        """Points by number with their slaves and gateways, those that are removed left out."""
        query = select(Device, SlaveDevice, DataPoint)
        query = query.join(DataPoint, DataPoint.device_id == Device.id)
        query = query.join(SlaveDevice, SlaveDevice.id == DataPoint.slave_id)
        query = query.where(DataPoint.id.in_(dsids), DataPoint.removed.is_(False))
        query = query.where(seen(self._scope, DataPoint.device_id))
        return {row[2].id: (row[0], row[1], row[2]) for row in await self._session.execute(query)}

    async def device_titles(self, device_ids: Collection[int]) -> dict[int, str]:
        """Of these gateways those that the scope sees."""
        query = select(Device.id, Device.display_title).where(Device.id.in_(device_ids), visible(self._scope))
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def due_tasks(self, now_ms: int, limit: int) -> list[tuple[Task, HolidayCalendar | None]]:
        """Enabled ones whose next run has come, the earliest first; none that moves."""
        query = self._with_calendars().where(Task.enabled.is_(True), Task.next_ms <= now_ms)
        query = query.where(Task.home != HomeKind.MOVING)
        rows = await self._session.execute(query.order_by(Task.next_ms, Task.id).limit(limit))
        return [(row[0], row[1]) for row in rows]

    async def with_calendars(
        self, after_id: int, limit: int, calendar_id: int | None = None
    ) -> list[tuple[Task, HolidayCalendar | None]]:
        """Enabled tasks by rising number, all or those with this calendar."""
        query = self._with_calendars().where(Task.id > after_id, Task.enabled.is_(True))
        if calendar_id is not None:
            query = query.where(Task.calendar_id == calendar_id)
        rows = await self._session.execute(query.order_by(Task.id).limit(limit))
        return [(row[0], row[1]) for row in rows]

    async def decide(self, task: Task, after_ms: int, next_ms: int | None) -> bool:
        """Runs up to after_ms are decided. False when somebody else did so, the task is another by now, or
        it does not run here.
        """
        same = (Task.after_ms == task.after_ms, Task.version == task.version)
        runs_here = (Task.enabled.is_(True), Task.home == HomeKind.CLOUD)
        result = await self._session.execute(
            update(Task)
            .where(Task.id == task.id, *same, *runs_here)
            .values(after_ms=after_ms, next_ms=next_ms)
        )
        return isinstance(result, CursorResult) and result.rowcount == 1

    async def due_runs(self, limit: int) -> list[tuple[TaskRun, Task]]:
        """Runs that nothing was requested of yet, the oldest first."""
        query = select(TaskRun, Task).join(Task, Task.id == TaskRun.task_id)
        query = query.where(TaskRun.is_due.is_(True)).order_by(TaskRun.id).limit(limit)
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def plan(self, run_id: int, steps: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
        """Keep what a run is to do, unless that is known; what is known then, None for no such run."""
        unplanned = (TaskRun.id == run_id, TaskRun.steps.is_(None))
        await self._session.execute(update(TaskRun).where(*unplanned).values(steps=steps))
        query = select(TaskRun.steps).where(TaskRun.id == run_id)
        return (await self._session.scalars(query)).one_or_none()

    async def note_run(self, run_id: int, **columns: Any) -> None:
        await self._session.execute(update(TaskRun).where(TaskRun.id == run_id).values(**columns))

    async def open_runs(self, unknown_since_ms: int, limit: int) -> list[TaskRun]:
        """Requested ones that have not ended, and those of unknown outcome since then."""
        is_open = or_(
            TaskRun.status == RunStatus.PENDING,
            and_(TaskRun.status == RunStatus.UNKNOWN, TaskRun.noted_ms > unknown_since_ms),
        )
        query = select(TaskRun).where(TaskRun.is_due.is_(False), is_open).order_by(TaskRun.id).limit(limit)
        return list(await self._session.scalars(query))

    async def runs(self, task_id: int, page: int, limit: int) -> tuple[list[TaskRun], int]:
        """Newest first, and how many."""
        query = select(TaskRun).where(TaskRun.task_id == task_id)
        total = await self._count(query)
        query = query.order_by(TaskRun.id.desc()).offset((page - 1) * limit).limit(limit)
        return list(await self._session.scalars(query)), total

    async def run_of_request(self, task_id: int, request_id: str) -> TaskRun | None:
        query = select(TaskRun).where(TaskRun.task_id == task_id, TaskRun.request_id == request_id)
        return (await self._session.scalars(query)).one_or_none()

    async def has_due_run(self, task_id: int) -> bool:
        query = select(TaskRun.id).where(TaskRun.task_id == task_id, TaskRun.is_due.is_(True))
        return (await self._session.scalars(query.limit(1))).first() is not None

    async def newest_runs(self, tasks: Collection[int]) -> dict[int, TaskRun]:
        """The newest run of each task that has one."""
        newest = select(func.max(TaskRun.id)).where(TaskRun.task_id.in_(tasks)).group_by(TaskRun.task_id)
        rows = await self._session.scalars(select(TaskRun).where(TaskRun.id.in_(newest)))
        return {run.task_id: run for run in rows}

    async def delete_runs_before(self, before_ms: int) -> None:
        await self._session.execute(delete(TaskRun).where(TaskRun.noted_ms < before_ms))

    async def calendar(self, calendar_id: int) -> HolidayCalendar | None:
        query = select(HolidayCalendar).where(HolidayCalendar.id == calendar_id, calendar_seen(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def any_calendar(self, calendar_id: int) -> HolidayCalendar | None:
        """That a task has, whoever owns it."""
        return await self._session.get(HolidayCalendar, calendar_id)

    async def calendars(
        self, page: int, limit: int, search: str
    ) -> tuple[list[tuple[HolidayCalendar, str, int]], int]:
        """By title, each with the name of its owner and how many tasks use it; how many match."""
        query = select(HolidayCalendar).where(calendar_seen(self._scope))
        if search:
            query = query.where(HolidayCalendar.title.icontains(search, autoescape=True))
        total = await self._count(query)
        uses = select(func.count(Task.id)).where(Task.calendar_id == HolidayCalendar.id).scalar_subquery()
        query = query.order_by(HolidayCalendar.title, HolidayCalendar.id).offset((page - 1) * limit)
        named = query.limit(limit).outerjoin(User, User.id == HolidayCalendar.owner_id)
        rows = await self._session.execute(named.add_columns(User.user_name, uses))
        return [(row[0], row[1] or "", row[2]) for row in rows], total

    async def calendar_titles(self, numbers: Collection[int]) -> dict[int, str]:
        """Of calendars that tasks use, whoever has them."""
        query = select(HolidayCalendar.id, HolidayCalendar.title).where(HolidayCalendar.id.in_(numbers))
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def calendar_uses(self, calendar_id: int) -> int:
        query = select(func.count(Task.id)).where(Task.calendar_id == calendar_id)
        return int((await self._session.execute(query)).scalar_one())

    async def count_calendars(self, owner_id: int | None) -> int:
        query = select(func.count(HolidayCalendar.id)).where(HolidayCalendar.owner_id == owner_id)
        return int((await self._session.execute(query)).scalar_one())

    async def owner_name(self, owner_id: int | None) -> str:
        query = select(User.user_name).where(User.id == owner_id)
        return (await self._session.scalars(query)).one_or_none() or ""

    async def _count(self, query: Select[Any]) -> int:
        counted = select(func.count()).select_from(query.subquery())
        return int((await self._session.execute(counted)).scalar_one())

    def _with_calendars(self) -> Select[Task, HolidayCalendar]:
        query = select(Task, HolidayCalendar)
        return query.outerjoin(HolidayCalendar, HolidayCalendar.id == Task.calendar_id)
