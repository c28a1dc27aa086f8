"""Access of the event loop to the history store: one thread, bounded waits, reopening after a failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from edge_agent.errors import StoreError
from edge_agent.history.base import HistoryStore
from edge_agent.history.place import HistoryPlace
from edge_agent.store.database import StoreCorrupt

log = logging.getLogger(__name__)

ANSWER_TIMEOUT_S = 30.0
"""A memory card may take seconds to erase; one that takes longer is counted as gone until it answers."""

T = TypeVar("T")


class Archive:
    """problem: why the store cannot be used now; empty when it can. opened: how often it was opened."""

    def __init__(self, place: HistoryPlace, timeout_s: float = ANSWER_TIMEOUT_S) -> None:
        self._place = place
        self._timeout_s = timeout_s
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._store: HistoryStore | None = None
        self._stuck: asyncio.Task[None] | None = None
        self.problem = ""
        self.opened = 0

    async def call(self, work: Callable[[HistoryStore], T], *, writes: bool = False) -> T:
        """What work makes of the store, in its thread. StoreError when there is none, or when it fails.

        writes: a problem is over when something was written; a full medium can still be read.
        """
        try:
            answer = await self._answer(work)
        except StoreError as error:
            if not self.problem:
                log.error("the local history cannot be used: %s; collecting goes on", error)
            self.problem = str(error)
            raise
        if self.problem and writes:
            log.warning("the local history is used again")
            self.problem = ""
        return answer

    async def _answer(self, work: Callable[[HistoryStore], T]) -> T:
        if self._stuck is not None and not self._stuck.done():
            raise StoreError("the medium does not answer")
        self._stuck = None
        running = asyncio.get_running_loop().run_in_executor(self._thread, self._in_thread, work)
        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.shield(running)
        except TimeoutError:
            self._stuck = asyncio.ensure_future(_ended(running))
            raise StoreError(f"the medium did not answer within {self._timeout_s:g} s") from None

    def _in_thread(self, work: Callable[[HistoryStore], T]) -> T:
        if self._store is not None and not self._place.present():
            self._drop()
        if self._store is None:
            self._store = self._place.open()
            self.opened += 1
        try:
            return work(self._store)
        except StoreCorrupt:
            self._drop()
            self._place.damaged()
            raise
        except StoreError:
            self._drop()
            raise

    def _drop(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            try:
                store.close()
            except StoreError as error:
                log.debug("closing what is gone: %s", error)

    async def close(self) -> None:
        """Close the store; what still runs in the thread is waited for as long as for any answer."""
        try:
            async with asyncio.timeout(self._timeout_s):
                await asyncio.get_running_loop().run_in_executor(self._thread, self._drop)
        except TimeoutError:
            log.warning("the medium of the local history did not answer at the end")
        self._thread.shutdown(wait=False)


async def _ended(running: asyncio.Future[T]) -> None:
    """Return when it is over, whatever came of it."""
    await asyncio.wait([running])
