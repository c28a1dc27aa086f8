"""The rules of enabled triggers as they are evaluated, with what their alarms are called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field

from cloud.core.chunks import chunked
from cloud.domains.triggers.homes import alarm_states, evaluated_by
from cloud.domains.triggers.models import Trigger, TriggerRule
from cloud.domains.triggers.repository import TriggerRepository, is_live_only
from cloud.domains.triggers.rules import engine_rule, slave_signal
from cloud.domains.triggers.schemas import TriggerRuleBody, subject, subjects
from cloud.domains.triggers.service import rule_body
from edge_contract.alarms.rule import Rule, Signal
from edge_contract.alarms.state import RuleState
from edge_contract.edge_rules import connection_signal, point_signal

Targets = Callable[[Collection[int]], Awaitable[Mapping[int, frozenset[int]]]]
"""Points that presets write, by preset."""


async def no_targets(_presets: Collection[int]) -> Mapping[int, frozenset[int]]:
    """Presets of which nothing is known."""
    return {}


@dataclass(frozen=True)
class ConditionPlace:
    """Where a condition's point or slave is."""

    device_id: int
    slave_id: int
    dsid: int | None


@dataclass(frozen=True)
class EvaluatedRule:
    """A rule, what it says beyond values, and where its conditions look, by their place in it. targets:
    points that its presets write, by preset.
    """

    rule: Rule
    body: TriggerRuleBody
    trigger_id: int
    trigger_title: str
    places: tuple[ConditionPlace, ...]
    targets: Mapping[int, frozenset[int]] = field(default_factory=dict)

    @property
    def gateways(self) -> set[int]:
        """Whose values it looks at."""
        return {place.device_id for place in self.places}


@dataclass(frozen=True)
class Running:
    """groups: rules that are evaluated here, by gateway, 0 for those over several; at_gateways: those that
    their gateways evaluate. returned: alarms that gateways had when their rules came back. stored, live_only:
    points by where their values are; slaves: since when each answers or does not, of those that were ever
    heard of. names: of signals at their gateways.
    """

    groups: Mapping[int, Mapping[int, EvaluatedRule]] = field(default_factory=dict)
    at_gateways: Mapping[int, Mapping[int, EvaluatedRule]] = field(default_factory=dict)
    returned: Mapping[int, list[RuleState]] = field(default_factory=dict)
    names: Mapping[Signal, str] = field(default_factory=dict)
    stored: frozenset[int] = frozenset()
    live_only: frozenset[int] = frozenset()
    slaves: Mapping[Signal, tuple[int, bool]] = field(default_factory=dict)


StoredRules = list[tuple[Trigger, TriggerRule, TriggerRuleBody]]


async def stored_rules(repository: TriggerRepository, max_rules: int) -> StoredRules:
    """Of enabled triggers."""
    bodies: StoredRules = []
    async for some in chunked(await repository.running(max_rules)):
        bodies += [(trigger, rule, rule_body(rule)) for trigger, rule in some]
    return bodies


def presets_of(bodies: StoredRules) -> set[int]:
    """That these rules have carried out."""
    return {linkage.preset_id for _, _, body in bodies for linkage in body.linkage}


async def running(
    repository: TriggerRepository, bodies: StoredRules, written: Mapping[int, frozenset[int]]
) -> Running:
    """A rule whose point or slave its gateway has no more is left out. written: points, by preset."""
    wanted = subjects([body for _, _, body in bodies])
    points = await repository.points({number for kind, number in wanted if kind == "point"})
    slaves = await repository.slaves({number for kind, number in wanted if kind == "slave"})
    places: dict[tuple[str, int], ConditionPlace] = {}
    for device, slave, point in points.values():
        if not point.removed:
            places["point", point.id] = ConditionPlace(device.id, slave.id, point.id)
    for device, slave in slaves.values():
        if not slave.removed:
            places["slave", slave.id] = ConditionPlace(device.id, slave.id, None)
    groups: dict[int, dict[int, EvaluatedRule]] = {}
    at_gateways: dict[int, dict[int, EvaluatedRule]] = {}
    homes = await repository.homes()
    away = {number: evaluated_by(home) for number, home in homes.items()}
    for trigger, rule, body in bodies:
        one = _running_rule(trigger, rule.id, rule.version, body, places, written)
        if one is not None:
            number = next(iter(one.gateways)) if len(one.gateways) == 1 else 0
            is_away = (rule.id, rule.version) in away.get(number, ())
            (at_gateways if is_away else groups).setdefault(number, {})[rule.id] = one
    names: dict[Signal, str] = {
        point.id: point_signal(slave.name, point.name) for _, slave, point in points.values()
    }
    names |= {slave_signal(slave.id): connection_signal(slave.name) for _, slave in slaves.values()}
    live = frozenset(point.id for _, _, point in points.values() if is_live_only(point))
    return Running(
        groups,
        stored=frozenset(points) - live,
        live_only=live,
        slaves={
            slave_signal(slave.id): (slave.since_ms, slave.online)
            for _, slave in slaves.values()
            if slave.since_ms is not None
        },
        at_gateways=at_gateways,
        returned={number: alarm_states(homes[number]) for number in groups if number in homes},
        names=names,
    )


def _running_rule(
    trigger: Trigger,
    rule_id: int,
    version: int,
    body: TriggerRuleBody,
    places: Mapping[tuple[str, int], ConditionPlace],
    written: Mapping[int, frozenset[int]],
) -> EvaluatedRule | None:
    mine = [places.get(subject(condition)) for condition in body.conditions]
    known = tuple(place for place in mine if place is not None)
    if len(known) < len(mine):
        return None
    made = engine_rule(rule_id, version, trigger.interval_s, body)
    mine_written = {each.preset_id: written.get(each.preset_id, frozenset()) for each in body.linkage}
    return EvaluatedRule(made, body, trigger.id, trigger.title, known, mine_written)
