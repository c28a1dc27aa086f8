"""What a rule of data exchange sends of what its source says, at the gateway and in the cloud alike. Pure: no
clock, no session. Times are milliseconds of any clock that does not jump.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from edge_contract.model import Quality, Sort, Value


@dataclass(frozen=True)
class RunningRule:
    """A rule as it runs. source, target: numbers of points; every_ms: at least between two values."""

    id: int
    source: int
    target: int
    ratio: float
    bias: float
    every_ms: int


R = TypeVar("R", bound=RunningRule)


@dataclass
class FlowState:
    """Of one rule: what waits, what went last and when. A newer value replaces one that waits.

    missed: what went last did not arrive.
    """

    waits: Value = None
    waiting: bool = False
    sent: Value = None
    sent_ms: int | None = None
    missed: bool = False


@dataclass
class Flow(Generic[R]):
    """All rules that run, by source. There is at most one state of each."""

    rules: Mapping[int, R] = field(default_factory=dict)
    of_source: Mapping[int, tuple[R, ...]] = field(default_factory=dict)
    states: dict[int, FlowState] = field(default_factory=dict)

    def replace(self, rules: Iterable[R]) -> None:
        """Other rules from now on; one that changed begins anew."""
        new = {rule.id: rule for rule in rules}
        self.states = {
            number: state
            for number, state in self.states.items()
            if self.rules.get(number) == new.get(number)
        }
        by_source: dict[int, list[R]] = {}
        for rule in new.values():
            by_source.setdefault(rule.source, []).append(rule)
        self.rules = new
        self.of_source = {source: tuple(rules_of) for source, rules_of in by_source.items()}

    def take(self, source: int, value: Value, quality: int) -> None:
        """A newer value of a point; only a good one is passed on."""
        if value is None or quality != Quality.GOOD:
            return
        for rule in self.of_source.get(source, ()):
            state = self.states.setdefault(rule.id, FlowState())
            state.waits, state.waiting = value, True

    def ready(self, now_ms: int) -> list[R]:
        """Rules whose newest value is to go now, those first that have sent nothing for the longest time."""
        rules = [rule for number, rule in self.rules.items() if self._is_ready(number, now_ms)]
        return sorted(rules, key=lambda rule: _sent_ms(self.states[rule.id]))

    def begin(self, rule: R, now_ms: int) -> Value:
        """The value that waits is sent now."""
        state = self.states[rule.id]
        state.waiting = False
        state.sent, state.sent_ms, state.missed = state.waits, now_ms, False
        return state.sent

    def miss(self, rule: R) -> None:
        """What a rule sent last did not arrive: it goes again, unless a newer value does. Nothing when
        the rule is another one by now.
        """
        state = self.states.get(rule.id)
        if state is None or state.sent_ms is None or self.rules[rule.id] != rule:
            return
        state.missed = True
        if not state.waiting:
            state.waits, state.waiting = state.sent, True

    def resume(self, rule_id: int, sent: Value, sent_ms: int, *, missed: bool) -> None:
        """What somebody else sent last of a rule: this goes on from there."""
        if rule_id not in self.rules:
            return
        state = self.states.setdefault(rule_id, FlowState())
        state.sent, state.sent_ms, state.missed = sent, sent_ms, missed
        if missed and not state.waiting:
            state.waits, state.waiting = sent, True

    def _is_ready(self, number: int, now_ms: int) -> bool:
        """A value waits that is to go now. One that went already waits no longer."""
        state = self.states.get(number)
        if state is None or not state.waiting:
            return False
        rest_ms = max(self.rules[number].every_ms, RETRY_MS if state.missed else MIN_INTERVAL_MS)
        if state.sent_ms is not None and now_ms - state.sent_ms < rest_ms:
            return False
        is_known = state.sent_ms is not None and not state.missed
        if is_known and type(state.waits) is type(state.sent) and state.waits == state.sent:
            state.waiting = False
        return state.waiting


def _sent_ms(state: FlowState) -> float:
    return -math.inf if state.sent_ms is None else state.sent_ms


MIN_INTERVAL_MS = 1000
"""Between two values of a rule: a command is a message and a row each."""

RETRY_MS = 60_000
"""Before a value that did not arrive is tried again."""

UNFIT: Mapping[Sort, str] = {"number": "not_a_number", "switch": "not_a_position", "text": "not_a_text"}
"""Why a target of a sort cannot be given a value, as a code."""


def converted(rule: RunningRule, value: Value, target: Sort) -> Value:
    """What a target of this sort is given; None when the value is nothing for it.

    A switch takes positions as they are. A number takes value * ratio + bias, of a position 1 or 0, when that
    is finite. A text takes texts.
    """
    if target != "number":
        return value if isinstance(value, bool if target == "switch" else str) else None
    if not isinstance(value, int | float):
        return None
    if isinstance(value, bool):
        value = int(value)
    if rule.ratio == 1 and rule.bias == 0:
        return value
    result = value * rule.ratio + rule.bias
    return result if math.isfinite(result) else None


def closes_circle(edges: Iterable[tuple[int, int]], source: int, target: int) -> bool:
    """Would a rule from source to target lead a value back to where it came from?"""
    onward: dict[int, list[int]] = {}
    for begin, end in edges:
        onward.setdefault(begin, []).append(end)
    seen: set[int] = set()
    left = [target]
    while left:
        at = left.pop()
        if at == source:
            return True
        if at not in seen:
            seen.add(at)
            left.extend(onward.get(at, ()))
    return False


def takes(source: str, target: Sort, source_sort: Sort) -> bool:
    """May a point of this kind feed a target of this sort? What a calculated one gives shows when it does."""
    if target == "switch":
        return source_sort == "switch" or source == "cal"
    return (source_sort == "text") == (target == "text")
