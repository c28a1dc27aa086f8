"""A timed task as its gateway runs it, as far as who saved it may have it run there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from cloud.core.gateway_work import LIMIT
from cloud.domains.commands.schemas import CommandBody
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tasks.calendars import days_of
from cloud.domains.tasks.models import HolidayCalendar, Task
from cloud.domains.tasks.planning import actions_of, schedule_of
from cloud.domains.tasks.rights import WRITES
from cloud.domains.tasks.schemas import ActionBody, FormulaAction, GatewayAction, PresetAction, ScheduleBody
from cloud.errors import NoPermission, NotFound, ParameterError
from edge_contract.edge_tasks import EdgeTask, TaskSource, TaskWrite
from edge_contract.limits import MAX_TASK_WRITES, MAX_TEXT

NO_USER, NO_RIGHT, REFUSED = "no_user", "no_right", "refused"
ACCESS_PASSWORD = "access_password"  # noqa: S105 - a code: nobody gave the one that the gateway has now

UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user with the permissions that he has now; None for one that is disabled or gone."""


class TaskDocuments:
    """Presets become the writes that they have now."""

    def __init__(self, devices: DeviceService, commands: CommandService, user_now: UserNow) -> None:
        self._devices = devices
        self._commands = commands
        self._user_now = user_now

    async def of(self, task: Task, calendar: HolidayCalendar | None, device_id: int) -> EdgeTask | str:
        """The document of a task that is about this gateway alone, or why there is none, as a code."""
        user = None if task.user_id is None else await self._user_now(task.user_id)
        if user is None:
            return NO_USER
        user = replace(user, granted={int(number): ms for number, ms in task.granted.items()})
        if not user.may(WRITES) or not await self._devices.may_change(user, device_id):
            return NO_RIGHT
        if await self._devices.access_passwords.problem(user, device_id):
            return ACCESS_PASSWORD
        writes: list[TaskWrite] = []
        try:
            for step, action in enumerate(actions_of(task.actions)):
                writes += await self._writes(user, step, action)
        except (NoPermission, NotFound):
            return NO_RIGHT
        except ParameterError:
            return REFUSED
        if not writes or len(writes) > MAX_TASK_WRITES:
            return LIMIT
        return EdgeTask(
            id=task.id,
            version=task.version,
            title=task.title[:MAX_TEXT],
            schedule=schedule_of(ScheduleBody.model_validate(task.schedule), days_of(calendar)),
            writes=writes,
        )

    async def _writes(self, user: CurrentUser, step: int, action: ActionBody) -> list[TaskWrite]:
        if isinstance(action, GatewayAction):
            raise ParameterError("actions", "no command of a gateway")
        if isinstance(action, FormulaAction):
            target = await self._devices.target(user.scope, action.dsid)
            source = await self._devices.target(user.scope, action.source_dsid)
            named = TaskSource(
                slave=source.slave, point=source.point, ratio=float(action.ratio), bias=float(action.bias)
            )
            return [TaskWrite(slave=target.slave, point=target.point, source=named, step=step)]
        body = (
            CommandBody(preset_id=action.preset_id)
            if isinstance(action, PresetAction)
            else CommandBody(dsid=action.dsid, value=action.value)
        )
        return [
            TaskWrite(slave=each.to.slave, point=each.to.point, value=each.value, step=step)
            for each in await self._commands.planned(user, body)
            if each.to.slave is not None and each.to.point is not None
        ]
