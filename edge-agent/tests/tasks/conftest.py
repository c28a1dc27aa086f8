"""A gateway whose clock the test moves: tasks in, writes and runs out, on both stores."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from edge_agent.config.model import Point
from edge_agent.model import PointKey, PointKind, Quality, Sample
from edge_agent.store.base import Store
from edge_agent.store.memory import open_memory
from edge_agent.store.sqlite import open_sqlite
from edge_agent.tasks.runner import TaskRunner
from edge_contract.edge_tasks import (
    EdgeTask,
    EdgeTaskRun,
    EdgeTasks,
    TaskReport,
    TaskState,
    TaskWrite,
    tasks_hash,
)
from edge_contract.model import Value
from edge_contract.payloads import Command, CommandResult, Outcome
from edge_contract.tasks.schedule import Schedule, TaskKind

ZONE = "Europe/Berlin"
POINTS = [
    Point(slave="meter", name="level", address={}),
    Point(slave="meter", name="open", type=PointKind.SWITCH, address={}),
    Point(slave="pump", name="speed", rw="readwrite", address={}),
    Point(slave="pump", name="other", rw="readwrite", address={}),
    Point(slave="pump", name="run", type=PointKind.SWITCH, rw="readwrite", address={}),
    Point(slave="pump", name="secret", rw="writeonly", address={}),
    Point(slave="valve", name="lift", rw="readwrite", address={}),
]
KEYS = {PointKey(point.slave, point.name): point for point in POINTS}
SPEED = TaskWrite(slave="pump", point="speed", value=5)


def ms(text: str) -> int:
    """When clocks in ZONE show this."""
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(ZONE)).timestamp() * 1000)


async def until(condition: Callable[[], bool]) -> None:
    """Raises TimeoutError."""
    for _ in range(20_000):
        if condition():
            return
        await asyncio.sleep(0.001)
    raise TimeoutError


class SetClock:
    """wall_ms: what the wall clock shows beyond the monotonic one, for who sets it."""

    def __init__(self, text: str) -> None:
        self.wall_ms = ms(text)
        self.passed_ms = 0

    def show(self, text: str) -> None:
        self.wall_ms = ms(text) - self.passed_ms

    def now_ms(self) -> int:
        return self.wall_ms + self.passed_ms

    def monotonic(self) -> float:
        return self.passed_ms / 1000

    async def sleep(self, seconds: float) -> None:
        self.passed_ms += round(seconds * 1000)


class Scene:
    """writes: what was written, by the name of the point. hold: writes to these slaves go on until it is
    set.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = SetClock("2026-11-27T07:59:00")
        self.samples: dict[PointKey, Sample] = {}
        self.writes: list[tuple[str, Value]] = []
        self.hold: dict[str, asyncio.Event] = {}
        self.answer: tuple[str, str, Outcome] = ("resp", "", Outcome.DONE)
        self.given = 0

    async def start(self) -> None:
        """As a process that begins anew."""
        self.runner = TaskRunner(KEYS, self.samples.get, self.store.tasks, self.execute, self.clock)
        await self.runner.open()

    async def execute(self, command: Command, who: str) -> CommandResult:
        self.writes.append((f"{command.slave}.{command.point}", command.value))
        if command.slave in self.hold:
            await self.hold[command.slave].wait()
        state, code, outcome = self.answer
        return CommandResult(
            id=command.id,
            state=state,
            t_ms=self.clock.now_ms(),
            value=command.value,
            code=code,
            outcome=outcome,
        )

    def value(self, name: str, value: Value, quality: Quality = Quality.GOOD) -> None:
        slave, point = name.split(".")
        self.samples[PointKey(slave, point)] = Sample(1, self.clock.now_ms(), value, quality)

    async def give(self, *tasks: EdgeTask, after: str | None = "2026-11-27T07:59:00") -> str:
        """after: up to when the cloud has decided their runs. The hash of the tasks."""
        digest = tasks_hash(tasks)
        states = [] if after is None else [TaskState(task=task.id, after_ms=ms(after)) for task in tasks]
        await self.runner.take(EdgeTasks(hash=digest, tasks=list(tasks), states=states))
        return digest

    async def at(self, text: str) -> None:
        """The clock shows this, and what is due is begun; it ends, unless it is held."""
        self.clock.show(text)
        await self.look()

    async def look(self) -> None:
        await self.runner.look()
        await self.ends()

    async def ends(self) -> None:
        """Until nothing goes on but what is held."""
        await until(lambda: len(self.runner._running) <= bool(self.hold))

    def report(self) -> TaskReport:
        return self.runner.report("0" * 16)

    def runs(self) -> list[EdgeTaskRun]:
        return self.report().results

    def planned(self) -> list[tuple[int, int]]:
        """Moments of the runs that wait, and how many were missed with each."""
        return [(run.planned_ms, run.missed) for run in self.runs()]


def daily(number: int = 1, *times: str, writes: list[TaskWrite] | None = None, **fields: object) -> EdgeTask:
    schedule = Schedule(kind=TaskKind.DAILY, zone=ZONE, times=list(times) or ["08:00"], **fields)  # type: ignore[arg-type]
    return EdgeTask(id=number, version=1, title=f"task {number}", schedule=schedule, writes=writes or [SPEED])


@pytest.fixture(params=["sqlite", "memory"])
async def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Scene]:
    if request.param == "memory":
        made = Scene(open_memory(1 << 20))
        await made.start()
        yield made
        return
    async with open_sqlite(tmp_path, 16 << 20, lambda: 1, time.monotonic) as store:
        made = Scene(store)
        await made.start()
        yield made
