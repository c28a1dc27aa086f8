"""Life of a command. Pure."""

from __future__ import annotations

from edge_contract.payloads import ONLY_LOOK, CommandAction, Outcome
from edge_contract.payloads import CommandState as S

NEXT: dict[S, frozenset[S]] = {
    S.CREATE: frozenset({S.SEND, S.NETWORK_ERROR, S.RESP, S.FAIL, S.NOT_AUTHORIZED, S.ERROR}),
    S.SEND: frozenset({S.RESP, S.FAIL, S.NETWORK_ERROR, S.NOT_AUTHORIZED, S.ERROR}),
    S.NETWORK_ERROR: frozenset(),
    S.RESP: frozenset(),
    S.FAIL: frozenset(),
    S.NOT_AUTHORIZED: frozenset(),
    S.ERROR: frozenset(),
}

WAITING = frozenset({S.CREATE, S.SEND})


def may_become(now: S, wanted: S) -> bool:
    """True when the state may change so; a final state never changes."""
    return wanted in NEXT[now]


MAY_HAVE_ACTED = frozenset({"no_answer", "bad_frame", "port_down", "interrupted", "internal"})
"""Codes of an agent that reports no outcome, with which a write may have been carried out."""

RESOLVED_BY_READ = frozenset({Outcome.RESOLVED_WRITTEN, Outcome.RESOLVED_OTHER})


def outcome_of(action: str, state: S, code: str, reported: Outcome | None, *, sent: bool) -> Outcome:
    """What is known of the effect of a command that ends in this state. reported: the gateway's own outcome.
    sent: the broker may have taken it.
    """
    if state is S.RESP:
        return Outcome.DONE
    if reported is not None and reported is not Outcome.DONE:
        return reported
    if CommandAction(action) in ONLY_LOOK:
        return Outcome.FAILED
    unknown = sent if state is S.NETWORK_ERROR else state in (S.FAIL, S.ERROR) and code in MAY_HAVE_ACTED
    return Outcome.UNKNOWN if unknown else Outcome.FAILED


def late_outcome_of(action: str, state: S, code: str, reported: Outcome | None) -> Outcome | None:
    """What a result that comes later makes of an unknown outcome; None when it knows no more."""
    outcome = outcome_of(action, state, code, reported, sent=True)
    if outcome is Outcome.DONE and action == CommandAction.WRITE:
        return Outcome.RESOLVED_WRITTEN
    return None if outcome is Outcome.UNKNOWN else outcome
