"""The clock, passed to whoever needs one so that tests can simulate it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from cloud.kit.whole import whole

log = logging.getLogger(__name__)

NowMs = Callable[[], int]
Sleep = Callable[[float], Awaitable[None]]


def now_ms() -> int:
    """UTC milliseconds since 1970."""
    return time.time_ns() // 1_000_000


async def every(interval_s: float, work: Callable[[], Awaitable[None]], sleep: Sleep = asyncio.sleep) -> None:
    """Run a periodic job until cancelled; a failure is logged and does not end it."""
    while True:
        await sleep(interval_s)
        try:
            await whole(work)()
        except Exception:
            # A job that stops for one failure stays stopped for days; the next round may succeed.
            log.exception("periodic job %s failed", getattr(work, "__qualname__", work))
