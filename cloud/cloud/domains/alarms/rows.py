"""Rows of alarms and of what keeps them quiet."""

from __future__ import annotations

from collections.abc import Mapping

from cloud.domains.alarms.codes import OwnLevel, look
from cloud.domains.alarms.life_cycle import State
from cloud.domains.alarms.models import Suppression
from cloud.domains.alarms.repository import JoinedAlarm
from cloud.domains.alarms.schemas import AlarmRow, SuppressionRow
from cloud.domains.alarms.states import Status
from cloud.domains.devices.rows import value_facts
from cloud.domains.devices.schemas import ValueFacts
from cloud.domains.inventory.models import Device


def alarm_row(
    stored: JoinedAlarm, own: Mapping[int, OwnLevel], children: Mapping[int, int] | None = None
) -> AlarmRow:
    """own: the platform's levels; children: how many alarms lie under events, by number."""
    event, device, slave, point = stored
    return AlarmRow(
        id=event.id,
        at=event.at_ms,
        alarm_type=event.alarm_type,
        level=event.level,
        shown=look(event.alarm_type, event.level, own).level,
        status=Status(event.status),
        device_id=event.device_id,
        device_title=device.display_title,
        gateway_id=device.gateway_id,
        slave=None if slave is None else slave.name,
        slave_title=None if slave is None else slave.title,
        dsid=event.dsid,
        title=event.title,
        cause=event.cause,
        value=event.value,
        point=None if point is None else ValueFacts(**value_facts(point)),
        since_ms=event.since_ms,
        recovered_ms=event.recovered_ms,
        handled_by=event.handled_by,
        handled_name=event.handled_name,
        handled_ms=event.handled_ms,
        note=event.note,
        rule_id=event.rule_id,
        reason=event.reason,
        announced=event.announced,
        last_ms=event.last_ms,
        state=State(event.state),
        quiet=event.quiet,
        latched=event.latched,
        acked_by=event.acked_by,
        acked_name=event.acked_name,
        acked_ms=event.acked_ms,
        parent_id=event.parent_id,
        children=(children or {}).get(event.id, 0),
    )


def suppression_row(each: Suppression, device: Device, alarms: int) -> SuppressionRow:
    """alarms: how many stand that it keeps quiet."""
    return SuppressionRow.model_validate(
        {
            "id": each.id,
            "kind": each.kind,
            "device_id": each.device_id,
            "device_title": device.display_title,
            "gateway_id": device.gateway_id,
            "rule_id": each.rule_id,
            "title": each.title,
            "reason": each.reason,
            "user_name": each.user_name,
            "begin_ms": each.begin_ms,
            "until_ms": each.until_ms,
            "alarms": alarms,
        }
    )
