"""One script of the configuration at run time."""

from __future__ import annotations

from dataclasses import dataclass, field

from edge_agent.config.calculated import ScriptPlan
from edge_agent.points import PointBlock


@dataclass(eq=False)
class Scripted:
    """operands: numbers of its inputs, in their order; limits_ms: the age from which each is stale."""

    plan: ScriptPlan
    block: PointBlock
    operands: tuple[int, ...]
    limits_ms: tuple[int, ...]
    period_s: float
    awaited: set[int] = field(default_factory=set)
    due: float = 0.0
    told: object = None
    trouble: str = ""
