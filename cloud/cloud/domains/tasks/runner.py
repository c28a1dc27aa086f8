"""Has due tasks run: each run is noted once, requested under its number, and followed to its outcome."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from sqlalchemy.exc import IntegrityError

from cloud.core.clock import NowMs, now_ms
from cloud.core.gateway_work import HomeKind
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.schemas import CommandBody, CommandOrigin, CommandStatus
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tasks.calendars import days_of
from cloud.domains.tasks.home_repository import TaskHomeRepository
from cloud.domains.tasks.models import HolidayCalendar, Task, TaskRun
from cloud.domains.tasks.outcomes import status_of_all, step_with
from cloud.domains.tasks.planning import NEEDS_MANAGER, actions_of, next_ms, schedule_of
from cloud.domains.tasks.repository import TaskRepository
from cloud.domains.tasks.rights import MANAGES, WRITES
from cloud.domains.tasks.schemas import FormulaAction, RunStatus, ScheduleBody, TaskRunStep
from cloud.domains.telemetry.schemas import LastValue
from cloud.errors import CloudError, NoPermission, NotFound
from edge_contract.model import Quality, sort_of
from edge_contract.payloads import CommandAction
from edge_contract.tasks.conversion import converted
from edge_contract.tasks.runs import decide

log = logging.getLogger(__name__)

RUN_S = 1.0
"""Interval at which due tasks begin."""

FOLLOW_S = 2.0
"""Interval at which it is looked for what came of commands."""

KEEP_MS = 397 * 24 * 3_600_000
"""As linkages and alarms."""

TOO_LATE_MS = 60_000
"""A run that was noted and not requested for so long is not made any more: the process was away."""

UNKNOWN_MS = 24 * 3_600_000
"""So long an unknown outcome may still become known."""

MAX_AT_ONCE = 200

WRITE_EXPIRES_S = 30
COMMAND_EXPIRES_S = {"refresh": 120, "forward": 30, "reload": 60, "reboot": 300, "reallocate": 60}
"""As of the operations that do the same."""

MISSED, NO_USER, NO_RIGHT, REFUSED, TOO_LATE, FAILED, NO_VALUE, NOT_FITTING = (
    "missed", "no_user", "no_right", "refused", "too_late", "failed", "no_value", "not_fitting",
)  # fmt: skip

UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user with the permissions that he has now; None for one that is disabled or gone."""

LastValues = Callable[[Scope, Sequence[int]], Awaitable[list[LastValue]]]
"""Newest values of points. Raises NotFound for one that the scope does not see."""


class TaskRunner:
    """A run has the rights of who saved its task, or wanted it now, as they are when it begins."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        commands: CommandService,
        last_values: LastValues,
        user_now: UserNow,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._commands = commands
        self._last_values = last_values
        self._user_now = user_now
        self._clock = clock

    async def run(self) -> None:
        """Periodic: note the runs that are due, and request what is noted."""
        await self._note_due()
        async with self._database.reading() as session:
            due = await TaskRepository(session, Scope.system()).due_runs(MAX_AT_ONCE)
        for run, task in due:
            try:
                await self._begin(run, task)
            except Exception:
                # One run's failure (a database that is away) must not keep the others from running.
                log.exception("run %d of task %d could not begin", run.id, task.id)

    async def follow(self) -> None:
        """Periodic: what came of the commands of runs."""
        since_ms = self._clock() - UNKNOWN_MS
        async with self._database.reading() as session:
            runs = await TaskRepository(session, Scope.system()).open_runs(since_ms, MAX_AT_ONCE)
        for run in runs:
            before = [TaskRunStep.model_validate(step) for step in run.steps or []]
            batches = await self._commands.batches(
                Scope.system(), [step.command_id for step in before if step.command_id]
            )
            steps = [await self._followed(step, batches) for step in before]
            if steps != before:
                await self._save_steps(run.id, steps)

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: delete runs older than 13 months, and tasks whose gateways are gone."""
        async with self._database.session() as session:
            repository = TaskRepository(session, Scope.system())
            await repository.delete_runs_before(now_ms - KEEP_MS)
            await repository.delete_without_gateways()
            await session.commit()

    async def _note_due(self) -> None:
        now = self._clock()
        async with self._database.reading() as session:
            due = await TaskRepository(session, Scope.system()).due_tasks(now, MAX_AT_ONCE)
        for task, calendar in due:
            if task.home == HomeKind.GATEWAY:
                await self._move_on(task, calendar, now)
            else:
                await self._note(task, calendar, now)

    async def _move_on(self, task: Task, calendar: HolidayCalendar | None, now: int) -> None:
        """Its gateway runs it: lists show its next run."""
        schedule = schedule_of(ScheduleBody.model_validate(task.schedule), days_of(calendar))
        async with self._database.session() as session:
            repository = TaskHomeRepository(session)
            await repository.change(task.id, next_ms=next_ms(schedule, now))
            await session.commit()

    async def _note(self, task: Task, calendar: HolidayCalendar | None, now: int) -> None:
        """Once, also when another process does the same: whoever moves the task on notes the run."""
        schedule = schedule_of(ScheduleBody.model_validate(task.schedule), days_of(calendar))
        decided, after = decide(schedule, task.after_ms, now), max(now, task.after_ms)
        run = TaskRun(
            task_id=task.id,
            version=task.version,
            planned_ms=decided.missed_ms if decided.run_ms is None else decided.run_ms,
            noted_ms=now,
            finished_ms=now if decided.run_ms is None else None,
            is_due=decided.run_ms is not None,
            status=RunStatus.FAILED if decided.run_ms is None else RunStatus.PENDING,
            problem=MISSED if decided.run_ms is None else "",
            missed=decided.missed,
            user_id=task.user_id,
            user_name=task.user_name,
            granted=task.granted,
        )
        try:
            async with self._database.session() as session:
                repository = TaskRepository(session, Scope.system())
                if not await repository.decide(task, after, next_ms(schedule, after)):
                    return
                if run.planned_ms is not None:
                    await repository.add(run)
                await session.commit()
        except IntegrityError:
            log.warning("task %d has a run at %s already", task.id, run.planned_ms)
            async with self._database.session() as session:
                await TaskRepository(session, Scope.system()).decide(task, after, next_ms(schedule, after))
                await session.commit()
            return
        if decided.missed:
            log.warning("task %d: %d runs were missed", task.id, decided.missed)

    async def _begin(self, run: TaskRun, task: Task) -> None:
        user = None if run.user_id is None else await self._user_now(run.user_id)
        if self._clock() - run.noted_ms > TOO_LATE_MS:
            await self._end_late(run)
            return
        if user is None or not user.may(WRITES):
            await self._end(run, NO_USER if user is None else NO_RIGHT)
            return
        user = replace(user, granted={int(number): ms for number, ms in run.granted.items()})
        steps = await self._planned(run, task, user)
        if steps is None:
            return
        origin = CommandOrigin(kind="task", id=task.id, title=task.title)
        for place, step in enumerate(steps):
            if not step.problem:
                steps[place] = await self._request(run, place, step, user, origin)
        await self._save_steps(run.id, steps)

    async def _planned(self, run: TaskRun, task: Task, user: CurrentUser) -> list[TaskRunStep] | None:
        """Kept before anything is requested: a value that is read again may be another one."""
        planned = run.steps
        if planned is None:
            steps = [await self._step(action, user) for action in actions_of(task.actions)]
            async with self._database.session() as session:
                repository = TaskRepository(session, Scope.system())
                planned = await repository.plan(run.id, [step.model_dump(mode="json") for step in steps])
                await session.commit()
        return None if planned is None else [TaskRunStep.model_validate(step) for step in planned]

    async def _step(self, action: object, user: CurrentUser) -> TaskRunStep:
        """What an action is to do now."""
        step = TaskRunStep.model_validate(action, from_attributes=True)
        if not isinstance(action, FormulaAction):
            return step
        try:
            values = await self._last_values(user.scope, [action.source_dsid])
            target = await self._devices.target(user.scope, action.dsid)
        except (NoPermission, NotFound):
            return _with_problem(step, NO_RIGHT)
        source = values[0] if values else None
        if source is None or source.value is None or source.quality != Quality.GOOD or source.stale:
            return _with_problem(step, NO_VALUE)
        to_number = sort_of(target.kind, target.data_type) == "number"
        value = converted(source.value, action.ratio, action.bias, to_number=to_number)
        return _with_problem(step, NOT_FITTING) if value is None else step.model_copy(update={"value": value})

    async def _request(
        self, run: TaskRun, place: int, step: TaskRunStep, user: CurrentUser, origin: CommandOrigin
    ) -> TaskRunStep:
        """A step with its command, or why there is none."""
        request_id, address = _request_id(run, place), f"task {run.task_id}"
        try:
            if step.kind == "command":
                if step.command in NEEDS_MANAGER and not user.may(MANAGES):
                    raise NoPermission(MANAGES)
                reference = await self._commands.act(
                    user,
                    step.device_id or 0,
                    CommandAction(step.command),
                    address,
                    expires_s=COMMAND_EXPIRES_S[step.command],
                    request_id=request_id,
                    origin=origin,
                )
            else:
                what = {"preset_id": step.preset_id} if step.kind == "preset" else {"dsid": step.dsid}
                value = {"value": step.value} if step.kind != "preset" else {}
                body = CommandBody.model_validate(
                    {**what, **value, "expires_s": WRITE_EXPIRES_S, "request_id": request_id}
                )
                reference = await self._commands.request(user, body, address, origin)
        except (NoPermission, NotFound):
            return _with_problem(step, NO_RIGHT)
        except CloudError as error:
            return _with_problem(step, REFUSED, error.message)
        return step.model_copy(update={"command_id": reference.id})

    async def _followed(self, step: TaskRunStep, batches: dict[str, list[CommandStatus]]) -> TaskRunStep:
        if step.command_id is None or step.status not in (RunStatus.PENDING, RunStatus.UNKNOWN):
            return step
        commands = batches.get(step.command_id)
        if commands is None:
            try:
                commands = [await self._commands.status(Scope.system(), step.command_id)]
            except NotFound:
                commands = []
        return step_with(step, commands)

    async def _end_late(self, run: TaskRun) -> None:
        """What was requested before the process went away is followed; nothing else begins."""
        steps = []
        for place, stored in enumerate(run.steps or []):
            step = TaskRunStep.model_validate(stored)
            if not step.problem:
                command_id = await self._commands.requested(run.user_id or 0, _request_id(run, place))
                step = (
                    _with_problem(step, TOO_LATE)
                    if command_id is None
                    else step.model_copy(update={"command_id": command_id})
                )
            steps.append(step)
        if steps:
            await self._save_steps(run.id, steps)
        else:
            await self._end(run, TOO_LATE)

    async def _end(self, run: TaskRun, problem: str) -> None:
        log.info("run %d of task %d: %s", run.id, run.task_id, problem)
        async with self._database.session() as session:
            await TaskRepository(session, Scope.system()).note_run(
                run.id, is_due=False, status=RunStatus.FAILED, problem=problem, finished_ms=self._clock()
            )
            await session.commit()

    async def _save_steps(self, run_id: int, steps: Sequence[TaskRunStep]) -> None:
        status = status_of_all(step.status for step in steps)
        async with self._database.asynchronous_commit() as session:
            await TaskRepository(session, Scope.system()).note_run(
                run_id,
                is_due=False,
                steps=[step.model_dump(mode="json") for step in steps],
                status=status,
                finished_ms=None if status is RunStatus.PENDING else self._clock(),
            )
            await session.commit()


def _request_id(run: TaskRun, place: int) -> str:
    """Of the command of a step: it is requested once, however often this is tried."""
    return f"task-{run.id:08d}-{place:02d}"


def _with_problem(step: TaskRunStep, problem: str, detail: str = "") -> TaskRunStep:
    changes = {"status": RunStatus.FAILED, "problem": problem, "detail": detail[:200]}
    return step.model_copy(update=changes)
