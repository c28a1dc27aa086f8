"""Deletes batches that were stored and have been kept as evidence long enough."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from cloud.link.ingest_buffer import IngestBuffer

log = logging.getLogger(__name__)

KEEP_MS = 7 * 24 * 3600 * 1000
"""Age at which a stored batch is deleted; what was received of its stream is remembered for ever."""

BETWEEN_CHUNKS_S = 0.05
"""Leaves the database to others between two chunks."""


class BufferRetention:
    """before: what has to be done before anything is deleted."""

    def __init__(
        self,
        buffer: IngestBuffer,
        *,
        before: Callable[[], Awaitable[None]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._buffer = buffer
        self._before = before
        self._sleep = sleep

    async def clean(self, now_ms: int) -> int:
        """Delete all that is due; the number deleted."""
        await self._before()
        deleted = 0
        while some := await self._buffer.delete_stored_before(now_ms - KEEP_MS):
            deleted += some
            await self._sleep(BETWEEN_CHUNKS_S)
        if deleted:
            log.info("%d stored batches deleted", deleted)
        return deleted
