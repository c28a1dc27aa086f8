"""Transactions that are not cut in the middle.

A task that is cancelled inside a transaction of aiosqlite can leave its connection, and with it the write
lock of the database, behind. So a transaction runs to its end in a task of its own, whatever its caller does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

FINISH_TIMEOUT_S = 35.0
"""How long a cancelled caller waits for what it began; SQLite gives a lock up after 30 s."""


def shielded(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Let the coroutine finish when its caller is cancelled; the caller is cancelled after that."""

    @wraps(method)
    async def run(*args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.ensure_future(method(*args, **kwargs))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():
                await asyncio.wait({task}, timeout=FINISH_TIMEOUT_S)
            raise

    return run
