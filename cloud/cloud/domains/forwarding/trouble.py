"""When a target that takes nothing is trouble that people are told of. Pure.

How long it lasts is judged by the cloud's clock alone: a gateway's may be set while a target is down, and a
report of it says what was so when it was sent. Only how long a connection stood is between two times of the
gateway.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from edge_contract.targets import TargetState

TARGET_DOWN_S = 120.0
"""A target may be down for so long before it is trouble."""
_HELD_MS = TARGET_DOWN_S * 1000


@dataclass(frozen=True)
class TargetTrouble:
    """condition and since_ms as the gateway said them. trouble_since_ms: since when it takes nothing (cloud's
    clock), 0: it does. in_trouble: it has lasted, and there is an alarm.
    """

    condition: str
    since_ms: int
    trouble_since_ms: int = 0
    in_trouble: bool = False


def trouble_after(before: TargetTrouble | None, said: TargetState, now_ms: int) -> TargetTrouble:
    """A target after the gateway's word; before: None for one that is new.

    A connection without an acknowledgement ends no trouble, but one that stood as long as trouble must last
    was idle: what follows it is another trouble.
    """
    since_ms, in_trouble = (0, False) if before is None else (before.trouble_since_ms, before.in_trouble)
    if said.condition in ("up", "off"):
        return TargetTrouble(said.condition, said.since_ms)
    if said.condition == "down":
        if before is not None and before.condition == "connected" and not in_trouble:
            since_ms = 0 if said.since_ms - before.since_ms >= _HELD_MS else since_ms
        since_ms = since_ms or now_ms
        in_trouble = in_trouble or now_ms - since_ms >= _HELD_MS
    return TargetTrouble(said.condition, said.since_ms, since_ms, in_trouble)


def alarm_origin(device_id: int, name: str, trouble: TargetTrouble) -> str:
    """Of the alarm of a target in trouble; names have up to 64 letters, and an origin 70."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"target:{device_id}:{digest}:{trouble.trouble_since_ms}"
