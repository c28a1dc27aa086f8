"""Calculated points of a configuration: formulas compiled, their faults found, no ring among them."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence

from edge_agent.config.model import Point
from edge_agent.errors import ConfigError
from edge_agent.model import PointKind
from edge_agent.points.formula import Formula, compile_formula, cycles

PLAIN = {"rw": "readonly", "collect_mode": "cycle", "collect_delay_ms": 0, "priority": "trend"}
"""Settings that say how a point is read from a device, and so nothing about a calculated one."""


def formulas_of(points: Sequence[Point]) -> tuple[dict[int, Formula], list[ConfigError]]:
    """Formulas by position of their points, over positions; faults, with fields such as points[3].formula."""
    found: dict[int, Formula] = {}
    faults: list[ConfigError] = []
    everywhere = {f"{point.slave}.{point.name}": at for at, point in enumerate(points)}
    nearby: dict[str, dict[str, int]] = {}
    for at, point in enumerate(points):
        nearby.setdefault(point.slave, {})[point.name] = at
    for at, point in enumerate(points):
        where = f"points[{at}]"
        if point.type is not PointKind.CALCULATED:
            if point.formula:
                faults.append(
                    ConfigError(f"{where}.formula", "must be empty for a point that is not of type cal")
                )
            continue
        faults += [
            ConfigError(f"{where}.{field}", f"must be {value!r} for a calculated point")
            for field, value in PLAIN.items()
            if getattr(point, field) != value
        ]
        if point.address:
            faults.append(ConfigError(f"{where}.address", "must be empty for a calculated point"))
        try:
            found[at] = compile_formula(
                point.formula, ChainMap(nearby[point.slave], everywhere), f"{where}.formula"
            )
        except ConfigError as error:
            faults.append(error)
    for ring in cycles(found):
        names = " -> ".join(f"{points[at].slave}.{points[at].name}" for at in (*ring, ring[0]))
        faults.append(ConfigError(f"points[{ring[0]}].formula", f"must not need its own value: {names}"))
    return found, faults
