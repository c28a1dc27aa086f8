"""Transitions become alarms and linkages, with the state that they came from, in one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.rule_alarms import (
    RECOVERED,
    AlarmAgain,
    AlarmOver,
    RuleAlarm,
    RuleAlarms,
    RuleFinding,
)
from cloud.domains.triggers.models import LinkageRun
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.running import EvaluatedRule
from edge_contract.alarms.evaluation import Transition, TransitionKind
from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED
from edge_contract.alarms.state import LinkageRest, RuleState

SUPPRESSED = "suppressed"
"""Problem of a linkage that was not carried out: maintenance, or the rule is out of service."""


MAX_TRANSITIONS = 500
"""Of several groups in one transaction, after which others write; those of one group stay together."""

MAX_GROUPS = 100


@dataclass(frozen=True)
class Ended:
    """An alarm whose rule does not go on. why: a cause of RuleAlarms."""

    state: RuleState
    at_ms: int
    why: str


@dataclass(frozen=True)
class GroupFindings:
    """What is to be recorded of rules that are evaluated together. device_id: whose they are, 0 for those
    over several gateways; state: of their engine, as JSON; writing: transitions whose linkages are carried
    out; rests: of linkages that are left out.
    """

    device_id: int
    rules: Mapping[int, EvaluatedRule]
    transitions: Sequence[Transition]
    ended: Sequence[Ended]
    state: str
    writing: Sequence[Transition] = ()
    rests: Sequence[LinkageRest] = ()


def portions(findings: Iterable[GroupFindings]) -> Iterator[list[GroupFindings]]:
    """Groups in their order, MAX_GROUPS and, unless it is a single one, MAX_TRANSITIONS at a time."""
    some: list[GroupFindings] = []
    count = 0
    for each in findings:
        size = len(each.transitions) + len(each.ended)
        if some and (len(some) >= MAX_GROUPS or count + size > MAX_TRANSITIONS):
            yield some
            some, count = [], 0
        some.append(each)
        count += size
    if some:
        yield some


class TransitionRecorder:
    """changed: called with the gateways whose alarms are others now, after the commit."""

    def __init__(
        self,
        database: Database,
        alarms: RuleAlarms,
        changed: Callable[[int], Awaitable[None]],
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._alarms = alarms
        self._changed = changed
        self._clock = clock

    async def record(self, findings: Sequence[GroupFindings]) -> None:
        """All of it or nothing. Raises SQLAlchemyError."""
        async with self._database.session() as session:
            repository = TriggerRepository(session, Scope.system())
            touched = await self._alarms.record(
                session, [each for group in findings for each in _alarms(group)]
            )
            runs = [run for group in findings for run in self._runs(group)]
            if runs:
                resting = await self._alarms.resting(session)
                for device_id, run in runs:
                    if resting & {(device_id, None), (device_id, run.rule_id)}:
                        run.is_due, run.problem = False, SUPPRESSED
                    repository.add_run(run)
            for group in findings:
                for rest in group.rests:
                    if (rule := group.rules.get(rest.rule)) is not None:
                        await repository.note_rest(limited_run(rule, rest, self._clock()))
            await repository.save_states(
                {group.device_id: group.state for group in findings if group.rules}, self._clock()
            )
            if idle := [group.device_id for group in findings if not group.rules]:
                await repository.forget_states(idle)
            await session.commit()
        for number in sorted(touched):
            await self._changed(number)

    def _runs(self, group: GroupFindings) -> Iterator[tuple[int, LinkageRun]]:
        """What is to be carried out, with the gateway whose values say so."""
        for rule, transition in _current(group.rules, group.writing):
            for linkage in rule.body.linkage:
                if linkage.on == transition.kind.value:
                    run = LinkageRun(
                        trigger_id=rule.trigger_id,
                        trigger_title=rule.trigger_title,
                        rule_id=transition.rule,
                        version=transition.version,
                        raised_ms=transition.raised_ms,
                        kind=linkage.on,
                        preset_id=linkage.preset_id,
                        at_ms=transition.t_ms,
                        noted_ms=self._clock(),
                        is_due=True,
                        problem="",
                    )
                    yield rule.places[transition.condition].device_id, run


def limited_run(
    rule: EvaluatedRule, rest: LinkageRest, now_ms: int, *, at_gateway: bool = False
) -> LinkageRun:
    """The entry of a rest of linkages, which is named by its rule and beginning."""
    return LinkageRun(
        trigger_id=rule.trigger_id,
        trigger_title=rule.trigger_title,
        rule_id=rest.rule,
        version=rest.version,
        kind=rest.on,
        preset_id=rest.preset,
        at_ms=rest.since_ms,
        noted_ms=now_ms,
        is_due=False,
        problem=LINKAGE_LIMITED,
        left_out=rest.left_out,
        at_gateway=at_gateway,
    )


def _current(
    rules: Mapping[int, EvaluatedRule], transitions: Sequence[Transition]
) -> Iterator[tuple[EvaluatedRule, Transition]]:
    """Transitions of rules that still say the same."""
    for transition in transitions:
        rule = rules.get(transition.rule)
        if rule is not None and rule.rule.version == transition.version:
            yield rule, transition


def _alarms(group: GroupFindings) -> Iterator[RuleFinding]:
    for one in group.ended:
        yield AlarmOver(one.state.id, one.state.raised_ms or 0, one.at_ms, one.state.value, one.why)
    for rule, transition in _current(group.rules, group.transitions):
        if rule.body.alarm_notify:
            yield _alarm(rule, transition)


def _alarm(rule: EvaluatedRule, transition: Transition) -> RuleFinding:
    number, raised_ms, at_ms = transition.rule, transition.raised_ms, transition.t_ms
    match transition.kind:
        case TransitionKind.RAISED:
            return alarm_of(rule, transition)
        case TransitionKind.AGAIN:
            return AlarmAgain(number, raised_ms, at_ms)
        case TransitionKind.CLEARED:
            return AlarmOver(number, raised_ms, at_ms, transition.value, RECOVERED)


def alarm_of(rule: EvaluatedRule, transition: Transition) -> RuleAlarm:
    """What is noted of a rule that has raised its alarm."""
    place, body = rule.places[transition.condition], rule.body
    return RuleAlarm(
        rule_id=transition.rule,
        device_id=place.device_id,
        slave_id=place.slave_id,
        dsid=place.dsid,
        at_ms=transition.t_ms,
        since_ms=transition.since_ms,
        alarm_type=body.alarm_type,
        level=body.level,
        title=body.title,
        value=transition.value,
        reason={
            "trigger_id": rule.trigger_id,
            "trigger": rule.trigger_title,
            "version": transition.version,
            "logic": int(body.logic),
            "delay_s": body.delay_s,
            "groups": body.groups,
            "condition": body.conditions[transition.condition].model_dump(mode="json"),
            "linkage": [linkage.model_dump(mode="json") for linkage in body.linkage],
        },
        latched=body.latched,
    )
