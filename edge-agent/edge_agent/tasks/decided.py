"""Times whose runs are decided, however often the clock was set. Pure.

Each look at the clock decides what is at most LOOK_BACK_MS old. A clock that is further ahead than that
therefore begins a span of its own, and what is before it stays undecided for when the clock is right again.
"""

from __future__ import annotations

from dataclasses import dataclass

from edge_contract.tasks.runs import LOOK_BACK_MS, Due, decide
from edge_contract.tasks.schedule import Schedule

Span = tuple[int, int]
"""Runs with begin < t <= end, UTC milliseconds."""

MAX_SPANS = 8


@dataclass(frozen=True)
class Decided:
    """spans: rising, and apart from each other."""

    spans: tuple[Span, ...] = ()

    def after_ms(self, now_ms: int) -> int:
        """Runs up to here are decided while the clock shows now_ms; 0 for none."""
        return max((end for begin, end in self.spans if begin <= now_ms), default=0)

    def with_span(self, begin: int, end: int) -> Decided:
        """This as well. Of more than MAX_SPANS the oldest goes that is not the first."""
        apart = [span for span in self.spans if span[1] < begin or span[0] > end]
        joined = [span for span in self.spans if span not in apart]
        begin, end = min([begin, *(span[0] for span in joined)]), max([end, *(span[1] for span in joined)])
        spans = sorted([*apart, (begin, end)])
        if len(spans) > MAX_SPANS:
            del spans[1]
        return Decided(tuple(spans))


@dataclass(frozen=True)
class Decision:
    """What is to be done now, and what is decided with it."""

    due: Due
    decided: Decided


def decision(schedule: Schedule, decided: Decided, now_ms: int) -> Decision | None:
    """None when no run is due and none was missed."""
    after_ms = decided.after_ms(now_ms)
    due = decide(schedule, after_ms, now_ms)
    if due.run_ms is None and not due.missed:
        return None
    return Decision(due, decided.with_span(max(after_ms, now_ms - LOOK_BACK_MS), now_ms))
