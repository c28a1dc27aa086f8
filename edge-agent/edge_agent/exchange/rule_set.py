"""Which rules of data exchange a configuration can run, and what of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edge_agent.config.model import Point
from edge_agent.model import PointKey
from edge_contract.exchange import RunningRule, takes
from edge_contract.exchange_rules import ExchangeEnd, ExchangeProblem, ExchangeRule
from edge_contract.model import Sort, sort_of

NO_SUCH_SLAVE, NO_SUCH_POINT, READ_ONLY, UNFIT_SOURCE = "no_such_slave", "no_such_point", "read_only", "unfit"


@dataclass(frozen=True)
class GatewayRule(RunningRule):
    """A rule with the names of its points. sort: of the values that its target takes."""

    title: str
    source_key: PointKey
    target_key: PointKey
    sort: Sort


def rule_set(
    rules: Sequence[ExchangeRule], points: Mapping[PointKey, Point], numbers: Mapping[PointKey, int]
) -> tuple[list[GatewayRule], list[ExchangeProblem]]:
    """Rules that run, and why the others do not. numbers: of every point that is configured."""
    slaves = frozenset(key.slave for key in points)
    running: list[GatewayRule] = []
    problems: list[ExchangeProblem] = []
    for rule in rules:
        problem = _problem(rule, points, slaves)
        if problem is not None:
            problems.append(problem)
            continue
        source, target = _key(rule.source), _key(rule.target)
        running.append(
            GatewayRule(
                id=rule.id,
                source=numbers[source],
                target=numbers[target],
                ratio=rule.ratio,
                bias=rule.bias,
                every_ms=rule.every_s * 1000,
                title=rule.title,
                source_key=source,
                target_key=target,
                sort=_sort(points[target]),
            )
        )
    return running, problems


def _problem(
    rule: ExchangeRule, points: Mapping[PointKey, Point], slaves: frozenset[str]
) -> ExchangeProblem | None:
    source, target = _key(rule.source), _key(rule.target)
    for key in (source, target):
        if key.slave not in slaves:
            return ExchangeProblem(rule=rule.id, code=NO_SUCH_SLAVE, detail=key.slave)
        if key not in points:
            return ExchangeProblem(rule=rule.id, code=NO_SUCH_POINT, detail=str(key))
    if points[target].rw == "readonly":
        return ExchangeProblem(rule=rule.id, code=READ_ONLY, detail=str(target))
    if not takes(points[source].type.value, _sort(points[target]), _sort(points[source])):
        return ExchangeProblem(rule=rule.id, code=UNFIT_SOURCE, detail=str(source))
    return None


def _key(end: ExchangeEnd) -> PointKey:
    return PointKey(end.slave, end.point)


def _sort(point: Point) -> Sort:
    return sort_of(point.type.value, point.data_type)
