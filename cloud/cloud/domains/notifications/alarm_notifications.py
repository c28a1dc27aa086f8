"""Who was told of an alarm, and of which alarms nobody was."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.alarms.life_cycle import is_announced
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.contacts.recipients import KEEPS
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.notifications.models import Delivery
from cloud.domains.notifications.repository import NotificationRepository, UnreachedAlarms
from cloud.domains.notifications.rows import delivery_row
from cloud.domains.notifications.schemas import AlarmNotification, UnreachedRow
from cloud.domains.notifications.states import OPEN, DeliveryState
from cloud.errors import NotFound

UNREACHED_SINCE_MS = 7 * 24 * 3_600_000
MAX_UNREACHED = 50

MAX_DELIVERIES = 1000
"""Of an alarm that are counted."""
MAX_LISTED = 50

QUIET, PENDING = "quiet", "pending"


class AlarmNotificationService:
    """Counts every recipient of an alarm, and names those that the user sees."""

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock

    async def of_alarm(self, user: CurrentUser, event_id: int) -> AlarmNotification:
        """Raises NotFound for an alarm that the user does not see."""
        async with self._database.reading() as session:
            stored = await AlarmRepository(session, user.scope).event(event_id)
            if stored is None:
                raise NotFound("alarm")
            repository = NotificationRepository(session)
            deliveries = await repository.of_event(event_id, MAX_DELIVERIES)
            is_pending = await repository.is_announced(event_id)
            seen = set[int]()
            if user.may(KEEPS):
                seen = await repository.seen(user.scope, [each.id for each in deliveries])
            listed = [each for each in deliveries if each.id in seen][:MAX_LISTED]
            events = await repository.events([each.id for each in listed])
        reached = _recipients(deliveries, (DeliveryState.SENT,))
        waiting = _recipients(deliveries, OPEN)
        return AlarmNotification(
            reached=len(reached),
            waiting=len(waiting - reached),
            problem="" if reached or waiting else _problem(stored[0], deliveries, is_pending),
            deliveries=[
                delivery_row(each, [event for event in events[each.id] if event[0] == event_id])
                for each in listed
            ],
        )

    async def unreached(self, user: CurrentUser) -> list[UnreachedRow]:
        """Of the last UNREACHED_SINCE_MS, at most MAX_UNREACHED."""
        since_ms = self._clock() - UNREACHED_SINCE_MS
        async with self._database.reading() as session:
            groups = await NotificationRepository(session).unreached(user.scope, since_ms, MAX_UNREACHED)
        return [_unreached_row(each) for each in groups]


def _recipients(deliveries: Sequence[Delivery], states: Sequence[DeliveryState]) -> set[str]:
    return {each.recipient for each in deliveries if each.state in states}


def _problem(event: AlarmEvent, deliveries: Sequence[Delivery], is_pending: bool) -> str:
    if is_pending:
        return PENDING
    if deliveries:
        return deliveries[0].reason
    return "" if is_announced(event.quiet, event.parent_id) else QUIET


def _unreached_row(each: UnreachedAlarms) -> UnreachedRow:
    event = each.newest
    return UnreachedRow(
        alarm_type=event.alarm_type,
        level=event.level,
        title=event.title,
        device_id=event.device_id,
        device=each.device,
        trigger_id=(event.reason or {}).get("trigger_id"),
        reason=each.reason,
        count=each.count,
        newest_event_id=event.id,
        newest_ms=event.at_ms,
    )
