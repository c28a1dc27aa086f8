"""Where rules are evaluated, by what their gateways have confirmed. Pure."""

from __future__ import annotations

from cloud.domains.triggers.models import RuleHome
from cloud.domains.triggers.schemas import RuleHomeKind, RuleStateRow
from edge_contract.alarms.state import ConditionState, RuleState
from edge_contract.edge_rules import RuleEvent, RuleEventKind, RulesReport

VERSION, RAISED, SINCE, CONDITION = range(4)
"""Places in an alarm of RuleHome."""


def evaluated_by(home: RuleHome) -> frozenset[tuple[int, int]]:
    """Rules that the gateway evaluates, by number and version."""
    problems = set(home.problems)
    return frozenset((rule, version) for rule, version in home.rules if home.takes and rule not in problems)


def home_of(home: RuleHome | None, rule_id: int, version: int) -> RuleHomeKind:
    """Where a rule of one gateway is evaluated."""
    if home is None or not home.takes or rule_id in home.problems:
        return RuleHomeKind.CLOUD
    if (rule_id, version) in evaluated_by(home):
        return RuleHomeKind.GATEWAY
    is_sent = [rule_id, version] in home.sent_rules
    return RuleHomeKind.GATEWAY_PENDING if is_sent else RuleHomeKind.CLOUD


def reported(home: RuleHome, report: RulesReport) -> None:
    """A gateway says what it holds; what is not known by its hash evaluates nothing that is known."""
    if report.hash is not None and report.hash == home.sent_hash:
        home.hash, home.rules = home.sent_hash, list(home.sent_rules)
    elif report.hash != home.hash:
        home.hash, home.rules = report.hash, []
    home.problems = [problem.rule for problem in report.problems]


def noted(home: RuleHome, event: RuleEvent) -> None:
    """Which alarms there are, after an event."""
    alarms, key = dict(home.alarms), str(event.rule)
    if event.kind is RuleEventKind.RAISED:
        alarms[key] = [event.version, event.raised_ms, event.since_ms, event.condition]
    elif event.kind in (RuleEventKind.CLEARED, RuleEventKind.ENDED):
        alarms.pop(key, None)
    home.alarms = alarms


def handed_over(home: RuleHome, states: list[RuleState]) -> None:
    """Alarms that a gateway gets together with their rules."""
    alarms = dict(home.alarms)
    for state in states:
        if state.raised_ms is not None:
            alarms[str(state.id)] = [
                state.version, state.raised_ms, state.since_ms or state.raised_ms, state.condition,
            ]  # fmt: skip
    home.alarms = alarms


def alarm_states(home: RuleHome) -> list[RuleState]:
    """Alarms of a gateway's rules as an engine goes on from them: their conditions hold until a value says
    otherwise.
    """
    return [
        RuleState(
            id=int(key),
            version=alarm[VERSION],
            at_ms=alarm[RAISED],
            since_ms=alarm[SINCE],
            raised_ms=alarm[RAISED],
            again_ms=alarm[RAISED],
            condition=alarm[CONDITION],
        )
        for key, alarm in home.alarms.items()
    ]


def with_conditions(state: RuleState, count: int) -> RuleState:
    """All conditions of a rule hold."""
    return RuleState(
        id=state.id,
        version=state.version,
        at_ms=state.at_ms,
        since_ms=state.since_ms,
        raised_ms=state.raised_ms,
        again_ms=state.again_ms,
        condition=state.condition,
        conditions=[ConditionState(is_true=True)] * count,
    )


def state_row(home: RuleHome, rule_id: int) -> RuleStateRow:
    """What a gateway has told of a rule that it evaluates."""
    alarm = home.alarms.get(str(rule_id))
    if alarm is None:
        return RuleStateRow(since_ms=None, raised_ms=None)
    return RuleStateRow(since_ms=alarm[SINCE], raised_ms=alarm[RAISED])
