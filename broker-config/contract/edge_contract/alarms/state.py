"""What an engine knows, as JSON: with it a restart goes on as if there had been none. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from edge_contract.fields import ControlMessage, Millis, Scalar

On = Literal["raised", "cleared"]

EVER_MS = -1
"""A time before all others."""


class ConditionState(ControlMessage, frozen=True, kw_only=True, array_like=True):
    """value: the last good one that counts, None before the first; since_ms: when it was first so, None while
    that is not known; count: changes in the direction of a trend; first: the value that it began with.
    """

    is_true: bool = False
    value: Scalar = None
    since_ms: Millis | None = None
    count: int = 0
    first: float = 0.0


class RuleState(ControlMessage, frozen=True, kw_only=True):
    """at_ms: of its last step; since_ms: when its conditions began to hold; raised_ms: None while there is no
    alarm; again_ms: when it was announced last; gone_ms: when they ceased to hold; tick_ms: when a timer
    trigger looks next; condition, value: what changed last.
    """

    id: Annotated[int, msgspec.Meta(ge=1)]
    version: int
    at_ms: int = EVER_MS
    since_ms: int | None = None
    raised_ms: int | None = None
    again_ms: int | None = None
    gone_ms: int | None = None
    tick_ms: int | None = None
    condition: int = 0
    value: Scalar = None
    conditions: list[ConditionState] = []


class SignalState(ControlMessage, frozen=True, kw_only=True, array_like=True):
    """The newest sample. value: for rules that look at it at their times only."""

    signal: int | str
    t_ms: int
    value: Scalar = None


class RuleWrites(ControlMessage, frozen=True, kw_only=True, array_like=True):
    """When transitions of a rule had something written, the oldest first."""

    rule: int
    version: int
    times_ms: list[int]


class TargetWrites(ControlMessage, frozen=True, kw_only=True, array_like=True):
    """When a point was written by any rule, the oldest first. target: as signals are named."""

    target: int | str
    times_ms: list[int]


class LinkageRest(ControlMessage, frozen=True, kw_only=True):
    """A rule whose linkages are left out until until_ms. on, preset: of the first that was; left_out: how
    many were so far.
    """

    rule: Annotated[int, msgspec.Meta(ge=1)]
    version: int
    on: On
    preset: Annotated[int, msgspec.Meta(ge=1)]
    since_ms: int
    until_ms: int
    left_out: int

    def more(self, count: int) -> LinkageRest:
        """With others that were left out."""
        return msgspec.structs.replace(self, left_out=self.left_out + count)


class LinkageState(ControlMessage, frozen=True, kw_only=True):
    """How often rules have written of late."""

    rules: list[RuleWrites] = []
    targets: list[TargetWrites] = []
    rests: list[LinkageRest] = []


class EngineState(ControlMessage, frozen=True, kw_only=True):
    """now_ms: the time up to which everything that was due has happened."""

    now_ms: int = EVER_MS
    rules: list[RuleState] = []
    signals: list[SignalState] = []
    linkages: LinkageState = LinkageState()
