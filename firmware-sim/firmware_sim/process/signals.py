"""Kinds of signals that a process is made of. One struct a kind; `kind` in YAML chooses it.

Units are those of the signal; times are seconds. A signal may name any other: one that stands further down
is read as it was one step earlier, which is how loops close.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]{1,48}$(?!\n)")]
Positive = Annotated[float, msgspec.Meta(gt=0)]


class SignalBase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Base of every kind."""

    name: Name

    def names(self) -> list[str]:
        """Signals that this one reads."""
        return []


class Setpoint(SignalBase, frozen=True, kw_only=True, tag="setpoint"):
    """Holds what was last written to it: an operator's value, a switch, a contact."""

    value: float
    min: float | None = None
    max: float | None = None


class Schedule(SignalBase, frozen=True, kw_only=True, tag="schedule"):
    """Steps that come again every period. steps: [when, value], when and period in units of unit_s."""

    steps: Annotated[list[tuple[float, float]], msgspec.Meta(min_length=1)]
    period: Positive
    unit_s: Positive = 1.0


class Lag(SignalBase, frozen=True, kw_only=True, tag="lag"):
    """First-order lag towards bias + sum of gain x signal, the target held within min..max.

    noise: standard deviation of a disturbance of the process in one second, in units of the signal.
    """

    tau_s: Annotated[float, msgspec.Meta(ge=0)]
    of: dict[str, float] = {}
    bias: float = 0.0
    initial: float | None = None  # None: starts at its target
    min: float | None = None
    max: float | None = None
    noise: Annotated[float, msgspec.Meta(ge=0)] = 0.0

    def names(self) -> list[str]:
        return list(self.of)


class Product(SignalBase, frozen=True, kw_only=True, tag="product"):
    """gain x signal x signal ..."""

    of: Annotated[list[str], msgspec.Meta(min_length=1)]
    gain: float = 1.0

    def names(self) -> list[str]:
        return self.of


class Integral(SignalBase, frozen=True, kw_only=True, tag="integral"):
    """Sum of gain x signal over time (a second), held within min..max: a level, a counter of energy."""

    of: Annotated[dict[str, float], msgspec.Meta(min_length=1)]
    initial: float = 0.0
    min: float | None = None
    max: float | None = None

    def names(self) -> list[str]:
        return list(self.of)


class Controller(SignalBase, frozen=True, kw_only=True, tag="control"):
    """PI controller: kp x error + integral of kp / ti_s x error, error = setpoint - measure.

    The integral stands still while the output is at a limit.
    """

    measure: str
    setpoint: str
    kp: float
    ti_s: Positive
    initial: float = 0.0
    min: float
    max: float

    def names(self) -> list[str]:
        return [self.measure, self.setpoint]


class Limit(SignalBase, frozen=True, kw_only=True, tag="limit"):
    """1 when a signal is above (or below) a limit, back to 0 when it returned by the hysteresis."""

    of: str
    above: float | None = None
    below: float | None = None
    hysteresis: Annotated[float, msgspec.Meta(ge=0)] = 0.0

    def names(self) -> list[str]:
        return [self.of]


Signal = Setpoint | Schedule | Lag | Product | Integral | Controller | Limit
