"""What of a series' tail can be packed: all but the rows of a damaged chunk.

A chunk that cannot be read can neither be merged with late rows nor can the buckets that it reaches into be
made anew. So the rows of those buckets stay in the tail, until the chunk is deleted for its age.

A chunk whose bytes are not what was written is left out of what is read, logged once, and named by
`damage`. It is deleted when all of it is older than the limit; the rows that waited then go the way of late
ones (`backfill.py`). A damaged page of a rollup is made of the finer ones, and is named where their samples
are deleted; it still stops its series' packing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from cloud.timeseries import tables
from cloud.timeseries.base import Damage, DamagedSeries
from cloud.timeseries.columns import Samples
from cloud.timeseries.packing import Ints
from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS

FINEST_MS = ROLLUP_WIDTHS_MS[0]

NEAR_MS = 960_000
"""Buckets that are no farther apart are made from one reading of what lies between them."""

STEP_CHUNKS = 16
"""A step packs rows into at most so many chunks: a write that comes meanwhile waits for it."""


class Packable:
    """Chunks of one series and what of its tail can be packed into them, within a transaction. known: what is
    damaged for all the caller knows.
    """

    def __init__(self, connection: sqlite3.Connection, series: int, known: Iterable[Damage] = ()) -> None:
        self._connection = connection
        self._series = series
        self._taken_ms = tables.taken_from(connection, series)
        self._read: dict[int, Samples] = {}
        self._damaged: dict[int, Damage] = {}
        for damage in known:
            found = connection.execute(
                "SELECT id FROM chunk WHERE series = ? AND start_ms = ? AND end_ms = ?", (series, *damage)
            ).fetchone()
            if found:
                self._damaged[found[0]] = damage

    @property
    def damaged(self) -> tuple[Damage, ...]:
        """Chunks that are known to be damaged, or were found to be."""
        return tuple(self._damaged.values())

    def chunk(self, span: tables.Span) -> Samples | None:
        """Samples of a chunk, each read once; None when it is damaged."""
        number, first, last, _ = span
        if number not in self._read and number not in self._damaged:
            try:
                self._read[number] = tables.chunk(self._connection, number)
            except DamagedSeries:
                self._damaged[number] = Damage(first, last)
        return self._read.get(number)

    def drop(self, number: int) -> None:
        """Delete a chunk whose samples go into others."""
        self._connection.execute("DELETE FROM chunk WHERE id = ?", (number,))
        self._read.pop(number, None)  # the next chunk may get its number

    def spans(self, starts: Ints) -> Iterator[tuple[int, int, list[tables.Span]]]:
        """The finest buckets as ranges, and the chunks that touch each."""
        for low, high in bucket_spans(starts, FINEST_MS, NEAR_MS):
            yield low, high, tables.spans(self._connection, self._series, low, high)

    def choose(self, unpacked: Samples) -> NDArray[np.bool_]:
        """Which samples of the tail can be packed in one step, the oldest first."""
        while True:
            free = np.zeros(len(unpacked), np.bool_)
            for low, high in self._gaps(-tables.EVER_MS, tables.EVER_MS):
                begin, end = np.searchsorted(unpacked.t_ms, [low, high])
                free[begin:end] = True
            chosen = self._within_a_step(unpacked.t_ms, np.flatnonzero(free))
            known = len(self._damaged)
            times = unpacked.t_ms[chosen]
            times = times[times >= self._taken_ms]
            for _, _, found in self.spans(np.unique(times // FINEST_MS * FINEST_MS)):
                for span in found:
                    self.chunk(span)
            if len(self._damaged) == known:
                break
        free[:] = False
        free[chosen] = True
        return free

    def _gaps(self, start_ms: int, end_ms: int) -> Iterator[tuple[int, int]]:
        """What of a range no damaged chunk reaches into. What is not stored any more needs no chunk."""
        at = start_ms
        for first, last in sorted(self._damaged.values()):
            low = max(first // FINEST_MS * FINEST_MS, self._taken_ms)
            high = (last // FINEST_MS + 1) * FINEST_MS
            if low >= high:
                continue
            if at < min(low, end_ms):
                yield at, min(low, end_ms)
            at = max(at, high)
        if at < end_ms:
            yield at, end_ms

    def _within_a_step(self, t_ms: Ints, free: Ints) -> Ints:
        """Places of what goes into at most STEP_CHUNKS chunks; what is not stored any more needs none."""
        old = int(np.searchsorted(t_ms[free], self._taken_ms))
        times = t_ms[free[old:]]
        if not len(times):
            return free
        owner, found = self.owners(times)
        if len(found) <= STEP_CHUNKS:
            return free
        return free[: old + int(np.searchsorted(owner, STEP_CHUNKS))]

    def owners(self, t_ms: Ints) -> tuple[Ints, list[tables.Span]]:
        """For each time the chunk that begins last before it, -1 for none, and those chunks: at most one
        more than a step takes.
        """
        before = self._connection.execute(
            "SELECT start_ms FROM chunk WHERE series = ? AND start_ms <= ? ORDER BY start_ms DESC LIMIT 1",
            (self._series, int(t_ms[0])),
        ).fetchone()
        low = before[0] if before else int(t_ms[0])
        found = tables.spans(self._connection, self._series, low, int(t_ms[-1]) + 1, STEP_CHUNKS + 1)
        starts = np.array([span[1] for span in found], np.int64)
        return np.searchsorted(starts, t_ms, side="right") - 1, found


def bucket_spans(starts: Ints, width_ms: int, near_ms: int) -> Iterator[tuple[int, int]]:
    """Ranges that hold the buckets; near ones together, since what they are read from comes in whole."""
    if not len(starts):
        return
    for part in np.split(starts, np.flatnonzero(np.diff(starts) > near_ms) + 1):
        yield int(part[0]), int(part[-1]) + width_ms
