"""A trigger's rules as the engine of gateway and cloud reads them. Pure."""

from __future__ import annotations

from typing import Any

from cloud.domains.triggers.condition_schemas import (
    ChangeBody,
    ComparisonBody,
    ConditionBody,
    NotConnectedBody,
    ScriptConditionBody,
    TrendBody,
    UnchangedBody,
)
from cloud.domains.triggers.numbers import LimitsBody
from cloud.domains.triggers.schemas import TriggerRuleBody
from cloud.errors import ParameterError
from edge_contract.alarms.rule import (
    Comparison,
    Condition,
    Limits,
    NotConnected,
    Rule,
    Script,
    Signal,
    SingleChange,
    Trend,
    Unchanged,
)

NOT_EVALUATED = {"id", "title", "alarm_notify", "alarm_type", "level", "latched", "linkage"}
"""Fields of a rule that say nothing of values."""


def slave_signal(slave_id: int) -> Signal:
    """Whether a slave answers."""
    return f"slave:{slave_id}"


def signal_of(condition: ConditionBody) -> Signal:
    """What a condition looks at: the number of a point, or a slave."""
    return slave_signal(condition.slave_id) if isinstance(condition, NotConnectedBody) else condition.dsid


def engine_rule(rule_id: int, version: int, interval_s: int, body: TriggerRuleBody, place: int = 0) -> Rule:
    """ParameterError names the condition and the rule that it breaks; place: of the rule in its trigger."""
    conditions: list[Condition] = []
    for at, condition in enumerate(body.conditions):
        try:
            conditions.append(_condition(condition))
        except ValueError as error:
            field, _, rule = str(error).partition(": ")
            raise ParameterError(f"rules.{place}.conditions.{at}.{NAMES.get(field, field)}", rule) from None
    return Rule(
        id=rule_id,
        version=version,
        logic=body.logic,
        conditions=conditions,
        interval_s=interval_s,
        on_delay_s=body.delay_s,
        off_delay_s=body.off_delay_s,
        again_s=body.again_s,
    )


NAMES = {"threshold": "trigger_threshold", "low": "trigger_threshold", "low, high": "trigger_threshold"}
"""Of the engine's fields in the API."""


def evaluated(body: TriggerRuleBody, interval_s: int) -> dict[str, Any]:
    """What of a rule its state depends on."""
    return {**body.model_dump(mode="json", exclude=NOT_EVALUATED), "interval_s": interval_s}


def _condition(body: ConditionBody) -> Condition:
    """ValueError as "field: rule"."""
    signal = signal_of(body)
    match body:
        case ComparisonBody():
            return Comparison(
                signal=signal,
                op=body.trigger_optype,
                threshold=_threshold(body.trigger_threshold),
                deadband=body.deadband,
                clear=None if body.clear is None else _threshold(body.clear),
            )
        case UnchangedBody():
            return Unchanged(signal=signal, duration_s=body.duration_s, deadband=body.deadband)
        case ChangeBody():
            return SingleChange(signal=signal, magnitude=body.magnitude)
        case TrendBody():
            return Trend(signal=signal, direction=body.direction, count=body.count, magnitude=body.magnitude)
        case NotConnectedBody():
            return NotConnected(signal=signal)
        case ScriptConditionBody():
            return Script(signal=signal)


def _threshold(value: float | LimitsBody) -> float | Limits:
    return Limits(low=value.lolmt, high=value.uplmt) if isinstance(value, LimitsBody) else value
