"""Newest time of each series that this process writes, so that it knows which lines cannot replace another.

Of a series that it has just begun with it does not know what an earlier run wrote: a task asks the server, a
few series at a time, and until then its lines are whole ones. Only one process writes samples.
"""

from __future__ import annotations

import asyncio
import time

from cloud.timeseries.base import TimeSeriesError
from cloud.timeseries.influxql import SERIES_PER_QUERY, InfluxReader
from cloud.timeseries.series_table import SeriesTable

ASKING_SHARE = 0.2
"""Part of the time that is spent on it: a question of 200 series takes InfluxDB 30 to 60 ms of CPU."""

FAILURE_PAUSE_S = 30.0
"""Before the server is asked again after an error."""


class NewestTimes:
    """known: by series, at least the newest time that the server has or was sent."""

    def __init__(self, reader: InfluxReader) -> None:
        self._reader = reader
        self.known: dict[int, int] = {}
        self._sent: dict[int, int] = {}  # the same of what this process sent of a series that is not known
        self._asking = asyncio.Lock()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def note(self, singles: SeriesTable) -> None:
        """These samples, a column each, are sent next."""
        fresh = set(singles.series) - self.known.keys()
        if not fresh:
            return
        sent = self._sent
        for series, t_ms in zip(singles.series, singles.t_ms, strict=True):
            if series in fresh and t_ms > sent.get(series, t_ms - 1):
                sent[series] = t_ms
        self._wake.set()
        if self._task is None:
            self._task = asyncio.create_task(self._learn_for_ever())

    async def learn(self) -> bool:
        """Ask about some of the series; False when all are known. Raises TimeSeriesError."""
        async with self._asking:
            some = list(self._sent)[:SERIES_PER_QUERY]
            if not some:
                return False
            there = await self._reader.newest_ms(some, min(self._sent[series] for series in some))
            for series in some:
                sent_ms = self._sent.pop(series)
                self.known[series] = max(there.get(series, sent_ms), sent_ms)
            return True

    async def close(self) -> None:
        """End the task."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _learn_for_ever(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            begun = time.monotonic()
            try:
                while await self.learn():
                    await asyncio.sleep((time.monotonic() - begun) * (1 / ASKING_SHARE - 1))
                    begun = time.monotonic()
            except TimeSeriesError:  # a write that fails of it too is logged
                await asyncio.sleep(FAILURE_PAUSE_S)
                self._wake.set()
