"""Summaries of samples by width of time: made of samples, made of finer summaries, packed. Pure.

Widths are 1 min, 15 min, 1 h and 1 day; a bucket holds count, sum, first, lowest, highest and last with their
times. Every touched bucket is made anew, the finest from the samples, each other from the finer one, never by
adding to it. Where a sum has no number (samples of some 10^308) a mean is what of it is known.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import copysign, isfinite, isnan

import numpy as np
from numpy.typing import NDArray

from cloud.timeseries.base import DownsampledSeries, SampleBucket
from cloud.timeseries.packing import (
    Floats,
    Ints,
    get_floats,
    get_ints,
    put_floats,
    put_ints,
    squeeze,
    unsqueeze,
)

MINUTE_MS = 60_000
ROLLUP_WIDTHS_MS = (MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS, 1440 * MINUTE_MS)
"""Widths of the stored rollups. Each holds the next finer one a whole number of times."""

FIRST, LOW, HIGH, LAST, SUM = range(5)

MAX_FLOAT = sys.float_info.max


@dataclass(frozen=True, eq=False)
class Rollup:
    """Buckets by rising start, empty ones left out. times: (4, n) of first, lowest, highest and last sample
    (the earliest of equals); values: (5, n) the same and the sum.
    """

    start_ms: Ints
    count: Ints
    times: Ints
    values: Floats

    def __len__(self) -> int:
        return len(self.start_ms)

    def pick(self, which: slice | NDArray[np.bool_] | Ints) -> Rollup:
        """Some of the buckets."""
        return Rollup(self.start_ms[which], self.count[which], self.times[:, which], self.values[:, which])

    def between(self, start_ms: int, end_ms: int) -> Rollup:
        """Buckets that begin in start_ms <= t < end_ms."""
        low, high = np.searchsorted(self.start_ms, [start_ms, end_ms])
        return self.pick(slice(int(low), int(high)))


NOTHING = Rollup(
    np.empty(0, np.int64), np.empty(0, np.int64), np.empty((4, 0), np.int64), np.empty((5, 0), np.float64)
)


def _groups(t_ms: Ints, origin_ms: int, width_ms: int) -> tuple[Ints, Ints, Ints]:
    """Start of each bucket, index of its first element, and which bucket each element is in."""
    number = (t_ms - origin_ms) // width_ms
    first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    lengths = np.diff(np.append(first, len(t_ms)))
    return number[first] * width_ms + origin_ms, first, np.repeat(np.arange(len(first)), lengths)


def _earliest(values: Floats, extremes: Floats, group: Ints) -> Ints:
    """Index of the first element of each group that equals its extreme."""
    hits = np.flatnonzero(values == extremes[group])
    owners = group[hits]
    firsts: Ints = hits[np.append(True, owners[1:] != owners[:-1])]
    return firsts


def summarise(t_ms: Ints, value: Floats, origin_ms: int, width_ms: int) -> Rollup:
    """Samples by rising time to buckets that begin at origin_ms + n * width_ms."""
    if not len(t_ms):
        return NOTHING
    start, first, group = _groups(t_ms, origin_ms, width_ms)
    last = np.append(first[1:], len(t_ms)) - 1
    low = _earliest(value, np.minimum.reduceat(value, first), group)
    high = _earliest(value, np.maximum.reduceat(value, first), group)
    which = np.stack([first, low, high, last])
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.reduceat(value, first)
    return Rollup(start, last - first + 1, t_ms[which], np.vstack([value[which], total]))


def combine(fine: Rollup, origin_ms: int, width_ms: int) -> Rollup:
    """Summaries of parts, by rising start, to those of wider buckets; a bucket may come in several parts."""
    if not len(fine):
        return NOTHING
    start, first, group = _groups(fine.start_ms, origin_ms, width_ms)
    last = np.append(first[1:], len(fine)) - 1
    lows, highs = fine.values[LOW], fine.values[HIGH]
    low = _earliest(lows, np.minimum.reduceat(lows, first), group)
    high = _earliest(highs, np.maximum.reduceat(highs, first), group)
    which = [first, low, high, last]
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.reduceat(fine.values[SUM], first)
    return Rollup(
        start,
        np.add.reduceat(fine.count, first),
        np.stack([fine.times[row, which[row]] for row in range(4)]),
        np.vstack([*(fine.values[row, which[row]] for row in range(4)), total]),
    )


def joined(parts: list[Rollup]) -> Rollup:
    """One behind the other."""
    if len(parts) <= 1:
        return parts[0] if parts else NOTHING
    return Rollup(
        np.concatenate([part.start_ms for part in parts]),
        np.concatenate([part.count for part in parts]),
        np.concatenate([part.times for part in parts], axis=1),
        np.concatenate([part.values for part in parts], axis=1),
    )


def replaced(old: Rollup, starts: Ints, new: Rollup) -> Rollup:
    """Buckets of old without those that begin at starts, with the new ones in their order."""
    both = joined([old.pick(~np.isin(old.start_ms, starts)), new])
    return both.pick(np.argsort(both.start_ms, kind="stable"))


def added(old: Rollup, new: Rollup) -> Rollup:
    """Buckets of both; where both have one, of the samples of both, which are different ones."""
    both = joined([old, new])
    if not len(both):
        return NOTHING
    both = both.pick(np.argsort(both.start_ms, kind="stable"))
    start, first, _ = _groups(both.start_ms, 0, 1)
    one, other = both.pick(first), both.pick(np.append(first[1:], len(both)) - 1)
    is_both = one.times[FIRST] != other.times[FIRST]
    is_earlier = other.times[:SUM] < one.times[:SUM]
    lower, higher = other.values[LOW] < one.values[LOW], other.values[HIGH] > one.values[HIGH]
    same = [other.values[row] == one.values[row] for row in (LOW, HIGH)]
    chosen = np.stack(
        [
            is_earlier[FIRST],
            lower | (same[0] & is_earlier[LOW]),
            higher | (same[1] & is_earlier[HIGH]),
            other.times[LAST] > one.times[LAST],
        ]
    )
    with np.errstate(over="ignore", invalid="ignore"):
        total = one.values[SUM] + np.where(is_both, other.values[SUM], 0.0)
    return Rollup(
        start,
        one.count + np.where(is_both, other.count, 0),
        np.where(chosen, other.times, one.times),
        np.vstack([np.where(chosen, other.values[:SUM], one.values[:SUM]), total]),
    )


def replaced_between(old: Rollup, start_ms: int, end_ms: int, new: Rollup) -> Rollup:
    """Buckets of old with the new ones in place of those that begin in start_ms <= t < end_ms."""
    before, after = old.between(-(2**62), start_ms), old.between(end_ms, 2**62)
    return joined([part for part in (before, new, after) if len(part)])


def drawn(rollup: Rollup, start_ms: int, end_ms: int, width_ms: int) -> DownsampledSeries:
    """First, lowest, highest and last sample of each bucket, by time, each once."""
    times, values = rollup.times.T.reshape(-1), rollup.values[:4].T.reshape(-1)
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    kept = np.append(True, times[1:] != times[:-1])[: len(times)] & (times >= start_ms) & (times < end_ms)
    return DownsampledSeries(times[kept], values[kept], width_ms, int(rollup.count.sum()))


def listed(rollup: Rollup) -> list[SampleBucket]:
    """As buckets."""
    first, low, high, last, total = rollup.values.tolist()
    return [
        SampleBucket(start, count, least, highest, _mean(total, count, least, highest), begin, end)
        for start, count, least, highest, total, begin, end in zip(
            rollup.start_ms.tolist(), rollup.count.tolist(), low, high, total, first, last, strict=True
        )
    ]


def _mean(total: float, count: int, least: float, highest: float) -> float:
    """Between least and highest, also where the sum of samples of some 10^308 is none."""
    if isfinite(total):
        return total / count
    if isnan(total):  # there were sums without end in both directions
        return least / 2 + highest / 2
    return min(max(copysign(MAX_FLOAT, total) / count, least), highest)


def pack(rollup: Rollup) -> bytes:
    """As one piece: lowest, highest, last and sum as their distance from what they are near to."""
    offsets = rollup.times - rollup.start_ms
    values = rollup.values
    return squeeze(
        put_ints(rollup.start_ms),
        put_ints(rollup.count),
        *(put_ints(np.ascontiguousarray(row)) for row in offsets),
        *(put_floats(row) for row in values),
    )


def unpack(blob: bytes) -> Rollup:
    """What pack was given."""
    source = unsqueeze(blob)
    start, count = get_ints(source), get_ints(source)
    times = np.stack([get_ints(source) for _ in range(4)]) + start
    return Rollup(start, count, times, np.stack([get_floats(source) for _ in range(5)]))
