"""Time as the bus sees it; tests pass a simulated one."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    def now_ms(self) -> int:
        """UTC milliseconds since 1970."""

    def monotonic(self) -> float:
        """Seconds that never jump."""

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def wait_for_event(clock: Clock, event: asyncio.Event, seconds: float) -> None:
    """Return when the event is set or the time is over; the event is clear afterwards."""
    sleeper = asyncio.ensure_future(clock.sleep(seconds))

    def woken(_: object) -> None:
        event.set()

    sleeper.add_done_callback(woken)
    try:
        await event.wait()
    finally:
        sleeper.remove_done_callback(woken)
        sleeper.cancel()
        event.clear()
