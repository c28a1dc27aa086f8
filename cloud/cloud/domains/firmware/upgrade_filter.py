"""Which upgrades a list is asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class UpgradeFilter:
    """What is None or empty filters nothing. search: of a gateway's title or number. from_ms, to_ms: when the
    attempt was planned, to_ms excluded. is_back: only of this direction, the newest attempt of each gateway.
    """

    plan_id: int | None = None
    plan_name: int | None = None
    device_id: int | None = None
    states: Collection[str] = ()
    wave: int | None = None
    search: str = ""
    from_ms: int = 0
    to_ms: int = 0
    is_back: bool | None = None
