"""Gateways whose last values are unknown: offline, with "offline clear data" (C-065).

REST and WebSocket then give the last values as none with quality 5 and the time of the sample; history
keeps them. On by default.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.repository import DeviceRepository

POINTS_AT_ONCE = 5000
"""Points in one query."""

Notify = Callable[[str, int, bool], Awaitable[None]]
"""Gateway, its device, and whether its values are unknown from now on."""


class Clearing:
    """The database decides; memory only notices changes, by whatever process they were made."""

    def __init__(self, database: Database, notify: Notify | None) -> None:
        self._database = database
        self._notify = notify
        self._one_at_a_time = asyncio.Lock()  # an older answer must not follow a newer one
        self._cleared: dict[str, int] | None = None

    def __contains__(self, gateway: str) -> bool:
        """Are this gateway's values unknown, as of the last refresh?"""
        return self._cleared is not None and gateway in self._cleared

    def forget(self, gateway: str) -> None:
        """A gateway is no more: nobody is notified."""
        if self._cleared is not None:
            self._cleared.pop(gateway, None)

    async def refresh(self) -> None:
        """Query which gateways are cleared, and notify of those whose state has changed since the
        last time.
        """
        async with self._one_at_a_time:
            async with self._database.reading() as session:
                cleared = await DeviceRepository(session, Scope.system()).cleared()
            known, self._cleared = self._cleared, cleared
            if known is None or self._notify is None:
                return
            for gateway in known.keys() ^ cleared.keys():
                device_id = cleared[gateway] if gateway in cleared else known[gateway]
                await self._notify(gateway, device_id, gateway in cleared)

    async def points(self, dsids: Sequence[int]) -> set[int]:
        """Those points whose values are unknown now."""
        cleared: set[int] = set()
        async with self._database.reading() as session:
            repository = DeviceRepository(session, Scope.system())
            devices = list((await repository.cleared()).values())
            for start in range(0, len(dsids) if devices else 0, POINTS_AT_ONCE):
                cleared |= await repository.cleared_points(dsids[start : start + POINTS_AT_ONCE])
        return cleared
