"""Life of a command. Pure."""

from __future__ import annotations

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
