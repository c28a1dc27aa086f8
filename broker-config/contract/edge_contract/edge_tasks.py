"""Timed tasks that a gateway runs itself, and what it says of them (C-170 to C-178)."""

from __future__ import annotations

from collections.abc import Sequence as Items
from typing import Annotated, Literal

import msgspec

from edge_contract.fields import (
    ControlMessage,
    Count,
    Hash,
    Hex16,
    Millis,
    Name,
    Scalar,
    Sequence,
    Text,
    content_hash,
)
from edge_contract.limits import MAX_EDGE_TASKS, MAX_TASK_RUNS, MAX_TASK_WRITES
from edge_contract.tasks.schedule import Schedule

TaskNumber = Annotated[int, msgspec.Meta(ge=1)]
Step = Annotated[int, msgspec.Meta(ge=0, le=99)]

MISSED, INTERRUPTED, NO_VALUE, NOT_FITTING = "missed", "interrupted", "no_value", "not_fitting"


class TaskSource(ControlMessage, frozen=True, kw_only=True):
    """A point of the gateway, converted: value * ratio + bias (tasks.conversion)."""

    slave: Name
    point: Name
    ratio: float = 1.0
    bias: float = 0.0


class TaskWrite(ControlMessage, frozen=True, kw_only=True):
    """A value for a point, or what source says when the run begins. step: which of the task's actions it is
    of, counted from 0.
    """

    slave: Name
    point: Name
    value: Scalar = None
    source: TaskSource | None = None
    step: Step = 0


class EdgeTask(ControlMessage, frozen=True, kw_only=True):
    """A task. id, version: the cloud's numbers of it and of its changes. title: for the gateway's page."""

    id: TaskNumber
    version: Count
    title: Text = ""
    schedule: Schedule
    writes: Annotated[list[TaskWrite], msgspec.Meta(min_length=1, max_length=MAX_TASK_WRITES)]


class TaskState(ControlMessage, frozen=True, kw_only=True):
    """Runs of the task up to this moment are decided: made, or missed."""

    task: TaskNumber
    after_ms: Millis


class EdgeTasks(ControlMessage, frozen=True, kw_only=True):
    """Every task that the gateway runs from now on. hash: tasks_hash(tasks). states: what the cloud has
    decided.
    """

    hash: Hash
    tasks: Annotated[list[EdgeTask], msgspec.Meta(max_length=MAX_EDGE_TASKS)] = []
    states: Annotated[list[TaskState], msgspec.Meta(max_length=MAX_EDGE_TASKS)] = []

    def __post_init__(self) -> None:
        if len({each.id for each in self.tasks}) < len(self.tasks):
            raise ValueError("tasks: each number once")


class TaskProblem(ControlMessage, frozen=True, kw_only=True):
    """A task that the gateway does not run. code: no_such_slave, no_such_point, read_only, write_only,
    unfit.
    """

    task: TaskNumber
    code: Text
    detail: Text = ""


class TaskWriteResult(ControlMessage, frozen=True, kw_only=True):
    """value: what was to be written, None when that was not known; read: what was read back; t_ms: when it
    ended.

    outcome: unknown when it may have been carried out. code: why it was not, as of commands, or no_value,
    not_fitting, interrupted.
    """

    slave: Name
    point: Name
    step: Step = 0
    value: Scalar = None
    t_ms: Millis
    outcome: Literal["done", "failed", "unknown"] = "done"
    code: Text = ""
    detail: Text = ""
    read: Scalar = None


class EdgeTaskRun(ControlMessage, frozen=True, kw_only=True):
    """A run that has ended. seq: the gateway's number of it, rising. planned_ms: its moment by the schedule,
    of runs that were missed the newest one's; begun_ms, ended_ms: when it was made.

    missed: runs that were left out before it, or, with code missed, by it. results: in the order of the
    task's writes; none of a missed one.
    """

    seq: Sequence
    task: TaskNumber
    version: Count
    planned_ms: Millis
    begun_ms: Millis
    ended_ms: Millis
    missed: Count = 0
    code: Text = ""
    results: Annotated[list[TaskWriteResult], msgspec.Meta(max_length=MAX_TASK_WRITES)] = []


class TaskReport(ControlMessage, frozen=True, kw_only=True):
    """What the gateway holds durably, and runs that the cloud has not acknowledged, the oldest first.

    id: of this report, for its acknowledgement. hash: None while it has got no tasks. states: of tasks that
    it gave back with these. dropped: runs that went unsent, because too many waited.
    """

    id: Hex16
    hash: Hash | None = None
    problems: Annotated[list[TaskProblem], msgspec.Meta(max_length=MAX_EDGE_TASKS)] = []
    states: Annotated[list[TaskState], msgspec.Meta(max_length=MAX_EDGE_TASKS)] = []
    dropped: Count = 0
    results: Annotated[list[EdgeTaskRun], msgspec.Meta(max_length=MAX_TASK_RUNS)] = []


def tasks_hash(tasks: Items[EdgeTask]) -> str:
    """Names the tasks, the same in any order."""
    return content_hash(sorted(tasks, key=lambda each: each.id), EdgeTask)
