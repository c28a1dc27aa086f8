"""States of the engine when the clock moves, and when two engines become one. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from edge_contract.alarms.state import (
    EVER_MS,
    ConditionState,
    EngineState,
    LinkageRest,
    LinkageState,
    RuleState,
    SignalState,
)
from edge_contract.edge_rules import RuleEvent
from edge_contract.limits import EARLIEST_MS


def shifted(state: EngineState, by_ms: int) -> EngineState:
    """The clock moved: delays, repeats and values that do not change go on by the time that passed.

    An alarm keeps the beginning that it was told with, unless that was before the clock was set.
    """
    return EngineState(
        now_ms=_moved(state.now_ms, by_ms),
        rules=[_rule(rule, by_ms) for rule in state.rules],
        signals=[replace(each, t_ms=_moved(each.t_ms, by_ms)) for each in state.signals],
        linkages=LinkageState(
            rules=[replace(each, times_ms=_all_moved(each.times_ms, by_ms)) for each in state.linkages.rules],
            targets=[
                replace(each, times_ms=_all_moved(each.times_ms, by_ms)) for each in state.linkages.targets
            ],
            rests=[_rest(each, by_ms) for each in state.linkages.rests],
        ),
    )


def event_shifted(event: RuleEvent, by_ms: int) -> RuleEvent:
    """An event of before the clock was set, at its time."""
    return replace(
        event,
        t_ms=_unset_moved(event.t_ms, by_ms),
        raised_ms=_unset_moved(event.raised_ms, by_ms),
        since_ms=_unset_moved(event.since_ms, by_ms),
        results=[replace(each, t_ms=_unset_moved(each.t_ms, by_ms)) for each in event.results],
    )


def merged(own: EngineState, given: EngineState | None) -> EngineState:
    """given: what somebody else knew of rules so far; it counts where there is nothing of one's own."""
    if given is None:
        return own
    known = {(rule.id, rule.version) for rule in own.rules}
    signals: dict[int | str, SignalState] = {each.signal: each for each in given.signals}
    for each in own.signals:
        if each.signal not in signals or each.t_ms >= signals[each.signal].t_ms:
            signals[each.signal] = each
    return EngineState(
        now_ms=max(own.now_ms, given.now_ms),
        rules=[*own.rules, *(rule for rule in given.rules if (rule.id, rule.version) not in known)],
        signals=list(signals.values()),
        linkages=_both(own.linkages, given.linkages),
    )


def phases(state: EngineState) -> list[object]:
    """What of a state is more than that time moved on."""
    return [
        (rule.id, rule.since_ms, rule.raised_ms, rule.gone_ms, [each.is_true for each in rule.conditions])
        for rule in state.rules
    ]


def _both(own: LinkageState, given: LinkageState) -> LinkageState:
    rules = {each.rule: each for each in [*given.rules, *own.rules]}
    targets = {each.target: each for each in [*given.targets, *own.targets]}
    rests = {each.rule: each for each in [*given.rests, *own.rests]}
    return LinkageState(
        rules=list(rules.values()), targets=list(targets.values()), rests=list(rests.values())
    )


def _rest(rest: LinkageRest, by_ms: int) -> LinkageRest:
    """Its beginning names it, so that stays unless it was before the clock was set."""
    return replace(rest, since_ms=_unset_moved(rest.since_ms, by_ms), until_ms=_moved(rest.until_ms, by_ms))


def _all_moved(times_ms: list[int], by_ms: int) -> list[int]:
    return [_moved(each, by_ms) for each in times_ms]


def _rule(rule: RuleState, by_ms: int) -> RuleState:
    return replace(
        rule,
        at_ms=_moved(rule.at_ms, by_ms),
        since_ms=_if_moved(rule.since_ms, by_ms),
        raised_ms=None if rule.raised_ms is None else _unset_moved(rule.raised_ms, by_ms),
        again_ms=_if_moved(rule.again_ms, by_ms),
        gone_ms=_if_moved(rule.gone_ms, by_ms),
        tick_ms=_if_moved(rule.tick_ms, by_ms),
        conditions=[_condition(each, by_ms) for each in rule.conditions],
    )


def _condition(condition: ConditionState, by_ms: int) -> ConditionState:
    return replace(condition, since_ms=_if_moved(condition.since_ms, by_ms))


def _moved(t_ms: int, by_ms: int) -> int:
    return t_ms if t_ms == EVER_MS else max(t_ms + by_ms, 0)


def _if_moved(t_ms: int | None, by_ms: int) -> int | None:
    return None if t_ms is None else _moved(t_ms, by_ms)


def _unset_moved(t_ms: int, by_ms: int) -> int:
    return max(t_ms + by_ms, 0) if t_ms < EARLIEST_MS else t_ms
