"""Time as every package sees it; tests pass a simulated or a faster one."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from edge_agent.errors import AgentError
from edge_contract.limits import EARLIEST_MS


class ClockRefused(AgentError):
    """The machine's clock cannot be set by the agent's user."""

    code = "refused"


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


def clock_set(now_ms: int) -> bool:
    """False for a clock that starts from an epoch, as one without battery does after a power cut."""
    return now_ms >= EARLIEST_MS


def set_machine_clock(now_ms: int) -> None:
    """Needs the right to do so (on Linux CAP_SYS_TIME), else ClockRefused."""
    try:
        time.clock_settime_ns(time.CLOCK_REALTIME, now_ms * 1_000_000)
    except OSError as error:
        raise ClockRefused(f"the clock cannot be set: {error.strerror}") from None


async def wait(clock: Clock, event: asyncio.Event, seconds: float) -> bool:
    """True when the event was set within the time; it is clear afterwards."""
    if isinstance(clock, SystemClock):
        return await _wait(event, seconds)
    over = False

    def wake(_: object) -> None:
        nonlocal over
        over = not event.is_set()
        event.set()

    sleeper = asyncio.ensure_future(clock.sleep(seconds))
    sleeper.add_done_callback(wake)
    try:
        await event.wait()
    finally:
        sleeper.remove_done_callback(wake)
        sleeper.cancel()
        event.clear()
    return not over


async def _wait(event: asyncio.Event, seconds: float) -> bool:
    """wait() on the loop's own clock: a timer instead of a task, for who waits hundreds of times a second."""
    over = False

    def wake() -> None:
        nonlocal over
        over = not event.is_set()
        event.set()

    timer = asyncio.get_running_loop().call_later(seconds, wake)
    try:
        await event.wait()
    finally:
        timer.cancel()
        event.clear()
    return not over
