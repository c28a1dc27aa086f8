"""Answers that cost more than the rest, counted once for all who ask in the same moment."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from cloud.core.clock import NowMs

T = TypeVar("T")

log = logging.getLogger(__name__)


class Remembered(Generic[T]):
    """By key; at most so many. What was counted fresh_ms ago or earlier is told nobody: who asks waits for a
    new count, or as long as he wants to. Its age is that of the count's beginning.
    """

    def __init__(self, fresh_ms: int, max_entries: int, clock: NowMs) -> None:
        self._fresh_ms = fresh_ms
        self._max_entries = max_entries
        self._clock = clock
        self._known: OrderedDict[Hashable, tuple[int, T]] = OrderedDict()
        self._counting: dict[Hashable, asyncio.Future[T]] = {}

    async def of(self, key: Hashable, count: Callable[[], Awaitable[T]]) -> T:
        """What is known of a key, or what count brings; its failure is of all who waited, not kept."""
        found = self._begin(key, count)
        return await asyncio.shield(found) if isinstance(found, asyncio.Future) else found[1]

    async def soon(self, key: Hashable, count: Callable[[], Awaitable[T]], wait_s: float) -> T | None:
        """As `of`, but None when the count takes longer or fails: it goes on beside, and who asks again finds
        what it brings.
        """
        found = self._begin(key, count)
        if not isinstance(found, asyncio.Future):
            return found[1]
        done, _ = await asyncio.wait((found,), timeout=wait_s)
        return found.result() if done and not found.cancelled() and found.exception() is None else None

    def _begin(self, key: Hashable, count: Callable[[], Awaitable[T]]) -> tuple[int, T] | asyncio.Future[T]:
        """What may be told, or the count that brings it."""
        known = self._known.get(key)
        if known is not None and 0 <= self._clock() - known[0] < self._fresh_ms:
            self._known.move_to_end(key)
            return known
        under_way = self._counting.get(key)
        if under_way is None:
            under_way = self._counting[key] = asyncio.ensure_future(self._count(key, count, self._clock()))
            under_way.add_done_callback(lambda done: self._ended(key, done))
        return under_way

    def _ended(self, key: Hashable, done: asyncio.Future[T]) -> None:
        self._counting.pop(key, None)
        if not done.cancelled() and done.exception() is not None:
            log.warning("a figure could not be counted: %s", done.exception())

    async def _count(self, key: Hashable, count: Callable[[], Awaitable[T]], begun_ms: int) -> T:
        found = await count()
        self._known[key] = (begun_ms, found)
        self._known.move_to_end(key)
        while len(self._known) > self._max_entries:
            self._known.popitem(last=False)
        return found
