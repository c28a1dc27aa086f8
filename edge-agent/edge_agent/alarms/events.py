"""What a transition tells the cloud, and what it has written. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from edge_contract.alarms.evaluation import Transition
from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED
from edge_contract.alarms.rule import Signal
from edge_contract.alarms.state import LinkageRest, RuleState
from edge_contract.edge_rules import (
    GatewayRule,
    RuleEvent,
    RuleEventKind,
    RuleLinkage,
    RuleWriteResult,
    point_signal,
)
from edge_contract.limits import EARLIEST_MS, MAX_TEXT

RULE_CHANGED, POINT_REMOVED = "rule_changed", "point_removed"
NO_NUMBER = 1
"""The store gives the number."""


class Linkage(msgspec.Struct, frozen=True):
    """Writes of one transition, as they are stored. title: of the rule; expires_ms: not begun later."""

    rule: int
    version: int
    title: str
    raised_ms: int
    since_ms: int
    condition: int
    expires_ms: int
    linkage: RuleLinkage


def event_of(transition: Transition) -> RuleEvent:
    """A transition as it is told."""
    return RuleEvent(
        seq=NO_NUMBER,
        kind=RuleEventKind(transition.kind.value),
        rule=transition.rule,
        version=transition.version,
        t_ms=transition.t_ms,
        raised_ms=transition.raised_ms,
        since_ms=max(transition.since_ms, 0),
        condition=transition.condition,
        value=transition.value,
        uncertain=transition.t_ms < EARLIEST_MS,
    )


def ended_event(state: RuleState, now_ms: int, cause: str) -> RuleEvent:
    """An alarm whose rule does not go on."""
    raised_ms = state.raised_ms or 0
    return RuleEvent(
        seq=NO_NUMBER,
        kind=RuleEventKind.ENDED,
        rule=state.id,
        version=state.version,
        t_ms=now_ms,
        raised_ms=raised_ms,
        since_ms=raised_ms,
        condition=state.condition,
        value=state.value,
        cause=cause,
        uncertain=now_ms < EARLIEST_MS,
    )


def linkages_of(rule: GatewayRule, transition: Transition) -> list[Linkage]:
    """What a transition brings about, in the rule's order."""
    return [
        Linkage(
            rule=transition.rule,
            version=transition.version,
            title=rule.title,
            raised_ms=transition.raised_ms,
            since_ms=max(transition.since_ms, 0),
            condition=transition.condition,
            expires_ms=transition.t_ms + linkage.expires_s * 1000,
            linkage=linkage,
        )
        for linkage in rule.linkages
        if linkage.on == transition.kind.value
    ]


def targets_of(linkages: Sequence[Linkage]) -> set[Signal]:
    """Points that they write."""
    return {point_signal(write.slave, write.point) for each in linkages for write in each.linkage.writes}


def limited_event(rest: LinkageRest) -> RuleEvent:
    """A rest of a rule's linkages, when it begins and again, with how many were left out, when it is over."""
    return RuleEvent(
        seq=NO_NUMBER,
        kind=RuleEventKind.LINKAGE,
        rule=rest.rule,
        version=rest.version,
        t_ms=rest.since_ms,
        raised_ms=rest.since_ms,
        since_ms=rest.since_ms,
        on=rest.on,
        preset=rest.preset,
        code=LINKAGE_LIMITED,
        left_out=rest.left_out,
        uncertain=rest.since_ms < EARLIEST_MS,
    )


def linkage_event(
    linkage: Linkage, now_ms: int, code: str, detail: str, results: list[RuleWriteResult]
) -> RuleEvent:
    """What came of it, and of each of its writes; code: empty when everything was written."""
    return RuleEvent(
        seq=NO_NUMBER,
        kind=RuleEventKind.LINKAGE,
        rule=linkage.rule,
        version=linkage.version,
        t_ms=now_ms,
        raised_ms=linkage.raised_ms,
        since_ms=linkage.since_ms,
        condition=linkage.condition,
        on=linkage.linkage.on,
        preset=linkage.linkage.preset,
        code=code[:MAX_TEXT],
        detail=detail[:MAX_TEXT],
        results=results,
        uncertain=now_ms < EARLIEST_MS,
    )
