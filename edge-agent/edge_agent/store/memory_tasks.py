"""Timed tasks and their runs in memory, gone with the process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from edge_agent.store.task_log import HeldTasks, RunState
from edge_contract.edge_tasks import MISSED, EdgeTaskRun
from edge_contract.limits import MAX_WAITING_RUNS


@dataclass
class MemoryTasks:
    """store.task_log.TaskLog."""

    _held: HeldTasks | None = None
    _runs: dict[int, tuple[RunState, EdgeTaskRun]] = field(default_factory=dict)
    _next_seq: int = 1
    _dropped: int = 0

    async def held(self) -> HeldTasks | None:
        return self._held

    async def replace(self, held: HeldTasks, tasks: Sequence[int]) -> None:
        self._held = held
        self._runs = {
            seq: (state, run)
            for seq, (state, run) in self._runs.items()
            if state is not RunState.HELD or run.task in tasks
        }

    async def begin(self, state: bytes, runs: Sequence[EdgeTaskRun]) -> list[int]:
        if self._held is not None:
            self._held = HeldTasks(self._held.tasks, state)
        seqs = list(range(self._next_seq, self._next_seq + len(runs)))
        self._next_seq += len(runs)
        for seq, run in zip(seqs, runs, strict=True):
            noted = RunState.WAITING if run.code == MISSED else RunState.BEGUN
            self._runs[seq] = noted, replace(run, seq=seq)
        self._drop()
        return seqs

    async def end(self, run: EdgeTaskRun) -> None:
        self._runs[run.seq] = RunState.WAITING, run
        self._drop()

    async def interrupt(self) -> None:
        for seq, (state, run) in self._runs.items():
            if state is RunState.BEGUN:
                self._runs[seq] = RunState.WAITING, run
        self._drop()

    async def waiting(self, limit: int) -> list[EdgeTaskRun]:
        return [self._runs[seq][1] for seq in self._of(RunState.WAITING)[:limit]]

    async def newest(self) -> list[EdgeTaskRun]:
        return list({self._runs[seq][1].task: self._runs[seq][1] for seq in sorted(self._runs)}.values())

    async def dropped(self) -> int:
        return self._dropped

    async def acknowledged(self, seqs: Sequence[int]) -> None:
        for seq in seqs:
            if seq in self._runs:
                self._runs[seq] = RunState.HELD, self._runs[seq][1]
        kept = {run.seq for run in await self.newest()}
        for seq in self._of(RunState.HELD):
            if seq not in kept:
                del self._runs[seq]

    def _of(self, state: RunState) -> list[int]:
        return sorted(seq for seq, (of, _) in self._runs.items() if of is state)

    def _drop(self) -> None:
        for seq in self._of(RunState.WAITING)[:-MAX_WAITING_RUNS]:
            del self._runs[seq]
            self._dropped += 1
