"""For lists of triggers: which gateway's word counts for a rule, and what that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cloud.domains.triggers.homes import evaluated_by, state_row
from cloud.domains.triggers.models import RuleHome, TriggerRule
from cloud.domains.triggers.repository import Place, PointPlace, TriggerRepository
from cloud.domains.triggers.schemas import RuleStateRow, TriggerRuleBody, subjects


async def homes_of_rules(
    repository: TriggerRepository,
    bodies: Mapping[int, TriggerRuleBody],
    points: Mapping[int, PointPlace],
    slaves: Mapping[int, Place],
) -> dict[int, RuleHome]:
    """Of rules that look at one gateway alone, by the rule's number."""
    gateways: dict[int, int] = {}
    for rule_id, body in bodies.items():
        devices = {
            (points if kind == "point" else slaves)[number][0].id
            for kind, number in subjects([body])
            if number in (points if kind == "point" else slaves)
        }
        if len(devices) == 1:
            gateways[rule_id] = devices.pop()
    homes = await repository.homes(set(gateways.values()))
    return {rule_id: homes[number] for rule_id, number in gateways.items() if number in homes}


def gateway_states(rules: Sequence[TriggerRule], homes: Mapping[int, RuleHome]) -> dict[int, RuleStateRow]:
    """Of rules that their gateways evaluate."""
    away = {home.device_id: evaluated_by(home) for home in homes.values()}
    return {
        rule.id: state_row(homes[rule.id], rule.id)
        for rule in rules
        if rule.id in homes and (rule.id, rule.version) in away[homes[rule.id].device_id]
    }
