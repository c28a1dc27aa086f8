"""A task's body as the contract's schedule, and what it is about. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from cloud.domains.tasks.schemas import (
    ActionBody,
    FormulaAction,
    GatewayAction,
    PresetAction,
    ScheduleBody,
    WriteAction,
)
from cloud.errors import ParameterError
from edge_contract.tasks.runs import next_runs
from edge_contract.tasks.schedule import Schedule, TaskKind, Window

NEEDS_MANAGER = frozenset({"reload", "reboot", "reallocate"})
"""Commands that are for who manages gateways."""

_ACTIONS: TypeAdapter[list[ActionBody]] = TypeAdapter(list[ActionBody])


@dataclass(frozen=True)
class CalendarDays:
    """Of a holiday calendar."""

    off: Sequence[str] = ()
    on: Sequence[str] = ()


NO_CALENDAR = CalendarDays()


@dataclass
class Subjects:
    """Numbers that actions name."""

    written: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    presets: set[int] = field(default_factory=set)
    devices: set[int] = field(default_factory=set)

    @property
    def points(self) -> set[int]:
        return self.written | self.read


def schedule_of(body: ScheduleBody, days: CalendarDays = NO_CALENDAR) -> Schedule:
    """Raises ParameterError that names the field."""
    try:
        return Schedule(
            kind=TaskKind(body.kind),
            zone=body.zone,
            times=body.times,
            weekdays=body.weekdays,
            interval_min=body.interval_min,
            window=Window(begin=body.window.begin, end=body.window.end),
            begin=body.begin,
            end=body.end,
            off=list(days.off),
            on=list(days.on),
            late_min=body.late_min,
        )
    except ValueError as error:
        name, _, rule = str(error).partition(": ")
        raise ParameterError(f"schedule.{name}", rule, reason=f"task.schedule.{name}") from None


def next_ms(schedule: Schedule, after_ms: int) -> int | None:
    """The next run; None for none."""
    return next(iter(next_runs(schedule, after_ms, 1)), None)


def actions_of(stored: object) -> list[ActionBody]:
    """Of what is stored of a task."""
    return _ACTIONS.validate_python(stored)


def subjects(actions: Iterable[ActionBody]) -> Subjects:
    """What actions are about."""
    named = Subjects()
    for action in actions:
        match action:
            case WriteAction():
                named.written.add(action.dsid)
            case FormulaAction():
                named.written.add(action.dsid)
                named.read.add(action.source_dsid)
            case PresetAction():
                named.presets.add(action.preset_id)
            case GatewayAction():
                named.devices.add(action.device_id)
    return named
