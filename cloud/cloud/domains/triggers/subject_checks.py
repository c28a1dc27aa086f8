"""Whether the points, slaves and levels of alarms that rules speak of are there, and fit."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cloud.domains.alarms.codes import CUSTOM_ABOVE
from cloud.domains.triggers.condition_schemas import ScriptConditionBody
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.schemas import TriggerRuleBody, subjects
from cloud.errors import NotFound, ParameterError


def check_levels(rules: Sequence[TriggerRuleBody], levels: Collection[int]) -> None:
    """levels: the platform's own. Raises ParameterError for a rule whose alarms would have one that there is
    not.
    """
    for place, rule in enumerate(rules):
        for field, number in (("alarm_type", rule.alarm_type), ("level", rule.level)):
            is_own = number is not None and (field == "level" or number > CUSTOM_ABOVE)
            if is_own and number not in levels:
                raise ParameterError(
                    f"rules.{place}.{field}",
                    "an alarm level that there is",
                    reason="trigger.no_level",
                    arguments={"level": number or 0},
                )


async def checked_subjects(repository: TriggerRepository, rules: list[TriggerRuleBody]) -> set[int]:
    """The gateways of the points and slaves that rules speak of. Raises NotFound for one that is not seen,
    ParameterError for a point of which such a condition cannot speak.
    """
    wanted = subjects(rules)
    points = await repository.points({number for kind, number in wanted if kind == "point"})
    slaves = await repository.slaves({number for kind, number in wanted if kind == "slave"})
    for place, rule in enumerate(rules):
        for at, condition in enumerate(rule.conditions):
            field = f"rules.{place}.conditions.{at}"
            if condition.type == 5:
                if condition.slave_id not in slaves:
                    raise NotFound("slave device")
                continue
            found = points.get(condition.dsid)
            if found is None:
                raise NotFound("data point")
            point = found[2]
            if point.rw == "writeonly":
                raise ParameterError(f"{field}.dsid", "a point that is read", reason="trigger.write_only")
            if isinstance(condition, ScriptConditionBody) and point.kind != "cal":
                raise ParameterError(
                    f"{field}.dsid",
                    "a calculated point",
                    reason="trigger.no_script",
                )
    return {device.id for device, _, _ in points.values()} | {device.id for device, _ in slaves.values()}
