"""Whether a gateway is as well after an upgrade as it was before, by what the cloud knows of it. Pure."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

MIN_GOOD_SHARE = 0.9
"""Of the points that were good before; as the gateway's own trial has it (C-208)."""
MAX_LATENCY_FACTOR = 1.5
LATENCY_MS = 50.0
"""Answers of slaves may take so much longer, whatever they took before."""
MAX_MEMORY_FACTOR = 1.5
MEMORY_BYTES = 64 * 1024 * 1024
"""The agent may take so much more, whatever it took before."""
MAX_OUTAGES = 1
"""More outages than in the same time before that are no reason yet: the restart of the upgrade itself."""
MAX_BACKLOG_BATCHES = 1000
"""Batches that may wait on the gateway more than before."""


@dataclass(frozen=True)
class Evidence:
    """What the cloud knows of a gateway at a time. slaves: that are online; good: points with a good value.

    latency_ms: mean time of slaves until they answer, None when no gateway's pulse says it. outages: of the
    link, in the time that was looked at. backlog: batches that wait. memory_bytes: resident, of the agent;
    None when the gateway does not say it.
    """

    t_ms: int
    online: bool
    slaves: int
    good: int
    outages: int
    backlog: int
    latency_ms: float | None = None
    memory_bytes: int | None = None

    def to_json(self) -> dict[str, Any]:
        """For the column of an upgrade."""
        return asdict(self)

    @classmethod
    def of_json(cls, value: dict[str, Any] | None) -> Self | None:
        """What another release has written counts as far as it is known."""
        if value is None:
            return None
        names = {field.name for field in fields(cls)}
        try:
            return cls(**{name: each for name, each in value.items() if name in names})
        except TypeError:
            return None


def worse(before: Evidence, after: Evidence) -> list[str]:
    """In what a gateway is worse than before; empty: it passes."""
    faults: list[str] = []
    if not after.online:
        faults.append("offline")
    if after.slaves < before.slaves:
        faults.append("slaves")
    if after.good < math.ceil(before.good * MIN_GOOD_SHARE - 1e-9):
        faults.append("points")
    if after.outages > before.outages + MAX_OUTAGES:
        faults.append("outages")
    if after.backlog > before.backlog + MAX_BACKLOG_BATCHES:
        faults.append("backlog")
    if _exceeds(before.latency_ms, after.latency_ms, MAX_LATENCY_FACTOR, LATENCY_MS):
        faults.append("latency")
    if _exceeds(before.memory_bytes, after.memory_bytes, MAX_MEMORY_FACTOR, MEMORY_BYTES):
        faults.append("memory")
    return faults


def _exceeds(before: float | None, after: float | None, factor: float, margin: float) -> bool:
    """Whether it is both factor times as much and by margin more; never when one of them is unknown."""
    if before is None or after is None:
        return False
    return after > max(before * factor, before + margin)
