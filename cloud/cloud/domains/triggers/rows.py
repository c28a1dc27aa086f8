"""Rows of triggers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cloud.domains.alarms.schemas import SuppressionRow
from cloud.domains.commands.schemas import NamedPreset
from cloud.domains.contacts.schemas import ChosenTitle
from cloud.domains.triggers.models import LinkageRun, Trigger
from cloud.domains.triggers.repository import Place, PointPlace
from cloud.domains.triggers.schemas import (
    LinkageRestRow,
    LoopRow,
    OriginPoint,
    Subject,
    TriggerMode,
    TriggerRow,
    TriggerRuleRow,
    TriggerType,
    subjects,
)
from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED, LINKAGE_WINDOW_MS


def trigger_row(
    trigger: Trigger,
    rules: list[TriggerRuleRow],
    points: Mapping[int, PointPlace],
    slaves: Mapping[int, Place],
    presets: list[NamedPreset],
    gone_groups: Collection[int],
    group_titles: Mapping[int, str],
    loops: list[LoopRow],
    rest: LinkageRestRow | None,
    suppressions: Sequence[SuppressionRow],
) -> TriggerRow:
    """A trigger as the API shows it. gone_groups: contact groups of its rules that are no more;
    group_titles: of those that are seen; loops, rest: as of TriggerRow; suppressions: of these and of
    other triggers.
    """
    named = []
    for kind, number in sorted(subjects(list(rules))):
        if kind == "slave" and number in slaves:
            device, slave = slaves[number]
            named.append(_subject(device.id, device.display_title, slave.id, slave.title, slave.removed))
        elif kind == "point" and number in points:
            device, slave, point = points[number]
            one = _subject(device.id, device.display_title, slave.id, slave.title, point.removed)
            named.append(
                one.model_copy(update={"dsid": point.id, "ds_title": point.title, "unit": point.unit})
            )
    linked = {linkage.preset_id for rule in rules for linkage in rule.linkage}
    is_whole = len(named) == len(subjects(list(rules))) and not any(one.removed for one in named)
    problem = "" if is_whole else "point_removed"
    if not problem and any(number in gone_groups for rule in rules for number in rule.groups):
        problem = "group_removed"
    if not problem and rest is not None and not rest.is_over:
        problem = LINKAGE_LIMITED
    if not problem and loops:
        problem = "may_loop"
    return TriggerRow(
        id=trigger.id,
        title=trigger.title,
        type=TriggerType(trigger.type),
        mode=TriggerMode(trigger.mode),
        interval_s=trigger.interval_s,
        enabled=trigger.enabled,
        origin=_origin(trigger, points),
        rule_count=len(rules),
        rules=rules,
        subjects=named,
        presets=[each for each in presets if each.id in linked],
        groups=[
            ChosenTitle(id=number, title=title)
            for number, title in sorted(group_titles.items())
            if any(number in rule.groups for rule in rules)
        ],
        loops=loops,
        rest=rest,
        suppressions=[each for each in suppressions if _is_of(each, rules, named)],
        problem=problem,
        user_name=trigger.user_name,
        created_ms=trigger.created_ms,
        changed_ms=trigger.changed_ms,
    )


def rest_row(run: LinkageRun | None, now_ms: int) -> LinkageRestRow | None:
    """An entry that linkages rest, as it is now."""
    if run is None:
        return None
    is_over = run.at_ms + LINKAGE_WINDOW_MS <= now_ms
    return LinkageRestRow(since_ms=run.at_ms, is_over=is_over, left_out=run.left_out)


def _is_of(each: SuppressionRow, rules: Sequence[TriggerRuleRow], places: Sequence[Subject]) -> bool:
    if each.kind == "maintenance":
        return any(place.device_id == each.device_id for place in places)
    return any(rule.id == each.rule_id for rule in rules)


def _origin(trigger: Trigger, points: Mapping[int, PointPlace]) -> OriginPoint | None:
    if trigger.point_id is None or trigger.point_id not in points:
        return None
    device, slave, point = points[trigger.point_id]
    return OriginPoint(device_id=device.id, slave=slave.name, ds_name=point.name)


def _subject(device_id: int, device_title: str, slave_id: int, slave_title: str, removed: bool) -> Subject:
    return Subject(
        device_id=device_id,
        device_title=device_title,
        slave_id=slave_id,
        slave_title=slave_title,
        dsid=None,
        ds_title="",
        unit="",
        removed=removed,
    )
