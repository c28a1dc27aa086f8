"""Tells gateways which of their points somebody looks at (C-152): what browsers have subscribed to."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from cloud.link import LinkError
from edge_contract.fields import ControlMessage
from edge_contract.limits import OFFLINE_AFTER_S, WATCH_S, WATCHED_POINTS
from edge_contract.watch import Watch

ANNOUNCE_S = 0.2
"""Interval of announce(): a page subscribes in several steps."""

AGAIN_S = 20.0
"""A gateway hears again what is watched, well before it would forget it."""

Send = Callable[[str, ControlMessage], Awaitable[None]]
NumbersOf = Callable[[Sequence[int]], Awaitable[dict[str, tuple[str, list[int]]]]]


class Watchers(Protocol):
    """Who watches. changes: another number when watched() may give something else."""

    @property
    def changes(self) -> int: ...

    def watched(self) -> set[int]: ...


@dataclass(frozen=True)
class _Announced:
    catalog: str
    points: tuple[int, ...]
    at_s: float


class WatchAnnouncer:
    """numbers_of: data points to catalog and point numbers by connected gateway. clock: monotonic seconds."""

    def __init__(
        self,
        watchers: Watchers,
        numbers_of: NumbersOf,
        send: Send,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._watchers = watchers
        self._numbers_of = numbers_of
        self._send = send
        self._clock = clock
        self._takes: dict[str, float] = {}  # gateways that take it -> until when that is believed
        self._announced: dict[str, _Announced] = {}
        self._seen = 0
        self._look_at = 0.0

    def taken(self, gateway: str) -> None:
        """A pulse of the gateway says that it takes this."""
        if gateway not in self._takes:
            self._look_at = 0.0
        self._takes[gateway] = self._clock() + OFFLINE_AFTER_S

    def forget(self, gateway: str) -> None:
        """It has gone, or connected anew and knows nothing."""
        self._takes.pop(gateway, None)
        self._announced.pop(gateway, None)

    async def announce(self) -> None:
        """Periodic: tell each gateway what has changed, and again what has not."""
        now, changes = self._clock(), self._watchers.changes
        if changes == self._seen and now < self._look_at:
            return
        self._seen, self._look_at = changes, now + AGAIN_S
        for gateway in [name for name, until in self._takes.items() if until < now]:
            self.forget(gateway)
        watched = self._watchers.watched() if self._takes else set()
        wanted = await self._numbers_of(sorted(watched)) if watched else {}
        for gateway in list(self._takes):
            if gateway in wanted:
                await self._announce(gateway, *wanted[gateway], now)
            elif gateway in self._announced:
                await self._publish(gateway, self._announced.pop(gateway).catalog, ())

    async def _announce(self, gateway: str, catalog: str, numbers: Sequence[int], now: float) -> None:
        points = tuple(numbers[:WATCHED_POINTS])
        known = self._announced.get(gateway)
        is_same = known is not None and (known.catalog, known.points) == (catalog, points)
        if is_same and known is not None and now < known.at_s + AGAIN_S:
            return
        if await self._publish(gateway, catalog, points) and gateway in self._takes:
            self._announced[gateway] = _Announced(catalog, points, now)

    async def _publish(self, gateway: str, catalog: str, points: Sequence[int]) -> bool:
        """False without a broker: the next look tries again."""
        try:
            await self._send(gateway, Watch(catalog=catalog, points=list(points), seconds=WATCH_S))
        except LinkError:
            self._look_at = 0.0
            return False
        return True
