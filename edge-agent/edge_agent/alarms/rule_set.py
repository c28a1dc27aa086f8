"""Which rules a configuration can evaluate, and what they look at. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from edge_agent.model import PointKey
from edge_contract.alarms.rule import Rule, Signal
from edge_contract.edge_rules import GatewayRule, RuleProblem, signal_parts


@dataclass(frozen=True)
class RuleSet:
    """rules: those that are evaluated, by number; points: signals by the number of the point; slaves: those
    whose connection counts.
    """

    rules: Mapping[int, GatewayRule] = field(default_factory=dict)
    problems: Sequence[RuleProblem] = ()
    points: Mapping[int, Signal] = field(default_factory=dict)
    slaves: frozenset[str] = frozenset()

    @property
    def evaluated(self) -> list[Rule]:
        """In a fixed order."""
        return [each.rule for _, each in sorted(self.rules.items())]


def rule_set(
    rules: Sequence[GatewayRule], numbers: Mapping[PointKey, int], slaves: frozenset[str]
) -> RuleSet:
    """numbers: of every point that is configured; slaves: all of them."""
    evaluated: dict[int, GatewayRule] = {}
    problems: list[RuleProblem] = []
    points: dict[int, Signal] = {}
    connections: set[str] = set()
    for each in rules:
        parts = [signal_parts(str(condition.signal)) for condition in each.rule.conditions]
        problem = _problem(each.rule.id, parts, numbers, slaves)
        if problem is not None:
            problems.append(problem)
            continue
        evaluated[each.rule.id] = each
        for condition, (slave, point) in zip(each.rule.conditions, parts, strict=True):
            if point is None:
                connections.add(slave)
            else:
                points[numbers[PointKey(slave, point)]] = condition.signal
    return RuleSet(evaluated, problems, points, frozenset(connections))


def _problem(
    rule: int,
    parts: Sequence[tuple[str, str | None]],
    numbers: Mapping[PointKey, int],
    slaves: frozenset[str],
) -> RuleProblem | None:
    for slave, point in parts:
        if slave not in slaves:
            return RuleProblem(rule=rule, code="no_such_slave", detail=slave)
        if point is not None and PointKey(slave, point) not in numbers:
            return RuleProblem(rule=rule, code="no_such_point", detail=f"{slave}.{point}")
    return None
