"""Which reading is due next: a pure deadline queue; a missed cycle is counted and never made up for."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class Cycle(Generic[T]):
    """Something to be done every period_s. due: when next; missed: periods that passed without it."""

    what: T
    period_s: float
    due: float = 0.0
    missed: int = 0


class Schedule(Generic[T]):
    """Cycles by the time when they are due; equal times in the order of their last turn."""

    def __init__(self, cycles: Iterable[Cycle[T]], now: float) -> None:
        self._turn = 0
        self._queue: list[tuple[float, int, Cycle[T]]] = []
        for cycle in cycles:
            cycle.due = now
            self._push(cycle)

    @property
    def next_due(self) -> float | None:
        return self._queue[0][0] if self._queue else None

    def take(self, now: float) -> Cycle[T] | None:
        """The most overdue cycle, out of the queue until done() puts it back; None when none is due."""
        if not self._queue or self._queue[0][0] > now:
            return None
        return heapq.heappop(self._queue)[2]

    def done(self, cycle: Cycle[T], now: float) -> None:
        """Back into the queue on its own grid; periods that have passed are counted as missed."""
        cycle.due += cycle.period_s
        if cycle.due <= now:
            passed = int((now - cycle.due) / cycle.period_s) + 1
            cycle.missed += passed
            cycle.due += passed * cycle.period_s
        self._push(cycle)

    def _push(self, cycle: Cycle[T]) -> None:
        self._turn += 1
        heapq.heappush(self._queue, (cycle.due, self._turn, cycle))
