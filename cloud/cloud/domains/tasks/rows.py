"""Rows of tasks and their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cloud.core.gateway_work import HomeKind
from cloud.domains.commands.schemas import NamedPreset
from cloud.domains.devices.rows import value_facts
from cloud.domains.tasks.models import HolidayCalendar, Task, TaskRun
from cloud.domains.tasks.planning import actions_of, subjects
from cloud.domains.tasks.repository import PointPlace
from cloud.domains.tasks.schemas import (
    CalendarRow,
    RunStatus,
    ScheduleBody,
    TaskDevice,
    TaskPoint,
    TaskRow,
    TaskRunRow,
    TaskRunStep,
)


def task_row(
    task: Task,
    points: Mapping[int, PointPlace],
    presets: Sequence[NamedPreset],
    devices: Mapping[int, str],
    calendars: Mapping[int, str],
    last: TaskRun | None,
    lost_runs: int,
) -> TaskRow:
    """A task as the API shows it; the maps may hold more than it names."""
    actions = actions_of(task.actions)
    named = subjects(actions)
    return TaskRow(
        id=task.id,
        title=task.title,
        enabled=task.enabled,
        schedule=ScheduleBody.model_validate(task.schedule),
        calendar_id=task.calendar_id,
        calendar_title=calendars.get(task.calendar_id or 0, ""),
        actions=actions,
        points=[_point(points[dsid]) for dsid in sorted(named.points) if dsid in points],
        presets=[preset for preset in presets if preset.id in named.presets],
        devices=[
            TaskDevice(device_id=number, device_title=devices[number])
            for number in sorted(named.devices)
            if number in devices
        ],
        next_ms=task.next_ms if task.enabled else None,
        last=None if last is None else run_row(last),
        home=HomeKind(task.home) if task.enabled else HomeKind.CLOUD,
        home_reason=task.home_reason if task.enabled else "",
        lost_runs=lost_runs,
        user_name=task.user_name,
        created_ms=task.created_ms,
        changed_ms=task.changed_ms,
    )


def run_row(run: TaskRun) -> TaskRunRow:
    """A run as the API shows it."""
    return TaskRunRow(
        id=run.id,
        planned_ms=run.planned_ms,
        noted_ms=run.noted_ms,
        finished_ms=run.finished_ms,
        status=RunStatus(run.status),
        problem=run.problem,
        missed=run.missed,
        user_name=run.user_name,
        steps=[TaskRunStep.model_validate(step) for step in run.steps or []],
    )


def calendar_row(calendar: HolidayCalendar, user_name: str, tasks: int) -> CalendarRow:
    """A calendar as the API shows it."""
    return CalendarRow(
        id=calendar.id,
        title=calendar.title,
        off=calendar.off,
        on=calendar.on,
        user_name=user_name,
        tasks=tasks,
        changed_ms=calendar.changed_ms,
    )


def _point(place: PointPlace) -> TaskPoint:
    device, slave, point = place
    return TaskPoint(
        dsid=point.id,
        device_id=device.id,
        device_title=device.display_title,
        slave_title=slave.title,
        ds_title=point.title,
        **value_facts(point),
    )
