"""The rules that a point's alarm settings say, as those of a trigger. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from cloud.domains.alarms.codes import AlarmType
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.inventory.models import DataPoint
from cloud.domains.triggers.rules import engine_rule
from cloud.domains.triggers.schemas import TriggerRuleBody
from cloud.errors import ParameterError
from edge_contract.alarms.rule import Operator

INNER, OUTER = 0, 1
"""Places of the rules of a point in its trigger: of the only or inner limits, and of the outer ones."""

Said = Mapping[int, TriggerRuleBody]


def rules_of(setting: PointSetting, point: DataPoint) -> Said:
    """By place; empty when the settings say no alarm of such a point, or one that cannot be: they may be
    older than their check. One of two levels has its linkage at the outer one if that has limits.
    """
    try:
        said = _said(setting, point)
        for body in said.values():
            engine_rule(1, 1, 0, body)
    except (ValidationError, ParameterError):
        return {}
    return said


def _said(setting: PointSetting, point: DataPoint) -> Said:
    if not setting.alarm_enable or point.rw == "writeonly":
        return {}
    if point.kind == "swh":
        if setting.alarm_state is None:
            return {}
        state = {"trigger_optype": Operator.EQUAL, "trigger_threshold": setting.alarm_state}
        return {INNER: _body(setting, point, state, AlarmType.CHANGE_OF_STATE, is_top=True)}
    if point.kind not in ("num", "cal"):
        return {}
    inner = _beyond(setting.alarm_lower, setting.alarm_upper)
    if setting.alarm_mode != "multi":
        if inner is None:
            return {}
        return {INNER: _body(setting, point, inner, AlarmType.OVER_LIMIT, is_top=True)}
    outer, rules = _beyond(setting.alarm_lower2, setting.alarm_upper2), {}
    if inner is not None:
        rules[INNER] = _body(setting, point, inner, AlarmType.LIMIT_WARNING, is_top=outer is None)
    if outer is not None:
        rules[OUTER] = _body(setting, point, outer, AlarmType.OVER_LIMIT, is_top=True)
    return rules


def _beyond(low: float | None, high: float | None) -> dict[str, object] | None:
    if low is not None and high is not None:
        limits = {"lolmt": low, "uplmt": high}
        return {"trigger_optype": Operator.OUT_OF_RANGE, "trigger_threshold": limits}
    if low is not None:
        return {"trigger_optype": Operator.LESS, "trigger_threshold": low}
    if high is not None:
        return {"trigger_optype": Operator.GREATER, "trigger_threshold": high}
    return None


def _body(
    setting: PointSetting,
    point: DataPoint,
    comparison: Mapping[str, object],
    alarm_type: AlarmType,
    *,
    is_top: bool,
) -> TriggerRuleBody:
    deadband = 0 if point.kind == "swh" else setting.alarm_deadband or 0
    return TriggerRuleBody.model_validate(
        {
            "title": title_of(point),
            "conditions": [{"type": 1, "dsid": point.id, "deadband": deadband, **comparison}],
            "delay_s": setting.alarm_delay_s or 0,
            "off_delay_s": setting.alarm_off_delay_s or 0,
            "alarm_type": alarm_type,
            "linkage": (setting.alarm_linkage or []) if is_top else [],
        }
    )


def title_of(point: DataPoint) -> str:
    """What its alarms are called."""
    return (point.title.strip() or point.name)[:100].strip()
