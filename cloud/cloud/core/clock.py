"""The clock, passed to whoever needs one so that tests can simulate it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from cloud.core.shielded import shielded

log = logging.getLogger(__name__)

NowMs = Callable[[], int]
Sleep = Callable[[float], Awaitable[None]]


def now_ms() -> int:
    """UTC milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def zone_name(offset_min: int) -> str:
    """Such as "UTC+08:00". offset_min: minutes east of UTC."""
    hours, minutes = divmod(abs(offset_min), 60)
    return f"UTC{'-' if offset_min < 0 else '+'}{hours:02}:{minutes:02}"


async def every(interval_s: float, work: Callable[[], Awaitable[None]], sleep: Sleep = asyncio.sleep) -> None:
    """Run a periodic job until cancelled; a failure is logged and does not end it."""
    while True:
        await sleep(interval_s)
        try:
            await shielded(work)()
        except Exception:
            # A job that stops for one failure stays stopped for days; the next round may succeed.
            log.exception("periodic job %s failed", getattr(work, "__qualname__", work))


class DeletionTime:
    """read: UTC milliseconds by which is told what is old enough to be deleted, whatever the clock says."""

    def __init__(self, read: Callable[[], Awaitable[int]]) -> None:
        self.read = read
