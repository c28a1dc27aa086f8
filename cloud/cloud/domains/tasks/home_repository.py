"""Queries of where timed tasks run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.gateway_work import HomeKind
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.tasks.models import HolidayCalendar, Task, TaskGateway, TaskHome, TaskRun
from cloud.domains.tasks.schemas import RunStatus


class TaskHomeRepository:
    """Works on the caller's session for the program itself; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def signature(self) -> tuple[object, ...]:
        """Another one when tasks or calendars are others."""
        tasks = await self._session.execute(select(func.count(Task.id), func.sum(Task.version)))
        days = await self._session.execute(
            select(func.count(HolidayCalendar.id), func.max(HolidayCalendar.changed_ms))
        )
        return (*tasks.one(), *days.one())

    async def tasks(self, limit: int) -> list[tuple[Task, HolidayCalendar | None]]:
        """Those that run, or that a gateway may still have, with their calendars, by number."""
        query = select(Task, HolidayCalendar)
        query = query.outerjoin(HolidayCalendar, HolidayCalendar.id == Task.calendar_id)
        query = query.where(or_(Task.enabled.is_(True), Task.home != HomeKind.CLOUD))
        rows = await self._session.execute(query.order_by(Task.id).limit(limit))
        return [(row[0], row[1]) for row in rows]

    async def gateways(self) -> dict[int, set[int]]:
        """Which gateways each task is about."""
        of_task: dict[int, set[int]] = defaultdict(set)
        for task_id, device_id in await self._session.execute(
            select(TaskGateway.task_id, TaskGateway.device_id)
        ):
            of_task[task_id].add(device_id)
        return of_task

    async def homes(self) -> dict[int, TaskHome]:
        """Of gateways that can run tasks, by number."""
        return {row.device_id: row for row in await self._session.scalars(select(TaskHome))}

    async def noted_home(self, gateway: str) -> TaskHome | None:
        """Of a gateway, for who only looks at it."""
        query = select(TaskHome).join(Device, Device.id == TaskHome.device_id)
        return (await self._session.scalars(query.where(Device.gateway_id == gateway))).one_or_none()

    async def home(self, gateway: str, *, make: bool = False) -> TaskHome | None:
        """Of a gateway, for who changes it. make: a claimed one that never had any gets one."""
        number = await self._session.scalar(select(Device.id).where(Device.gateway_id == gateway))
        if number is None:
            return None
        query = select(TaskHome).where(TaskHome.device_id == number).with_for_update()
        row = (await self._session.scalars(query)).one_or_none()
        if row is None and make:
            row = TaskHome(device_id=number, takes=False, numbers=[], problems={}, sent_numbers=[], past=[])
            self._session.add(row)
            await self._session.flush()
        return row

    async def online_gateway(self, device_id: int) -> str | None:
        """Serial number of a gateway that is online."""
        query = select(Device.gateway_id).where(Device.id == device_id, Device.online.is_(True))
        return await self._session.scalar(query)

    async def pending(self, numbers: Collection[int]) -> set[int]:
        """Those of these tasks of which a run goes on."""
        query = select(TaskRun.task_id).where(
            TaskRun.task_id.in_(numbers), TaskRun.status == RunStatus.PENDING
        )
        return set(await self._session.scalars(query))

    async def locked(self, numbers: Collection[int]) -> dict[int, Task]:
        """Tasks by number, for who changes them."""
        query = select(Task).where(Task.id.in_(numbers)).order_by(Task.id).with_for_update()
        return {row.id: row for row in await self._session.scalars(query)}

    async def stop(self, numbers: Collection[int]) -> None:
        """The cloud decides no more runs of these."""
        stopped = update(Task).where(Task.id.in_(numbers), Task.home == HomeKind.CLOUD)
        await self._session.execute(stopped.values(home=HomeKind.MOVING.value, home_reason=""))

    async def change(self, task_id: int, **columns: Any) -> None:
        await self._session.execute(update(Task).where(Task.id == task_id).values(**columns))

    async def planned(
        self, numbers: Collection[int], moments: Collection[int]
    ) -> set[tuple[int, int, int | None]]:
        """Task, version and moment of the runs of these tasks at these moments."""
        query = select(TaskRun.task_id, TaskRun.version, TaskRun.planned_ms)
        query = query.where(TaskRun.task_id.in_(numbers), TaskRun.planned_ms.in_(moments))
        return {(row[0], row[1], row[2]) for row in await self._session.execute(query)}

    async def points(self, device_id: int) -> dict[tuple[str, str], tuple[Device, SlaveDevice, DataPoint]]:
        """Points of a gateway by the names of slave and point, those that are removed left out."""
        query = select(Device, SlaveDevice, DataPoint)
        query = query.join(DataPoint, DataPoint.device_id == Device.id)
        query = query.join(SlaveDevice, SlaveDevice.id == DataPoint.slave_id)
        query = query.where(Device.id == device_id, DataPoint.removed.is_(False))
        rows = await self._session.execute(query)
        return {(row[1].name, row[2].name): (row[0], row[1], row[2]) for row in rows}

    async def device(self, device_id: int) -> Device | None:
        return await self._session.get(Device, device_id)
