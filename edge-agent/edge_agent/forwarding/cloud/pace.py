"""When stored batches are released to the link: at once, or every report interval."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from edge_agent.config.model import Configuration
from edge_agent.system.clock import Clock, wait

LOOK_S = 1.0
"""How often the store's size is looked at meanwhile."""

NEAR_FULL = 0.5
"""Part of the store's capacity from which on nothing is held back."""


class Pace:
    """Outlives connections, so that a new one does not shift the intervals. interval_s: 0 holds nothing back.

    saving: the link is closed between two reports. held_bytes: payload that waits in the store.
    """

    def __init__(
        self,
        clock: Clock,
        interval_s: int = 0,
        *,
        saving: bool = False,
        held_bytes: Callable[[], int] = lambda: 0,
        capacity_bytes: int = 0,
    ) -> None:
        self.interval_s = interval_s
        self.saving = saving and interval_s > 0
        self._clock = clock
        self._held_bytes = held_bytes
        self._near_bytes = capacity_bytes * NEAR_FULL
        self._now = asyncio.Event()
        self._reported_at = float("-inf")

    @classmethod
    def of(cls, configuration: Configuration, clock: Clock, held_bytes: Callable[[], int]) -> Pace:
        """As the gateway is configured."""
        reporting = configuration.reporting
        return cls(
            clock,
            reporting.interval_s,
            saving=reporting.power == "saving",
            held_bytes=held_bytes,
            capacity_bytes=configuration.storage.max_mb * 1024 * 1024,
        )

    @property
    def left_s(self) -> float:
        """Until the next report is due, 0 or less when it is."""
        return self._reported_at + self.interval_s - self._clock.monotonic()

    def report_now(self) -> None:
        """End the present wait, or the next one."""
        self._now.set()

    def reported(self) -> None:
        """A report begins now."""
        self._reported_at = self._clock.monotonic()

    async def due(self) -> None:
        """Return when the next report is due, which begins with that."""
        while self.interval_s and self.left_s > 0 and not self._is_near_full():
            if await wait(self._clock, self._now, min(LOOK_S, self.left_s)):
                break
        self.reported()

    def _is_near_full(self) -> bool:
        return bool(self._near_bytes) and self._held_bytes() >= self._near_bytes
