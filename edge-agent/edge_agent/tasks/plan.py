"""A task and when it is to be looked at again. Pure: times come with each call."""

from __future__ import annotations

from dataclasses import dataclass, field

from edge_agent.tasks.decided import Decided, Decision, decision
from edge_contract.edge_tasks import EdgeTask
from edge_contract.tasks.runs import next_runs


@dataclass
class Plan:
    """look() and then, when its decision is noted durably, apply()."""

    task: EdgeTask
    decided: Decided
    _quiet_from_ms: int = field(default=0, init=False)
    _next_ms: int | None = field(default=0, init=False)

    def next_ms(self, now_ms: int) -> int | None:
        """The next run; None when there is none."""
        self.look(now_ms)
        return self._next_ms

    def look(self, now_ms: int) -> Decision | None:
        """What is to be done now; None for nothing. A task that never ran before begins now."""
        if self._quiet_from_ms <= now_ms and (self._next_ms is None or now_ms < self._next_ms):
            return None
        if not self.decided.spans:
            self.decided = self.decided.with_span(0, now_ms)
        made = decision(self.task.schedule, self.decided, now_ms)
        if made is None:
            self._rest(now_ms)
        return made

    def apply(self, made: Decision, now_ms: int) -> None:
        """It is done."""
        self.decided = made.decided
        self._rest(now_ms)

    def _rest(self, now_ms: int) -> None:
        """Nothing is due until the next run, unless the clock is set back."""
        after_ms = max(self.decided.after_ms(now_ms), now_ms)
        self._quiet_from_ms = now_ms
        self._next_ms = next(iter(next_runs(self.task.schedule, after_ms, 1)), None)
