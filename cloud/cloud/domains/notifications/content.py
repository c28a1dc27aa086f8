"""Reads what a message tells: the alarms of its items as they are now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.alarms.codes import OwnLevel, look
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.repository import AlarmRepository, JoinedAlarm
from cloud.domains.alarms.rule_alarms import recovery_origin
from cloud.domains.inventory.models import DataPoint
from cloud.domains.notifications.messages import MAX_NAMED, NamedChange, PointWords
from cloud.domains.notifications.models import DeliveryItem
from edge_contract.model import Value

OwnLevels = Callable[[], Awaitable[Mapping[int, OwnLevel]]]


async def changes_of(
    session: AsyncSession, items: Sequence[DeliveryItem], own_levels: OwnLevels
) -> list[NamedChange]:
    """The first MAX_NAMED whose events are still there."""
    repository, own = AlarmRepository(session, Scope.system()), await own_levels()
    changes: list[NamedChange] = []
    for item in items:
        stored = await repository.event(item.event_id)
        if stored is not None:
            recovery = await _recovery(repository, stored[0]) if item.change == "over" else None
            changes.append(_change(item, stored, own, None if recovery is None else recovery.value))
        if len(changes) == MAX_NAMED:
            break
    return changes


async def _recovery(repository: AlarmRepository, event: AlarmEvent) -> AlarmEvent | None:
    return None if event.origin is None else await repository.of_origin(recovery_origin(event.origin))


def _change(
    item: DeliveryItem, stored: JoinedAlarm, own: Mapping[int, OwnLevel], recovery_value: Value
) -> NamedChange:
    event, device, slave, point = stored
    return NamedChange(
        event_id=event.id,
        device_id=event.device_id,
        change=item.change,
        why=item.why,
        alarm_type=event.alarm_type,
        look=look(event.alarm_type, event.level, own),
        title=event.title,
        device=device.display_title,
        slave="" if slave is None else slave.title or slave.name,
        point=None if point is None else _words(point),
        value=event.value,
        condition=(event.reason or {}).get("condition"),
        recovery_value=recovery_value,
        cause=event.cause,
        at_ms=_at_ms(item, event),
        since_ms=event.since_ms,
        recovered_ms=event.recovered_ms,
    )


def _at_ms(item: DeliveryItem, event: AlarmEvent) -> int:
    if item.change == "over" and event.recovered_ms is not None:
        return event.recovered_ms
    if item.change == "again" and event.last_ms is not None:
        return event.last_ms
    return event.at_ms


def _words(point: DataPoint) -> PointWords:
    return PointWords(
        point.title or point.name,
        point.unit,
        point.decimals,
        point.selector,
        point.on_text,
        point.off_text,
        point.kind == "swh",
    )
