"""Which samples the rollups of InfluxDB do not know yet: durable before a late sample is, whoever dies when.

Only one process writes samples, so its memory is what InfluxDB holds. New samples need no mark: they are
newer than what their series' rollups reach to. A late one's hour is marked as dirty before it is written.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from cloud.timeseries.base import SeriesColumn, TimeSeriesError
from cloud.timeseries.influx_rollups import NEVER, RollupState, RollupTable
from cloud.timeseries.metrics import MAX_LOGGED, TOO_LATE
from cloud.timeseries.series_table import SeriesTable
from edge_contract.ranges import Intervals, buckets_of, clip, coarsen, covers, cut_out, union

log = logging.getLogger(__name__)

MARK_MS = 3_600_000
"""A late sample marks its hour, so that a backlog is not a mark a write."""

MAX_DIRTY = 64
"""Dirty intervals of a series; beyond, the narrowest gaps count as dirty too."""

CROWDED = 8
"""Dirty intervals that are worth a step: each is a statement of a reading."""

_FOREVER = 2**62


@dataclass
class _Step:
    """Buckets of a series that are being made. again: what was written there meanwhile."""

    series: int
    low_ms: int
    high_ms: int
    again: Intervals = ()
    is_closing: bool = False


class RollupStates:
    """States of all series. crowded: told of a series that has many dirty intervals."""

    def __init__(self, table: RollupTable, crowded: Callable[[int], None]) -> None:
        self._table = table
        self._crowded = crowded
        self._states: dict[int, RollupState] = {}
        self._frontiers: dict[int, int] = {}  # series -> a sample older than this is looked at
        self._is_loaded = False
        self._loading = asyncio.Lock()
        self._putting = asyncio.Lock()
        self._running: set[asyncio.Future[None]] = set()
        self._step: _Step | None = None
        self._logged: set[int] = set()  # series of which it is logged that something came too late
        self._doubtful: set[int] = set()  # it is not known whether their state was written

    def state(self, series: int) -> RollupState:
        """What is known of a series."""
        return self._states.get(series, RollupState())

    async def load(self) -> None:
        """Once, what an earlier run wrote."""
        if self._is_loaded:
            return
        async with self._loading:
            if not self._is_loaded:
                self._states = await self._table.states()
                self._frontiers = {series: state.until_ms for series, state in self._states.items()}
                self._is_loaded = True

    @contextlib.asynccontextmanager
    async def writing(self, table: SeriesTable) -> AsyncIterator[SeriesTable]:
        """What of the table is to be written; inside, their marks are durable."""
        await self.load()
        done = asyncio.get_running_loop().create_future()
        self._running.add(done)
        try:
            if self._late(table):
                table = SeriesTable.of(self._undeleted(table))
                await self._mark(self._late(table))
            yield table
        finally:
            self._running.discard(done)
            done.set_result(None)

    async def begin(self, series: int, low_ms: int, high_ms: int) -> None:
        """Buckets of low_ms <= t < high_ms are made next; returns when every write begun before is done."""
        self._step = _Step(series, low_ms, high_ms)
        self._set_frontier(series)
        if self._running:
            await asyncio.wait(set(self._running))

    async def close(self, low_ms: int, high_ms: int) -> None:
        """The pages hold low_ms <= t < high_ms of the step as it was when begin() returned, or newer."""
        step = self._step
        assert step is not None
        async with self._putting:
            step.is_closing = True
            old = self.state(step.series)
            until = max(old.until_ms, high_ms)
            dirty = union(cut_out(old.dirty, low_ms, high_ms), step.again)
            new = msgspec.structs.replace(
                old, until_ms=until, dirty=coarsen(clip(dirty, old.from_ms[0], until), MAX_DIRTY)
            )
            try:
                await self._put({step.series: new})
            finally:
                self.abandon()

    def abandon(self) -> None:
        """End the step; what is not closed stays to be done."""
        if self._step is not None:
            series, self._step = self._step.series, None
            self._set_frontier(series)

    async def keep(self, series: int, which: int, from_ms: int, end_ms: int) -> RollupState:
        """What is older is deleted: of the samples (0) or of a level (1 to 4); then nothing older is being
        written any more. A later time that was told before, by a clock that was ahead, falls to end_ms, which
        is behind everything that is known of the series: what comes next is kept.
        """
        async with self._putting:
            old = self.state(series)
            cut = max(from_ms, min(old.from_ms[which], end_ms))
            cuts = (*old.from_ms[:which], cut, *old.from_ms[which + 1 :])
            until = max(old.until_ms, cuts[0])
            if cuts[0] < old.from_ms[0]:
                until = min(old.until_ms, cuts[0])
            new = msgspec.structs.replace(
                old, until_ms=until, dirty=clip(old.dirty, cuts[0], until), from_ms=cuts
            )
            if new != old:
                await self._put({series: new})
        if self._running:
            await asyncio.wait(set(self._running))
        return new

    def forget(self, series: int) -> None:
        """Its state is deleted."""
        self._states.pop(series, None)
        self._set_frontier(series)

    async def _mark(self, late: Sequence[SeriesColumn]) -> None:
        if not self._unmarked(late):
            return
        async with self._putting:
            changed = self._unmarked(late)
            if changed:
                await self._put(changed)
        for series, state in changed.items():
            if len(state.dirty) >= CROWDED:
                self._crowded(series)

    def _unmarked(self, late: Sequence[SeriesColumn]) -> dict[int, RollupState]:
        """New states of the series whose marks are not durable. A step learns what it must not take for done;
        one that is being closed no longer learns, so its series waits until it is.
        """
        changed: dict[int, RollupState] = {}
        step = self._step
        for column in late:
            series = column.series
            state = changed.get(series, self.state(series))
            intervals = buckets_of(column.t_ms, max(state.until_ms, self._reach(series)), MARK_MS)
            missing = clip(intervals, state.from_ms[0], state.until_ms)
            if not covers(state.dirty, missing):
                dirty = coarsen(union(state.dirty, missing), MAX_DIRTY)
                changed[series] = msgspec.structs.replace(state, dirty=clip(dirty, NEVER, state.until_ms))
            elif series in self._doubtful:
                changed[series] = state
            if step is not None and step.series == series:
                if step.is_closing:
                    changed.setdefault(series, state)
                else:
                    step.again = coarsen(union(step.again, intervals), MAX_DIRTY)
        return changed

    def _late(self, table: SeriesTable) -> list[SeriesColumn]:
        """Columns of the series of which something is older than their rollups reach to."""
        reach = self._frontiers
        if not reach:
            return []
        singles = table.singles()
        late = {
            series
            for series, t_ms in zip(singles.series, singles.t_ms, strict=True)
            if t_ms < reach.get(series, NEVER)
        }
        return table.of_series(late) if late else []

    def _undeleted(self, columns: Sequence[SeriesColumn]) -> list[SeriesColumn]:
        """Without what is older than a deletion."""
        accepted: list[SeriesColumn] = []
        for column in columns:
            from_ms = self.state(column.series).from_ms[0]
            if from_ms == NEVER or not column.t_ms or min(column.t_ms) >= from_ms:
                accepted.append(column)
                continue
            left = [
                sample
                for sample in zip(column.t_ms, column.values, column.qualities, strict=True)
                if sample[0] >= from_ms
            ]
            times, values, qualities = zip(*left, strict=True) if left else ((), (), ())
            TOO_LATE.labels("refused").inc(len(column.t_ms) - len(left))
            if column.series not in self._logged and len(self._logged) < MAX_LOGGED:
                self._logged.add(column.series)
                log.warning(
                    "series %d: samples came too late: those of their time are deleted", column.series
                )
            accepted.append(SeriesColumn(column.series, times, values, qualities))
        return accepted

    def _reach(self, series: int) -> int:
        step = self._step
        return step.high_ms if step is not None and step.series == series else NEVER

    def _set_frontier(self, series: int) -> None:
        reach = max(self.state(series).until_ms, self._reach(series))
        self._frontiers[series] = _FOREVER if series in self._doubtful else reach

    async def _put(self, states: Mapping[int, RollupState]) -> None:
        try:
            await self._table.put_states(states)
        except (TimeSeriesError, asyncio.CancelledError):
            self._doubtful |= states.keys()
            raise
        else:
            self._doubtful -= states.keys()
            self._states |= states
        finally:
            for series in states:
                self._set_frontier(series)
