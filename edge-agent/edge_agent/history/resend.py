"""Local history once more to the cloud: as batches of their own, a few on their way at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from edge_agent.errors import StoreFull
from edge_agent.history.base import StoredSample
from edge_agent.history.chunk import rows
from edge_agent.model import PointKey, Row
from edge_agent.system.clock import Clock
from edge_contract.errors import BatchError

log = logging.getLogger(__name__)

PORTION = 2500
"""Samples of one batch: what is live waits for its encoding no longer than 30 ms."""
ON_THE_WAY = 8
"""Batches that wait for the cloud: they push nothing out of the outbox, and live ones have space beside."""
LOOK_S = 0.2


class LateBatches(Protocol):
    """The committer, as far as history needs it."""

    async def commit_late(self, rows: Sequence[Row]) -> int:
        """Commit one batch of its own, to travel as history; its number. StoreFull when there is no space."""

    async def waiting(self, numbers: Sequence[int]) -> list[int]:
        """Those that the cloud has not confirmed."""


@dataclass
class ResendProgress:
    """Of the newest resend. samples: in the range; sent: of them in batches by now."""

    from_ms: int = 0
    to_ms: int = 0
    slave: str | None = None
    samples: int = 0
    sent: int = 0
    running: bool = False
    problem: str = ""


class Resending:
    """One at a time. numbers: of the configured points in batches."""

    def __init__(self, late: LateBatches, numbers: Mapping[PointKey, int], clock: Clock) -> None:
        self._late = late
        self._numbers = numbers
        self._clock = clock
        self._wanted: asyncio.Queue[AsyncIterator[list[StoredSample]]] = asyncio.Queue(1)
        self.progress = ResendProgress()

    def begin(self, progress: ResendProgress, samples: AsyncIterator[list[StoredSample]]) -> None:
        """Send these; only while progress.running is False."""
        self.progress = progress
        progress.running = True
        self._wanted.put_nowait(samples)

    async def run(self) -> None:
        """Serve for ever; what fails is reported in progress."""
        while True:
            samples = await self._wanted.get()
            progress = self.progress
            try:
                await self._send(samples, progress)
                log.info("audit: %d samples of the local history were sent again", progress.sent)
            except Exception as error:  # supervisor of one resend: collecting must go on whatever lies there
                log.exception("sending the local history again failed")
                progress.problem = str(error) or "the log says why"
            finally:
                progress.running = False

    async def _send(self, samples: AsyncIterator[list[StoredSample]], progress: ResendProgress) -> None:
        under_way: list[int] = []
        portion: list[StoredSample] = []
        async for part in samples:
            portion += part
            while len(portion) >= PORTION:
                under_way = await self._one(portion[:PORTION], under_way, progress)
                portion = portion[PORTION:]
        if portion:
            await self._one(portion, under_way, progress)

    async def _one(
        self, portion: list[StoredSample], under_way: list[int], progress: ResendProgress
    ) -> list[int]:
        """Commit one batch once there is space for it; the numbers that wait for the cloud then."""
        while len(under_way) >= ON_THE_WAY or progress.problem:
            await self._clock.sleep(LOOK_S)
            under_way = await self._late.waiting(under_way)
            progress.problem = ""
        try:
            number = await self._late.commit_late(rows(portion, self._numbers))
        except BatchError:  # long texts: what was stored fits one by one
            half = len(portion) // 2
            if half == 0:
                raise
            under_way = await self._one(portion[:half], under_way, progress)
            return await self._one(portion[half:], under_way, progress)
        except StoreFull as error:
            progress.problem = str(error)
            await self._clock.sleep(LOOK_S)
            return await self._one(portion, under_way, progress)
        progress.problem = ""
        progress.sent += len(portion)
        return [*under_way, number]
