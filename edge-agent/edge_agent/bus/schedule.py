"""Which reading is due next: a pure deadline queue; a missed cycle is counted and never made up for.

Among what is due the most urgent class goes first, within a class the most overdue. What is late by a whole
period of its own counts as most urgent, so that a busy port starves nobody; a suspect waits longer, for each
attempt costs the others a whole response time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import ceil, inf
from typing import Generic, TypeVar

T = TypeVar("T")

SUSPECT_WAITS_S = 30.0
"""On a line without a pause a silent slave is tried this often, however little time there is."""


BEAT_S = 0.01
BEATS = 100
"""A port whose cycles are all at least so many beats long may begin them up to a beat late."""
EARLY_S = 1e-6  # of rounding: what is due at a beat is not put off to the next


class Urgency(IntEnum):
    """Classes of readings; commands go before all of them."""

    ALARM = 0
    TREND = 1
    COUNTER = 2
    SUSPECT = 3  # of a slave that did not answer last time: when nothing else is due


@dataclass
class Cycle(Generic[T]):
    """Something to be done every period_s, delay_s after the period begins.

    due: when next; missed: periods that passed without it; worst_late_s: of all that were begun.
    """

    what: T
    period_s: float
    urgency: Urgency = Urgency.TREND
    delay_s: float = 0.0
    due: float = 0.0
    missed: int = 0
    worst_late_s: float = 0.0

    @property
    def missed_at(self) -> float:
        """When the period that is due is over."""
        return self.due + self.period_s


class Schedule(Generic[T]):
    """Cycles by the time when they are due; equal times in the order of their last turn."""

    def __init__(self, cycles: Iterable[Cycle[T]], now: float) -> None:
        self._turn = 0
        self._queues: list[list[tuple[float, int, Cycle[T]]]] = [[] for _ in Urgency]
        self._earliest = inf
        for cycle in cycles:
            cycle.due = now + cycle.delay_s
            self._push(cycle)

    @property
    def next_due(self) -> float | None:
        """When the next cycle is due, in seconds of the monotonic clock; None without any."""
        return None if self._earliest == inf else self._earliest

    def waits(self, now: float) -> bool:
        """Whether anything is due."""
        return now >= self._earliest

    def take(self, now: float, before: Urgency | None = None) -> Cycle[T] | None:
        """The next cycle, out of the queue until done() puts it back; None when none is due.

        before: only one that is more urgent than this.
        """
        if now < self._earliest:
            return None
        best: tuple[Urgency, float] | None = None
        chosen: list[tuple[float, int, Cycle[T]]] = []
        for queue in self._queues:
            if queue and queue[0][0] <= now:
                rank = self.urgency(queue[0][2], now), queue[0][0]
                if best is None or rank < best:
                    best, chosen = rank, queue
        if best is None or (before is not None and best[0] >= before):
            return None
        cycle = heapq.heappop(chosen)[2]
        self._earliest = min((queue[0][0] for queue in self._queues if queue), default=inf)
        cycle.worst_late_s = max(cycle.worst_late_s, now - cycle.due)
        return cycle

    @staticmethod
    def urgency(cycle: Cycle[T], now: float) -> Urgency:
        """Of a due cycle: its class, or the first one when it has waited long."""
        patience_s = SUSPECT_WAITS_S if cycle.urgency is Urgency.SUSPECT else cycle.period_s
        return Urgency.ALARM if now - cycle.due >= patience_s else cycle.urgency

    def done(self, cycle: Cycle[T], now: float) -> None:
        """Back into the queue on its own grid; periods that have passed are counted as missed."""
        cycle.due += cycle.period_s
        if cycle.due <= now:
            passed = int((now - cycle.due) / cycle.period_s) + 1
            cycle.missed += passed
            cycle.due += passed * cycle.period_s
        self._push(cycle)

    def bring_forward(self, missed: Callable[[T], bool], now: float) -> None:
        """Bring cycles forward that were missed in the period under way: it can still be read in full."""
        for queue in self._queues:
            missed_entries = [entry for entry in queue if entry[0] > now and missed(entry[2].what)]
            if missed_entries:
                queue[:] = [entry for entry in queue if entry not in missed_entries]
                heapq.heapify(queue)
            for _, _, cycle in missed_entries:
                cycle.due -= cycle.period_s
                self._push(cycle)

    def _push(self, cycle: Cycle[T]) -> None:
        self._turn += 1
        self._earliest = min(self._earliest, cycle.due)
        heapq.heappush(self._queues[cycle.urgency], (cycle.due, self._turn, cycle))


def keeps_beat(cycles: Sequence[Cycle[T]]) -> bool:
    """Whether a port with these cycles may wait for the next beat."""
    return all(cycle.period_s >= BEATS * BEAT_S for cycle in cycles)


def next_beat(due: float) -> float:
    """The moment, from due, at which such ports wake together: one by one, waking costs a gateway of hundreds
    of ports more than what they then do."""
    return max(due, ceil((due - EARLY_S) / BEAT_S) * BEAT_S)
