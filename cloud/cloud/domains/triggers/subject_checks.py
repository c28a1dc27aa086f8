"""Whether the points and slaves that rules speak of are there, and fit."""

from __future__ import annotations

from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.schemas import ScriptConditionBody, TriggerRuleBody, subjects
from cloud.errors import NotFound, ParameterError


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
