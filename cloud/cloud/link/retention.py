"""Deletes batches that were filed and have been kept as evidence long enough."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from sqlalchemy.exc import SQLAlchemyError

from cloud.link.landing import LandingRepository

log = logging.getLogger(__name__)

KEEP_S = 7 * 24 * 3600.0
"""Age at which a filed batch is deleted; what was received of its stream is remembered for ever."""

EVERY_S = 3600.0

BETWEEN_CHUNKS_S = 0.05
"""Leaves the database to others between two chunks."""


class Retention:
    """One periodic task."""

    def __init__(
        self,
        landing: LandingRepository,
        *,
        keep_s: float,
        now_ms: Callable[[], int],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._landing = landing
        self._before = before
        self._keep_ms = int(keep_s * 1000)
        self._now_ms = now_ms
        self._sleep = sleep

    async def run(self) -> None:
        """Clean up for ever."""
        while True:
            try:
                await self.clean()
            except (SQLAlchemyError, OSError) as error:
                log.error("old batches were not deleted, tried again in an hour: %s", error)
            await self._sleep(EVERY_S)

    async def clean(self) -> int:
        """Delete all that is due; the number deleted. before: what has to be done first."""
        if self._before is not None:
            await self._before()
        deleted = 0
        while some := await self._landing.delete_filed_before(self._now_ms() - self._keep_ms):
            deleted += some
            await self._sleep(BETWEEN_CHUNKS_S)
        if deleted:
            log.info("%d filed batches deleted", deleted)
        return deleted
