"""Pushes events to browsers, after the transaction that made them is committed.

Messages: {type: "alarm", pid, did, id, event: new|changed|deleted, at, alarm_type, level, status, count: for
how many of the gateway it stands, absent for one}; {type:
"onoff", pid, did, id, slave_id, status, at}; {type: "unread", alarm, onoffline} to the reader's own pages;
{type: "place", pid, did} to users who may open the map: the gateway got another place or none. pid is the
number of the gateway's product when it is pushed, 0 without one.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any

from prometheus_client import Counter
from sqlalchemy.event import listen
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.events import AlarmsAnnounced
from cloud.core.shielded import shielded
from cloud.domains.alarms.codes import RECOVERIES
from cloud.realtime.audience import Audience

log = logging.getLogger(__name__)

DROPPED = Counter("edge_events_not_pushed", "Events that browsers were not told of, for want of room")

MAX_WAITING = 2000
"""Kinds of events of gateways, as many as the gateways of a site that all go offline at once. Lists show what
was dropped.
"""

MAX_EACH = 5
"""Alarms of one gateway that are pushed one by one; in a flood a browser needs their number."""

PAUSE_S = 0.2
"""Between two pushes. An alarm that comes alone waits for none."""

ALARMS, ON_OFFLINE, MAPS = "Event", "DeviceMonitor_Online", "Monitor.DeviceMap"
"""Permissions that the receivers of each kind of message need."""

NO_PRODUCT = 0
"""pid of a push of a gateway without a product."""

AudienceOf = Callable[[int], Awaitable[Audience]]
ProductOf = Callable[[int], Awaitable[int | None]]
Announce = Callable[[AlarmsAnnounced], Awaitable[None]]
PushTo = Callable[[Audience, str, dict[str, Any]], None]


@dataclass(frozen=True)
class PushEvent:
    """A push message {type, pid, did, id, ...} and the permission of who may have it."""

    device_id: int
    permission: str
    message: dict[str, Any]


def alarm_event(what: str, device_id: int, event_id: int, **more: object) -> PushEvent:
    """what: new, changed or deleted. more: at, alarm_type, level, status."""
    message = {"type": "alarm", "pid": NO_PRODUCT, "did": device_id, "id": event_id, "event": what, **more}
    return PushEvent(device_id, ALARMS, message)


def on_offline_event(
    device_id: int, entry_id: int, slave_id: int | None, status: int, at_ms: int
) -> PushEvent:
    """status: 0 went, 1 came."""
    message = {
        "type": "onoff", "pid": NO_PRODUCT, "did": device_id, "id": entry_id, "slave_id": slave_id,
        "status": status, "at": at_ms,
    }  # fmt: skip
    return PushEvent(device_id, ON_OFFLINE, message)


def place_event(device_id: int) -> PushEvent:
    """A gateway has got a place, another one or none: an open map asks anew."""
    return PushEvent(device_id, MAPS, {"type": "place", "pid": NO_PRODUCT, "did": device_id})


async def unannounced(_event: AlarmsAnnounced) -> None:
    """Where nobody is notified of alarms."""


async def _no_product(_device_id: int) -> None:
    """Where gateways have none."""


@dataclass
class _Waiting:
    """Messages of one kind of one gateway. more: how many came before them and are only counted."""

    events: deque[PushEvent]
    more: int = 0


class EventPublisher:
    """A bounded queue with one task. audience_of: who sees a gateway; product_of: the number of its product,
    which every push says (pid); push_to: pushes to them.

    Of one gateway at most MAX_EACH alarms of a kind are pushed at a time: the newest, the first of which says
    how many it stands for (count).
    """

    def __init__(self, audience_of: AudienceOf, push_to: PushTo, product_of: ProductOf = _no_product) -> None:
        self._audience_of = audience_of
        self._product_of = product_of
        self._push_to = push_to
        self._waiting: dict[Hashable, _Waiting] = {}
        self._is_any = asyncio.Event()

    def publish(self, event: PushEvent) -> None:
        """Queue an event without waiting; a full queue drops and counts it."""
        key = _kind(event)
        waiting = self._waiting.get(key)
        if waiting is None:
            if len(self._waiting) >= MAX_WAITING:
                DROPPED.inc()
                return
            waiting = self._waiting[key] = _Waiting(deque())
        waiting.events.append(event)
        if len(waiting.events) > MAX_EACH:
            waiting.events.popleft()
            waiting.more += 1
        self._is_any.set()

    def publish_after_commit(self, session: AsyncSession, *events: PushEvent) -> None:
        """Publish when the session's transaction is committed, and not at all when it is rolled back."""
        if not events:
            return

        def committed(_session: object) -> None:
            for event in events:
                self.publish(event)

        listen(session.sync_session, "after_commit", committed, once=True)

    async def run(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Push queued events until cancelled, PAUSE_S apart: what comes meanwhile is folded."""
        while True:
            await self._is_any.wait()
            self._is_any.clear()
            due, self._waiting = self._waiting, {}
            by_device: dict[int, list[_Waiting]] = {}
            for waiting in due.values():
                by_device.setdefault(waiting.events[0].device_id, []).append(waiting)
            for device_id, mine in by_device.items():
                await self._push(device_id, mine)
            await pause(PAUSE_S)

    async def _push(self, device_id: int, mine: list[_Waiting]) -> None:
        try:
            audience = await shielded(self._audience_of)(device_id)
            pid = await shielded(self._product_of)(device_id) or NO_PRODUCT
            for waiting in mine:
                for place, event in enumerate(waiting.events):
                    count = {"count": waiting.more + 1} if waiting.more and place == 0 else {}
                    self._push_to(audience, event.permission, {**event.message, "pid": pid, **count})
        except Exception:
            # The database may be away for a moment; the browsers find these events in their lists.
            log.exception("events of device %d were not pushed", device_id)


def _kind(event: PushEvent) -> Hashable:
    """What may be folded: alarms of one gateway, of which the same is said."""
    message = event.message
    if message["type"] != "alarm":
        return event.device_id, message["type"], message.get("id"), message.get("status")
    return event.device_id, "alarm", message["event"], message.get("alarm_type") in RECOVERIES
