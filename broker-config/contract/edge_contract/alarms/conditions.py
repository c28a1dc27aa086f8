"""One condition of a rule with its memory. Pure; times in UTC milliseconds.

Each says in which interval a good number changes nothing at all (`quiet`): the engine looks at nothing else
while the values of a signal stay there, however many rules it has.
"""

from __future__ import annotations

from typing import Protocol

from edge_contract.alarms.regions import NOWHERE, Interval, around, gaps, regions
from edge_contract.alarms.rule import (
    Comparison,
    Condition,
    Direction,
    NotConnected,
    Script,
    SingleChange,
    Trend,
    Unchanged,
)
from edge_contract.alarms.state import ConditionState
from edge_contract.model import Value


class Watching(Protocol):
    """A condition that is evaluated.

    is_true: whether it holds; quiet: values that change nothing; due_ms: when it will hold without a further
    value, None for never.
    """

    is_true: bool
    quiet: Interval
    due_ms: int | None

    def take(self, value: Value, t_ms: int) -> None:
        """The next good value of its signal."""

    def lose(self, t_ms: int) -> None:
        """There is no good value from now on."""

    def expire(self) -> None:
        """due_ms has come."""

    def state(self) -> ConditionState:
        """Its memory."""


def watching(condition: Condition, state: ConditionState | None = None) -> Watching:
    """A condition as it was left; without a state, before its first value."""
    was = state or ConditionState()
    match condition:
        case Comparison():
            begins, stays = regions(condition)
            return _Region(begins, stays, was)
        case NotConnected():
            return _Region(((0.0, 0.0),), ((0.0, 0.0),), was)
        case Script():
            return _Region(((1.0, 1.0),), ((1.0, 1.0),), was)
        case Unchanged():
            return _Unchanged(condition, was)
        case SingleChange():
            return _Change(condition, was)
        case Trend():
            return _Trend(condition, was)


class _Region:
    """True from a value in one region on, until one outside another, which contains the first."""

    __slots__ = ("_stays", "_waits", "due_ms", "is_true", "quiet")

    def __init__(
        self, begins: tuple[Interval, ...], stays: tuple[Interval, ...], was: ConditionState
    ) -> None:
        self._stays, self._waits = stays, gaps(begins)
        self.is_true = was.is_true
        self.quiet = NOWHERE
        self.due_ms: int | None = None

    def take(self, value: Value, t_ms: int) -> None:
        if value is None or isinstance(value, str):
            return
        kept = around(self._stays if self.is_true else self._waits, value)
        if kept is None:
            self.is_true = not self.is_true
            kept = around(self._stays if self.is_true else self._waits, value) or NOWHERE
        self.quiet = kept

    def lose(self, t_ms: int) -> None:
        """It stays what it was: a missing value is neither normal nor an alarm."""

    def expire(self) -> None:
        """It waits for nothing."""

    def state(self) -> ConditionState:
        return ConditionState(is_true=self.is_true)


class _Unchanged:
    """True when a value has not moved for the duration."""

    __slots__ = ("_deadband", "_duration_ms", "_since_ms", "_value", "due_ms", "is_true", "quiet")

    def __init__(self, condition: Unchanged, was: ConditionState) -> None:
        self._duration_ms = round(condition.duration_s * 1000)
        self._deadband = condition.deadband
        self.is_true = was.is_true
        self.due_ms: int | None = None
        self._value, self._since_ms = was.value, was.since_ms
        self._look()

    def take(self, value: Value, t_ms: int) -> None:
        if self._since_ms is not None and self._is_same(value):
            return
        self._value, self._since_ms, self.is_true = value, t_ms, False
        self._look()

    def lose(self, t_ms: int) -> None:
        self._value, self._since_ms, self.is_true = None, None, False
        self._look()

    def expire(self) -> None:
        self.is_true, self.due_ms = True, None

    def state(self) -> ConditionState:
        return ConditionState(is_true=self.is_true, value=self._value, since_ms=self._since_ms)

    def _is_same(self, value: Value) -> bool:
        if value is None or isinstance(value, str):
            return value == self._value
        return self.quiet[0] <= value <= self.quiet[1]

    def _look(self) -> None:
        since, value = self._since_ms, self._value
        self.due_ms = None if since is None or self.is_true else since + self._duration_ms
        if since is None or value is None or isinstance(value, str):
            self.quiet = NOWHERE
        elif self._deadband:
            self.quiet = (value - self._deadband, value + self._deadband)
        else:
            self.quiet = (value, value)  # an integer beyond 2^53 stays itself


class _Change:
    """True at a value that differs from the one before by the magnitude."""

    __slots__ = ("_magnitude", "_value", "due_ms", "is_true", "quiet")

    def __init__(self, condition: SingleChange, was: ConditionState) -> None:
        self._magnitude = condition.magnitude
        self._value = _number(was.value)
        self.is_true = was.is_true
        self.quiet = NOWHERE  # every value is the one before of the next
        self.due_ms: int | None = None

    def take(self, value: Value, t_ms: int) -> None:
        number = _number(value)
        if number is None:
            return
        before, self._value = self._value, number
        self.is_true = before is not None and abs(number - before) >= self._magnitude

    def lose(self, t_ms: int) -> None:
        self._value, self.is_true = None, False

    def expire(self) -> None:
        """It waits for nothing."""

    def state(self) -> ConditionState:
        return ConditionState(is_true=self.is_true, value=self._value)


class _Trend:
    """True while the last changes went in one direction, and together far enough."""

    __slots__ = (
        "_count", "_first", "_least", "_magnitude", "_sign", "_value", "due_ms", "is_true", "quiet",
    )  # fmt: skip

    def __init__(self, condition: Trend, was: ConditionState) -> None:
        self._sign = 1 if condition.direction is Direction.UP else -1
        self._least, self._magnitude = condition.count, condition.magnitude
        self._value, self._count, self._first = _number(was.value), was.count, was.first
        self.is_true = was.is_true
        self.due_ms: int | None = None
        self._look()

    def take(self, value: Value, t_ms: int) -> None:
        number = _number(value)
        if number is None:
            return
        before, self._value = self._value, number
        step = 0.0 if before is None else self._sign * (number - before)
        if before is None or step < 0:
            self._count, self._first = 0, number
        elif step > 0:
            self._count += 1
        far = self._sign * (number - self._first)
        self.is_true = self._count >= self._least and far >= self._magnitude
        self._look()

    def lose(self, t_ms: int) -> None:
        self._value, self._count, self.is_true = None, 0, False
        self._look()

    def expire(self) -> None:
        """It waits for nothing."""

    def state(self) -> ConditionState:
        return ConditionState(is_true=self.is_true, value=self._value, count=self._count, first=self._first)

    def _look(self) -> None:
        self.quiet = NOWHERE if self._value is None else (self._value, self._value)


def _number(value: Value) -> float | None:
    return None if value is None or isinstance(value, str) else float(value)
