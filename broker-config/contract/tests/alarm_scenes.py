"""Samples for alarm rules, and what becomes of them, in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from edge_contract.alarms.engine import Engine
from edge_contract.alarms.evaluation import Transition
from edge_contract.alarms.rule import Rule
from edge_contract.model import Quality, Value

Sample = tuple[int, int | str, Value]
"""Seconds, signal, value; None is a value that could not be read."""
Shown = tuple[str, float]
"""Kind and seconds."""

END_S = 1000


def rule(*conditions: object, **others: object) -> Rule:
    return Rule(id=1, conditions=list(conditions), **others)  # type: ignore[arg-type]


def rows(samples: Sequence[Sample]) -> list[tuple[int, list[int | str], list[Value], list[int]]]:
    """Samples by time, in milliseconds."""
    made = []
    for t_s, group in groupby(samples, key=lambda sample: sample[0]):
        same = list(group)
        values = [value for _, _, value in same]
        qualities = [Quality.GOOD if value is not None else Quality.DEVICE_OFFLINE for value in values]
        made.append((t_s * 1000, [signal for _, signal, _ in same], values, list(map(int, qualities))))
    return made


def fed(engine: Engine, samples: Sequence[Sample], end_s: int = END_S) -> list[Transition]:
    transitions = [each for row in rows(samples) for each in engine.feed(*row)]
    return transitions + engine.advance(end_s * 1000)


def shown(transitions: Sequence[Transition]) -> list[Shown]:
    return [(each.kind.value, each.t_ms / 1000) for each in transitions]
