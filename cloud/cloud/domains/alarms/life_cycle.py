"""Life cycle of an alarm, after ISA-18.2 (IEC 62682, clause 5.2.3). Pure.

Acknowledging (an operator has seen it) moves an alarm along here; handling (states.py) is what somebody says
of it, and a thing of its own. Shelving, suppression by design and out of service keep an alarm quiet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """NORMAL: nothing stands, and nothing is to be acknowledged. RETURNED: over, not acknowledged. LATCHED:
    over, and stands until it is acknowledged. The last three are quiet.
    """

    NORMAL = "normal"
    UNACKNOWLEDGED = "unacknowledged"
    ACKNOWLEDGED = "acknowledged"
    RETURNED = "returned"
    LATCHED = "latched"
    SHELVED = "shelved"
    SUPPRESSED = "suppressed"
    OUT_OF_SERVICE = "out_of_service"


QUIET = frozenset({State.SHELVED, State.SUPPRESSED, State.OUT_OF_SERVICE})
ACTIVE = frozenset({State.UNACKNOWLEDGED, State.ACKNOWLEDGED, State.LATCHED})
"""Not over, or latched, and not quiet."""

UNRESOLVED = ACTIVE | QUIET
TO_ACKNOWLEDGE = frozenset({State.UNACKNOWLEDGED, State.RETURNED, State.LATCHED}) | QUIET


class Change(StrEnum):
    """What can happen to an alarm. RESTORED: it is quiet no more; FOLDED, UNFOLDED: under its root cause."""

    RAISED = "raised"
    CLEARED = "cleared"
    ACKNOWLEDGED = "acknowledged"
    SHELVED = "shelved"
    SUPPRESSED = "suppressed"
    OUT_OF_SERVICE = "out_of_service"
    RESTORED = "restored"
    FOLDED = "folded"
    UNFOLDED = "unfolded"
    HANDLED = "handled"
    FALSE_ALARM = "false_alarm"
    REOPENED = "reopened"
    NOTED = "noted"


@dataclass(frozen=True)
class Facts:
    """What the state follows from. quiet: SHELVED, SUPPRESSED, OUT_OF_SERVICE, or empty; is_folded: it lies
    under its root cause.
    """

    quiet: str = ""
    is_over: bool = False
    is_acknowledged: bool = False
    is_latched: bool = False
    is_folded: bool = False


def state_of(facts: Facts) -> State:
    """An alarm that was over while it was quiet or folded was not announced: nobody need acknowledge it."""
    is_latched = facts.is_latched and not facts.is_acknowledged
    if facts.is_over and not is_latched:
        is_known = facts.is_acknowledged or facts.quiet or facts.is_folded
        return State.NORMAL if is_known else State.RETURNED
    if facts.quiet:
        return State(facts.quiet)
    if facts.is_over:
        return State.LATCHED
    return State.ACKNOWLEDGED if facts.is_acknowledged else State.UNACKNOWLEDGED


def _each(states: frozenset[State]) -> dict[State, frozenset[State]]:
    """They stay as they are."""
    return {state: frozenset({state}) for state in states}


_N, _U, _A, _R, _L = State.NORMAL, State.UNACKNOWLEDGED, State.ACKNOWLEDGED, State.RETURNED, State.LATCHED
_ALL = frozenset(State)

TRANSITIONS: Mapping[Change, Mapping[State, frozenset[State]]] = {
    Change.RAISED: {_N: frozenset({_U}) | QUIET},
    Change.CLEARED: {
        _U: frozenset({_R, _L, _N}),
        _A: frozenset({_N}),
        **{quiet: frozenset({_N, quiet}) for quiet in QUIET},
    },
    Change.ACKNOWLEDGED: {
        _U: frozenset({_A}),
        _R: frozenset({_N}),
        _L: frozenset({_N}),
        **{quiet: frozenset({_N, quiet}) for quiet in QUIET},
    },
    Change.SHELVED: {state: frozenset({State.SHELVED}) for state in UNRESOLVED},
    Change.SUPPRESSED: {state: frozenset({State.SUPPRESSED}) for state in UNRESOLVED},
    Change.OUT_OF_SERVICE: {state: frozenset({State.OUT_OF_SERVICE}) for state in UNRESOLVED},
    Change.RESTORED: dict.fromkeys(QUIET, ACTIVE),
    Change.FOLDED: _each(UNRESOLVED),
    Change.UNFOLDED: _each(UNRESOLVED),
    Change.HANDLED: _each(_ALL),
    Change.FALSE_ALARM: _each(_ALL),
    Change.REOPENED: _each(_ALL),
    Change.NOTED: _each(_ALL),
}
"""Where each change leads, by where it comes from."""

BY_A_USER = frozenset(
    {Change.ACKNOWLEDGED, Change.HANDLED, Change.FALSE_ALARM, Change.REOPENED, Change.NOTED}
)
"""Of these the record names who; of the others as well when somebody, and not time or values, made them."""


def is_allowed(change: Change, before: str, after: str) -> bool:
    """Does the table have this step?"""
    return State(after) in TRANSITIONS[change].get(State(before), frozenset())


def is_announced(quiet: str, parent_id: int | None) -> bool:
    """Are people told of an alarm (tone, badge, notification)? Not of one that is quiet, nor of one that its
    root cause says already. The one place where this is decided.
    """
    return not quiet and parent_id is None
