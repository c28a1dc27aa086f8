"""One rule as it is evaluated: its conditions, delays and the alarm that there is. Pure."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from math import inf

import msgspec

from edge_contract.alarms.conditions import Watching, watching
from edge_contract.alarms.rule import Logic, Rule, Signal, SingleChange, Unchanged
from edge_contract.alarms.state import ConditionState, RuleState
from edge_contract.model import Value


class TransitionKind(StrEnum):
    """What has become of an alarm."""

    RAISED = "raised"
    AGAIN = "again"
    CLEARED = "cleared"


class Transition(msgspec.Struct, frozen=True):
    """raised_ms: of the alarm that it is about; since_ms: when the conditions began to hold, or to hold no
    more; condition: place in the rule of that which changed last, value: at that moment.
    """

    rule: int
    version: int
    kind: TransitionKind
    t_ms: int
    raised_ms: int
    since_ms: int
    condition: int
    value: Value


class Evaluation:
    """A rule with its state. place: in its engine's list; due_ms: when it changes without a sample, infinite
    for never.
    """

    __slots__ = (
        "_again_ms", "_again_s_ms", "_at_ms", "_cause", "_gone_ms", "_holds", "_needed", "_off_ms", "_on_ms",
        "_raised_ms", "_since_ms", "_tick_ms", "_timed", "_true", "_value", "conditions", "interval_ms",
        "place", "rule", "scheduled_ms",
    )  # fmt: skip

    def __init__(self, place: int, rule: Rule, state: RuleState | None, begins_ms: int) -> None:
        was = state or RuleState(id=rule.id, version=rule.version, at_ms=begins_ms)
        self.place, self.rule = place, rule
        memories: list[ConditionState | None] = [*was.conditions] or [None] * len(rule.conditions)
        self.conditions: list[Watching] = list(map(watching, rule.conditions, memories))
        self.interval_ms = rule.interval_s * 1000
        self.scheduled_ms = inf  # of the engine: when it looks at this again at the latest
        self._timed = [at for at, each in enumerate(rule.conditions) if isinstance(each, Unchanged)]
        self._needed = 1 if rule.logic is Logic.ANY else len(rule.conditions)
        self._true = sum(condition.is_true for condition in self.conditions)
        self._holds = self._true >= self._needed
        self._on_ms, self._off_ms = round(rule.on_delay_s * 1000), round(rule.off_delay_s * 1000)
        self._again_s_ms = rule.again_s * 1000
        self._at_ms, self._since_ms, self._raised_ms = was.at_ms, was.since_ms, was.raised_ms
        self._again_ms, self._gone_ms, self._tick_ms = was.again_ms, was.gone_ms, was.tick_ms
        self._cause, self._value = was.condition, was.value

    @property
    def due_ms(self) -> float:
        due = self._phase_due_ms()
        if self._tick_ms is not None:
            due = min(due, self._tick_ms)
        for at in self._timed:
            holds_ms = self.conditions[at].due_ms
            if holds_ms is not None:
                due = min(due, self._tick_from(holds_ms) if self.interval_ms else holds_ms)
        return due

    def take(self, place: int, value: Value, t_ms: int) -> bool:
        """A condition's next good value; whether step() must follow."""
        condition = self.conditions[place]
        was_true = condition.is_true
        condition.take(value, t_ms)
        if condition.is_true is not was_true:
            return self._note(place, value)
        return condition.due_ms is not None and condition.due_ms < self.scheduled_ms

    def lose(self, place: int, t_ms: int) -> bool:
        """A condition's signal has no good value now; whether step() must follow."""
        condition = self.conditions[place]
        was_true = condition.is_true
        condition.lose(t_ms)
        return condition.is_true is not was_true and self._note(place, None)

    def wants_tick(self, t_ms: int) -> None:
        """A signal of a timer trigger has a sample of this time."""
        if self._tick_ms is None:
            self._tick_ms = self._tick_from(t_ms)

    def tick(self, newest: Callable[[Signal], tuple[Value, int] | None], t_ms: int) -> None:
        """Take the newest values, if it is time. newest: of a signal, value and time, None without one."""
        if self._tick_ms is None or t_ms < self._tick_ms:
            return
        self._tick_ms = None
        for place, condition in enumerate(self.rule.conditions):
            found = newest(condition.signal)
            if found is None:
                self.lose(place, t_ms)
            else:
                self.take(place, found[0], t_ms)
            if isinstance(condition, SingleChange) and self.conditions[place].is_true:
                self._tick_ms = self._tick_from(t_ms + 1)  # with no other value it ends then

    def step(self, t_ms: int) -> Transition | None:
        """The conditions may have changed, or a time has come."""
        t_ms = self._at_ms = max(t_ms, self._at_ms)
        for place in self._timed:
            condition = self.conditions[place]
            if condition.due_ms is not None and condition.due_ms <= t_ms:
                condition.expire()
                self._note(place, condition.state().value)
        if self._raised_ms is not None:
            return self._lasts(t_ms, self._raised_ms)
        return self._waits(t_ms)

    def state(self) -> RuleState:
        """What a restart needs."""
        return RuleState(
            id=self.rule.id,
            version=self.rule.version,
            at_ms=self._at_ms,
            since_ms=self._since_ms,
            raised_ms=self._raised_ms,
            again_ms=self._again_ms,
            gone_ms=self._gone_ms,
            tick_ms=self._tick_ms,
            condition=self._cause,
            value=self._value,
            conditions=[condition.state() for condition in self.conditions],
        )

    def _note(self, place: int, value: Value) -> bool:
        """A condition has changed; whether they hold together now, or do no longer."""
        self._cause, self._value = place, value
        self._true += 1 if self.conditions[place].is_true else -1
        held, self._holds = self._holds, self._true >= self._needed
        return self._holds is not held or self.conditions[place].due_ms is not None

    def _waits(self, t_ms: int) -> Transition | None:
        if not self._holds:
            self._since_ms = None
            return None
        if self._since_ms is None:
            self._since_ms = t_ms
        if t_ms < self._since_ms + self._on_ms:
            return None
        self._raised_ms = self._again_ms = t_ms
        return self._transition(TransitionKind.RAISED, t_ms, t_ms, self._since_ms)

    def _lasts(self, t_ms: int, raised_ms: int) -> Transition | None:
        if not self._holds:
            if self._gone_ms is None:
                self._gone_ms = t_ms
            if t_ms < self._gone_ms + self._off_ms:
                return None
            cleared = self._transition(TransitionKind.CLEARED, t_ms, raised_ms, self._gone_ms)
            self._since_ms = self._raised_ms = self._again_ms = self._gone_ms = None
            return cleared
        self._gone_ms = None
        if self._again_s_ms and self._again_ms is not None and t_ms >= self._again_ms + self._again_s_ms:
            self._again_ms = t_ms
            return self._transition(
                TransitionKind.AGAIN, t_ms, raised_ms, raised_ms if self._since_ms is None else self._since_ms
            )
        return None

    def _phase_due_ms(self) -> float:
        if self._raised_ms is None:
            return inf if self._since_ms is None else self._since_ms + self._on_ms
        if self._gone_ms is not None:
            return self._gone_ms + self._off_ms
        if self._again_s_ms and self._again_ms is not None:
            return self._again_ms + self._again_s_ms
        return inf

    def _tick_from(self, t_ms: int) -> int:
        """The first multiple of the interval that is not before a time."""
        return -(-t_ms // self.interval_ms) * self.interval_ms

    def _transition(self, kind: TransitionKind, t_ms: int, raised_ms: int, since_ms: int) -> Transition:
        rule = self.rule
        return Transition(rule.id, rule.version, kind, t_ms, raised_ms, since_ms, self._cause, self._value)
