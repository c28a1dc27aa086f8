"""The writes of one run: slaves beside each other, those of one slave in their order (C-178)."""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from edge_agent.config.model import Point
from edge_agent.model import PointKey, Quality, Sample, Value
from edge_agent.system.clock import Clock
from edge_agent.tasks.task_set import sort_of_point, target_of
from edge_contract.edge_tasks import (
    INTERRUPTED,
    NO_VALUE,
    NOT_FITTING,
    EdgeTask,
    TaskWrite,
    TaskWriteResult,
)
from edge_contract.limits import MAX_TEXT
from edge_contract.payloads import Command, CommandAction, CommandResult, CommandState, Outcome
from edge_contract.tasks.conversion import converted

EXPIRES_S = 30.0
"""After its beginning nothing of a run begins any more: an old write may harm."""

Execute = Callable[[Command, str], Awaitable[CommandResult]]
"""A command and who asks for it; never raises."""


@dataclass(frozen=True)
class RunWriter:
    """newest: the newest sample of a point."""

    points: Mapping[PointKey, Point]
    newest: Callable[[PointKey], Sample | None]
    execute: Execute
    clock: Clock
    _count: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def write(self, task: EdgeTask) -> list[TaskWriteResult]:
        """What came of each write, in the task's order. What sources say counts as it is before the first."""
        until_s = self.clock.monotonic() + EXPIRES_S
        values = [self._value(write) for write in task.writes]
        results: dict[int, TaskWriteResult] = {}
        of_slave: dict[str, list[int]] = defaultdict(list)
        for at, write in enumerate(task.writes):
            of_slave[write.slave].append(at)

        async def write_all(places: list[int]) -> None:
            for at in places:
                value, code = values[at]
                if code:
                    results[at] = self._failed(task.writes[at], code)
                else:
                    results[at] = await self._write(task, task.writes[at], value, until_s)

        async with asyncio.TaskGroup() as group:
            for places in of_slave.values():
                group.create_task(write_all(places))
        return [results[at] for at in range(len(task.writes))]

    def _value(self, write: TaskWrite) -> tuple[Value, str]:
        """What is to be written, or why nothing is, as a code."""
        source = write.source
        if source is None:
            return write.value, ""
        sample = self.newest(PointKey(source.slave, source.point))
        if sample is None or sample.value is None or sample.quality != Quality.GOOD:
            return None, NO_VALUE
        to_number = sort_of_point(self.points[target_of(write)]) == "number"
        value = converted(sample.value, source.ratio, source.bias, to_number=to_number)
        return value, NOT_FITTING if value is None else ""

    async def _write(self, task: EdgeTask, write: TaskWrite, value: Value, until_s: float) -> TaskWriteResult:
        left_ms = round((until_s - self.clock.monotonic()) * 1000)
        command = Command(
            id=f"task-{task.id:010d}-{next(self._count):010d}",
            action=CommandAction.WRITE,
            expires_ms=max(self.clock.now_ms() + left_ms, 0),
            slave=write.slave,
            point=write.point,
            value=_cut(value),
        )
        result = await self.execute(command, f"timed task {task.id} ({task.title})")
        is_done = result.state == CommandState.RESP.value
        is_unknown = result.outcome is Outcome.UNKNOWN
        return TaskWriteResult(
            slave=write.slave,
            point=write.point,
            step=write.step,
            value=_cut(value),
            t_ms=self.clock.now_ms(),
            outcome="done" if is_done else "unknown" if is_unknown else "failed",
            code="" if is_done else (result.code or "failed")[:MAX_TEXT],
            detail="" if is_done else result.detail[:MAX_TEXT],
            read=_cut(result.value),
        )

    def _failed(self, write: TaskWrite, code: str) -> TaskWriteResult:
        return TaskWriteResult(
            slave=write.slave,
            point=write.point,
            step=write.step,
            t_ms=self.clock.now_ms(),
            outcome="failed",
            code=code,
        )


def results_if_stopped(task: EdgeTask, now_ms: int) -> list[TaskWriteResult]:
    """Of a run that is begun and of which nothing more is known."""
    return [
        TaskWriteResult(
            slave=write.slave,
            point=write.point,
            step=write.step,
            value=write.value,
            t_ms=now_ms,
            outcome="unknown",
            code=INTERRUPTED,
        )
        for write in task.writes
    ]


def _cut(value: Value) -> Value:
    """A text as long as a message may carry it."""
    return value[:MAX_TEXT] if isinstance(value, str) else value
