"""Background work on the rollups of InfluxDB's samples: made of what was written, a bounded step at a time.

It begins with the first write and counts what an earlier run, or a version without rollups, left. A step
notes its interval, waits for the writes that are under way, reads, writes the pages and last the state: a
death between any two of these repeats the step.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import numpy as np

from cloud.timeseries.base import DamagedSeries, TimeSeriesError, TimeSeriesRejected
from cloud.timeseries.influx_rollup_states import RollupStates
from cloud.timeseries.influx_rollups import NEVER, PAGES_MS, RollupState, RollupTable, page_lines, page_wide
from cloud.timeseries.influx_servers import Server
from cloud.timeseries.influxql import InfluxReader
from cloud.timeseries.line_protocol import MEASUREMENT
from cloud.timeseries.plan import Segment
from cloud.timeseries.rollups import MINUTE_MS, ROLLUP_WIDTHS_MS, Rollup, combine, replaced_between, summarise
from cloud.timeseries.series_table import SeriesTable

log = logging.getLogger(__name__)

DAY_S = 86_400

FOLD_AT = 1024
"""Samples of a series that are worth a step; a reading takes so many from the samples beside its rollups."""

STEP_SAMPLES = 16_384
"""Samples read by one step: decoding them holds the interpreter for 20 ms."""

STEP_MS = 16 * 86_400_000
"""Time looked at by one step: a range of many shards costs InfluxDB twice as much, whatever LIMIT says."""

FOLDING_SHARE = 0.25
"""Part of the time that is spent on it: InfluxDB has writes and readings to serve."""

SCAN_SHARE = 0.05
"""The same of counting after a start: what is counted is read from the samples until then."""

SCAN_SERIES = 64
"""Series counted in one step after a start."""

FAILURE_PAUSE_S = 30.0
"""Before it is tried again after an error."""


class RollupWorker:
    """Of one process: the one that writes. now_ms: a newer sample waits, its clock may be wrong."""

    def __init__(
        self,
        reader: InfluxReader,
        server: Server,
        table: RollupTable,
        *,
        now_ms: Callable[[], int],
        fold_at: int,
    ) -> None:
        self._reader = reader
        self._server = server
        self._table = table
        self._now_ms = now_ms
        self._fold_at = fold_at
        self._marks = RollupStates(table, self._add_due)
        self._waiting: defaultdict[int, int] = defaultdict(
            int
        )  # series -> samples that no level knows, at most
        self._due: dict[int, None] = {}  # in the order of waiting
        self._wake = asyncio.Event()
        self._stepping = asyncio.Lock()
        self._keeps: bool | None = None
        self._task: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Give up what is running; it is found again."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    @asynccontextmanager
    async def writing(self, table: SeriesTable) -> AsyncIterator[SeriesTable]:
        """What of the table is to be written inside. The first write begins the background work: a process
        that only reads leaves it to the one that writes.
        """
        async with self._marks.writing(table) as wanted:
            yield wanted
        waiting, enough = self._waiting, self._fold_at
        for series, samples in zip(table.series, table.lengths, strict=True):
            waiting[series] = rows = waiting[series] + samples
            if rows >= enough and series not in self._due:
                self._add_due(series)
        if self._task is None:
            self._task = asyncio.create_task(self._fold_for_ever())

    async def drain(self) -> None:
        """Make what is due, what an earlier run left included."""
        if await self._ready():
            await self._scan()
            while self._due:
                await self._fold_next()

    async def fold(self, series: int, going_ms: int = NEVER) -> int:
        """One step: make the buckets of the oldest samples that no level knows; how many samples, at least
        1 when there was something to do. The newest minute waits, unless all is older than going_ms.
        """
        async with self._stepping:
            span = await self._next(series, going_ms)
            if span is None:
                return 0
            low, high = span
            try:
                await self._marks.begin(series, low, high)
                found = await self._reader.numbers(series, low, high, STEP_SAMPLES)
                if found.rows == STEP_SAMPLES:
                    high = max(found.last_ms // MINUTE_MS * MINUTE_MS, low + MINUTE_MS)
                    if found.last_ms < high:
                        found = await self._reader.numbers(series, low, high)
                is_in = found.t_ms < high
                made = await asyncio.to_thread(summarise, found.t_ms[is_in], found.value[is_in], 0, MINUTE_MS)
                await self._store(series, low, high, made)
                await self._marks.close(low, high)
            finally:
                self._marks.abandon()
        return max(1, found.rows)

    async def delete_before(self, series: int, day_ms: int, level: int) -> None:
        """Samples (level -1), which are summed up in the rollups first, or the pages of a level."""
        if await self._ready():
            from_ms = self._marks.state(series).from_ms[level + 1]
            end_ms = await self._end_ms(series, from_ms) if day_ms < from_ms else from_ms
            if day_ms <= 0:
                if from_ms > NEVER:
                    await self._marks.keep(series, level + 1, day_ms, end_ms)
                return
            while _is_open(self._marks.state(series), day_ms) and await self.fold(series, day_ms):
                pass
            async with self._stepping:
                state = await self._marks.keep(series, level + 1, day_ms, end_ms)
                if level >= 0:
                    await self._table.blank(series, level, day_ms)
                if level == len(ROLLUP_WIDTHS_MS) - 1:
                    await self._delete_pages(series, state)
        if level < 0 and day_ms > 0:
            await self._server.delete(MEASUREMENT, series, day_ms)

    async def _end_ms(self, series: int, from_ms: int) -> int:
        """Begin of the UTC day behind everything that is known of a series."""
        newest = await self._reader.edge_ms(series, NEVER, -NEVER, "last")
        (days,) = await self._table.read(series, [Segment(len(ROLLUP_WIDTHS_MS) - 1, 0, from_ms)])
        last = max(0 if newest is None else newest, int(days.start_ms[-1]) if len(days) else 0)
        return (last // ROLLUP_WIDTHS_MS[-1] + 1) * ROLLUP_WIDTHS_MS[-1]

    async def _delete_pages(self, series: int, state: RollupState) -> None:
        """Points of pages all of which are empty; of a series that is deleted whole its state too."""
        gone_ms = min(state.from_ms)
        if gone_ms > self._now_ms():
            await self._table.delete_series(series)
            self._marks.forget(series)
        elif gone_ms > NEVER:
            await self._table.delete(series, gone_ms - max(PAGES_MS))

    async def _next(self, series: int, going_ms: int) -> tuple[int, int] | None:
        """The interval of a step: the oldest dirty one, else what is newer than the rollups."""
        state = self._marks.state(series)
        if state.dirty:
            low, high = state.dirty[0]
            return low // MINUTE_MS * MINUTE_MS, -(-high // MINUTE_MS) * MINUTE_MS
        low = state.until_ms
        high = max(self._now_ms() // MINUTE_MS * MINUTE_MS, going_ms)
        newest = await self._reader.edge_ms(series, low, high, "last")
        if newest is None:
            return (low, going_ms) if NEVER < low < going_ms else None
        if low == NEVER:
            oldest = await self._reader.edge_ms(series, low, high, "first")
            low = (newest if oldest is None else oldest) // MINUTE_MS * MINUTE_MS
        high = min(max(newest // MINUTE_MS * MINUTE_MS, going_ms), low + STEP_MS)
        return (low, high) if low < high else None

    async def _store(self, series: int, low_ms: int, high_ms: int, made: Rollup) -> None:
        """Write the pages of every level with the buckets of a interval made anew: the finest are given, each
        other ones are made of the finer.
        """
        ranges: list[tuple[int, int]] = []
        for width in ROLLUP_WIDTHS_MS:
            low_ms, high_ms = low_ms // width * width, -(-high_ms // width) * width
            ranges.append((low_ms, high_ms))
        needed = [*ranges[1:], ranges[-1]]  # the wider level reads whole buckets of its own
        wide = [page_wide(level, *around) for level, around in enumerate(needed)]
        stored = await self._table.read(series, wide)

        def work() -> list[str]:
            lines: list[str] = []
            fine = made
            for level, ((low, high), old) in enumerate(zip(ranges, stored, strict=True)):
                whole = replaced_between(old, low, high, fine)
                touched = np.concatenate([old.between(low, high).start_ms, fine.start_ms])
                lines += page_lines(series, level, whole, touched)
                if level + 1 < len(ROLLUP_WIDTHS_MS):
                    fine = combine(whole.between(*ranges[level + 1]), 0, ROLLUP_WIDTHS_MS[level + 1])
            return lines

        await self._table.put_pages(await asyncio.to_thread(work))

    async def _ready(self) -> bool:
        """Whether rollups are kept; asks the first time."""
        if self._keeps is None:
            limit_s = await self._server.own_limit_s()
            if limit_s is not None:
                log.warning(
                    "InfluxDB deletes what is older than %.1f days by a rule of its own: no levels are kept",
                    limit_s / DAY_S,
                )
            self._keeps = limit_s is None
        await self._marks.load()
        return self._keeps

    def _add_due(self, series: int) -> None:
        self._due.setdefault(series)
        self._wake.set()

    async def _fold_for_ever(self) -> None:
        await self._look_round()
        while self._keeps:
            await self._wake.wait()
            self._wake.clear()
            while self._due:
                begun = time.monotonic()
                try:
                    await self._fold_next()
                except (DamagedSeries, TimeSeriesRejected) as error:  # its samples are read all the same
                    log.error("no levels are made of some samples: %s", error)
                except TimeSeriesError as error:
                    log.error("samples wait for their levels: %s", error)
                    await asyncio.sleep(FAILURE_PAUSE_S)
                await asyncio.sleep((time.monotonic() - begun) * (1 / FOLDING_SHARE - 1))

    async def _fold_next(self) -> None:
        series = next(iter(self._due))
        del self._due[series]
        begun = self._waiting.get(series, 0)
        try:
            is_more = await self.fold(series) > 0 and bool(
                self._marks.state(series).dirty or await self._is_long(series)
            )
        except (DamagedSeries, TimeSeriesRejected):
            self._waiting[series] = 0
            raise
        except TimeSeriesError:
            self._due[series] = None
            raise
        if is_more:
            self._due[series] = None
        else:
            self._waiting[series] = max(self._waiting.get(series, 0) - begun, 0)

    async def _is_long(self, series: int) -> bool:
        (rows,) = await self._reader.waiting([(series, self._marks.state(series).until_ms)], self._fold_at)
        return rows >= self._fold_at

    async def _look_round(self) -> None:
        """Learn what an earlier run left, and the samples of a database without rollups."""
        while True:
            try:
                if await self._ready():
                    await self._scan(1 / SCAN_SHARE - 1)
                return
            except TimeSeriesError as error:
                log.error("samples without levels cannot be counted: %s", error)
            await asyncio.sleep(FAILURE_PAUSE_S)

    async def _scan(self, pause: float = 0.0) -> None:
        """pause: in times of what a step took."""
        after = 0
        while found := await self._reader.series(after, SCAN_SERIES):
            begun = time.monotonic()
            wanted = [(series, self._marks.state(series).until_ms) for series in found]
            for (series, _), rows in zip(
                wanted, await self._reader.waiting(wanted, self._fold_at), strict=True
            ):
                self._waiting[series] = max(rows, self._waiting.get(series, 0))
                if rows >= self._fold_at or self._marks.state(series).dirty:
                    self._add_due(series)
            after += len(found)
            await asyncio.sleep((time.monotonic() - begun) * pause)


def _is_open(state: RollupState, before_ms: int) -> bool:
    """Whether there may be something older that no level knows."""
    return state.until_ms < before_ms or any(low < before_ms for low, _ in state.dirty)
