"""Runs that gateways made: in the log of their task and in the command log, each once."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.text import storable
from cloud.domains.commands.gateway_writes import GatewayWrite, GatewayWriter, note_gateway_writes
from cloud.domains.commands.schemas import CommandOrigin, CommandTarget
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.tasks.home_repository import TaskHomeRepository
from cloud.domains.tasks.models import Task, TaskRun
from cloud.domains.tasks.outcomes import status_of_all
from cloud.domains.tasks.planning import actions_of
from cloud.domains.tasks.schemas import FormulaAction, PresetAction, RunStatus, TaskRunStep
from edge_contract.edge_tasks import (
    MISSED,
    NO_VALUE,
    NOT_FITTING,
    EdgeTaskRun,
    TaskWriteResult,
)
from edge_contract.limits import MAX_TEXT
from edge_contract.model import Value
from edge_contract.payloads import Outcome

NO_WRITE = frozenset({NO_VALUE, NOT_FITTING})
"""Codes of what never became a write."""

STATUS = {"done": RunStatus.DONE, "failed": RunStatus.FAILED, "unknown": RunStatus.UNKNOWN}

Places = dict[tuple[str, str], tuple[Device, SlaveDevice, DataPoint]]


async def note_runs(
    session: AsyncSession, device_id: int, sent: Collection[int], runs: Sequence[EdgeTaskRun]
) -> None:
    """In the caller's transaction, each once. sent: tasks that this gateway was sent; what it says of others
    is not kept, as of tasks that are gone.
    """
    repository = TaskHomeRepository(session)
    named = [run for run in runs if run.task in sent]
    if not named:
        return
    tasks = await repository.locked({run.task for run in named})
    known = await repository.planned(tasks.keys(), {run.planned_ms for run in named})
    device, places = await repository.device(device_id), await repository.points(device_id)
    if device is None:
        return
    for run in named:
        key = run.task, run.version, run.planned_ms
        if run.task not in tasks or key in known:
            continue
        known.add(key)
        task = tasks[run.task]
        session.add(_row(session, device, places, task, run))
        if run.version == task.version:
            task.after_ms = max(task.after_ms, run.planned_ms)


def _row(session: AsyncSession, device: Device, places: Places, task: Task, run: EdgeTaskRun) -> TaskRun:
    steps = [
        _step(session, device, places, task, run, step, [each for each in run.results if each.step == step])
        for step in sorted({each.step for each in run.results})
    ]
    is_missed = run.code == MISSED or not steps
    return TaskRun(
        task_id=task.id,
        version=run.version,
        planned_ms=run.planned_ms,
        noted_ms=run.begun_ms,
        finished_ms=run.ended_ms,
        is_due=False,
        steps=[step.model_dump(mode="json") for step in steps] or None,
        status=RunStatus.FAILED if is_missed else status_of_all(step.status for step in steps),
        problem=storable(run.code, 80),
        missed=min(run.missed, 2**31 - 1),
        user_id=task.user_id,
        user_name=task.user_name,
        granted=task.granted,
    )


def _step(
    session: AsyncSession,
    device: Device,
    places: Places,
    task: Task,
    run: EdgeTaskRun,
    step: int,
    results: Sequence[TaskWriteResult],
) -> TaskRunStep:
    """An action, with its writes in the command log. Of an earlier version of the task its kind is not known:
    it counts as a write.
    """
    actions = actions_of(task.actions) if run.version == task.version else []
    action = actions[step] if step < len(actions) else None
    preset_id = action.preset_id if isinstance(action, PresetAction) else None
    writes = [_write(device, places, each) for each in results if each.code not in NO_WRITE]
    origin = CommandOrigin(kind="task", id=task.id, title=task.title)
    writer = GatewayWriter(device.id, preset_id, origin, task.user_id, task.user_name)
    bad = next((each for each in results if each.outcome != "done"), None)
    first = results[0]
    is_one = len(results) == 1 and preset_id is None
    place = places.get((first.slave, first.point))
    return TaskRunStep(
        kind="preset" if preset_id else "formula" if isinstance(action, FormulaAction) else "write",
        status=status_of_all(STATUS[each.outcome] for each in results),
        problem=bad.code if bad is not None and bad.code in NO_WRITE else "",
        dsid=place[2].id if is_one and place is not None else None,
        preset_id=preset_id,
        value=_storable(first.value) if is_one else None,
        command_id=note_gateway_writes(session, writer, writes),
        code="" if bad is None or bad.code in NO_WRITE else storable(bad.code, MAX_TEXT),
        detail="" if bad is None else storable(bad.detail, MAX_TEXT),
        read=_storable(first.read) if is_one else None,
        count=len(results),
        done=sum(each.outcome == "done" for each in results),
    )


def _write(device: Device, places: Places, result: TaskWriteResult) -> GatewayWrite:
    place = places.get((result.slave, result.point))
    target = CommandTarget(
        gateway_id=device.gateway_id,
        device_title=device.display_title,
        slave=result.slave,
        slave_title="" if place is None else place[1].title,
        point=result.point,
        ds_title="" if place is None else place[2].title,
        unit="" if place is None else place[2].unit,
    )
    return GatewayWrite(
        dsid=None if place is None else place[2].id,
        target=target,
        value=_storable(result.value),
        result_value=_storable(result.read),
        outcome=Outcome(result.outcome),
        code=storable(result.code, MAX_TEXT),
        at_ms=result.t_ms,
    )


def _storable(value: Value) -> Value:
    return storable(value, MAX_TEXT) if isinstance(value, str) else value
