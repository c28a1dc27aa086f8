"""Task groups whose cancellation is never lost."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def cancellable(work: Coroutine[Any, Any, None]) -> None:
    """Run work that has a task group in a task of its own; raises what it raises.

    Before Python 3.13 a group in which a task fails while the group itself is cancelled raises the failure
    alone, and whoever handles that goes on although he was stopped.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task])
        raise
    task.result()
