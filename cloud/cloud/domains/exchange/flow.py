"""What a rule sends of what its source says. Pure: no clock, no session."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cloud.domains.devices.values import Sort
from edge_contract.model import Quality, Value


@dataclass(frozen=True)
class RunningRule:
    """A rule as it runs. granted: access password that its user gave for the gateway of the target."""

    id: int
    source: int
    target: int
    ratio: float
    bias: float
    every_ms: int
    user_id: int | None
    target_device: int = 0
    granted: int | None = None


@dataclass
class RuleState:
    """Of one rule: what waits, what went last and when. A newer value replaces one that waits.

    missed: what went last did not arrive.
    """

    waits: Value = None
    waiting: bool = False
    sent: Value = None
    sent_ms: int | None = None
    missed: bool = False


@dataclass
class Flow:
    """All rules that run, by source. There is at most one state of each."""

    rules: Mapping[int, RunningRule] = field(default_factory=dict)
    of_source: Mapping[int, tuple[RunningRule, ...]] = field(default_factory=dict)
    states: dict[int, RuleState] = field(default_factory=dict)

    def replace(self, rules: Iterable[RunningRule]) -> None:
        """Other rules from now on; one that changed begins anew."""
        new = {rule.id: rule for rule in rules}
        self.states = {
            number: state
            for number, state in self.states.items()
            if self.rules.get(number) == new.get(number)
        }
        by_source: dict[int, list[RunningRule]] = {}
        for rule in new.values():
            by_source.setdefault(rule.source, []).append(rule)
        self.rules = new
        self.of_source = {source: tuple(rules_of) for source, rules_of in by_source.items()}

    def take(self, source: int, value: Value, quality: int) -> None:
        """A newer value of a point; only a good one is passed on."""
        if value is None or quality != Quality.GOOD:
            return
        for rule in self.of_source.get(source, ()):
            state = self.states.setdefault(rule.id, RuleState())
            state.waits, state.waiting = value, True

    def due(self, now_ms: int) -> list[tuple[RunningRule, Value]]:
        """Values to send now, each once; one that went already is not sent again."""
        values: list[tuple[RunningRule, Value]] = []
        for number, state in self.states.items():
            rule = self.rules[number]
            rest_ms = max(rule.every_ms, RETRY_MS if state.missed else MIN_INTERVAL_MS)
            rested = state.sent_ms is None or now_ms - state.sent_ms >= rest_ms
            if not state.waiting or not rested:
                continue
            state.waiting = False
            value = state.waits
            is_known = state.sent_ms is not None and not state.missed
            if is_known and type(value) is type(state.sent) and value == state.sent:
                continue
            state.sent, state.sent_ms, state.missed = value, now_ms, False
            values.append((rule, value))
        return values

    def miss(self, rule_id: int) -> None:
        """The newest value of a rule did not arrive: it goes again, unless a newer one does."""
        state = self.states.get(rule_id)
        if state is not None:
            state.missed = True
            if not state.waiting:
                state.waits, state.waiting = state.sent, True


MIN_INTERVAL_MS = 1000
"""Between two values of a rule: a command is a message and a row each."""

RETRY_MS = 60_000
"""Before a value that did not arrive is tried again."""


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
