"""Runs the timed tasks of this gateway: each run is noted, then made, then reported (C-171 to C-178)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from edge_agent.config.model import Point
from edge_agent.errors import StoreFull
from edge_agent.model import PointKey, Sample
from edge_agent.store.database import to_the_end
from edge_agent.store.task_log import HeldTasks, TaskLog
from edge_agent.system.clock import Clock, clock_set, wait
from edge_agent.tasks.decided import Decided, Decision, Span
from edge_agent.tasks.plan import Plan
from edge_agent.tasks.task_set import task_set
from edge_agent.tasks.writing import Execute, RunWriter, results_if_stopped
from edge_contract.edge_tasks import (
    INTERRUPTED,
    MISSED,
    EdgeTask,
    EdgeTaskRun,
    EdgeTasks,
    TaskProblem,
    TaskReport,
    TaskState,
    tasks_hash,
)
from edge_contract.errors import PayloadError
from edge_contract.fields import fitting
from edge_contract.limits import MAX_EDGE_TASKS, MAX_EVENTS_BYTES, MAX_TASK_RUNS

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often the clock is looked at."""

IDLE_S = 60.0
"""Without tasks."""

MAX_RUNNING = 32
"""Runs at a time; others begin when one of them has ended, as far as they are on time then."""

RETRY_S = 1.0
"""Pause while the medium is full: what cannot be noted is not begun."""


@dataclass(frozen=True)
class TaskRow:
    """A task for the gateway's own page. last: its newest run; problem: why it does not run, as a code."""

    title: str
    next_ms: int | None
    last: EdgeTaskRun | None
    problem: str


class _State(msgspec.Struct, frozen=True):
    """decided: of each task, by number; given_back: as the reports say it (TaskReport.states)."""

    decided: dict[int, tuple[Span, ...]]
    given_back: dict[int, int]


class TaskRunner:
    """open() before the bus starts, run() beside it, finish() when it has ended. changed: set when there is
    something to report. newest: the newest sample of a point.
    """

    def __init__(
        self,
        points: Mapping[PointKey, Point],
        newest: Callable[[PointKey], Sample | None],
        stored: TaskLog,
        execute: Execute,
        clock: Clock,
    ) -> None:
        self.changed = asyncio.Event()
        self._points = points
        self._stored = stored
        self._clock = clock
        self._writer = RunWriter(points, newest, execute, clock)
        self._given: Sequence[EdgeTask] = ()
        self._plans: dict[int, Plan] = {}
        self._decided: dict[int, Decided] = {}  # of every task that the cloud gave
        self._given_back: dict[int, int] = {}
        self._problems: Sequence[TaskProblem] = ()
        self._hash: str | None = None
        self._confirmed: str | None = None
        self._running: dict[int, tuple[EdgeTask, asyncio.Task[None]]] = {}  # by the number of the run
        self._ending: set[int] = set()
        self._waiting: list[EdgeTaskRun] = []
        self._acknowledged: set[int] = set()
        self._last: dict[int, EdgeTaskRun] = {}
        self._dropped = 0
        self._is_full = False
        self._changing = asyncio.Lock()
        self._wake = asyncio.Event()

    async def open(self) -> None:
        """Take up the tasks that are held, where they were. Raises StoreFull."""
        held = await self._stored.held()
        if held is None:
            return
        await self._stored.interrupt()
        state = msgspec.json.decode(held.state, type=_State)
        self._decided = {number: Decided(spans) for number, spans in state.decided.items()}
        self._given_back = state.given_back
        self._switch(msgspec.json.decode(held.tasks, type=EdgeTasks))
        self._last = {run.task: run for run in await self._stored.newest()}
        await self._read_waiting()
        log.info("%d timed tasks run here, %d do not", len(self._plans), len(self._problems))

    async def run(self) -> None:
        """Until cancelled; then runs that go on have an unknown outcome."""
        try:
            while True:
                await wait(self._clock, self._wake, LOOK_S if self._plans else IDLE_S)
                try:
                    await self._forget()
                    await self.look()
                    self._is_full = False
                except StoreFull as error:
                    if not self._is_full:
                        log.error("timed tasks wait until they can be noted: %s", error)
                    self._is_full = True
        finally:
            tasks = [task for _, task in self._running.values()]
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)

    async def finish(self) -> None:
        """The bus has ended: what a stop has interrupted is told so at the next start too, if not now."""
        try:
            await self._stored.interrupt()
        except StoreFull as error:
            log.warning("interrupted runs of timed tasks are noted at the next start: %s", error)

    async def look(self) -> None:
        """Note what is due, and begin it. Raises StoreFull: then nothing is begun."""
        async with self._changing:
            now_ms = self._clock.now_ms()
            if not clock_set(now_ms):
                return
            looked = [(plan, plan.look(now_ms)) for plan in self._plans.values()]
            made = [(plan, decision) for plan, decision in looked if decision is not None]
            room = MAX_RUNNING - len(self._running)
            is_run = [decision.due.run_ms is not None for _, decision in made]
            chosen = [each for at, each in enumerate(made) if not is_run[at] or sum(is_run[: at + 1]) <= room]
            if chosen:
                await to_the_end(self._begin(chosen, now_ms))

    async def take(self, tasks: EdgeTasks) -> None:
        """Other tasks of the cloud, durable when this returns. PayloadError when they are not those that
        their hash names; StoreFull.
        """
        if tasks_hash(tasks.tasks) != tasks.hash:
            raise PayloadError("hash", "of the tasks that come with it")
        await to_the_end(self._replace(tasks))
        self._wake.set()
        self.changed.set()

    async def withdraw(self) -> None:
        """The cloud runs the tasks itself. Raises StoreFull."""
        if self._given:
            await self.take(EdgeTasks(hash=tasks_hash([])))

    def report(self, report_id: str) -> TaskReport:
        """What is held durably, and runs that wait. Tasks that came last are held once runs of those before
        them have ended.
        """
        if not self._ending:
            self._confirmed = self._hash
        states = [TaskState(task=number, after_ms=after) for number, after in self._given_back.items()]
        return TaskReport(
            id=report_id,
            hash=self._confirmed,
            problems=list(self._problems),
            states=states,
            dropped=self._dropped,
            results=self._waiting,
        )

    def acknowledged(self, report: TaskReport) -> None:
        """The cloud holds the runs of this report."""
        seqs = {run.seq for run in report.results}
        self._acknowledged |= seqs
        self._waiting = [run for run in self._waiting if run.seq not in seqs]
        if seqs:
            self._wake.set()

    def rows(self) -> list[TaskRow]:
        """Every task that the cloud gave, with its next run and its newest one."""
        problems = {each.task: each.code for each in self._problems}
        now_ms = self._clock.now_ms()
        plans = self._plans if clock_set(now_ms) else {}
        return [
            TaskRow(
                title=task.title,
                next_ms=plans[task.id].next_ms(now_ms) if task.id in plans else None,
                last=self._last.get(task.id),
                problem=problems.get(task.id, ""),
            )
            for task in self._given
        ]

    async def _replace(self, tasks: EdgeTasks) -> None:
        async with self._changing:
            now_ms = self._clock.now_ms()
            before = {task.id: task for task in self._given}
            after = {task.id: task for task in tasks.tasks}
            states = {state.task: state.after_ms for state in tasks.states}
            decided = self._now_decided()
            gone = {number: decided[number].after_ms(now_ms) for number in before.keys() - after.keys()}
            given_back = [each for each in {**self._given_back, **gone}.items() if each[0] not in after][
                -MAX_EDGE_TASKS:
            ]
            decided = {number: _with_state(decided.get(number), states.get(number)) for number in after}
            state = _state(decided, dict(given_back))
            document = msgspec.json.encode(EdgeTasks(hash=tasks.hash, tasks=tasks.tasks))
            await self._stored.replace(HeldTasks(document, state), list(after))
            self._decided, self._given_back = decided, dict(given_back)
            self._switch(tasks)
            self._last = {number: run for number, run in self._last.items() if number in after}
            self._ending |= {seq for seq, (task, _) in self._running.items() if after.get(task.id) != task}
            log.info("%d timed tasks of the cloud run here", len(self._plans))

    def _switch(self, tasks: EdgeTasks) -> None:
        running, self._problems = task_set(tasks.tasks, self._points)
        self._plans = {task.id: Plan(task, self._decided.get(task.id, Decided())) for task in running}
        self._given, self._hash = tasks.tasks, tasks.hash

    def _now_decided(self) -> dict[int, Decided]:
        return self._decided | {number: plan.decided for number, plan in self._plans.items()}

    async def _begin(self, made: Sequence[tuple[Plan, Decision]], now_ms: int) -> None:
        runs = [_run(plan.task, decision, now_ms) for plan, decision in made]
        decided = self._now_decided() | {plan.task.id: decision.decided for plan, decision in made}
        seqs = await self._stored.begin(_state(decided, self._given_back), runs)
        self._decided = decided
        for (plan, decision), run, seq in zip(made, runs, seqs, strict=True):
            plan.apply(decision, now_ms)
            noted = replace(run, seq=seq)
            if noted.missed:
                log.warning("timed task %d: %d runs were missed", noted.task, noted.missed)
            if noted.code == MISSED:
                self._last[noted.task] = noted
                continue
            task = asyncio.create_task(self._carry_out(plan.task, noted), name=f"timed task {noted.task}")
            self._running[seq] = plan.task, task
        if any(run.code == MISSED for run in runs):
            await self._read_waiting()

    async def _carry_out(self, task: EdgeTask, run: EdgeTaskRun) -> None:
        try:
            results = await self._writer.write(task)
            ended = replace(run, ended_ms=self._clock.now_ms(), code="", results=results)
            await self._end(ended)
            self._last[run.task] = ended
            await self._read_waiting()
        finally:
            del self._running[run.seq]
            self._ending.discard(run.seq)
            self._wake.set()
            self.changed.set()

    async def _end(self, run: EdgeTaskRun) -> None:
        while True:
            try:
                await self._stored.end(run)
                return
            except StoreFull as error:
                log.error("what came of a timed task cannot be noted yet: %s", error)
                await self._clock.sleep(RETRY_S)

    async def _forget(self) -> None:
        """What the cloud holds need not wait any more. Raises StoreFull."""
        seqs = sorted(self._acknowledged)
        if seqs:
            await self._stored.acknowledged(seqs)
            self._acknowledged.difference_update(seqs)
            await self._read_waiting()

    async def _read_waiting(self) -> None:
        waiting = await self._stored.waiting(MAX_TASK_RUNS)
        self._waiting = fitting(
            [run for run in waiting if run.seq not in self._acknowledged], MAX_EVENTS_BYTES
        )
        self._dropped = await self._stored.dropped()
        self.changed.set()


def _run(task: EdgeTask, decision: Decision, now_ms: int) -> EdgeTaskRun:
    """As it is told when nothing more can be noted of it."""
    due = decision.due
    is_made = due.run_ms is not None
    return EdgeTaskRun(
        seq=1,
        task=task.id,
        version=task.version,
        planned_ms=due.run_ms or due.missed_ms or now_ms,
        begun_ms=now_ms,
        ended_ms=now_ms,
        missed=due.missed,
        code=INTERRUPTED if is_made else MISSED,
        results=results_if_stopped(task, now_ms) if is_made else [],
    )


def _with_state(own: Decided | None, after_ms: int | None) -> Decided:
    decided = own or Decided()
    return decided if after_ms is None else decided.with_span(0, after_ms)


def _state(decided: Mapping[int, Decided], given_back: Mapping[int, int]) -> bytes:
    spans = {number: each.spans for number, each in decided.items()}
    return msgspec.json.encode(_State(spans, dict(given_back)))
