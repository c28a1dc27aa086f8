"""Rules of one gateway as it evaluates them: signals and writes by its own names. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from cloud.domains.triggers.running import EvaluatedRule
from edge_contract.alarms.rule import Condition, Rule, Signal
from edge_contract.alarms.state import EngineState, LinkageState
from edge_contract.edge_rules import GatewayRule, RuleLinkage, RuleWrite
from edge_contract.limits import MAX_EDGE_RULES, MAX_RULES_BYTES

MAX_DOCUMENT_BYTES = MAX_RULES_BYTES // 2
"""Of the rules; the rest is for the state that goes along."""


@dataclass(frozen=True)
class PlannedWrite:
    """A write of a preset, as the gateway calls its point."""

    device_id: int
    write: RuleWrite


Presets = Mapping[tuple[int, int], Sequence[PlannedWrite] | None]
"""Writes by trigger and preset; None for one that may not be carried out as it is."""


def gateway_rule(rule: EvaluatedRule, names: Mapping[Signal, str], presets: Presets) -> GatewayRule | None:
    """None when it can only be evaluated in the cloud: a linkage writes to another gateway, or may not."""
    (device_id,) = rule.gateways
    linkages: list[RuleLinkage] = []
    for linkage in rule.body.linkage:
        writes = presets.get((rule.trigger_id, linkage.preset_id))
        if not writes or any(write.device_id != device_id for write in writes):
            return None
        linkages.append(
            RuleLinkage(on=linkage.on, preset=linkage.preset_id, writes=[planned.write for planned in writes])
        )
    if any(condition.signal not in names for condition in rule.rule.conditions):
        return None
    return GatewayRule(rule=_renamed(rule.rule, names), title=rule.body.title, linkages=linkages)


def fitting(rules: Sequence[GatewayRule]) -> list[GatewayRule]:
    """As many as one gateway takes, those with the lowest numbers first; the others stay in the cloud."""
    chosen: list[GatewayRule] = []
    size = 0
    for rule in sorted(rules, key=lambda each: each.rule.id)[:MAX_EDGE_RULES]:
        size += len(msgspec.json.encode(rule)) + 1
        if size > MAX_DOCUMENT_BYTES:
            break
        chosen.append(rule)
    return chosen


def handed_state(state: EngineState, rules: Collection[int], names: Mapping[Signal, str]) -> EngineState:
    """What of a state belongs to some rules, with the gateway's names."""
    return EngineState(
        now_ms=state.now_ms,
        rules=[each for each in state.rules if each.id in rules],
        signals=[
            msgspec.structs.replace(each, signal=names[each.signal])
            for each in state.signals
            if each.signal in names
        ],
        linkages=LinkageState(
            rules=[each for each in state.linkages.rules if each.rule in rules],
            targets=[
                msgspec.structs.replace(each, target=names[each.target])
                for each in state.linkages.targets
                if each.target in names
            ],
            rests=[each for each in state.linkages.rests if each.rule in rules],
        ),
    )


def _renamed(rule: Rule, names: Mapping[Signal, str]) -> Rule:
    conditions: list[Condition] = [
        msgspec.structs.replace(condition, signal=names[condition.signal]) for condition in rule.conditions
    ]
    return msgspec.structs.replace(rule, conditions=conditions)
