"""Interface of what the store keeps of timed tasks: base.py's, in a file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from edge_contract.edge_tasks import EdgeTaskRun


class RunState(IntEnum):
    """BEGUN: nothing is known of its end. WAITING: for the cloud. HELD: by the cloud."""

    BEGUN = 0
    WAITING = 1
    HELD = 2


@dataclass(frozen=True)
class HeldTasks:
    """JSON: EdgeTasks without states, and what of each task is decided."""

    tasks: bytes
    state: bytes


class TaskLog(Protocol):
    """Timed tasks that the gateway runs, and their runs. Each write is durable before it returns, but for
    acknowledged(); all raise StoreFull. Of more than MAX_WAITING_RUNS that wait the oldest go, counted.
    """

    async def held(self) -> HeldTasks | None:
        """None: there never were any."""

    async def replace(self, held: HeldTasks, tasks: Sequence[int]) -> None:
        """Other tasks, with these numbers; what the cloud holds of others is forgotten."""

    async def begin(self, state: bytes, runs: Sequence[EdgeTaskRun]) -> list[int]:
        """Another state with the runs that it brought about, in one transaction; their numbers. One that
        has code MISSED has ended.
        """

    async def end(self, run: EdgeTaskRun) -> None:
        """What came of a run, by its number."""

    async def interrupt(self) -> None:
        """Runs that were begun have ended as they were noted."""

    async def waiting(self, limit: int) -> list[EdgeTaskRun]:
        """Runs that have ended and that the cloud does not hold, the oldest first."""

    async def newest(self) -> list[EdgeTaskRun]:
        """The newest run of each task."""

    async def dropped(self) -> int:
        """Runs that went unsent."""

    async def acknowledged(self, seqs: Sequence[int]) -> None:
        """The cloud holds these; the newest of each task stays for the gateway's own page."""
