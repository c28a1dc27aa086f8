"""Tells browsers of events, after the transaction that made them is durable.

Messages: {type: "alarm", pid, did, id, event: new|changed|deleted, at, alarm_type, level, status}; {type:
"onoff", pid, did, id, slave_id, status, at}; {type: "unread", alarm, onoffline} to the reader's own pages;
{type: "place", pid, did} to who may open the map: the gateway got another place or none. pid is the number
of the gateway's product when it is pushed, 0 without one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from prometheus_client import Counter
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.shielded import shielded
from cloud.realtime.audience import Audience

log = logging.getLogger(__name__)

DROPPED = Counter("edge_events_not_pushed", "Events that browsers were not told of, for want of room")

MOST_WAITING = 2000
"""A site's gateways all going at once; what is dropped is found by the next look at the list."""

ALARMS, ON_OFFLINE, MAPS = "Event", "DeviceMonitor_Online", "Monitor.DeviceMap"
"""Permissions of who is told."""

NO_PRODUCT = 0
"""pid of a push of a gateway without a product."""

AudienceOf = Callable[[int], Awaitable[Audience]]
ProductOf = Callable[[int], Awaitable[int | None]]
PushTo = Callable[[Audience, str, dict[str, Any]], None]


@dataclass(frozen=True)
class Piece:
    """A push message {type, pid, did, id, ...} and the permission of who may have it."""

    device_id: int
    permission: str
    message: dict[str, Any]


def alarm_piece(what: str, device_id: int, event_id: int, **more: object) -> Piece:
    """what: new, changed or deleted. more: at, alarm_type, level, status."""
    message = {"type": "alarm", "pid": NO_PRODUCT, "did": device_id, "id": event_id, "event": what, **more}
    return Piece(device_id, ALARMS, message)


def on_offline_piece(device_id: int, entry_id: int, slave_id: int | None, status: int, at_ms: int) -> Piece:
    """status: 0 went, 1 came."""
    message = {
        "type": "onoff", "pid": NO_PRODUCT, "did": device_id, "id": entry_id, "slave_id": slave_id,
        "status": status, "at": at_ms,
    }  # fmt: skip
    return Piece(device_id, ON_OFFLINE, message)


def place_piece(device_id: int) -> Piece:
    """A gateway has got a place, another one or none: an open map asks anew."""
    return Piece(device_id, MAPS, {"type": "place", "pid": NO_PRODUCT, "did": device_id})


async def _no_product(_device_id: int) -> None:
    """Where gateways have none."""


class News:
    """A bounded queue with one task. audience_of: who sees a gateway; product_of: the number of its product,
    which every push says (pid); push_to: pushes to them.
    """

    def __init__(self, audience_of: AudienceOf, push_to: PushTo, product_of: ProductOf = _no_product) -> None:
        self._audience_of = audience_of
        self._product_of = product_of
        self._push_to = push_to
        self._waiting: asyncio.Queue[Piece] = asyncio.Queue(MOST_WAITING)

    def tell(self, piece: Piece) -> None:
        """Never waits; a full queue drops it and counts."""
        try:
            self._waiting.put_nowait(piece)
        except asyncio.QueueFull:
            DROPPED.inc()

    def tell_after(self, session: AsyncSession, piece: Piece) -> None:
        """When this session's transaction is committed; never when it is not."""
        event.listen(session.sync_session, "after_commit", lambda _session: self.tell(piece), once=True)

    async def run(self) -> None:
        """Tell for ever."""
        while True:
            piece = await self._waiting.get()
            try:
                audience = await shielded(self._audience_of)(piece.device_id)
                pid = await shielded(self._product_of)(piece.device_id) or NO_PRODUCT
                self._push_to(audience, piece.permission, {**piece.message, "pid": pid})
            except Exception:
                # The database may be away for a moment; the browsers find this event in their lists.
                log.exception("event of device %d was not pushed", piece.device_id)
