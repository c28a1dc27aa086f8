"""Which gateways a list is asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class GatewayFilter:
    """What is None or empty filters nothing. search: of titles, serial numbers and releases. takes: whether
    it takes firmware. numbers, serials: only these. project_id: of it and all below.
    """

    search: str = ""
    takes: bool | None = None
    numbers: Collection[int] = ()
    serials: Collection[str] = ()
    project_id: int | None = None
