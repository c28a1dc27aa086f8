"""An alarm rule as data: specification 001, section 3 (trigger). Pure.

A signal is whatever has values over time: a point, the connection of a slave (True: connected), the outcome
of a script (True: the condition holds). The caller numbers or names signals.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from math import isfinite
from typing import Annotated

import msgspec

from edge_contract.fields import ControlMessage, Count

Signal = Annotated[int, msgspec.Meta(ge=1)] | Annotated[str, msgspec.Meta(min_length=1, max_length=130)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=31 * 86_400)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]

MAX_CONDITIONS = 50


class Operator(IntEnum):
    """trigger_optype of the specification."""

    GREATER = 1
    GREATER_OR_EQUAL = 2
    LESS = 3
    LESS_OR_EQUAL = 4
    EQUAL = 5
    IN_RANGE = 6
    OUT_OF_RANGE = 7


RANGES = (Operator.IN_RANGE, Operator.OUT_OF_RANGE)


class Logic(IntEnum):
    """How many of a rule's conditions must hold."""

    ANY = 1
    ALL = 2


class Direction(StrEnum):
    """Of a trend."""

    UP = "up"
    DOWN = "down"


class Limits(ControlMessage, frozen=True, kw_only=True):
    """Both ends of a range, themselves within it. lolmt and uplmt of the specification."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (isfinite(self.low) and isfinite(self.high)):
            raise ValueError("low, high: finite numbers")
        if self.low > self.high:
            raise ValueError("low: at most high")


class Comparison(ControlMessage, frozen=True, kw_only=True, tag_field="type", tag=1):
    """A value beyond a threshold. It holds until the value is back by the deadband, or beyond `clear` where
    that is given instead; without both, until it does not compare any more.
    """

    signal: Signal
    op: Operator
    threshold: float | Limits
    deadband: NotNegative = 0.0
    clear: float | Limits | None = None

    def __post_init__(self) -> None:
        for name in ("threshold", "clear"):
            value = getattr(self, name)
            if value is None:
                continue
            if (self.op in RANGES) is not isinstance(value, Limits):
                wanted = "low and high" if self.op in RANGES else "one number"
                raise ValueError(f"{name}: {wanted} for this comparison")
            if not isinstance(value, Limits) and not isfinite(value):
                raise ValueError(f"{name}: a finite number")
        if self.clear is not None:
            self._check_clear()
        elif (
            self.op is Operator.OUT_OF_RANGE
            and isinstance(self.threshold, Limits)
            and 2 * self.deadband > self.threshold.high - self.threshold.low
        ):
            raise ValueError("deadband: at most half of the range, or it would never clear")

    def _check_clear(self) -> None:
        """Where it clears lies on the far side of where it begins to hold."""
        if self.deadband:
            raise ValueError("clear: instead of a deadband")
        if self.op is Operator.EQUAL:
            raise ValueError("clear: a deadband for this comparison")
        begins, clears = self.threshold, self.clear
        if isinstance(begins, Limits) and isinstance(clears, Limits):
            inner, outer = (begins, clears) if self.op is Operator.IN_RANGE else (clears, begins)
            if not outer.low <= inner.low <= inner.high <= outer.high:
                raise ValueError(
                    f"clear: {'around' if self.op is Operator.IN_RANGE else 'within'} the threshold"
                )
        elif not isinstance(begins, Limits) and not isinstance(clears, Limits) and clears is not None:
            if self.op in (Operator.GREATER, Operator.GREATER_OR_EQUAL) and clears > begins:
                raise ValueError("clear: at most the threshold")
            if self.op in (Operator.LESS, Operator.LESS_OR_EQUAL) and clears < begins:
                raise ValueError("clear: at least the threshold")


class Unchanged(ControlMessage, frozen=True, kw_only=True, tag_field="type", tag=2):
    """A value that stays within the deadband of what it was for so long. Time without good values does not
    count.
    """

    signal: Signal
    duration_s: Annotated[float, msgspec.Meta(gt=0, le=31 * 86_400)]
    deadband: NotNegative = 0.0


class SingleChange(ControlMessage, frozen=True, kw_only=True, tag_field="type", tag=3):
    """Two good values one after the other that differ by so much; it holds until the next value."""

    signal: Signal
    magnitude: Positive


class Trend(ControlMessage, frozen=True, kw_only=True, tag_field="type", tag=4):
    """So many changes one after the other in one direction, together at least the magnitude. Equal values
    neither count nor end it; a change in the other direction does.
    """

    signal: Signal
    direction: Direction
    count: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 3
    magnitude: NotNegative = 0.0


class NotConnected(ControlMessage, frozen=True, kw_only=True, tag_field="type", tag=5):
    """The signal of a slave's connection is False."""

    signal: Signal


class Script(ControlMessage, frozen=True, kw_only=True, tag_field="type", tag=6):
    """The signal of a script's outcome is True."""

    signal: Signal


Condition = Comparison | Unchanged | SingleChange | Trend | NotConnected | Script


class Rule(ControlMessage, frozen=True, kw_only=True):
    """When something is an alarm.

    version: rises with every change; a state counts for its version alone. interval_s: 0 looks at every
    sample, else at the newest values at each multiple of it since 1970 (a timer trigger). on_delay_s: the
    conditions must hold so long; off_delay_s: and not hold so long until it is over. again_s: an alarm that
    lasts is announced again after so long, 0 never.
    """

    id: Annotated[int, msgspec.Meta(ge=1)]
    version: Annotated[int, msgspec.Meta(ge=1)] = 1
    logic: Logic = Logic.ANY
    conditions: Annotated[list[Condition], msgspec.Meta(min_length=1, max_length=MAX_CONDITIONS)]
    interval_s: Annotated[int, msgspec.Meta(ge=0, le=86_400)] = 0
    on_delay_s: Seconds = 0.0
    off_delay_s: Seconds = 0.0
    again_s: Count = 0
