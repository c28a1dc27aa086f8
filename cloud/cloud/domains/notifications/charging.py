"""What messages cost, booked by owner and day before they are sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.domains.notifications.channels.base import MessageRefused
from cloud.domains.notifications.repository import NotificationRepository
from cloud.domains.notifications.states import DeliveryReason

MAX_UNITS_DAY = 500
"""Of one owner and channel: what costs money is bounded, whatever alarms there are."""

Charge = Callable[[AsyncSession, int, str, int], Awaitable[None]]
"""Session, owner (0 for the platform), channel, units: negative ones take back what was booked and not sent.
Called in the transaction that begins the first attempt. Raises MessageRefused when nothing may be booked.
"""


class Charges:
    """Books rows of notification_charge; prices are no matter of this cloud yet. zone: of its days."""

    def __init__(self, zone: ZoneInfo, *, clock: NowMs = now_ms) -> None:
        self._zone = zone
        self._clock = clock

    async def charge(self, session: AsyncSession, owner: int, channel: str, units: int) -> None:
        """A Charge. Raises MessageRefused beyond MAX_UNITS_DAY."""
        day = datetime.fromtimestamp(self._clock() / 1000, UTC).astimezone(self._zone).date().isoformat()
        repository = NotificationRepository(session)
        if await repository.charge(owner, day, channel, units) > MAX_UNITS_DAY and units > 0:
            await repository.charge(owner, day, channel, -units)
            raise MessageRefused(DeliveryReason.DAY_LIMIT, f"{MAX_UNITS_DAY} a day")
