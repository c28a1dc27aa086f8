"""Reads of one series of the embedded store: chunks, the tail over them, and the rollups of both."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from cloud.timeseries import tables, tail
from cloud.timeseries.base import Damage, DamagedSeries, DownsampledSeries, StoredSample
from cloud.timeseries.columns import NONE, Samples, merged
from cloud.timeseries.columns import joined as joined_samples
from cloud.timeseries.packing import Ints
from cloud.timeseries.plan import RAW, snapped, widest
from cloud.timeseries.rollups import NOTHING, ROLLUP_WIDTHS_MS, Rollup, combine, drawn, joined, summarise

GROUP_CHUNKS = 64
GROUP_ROWS = 262_144
"""Raw samples are read in groups: a range of any length needs the memory of one."""

MAX_EXACT = 200_000
"""Samples up to which an envelope is made of them; beyond, of a level when a pixel is wide enough for one."""

Damaged = Callable[[int, int, Damage], None]
"""Told the series, the width (RAW for samples) and what of it cannot be read."""


class Reading:
    """One series as it is in the connection's transaction. What is damaged is left out, and told."""

    def __init__(
        self, connection: sqlite3.Connection, series: int, damaged: Damaged, read_block: tail.Load
    ) -> None:
        self._damaged = damaged
        self._read_block = read_block
        self._connection = connection
        self._series = series
        self._from_ms = {
            width: tables.stored_from(connection, series, width) for width in (tables.RAW, *ROLLUP_WIDTHS_MS)
        }
        self._taken_ms = tables.taken_from(connection, series)
        self._unpacked: tuple[int, int, Samples] | None = None

    def raw(self, start_ms: int, end_ms: int) -> Iterator[Samples]:
        """Samples of start_ms <= t < end_ms in groups of rising time."""
        at = max(start_ms, self._taken_ms)
        while at < end_ms:
            found = tables.spans(self._connection, self._series, at, end_ms, GROUP_CHUNKS)
            upto = end_ms if len(found) < GROUP_CHUNKS else min(end_ms, found[-1][2] + 1)
            upto = tail.rows_end(self._connection, self._series, at, upto, GROUP_ROWS)
            parts = [self._chunk(span) for span in found if span[1] < upto]
            packed = joined_samples(parts).between(at, upto)
            yield merged(packed, self._tail(at, upto))
            at = upto

    def backwards(self, start_ms: int, end_ms: int, limit: int) -> list[StoredSample]:
        """The newest `limit` samples of the range, newest first."""
        start = max(start_ms, self._taken_ms)
        unpacked = self._tail(start, end_ms)
        packed, upto = NONE, end_ms
        while len(packed) < limit and upto > start:
            before = self._connection.execute(
                "SELECT id, start_ms, end_ms, count FROM chunk"
                " WHERE series = ? AND start_ms < ? AND end_ms >= ?"
                " ORDER BY start_ms DESC LIMIT 1",
                (self._series, upto, start),
            ).fetchone()
            if before is None:
                break
            part = self._chunk(before).between(start, upto)
            packed, upto = merged(part, packed), before[1]
        return merged(packed, unpacked.pick(slice(-limit, None))).stored()[::-1][:limit]

    def forwards(self, start_ms: int, end_ms: int, limit: int) -> list[StoredSample]:
        """The oldest `limit` samples of the range, oldest first."""
        start = max(start_ms, self._taken_ms)
        unpacked = self._tail(start, end_ms)
        packed, at = NONE, start
        while len(packed) < limit and at < end_ms:
            found = tables.spans(self._connection, self._series, at, end_ms, 1)
            if not found:
                break
            packed = merged(packed, self._chunk(found[0]).between(start, end_ms))
            at = found[0][2] + 1
        return merged(packed, unpacked.pick(slice(limit))).stored()[:limit]

    def count(self, start_ms: int, end_ms: int) -> int:
        """Samples of the range. Chunks are read only where the range or the tail cuts them."""
        start = max(start_ms, self._taken_ms)
        if start >= end_ms:
            return 0
        found = tables.spans(self._connection, self._series, start, end_ms)
        late = self._tail(start, end_ms).t_ms
        if not found:
            return len(late)
        _, firsts, lasts, counts = np.array(found, np.int64).T
        has_late = np.searchsorted(late, firsts, "left") != np.searchsorted(late, lasts, "right")
        is_cut = (firsts < start) | (lasts >= end_ms) | has_late
        total = len(late) + int(counts[~is_cut].sum())
        for at in np.flatnonzero(is_cut).tolist():
            times = self._chunk(found[at]).between(start, end_ms).t_ms
            total += len(times) - int(np.isin(late, times).sum())
        return total

    def rollup(self, start_ms: int, end_ms: int, origin_ms: int, width_ms: int) -> Rollup:
        """Buckets that begin at origin_ms + n * width_ms, of what lies in start_ms <= t < end_ms. Where the
        samples or a level are deleted the next level stands for them.
        """
        level = widest(origin_ms, width_ms)
        from_ms = self._from_ms[tables.RAW if level == RAW else ROLLUP_WIDTHS_MS[level]]
        parts: list[Rollup] = []
        coarser, at = level + 1, start_ms
        while coarser < len(ROLLUP_WIDTHS_MS) and at < min(end_ms, from_ms):
            parts.append(
                self._instead(
                    coarser, max(at, self._from_ms[ROLLUP_WIDTHS_MS[coarser]]), min(end_ms, from_ms)
                )
            )
            from_ms = self._from_ms[ROLLUP_WIDTHS_MS[coarser]]
            coarser += 1
        at = max(at, self._from_ms[tables.RAW if level == RAW else ROLLUP_WIDTHS_MS[level]])
        if at < end_ms:
            parts.append(self._at(level, at, end_ms, origin_ms, width_ms))
        return combine(_ordered(parts), origin_ms, width_ms)

    def envelope(self, start_ms: int, end_ms: int, pixels: int) -> DownsampledSeries:
        """See TimeSeries."""
        count = self.count(start_ms, end_ms)
        is_whole = start_ms >= self._from_ms[tables.RAW]
        if count <= 4 * pixels and is_whole:
            found = joined_samples(list(self.raw(start_ms, end_ms)))
            number = np.where(found.quality == 0, found.number, np.nan)
            return DownsampledSeries(found.t_ms, number, 0, len(number))
        width, origin = -(-(end_ms - start_ms) // pixels), start_ms
        if count > MAX_EXACT or not is_whole:
            width, origin = snapped(start_ms, end_ms, pixels)
        return drawn(self.rollup(start_ms, end_ms, origin, width), start_ms, end_ms, width)

    def _chunk(self, span: tables.Span) -> Samples:
        try:
            return tables.chunk(self._connection, span[0])
        except DamagedSeries:
            self._damaged(self._series, tables.RAW, Damage(span[1], span[2]))
            return NONE

    def _instead(self, level: int, start_ms: int, end_ms: int) -> Rollup:
        """Of a level whose samples are deleted: nothing else stands for what is damaged."""
        try:
            return self._stored(level, start_ms, end_ms)
        except DamagedSeries:
            page = tables.PAGES_MS[ROLLUP_WIDTHS_MS[level]]
            return joined(
                [
                    self._page(level, at, max(at, start_ms), min(at + page, end_ms))
                    for at in range(start_ms // page * page, end_ms, page)
                ]
            )

    def _page(self, level: int, page_ms: int, start_ms: int, end_ms: int) -> Rollup:
        try:
            return self._stored(level, start_ms, end_ms)
        except DamagedSeries:
            width = ROLLUP_WIDTHS_MS[level]
            self._damaged(self._series, width, Damage(page_ms, page_ms + tables.PAGES_MS[width] - 1))
            return NOTHING

    def _stored(self, level: int, start_ms: int, end_ms: int) -> Rollup:
        if start_ms >= end_ms:
            return NOTHING
        return tables.level(self._connection, self._series, ROLLUP_WIDTHS_MS[level], start_ms, end_ms)

    def _at(self, level: int, start_ms: int, end_ms: int, origin_ms: int, width_ms: int) -> Rollup:
        """From one level on: what is cut, and what the tail changes, comes from the finer ones."""
        if level == RAW:
            start_ms = max(start_ms, self._from_ms[tables.RAW])  # of what is older the rollups know more
            parts = [summarise(*part.numbers(), origin_ms, width_ms) for part in self.raw(start_ms, end_ms)]
            return combine(joined(parts), origin_ms, width_ms)
        width = ROLLUP_WIDTHS_MS[level]
        low, high = -(-start_ms // width) * width, end_ms // width * width
        if low >= high:
            return self._at(level - 1, start_ms, end_ms, 0, width)
        try:
            stored = self._stored(level, low, high)
        except DamagedSeries:  # the finer ones say the same
            return combine(self._at(level - 1, start_ms, end_ms, 0, width), 0, width)
        touched = self._touched(width, low, high)
        parts = [stored.pick(~np.isin(stored.start_ms, touched))]
        runs = [(start_ms, low), *_runs(touched, width), (high, end_ms)]
        parts += [self._at(level - 1, begin, end, 0, width) for begin, end in runs if begin < end]
        return combine(_ordered(parts), 0, width)

    def _touched(self, width_ms: int, start_ms: int, end_ms: int) -> Ints:
        """Starts of the buckets in which the tail has rows."""
        times = self._tail(max(start_ms, self._from_ms[tables.RAW]), end_ms).t_ms
        return np.unique(times // width_ms * width_ms)

    def _tail(self, start_ms: int, end_ms: int) -> Samples:
        """Samples that are not in chunks; read once for what a call asks for first, which is the most."""
        if start_ms >= end_ms:
            return NONE
        if self._unpacked is None or start_ms < self._unpacked[0] or end_ms > self._unpacked[1]:
            found = tail.samples_of(
                self._connection,
                self._series,
                start_ms,
                end_ms,
                lambda damage: self._damaged(self._series, tables.RAW, damage),
                self._read_block,
            )
            self._unpacked = start_ms, end_ms, found
        return self._unpacked[2].between(start_ms, end_ms)


def newest(connection: sqlite3.Connection, series: Sequence[int]) -> dict[int, StoredSample]:
    """The newest sample of each series that has one. A damaged chunk has none."""
    samples = tail.newest_of(connection, series)
    for number in series:
        last = connection.execute(
            "SELECT id, end_ms FROM chunk WHERE series = ? ORDER BY start_ms DESC LIMIT 1", (number,)
        ).fetchone()
        if last is not None and (number not in samples or samples[number].t_ms[0] < last[1]):
            with contextlib.suppress(DamagedSeries):
                samples[number] = tables.chunk(connection, last[0]).pick(slice(-1, None))
    return {
        number: sample.stored()[0]
        for number, sample in samples.items()
        if sample.t_ms[0] >= tables.taken_from(connection, number)
    }


def _ordered(parts: list[Rollup]) -> Rollup:
    whole = joined(parts)
    return whole if len(parts) == 1 else whole.pick(np.argsort(whole.start_ms, kind="stable"))


def _runs(starts: Ints, width_ms: int) -> list[tuple[int, int]]:
    """Neighbouring buckets as one range."""
    if not len(starts):
        return []
    cuts = np.flatnonzero(np.diff(starts) != width_ms) + 1
    bounds = [0, *cuts.tolist(), len(starts)]
    return [(int(starts[low]), int(starts[high - 1]) + width_ms) for low, high in pairwise(bounds)]
