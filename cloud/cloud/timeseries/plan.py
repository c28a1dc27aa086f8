"""What a reading is made of: which rollups, and samples where no level fits or none is made yet. Pure.

A chart is made of rollups when a pixel is a minute wide or more: of the widest one that costs at most a
fifth of the pixels. On InfluxDB, where there are none yet, the first 4.2 million samples are read and the
rest is GROUP BY time(), which gives an extreme without its time (`is_exact` false).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS
from edge_contract.ranges import Intervals, clip, gaps_between, widen

RAW = -1
"""Below the rollups."""


@dataclass(frozen=True)
class Segment:
    """A range that comes from one level, or from the samples."""

    level: int
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class RollupExtent:
    """What the rollups hold: everything before until_ms but the dirty intervals. from_ms: what is older was
    deleted, of the samples and of each level.
    """

    until_ms: int
    dirty: Intervals
    from_ms: Sequence[int]


def widest(origin_ms: int, width_ms: int) -> int:
    """Index of the widest level that such buckets can be made of, RAW for none."""
    fitting = [
        n for n, level in enumerate(ROLLUP_WIDTHS_MS) if width_ms % level == 0 and origin_ms % level == 0
    ]
    return fitting[-1] if fitting else RAW


def snapped(start_ms: int, end_ms: int, pixels: int) -> tuple[int, int]:
    """Width and origin of at most `pixels` buckets; multiples of the widest level that costs at most a fifth
    of the resolution, of a minute when a pixel is that wide.
    """
    width = -(-(end_ms - start_ms) // max(pixels - 1, 1))
    for level in reversed(ROLLUP_WIDTHS_MS):
        whole = -(-width // level) * level
        if 4 * whole <= 5 * width or (level == ROLLUP_WIDTHS_MS[0] and width >= level):
            return whole, start_ms - start_ms % level
    return width, start_ms


def planned(level: int, start_ms: int, end_ms: int, known: RollupExtent) -> list[Segment]:
    """Segments by rising time for buckets that `level` divides. Where the samples or a level are deleted the
    next coarser level stands for them.
    """
    segments: list[Segment] = []
    from_ms, at, coarser = known.from_ms[level + 1], start_ms, level + 1
    while coarser < len(ROLLUP_WIDTHS_MS) and at < min(end_ms, from_ms):
        low, high = max(at, known.from_ms[coarser + 1]), min(end_ms, from_ms)
        if low < high:
            segments.append(Segment(coarser, low, high))
        from_ms = known.from_ms[coarser + 1]
        coarser += 1
    segments += _from(level, max(at, known.from_ms[level + 1]), end_ms, known)
    return sorted(segments, key=lambda segment: segment.start_ms)


def _from(level: int, start_ms: int, end_ms: int, known: RollupExtent) -> list[Segment]:
    """From one level on: what is cut, and what is not made, comes from the finer ones."""
    start_ms = max(start_ms, known.from_ms[level + 1])
    if start_ms >= end_ms:
        return []
    if level == RAW:
        return [Segment(RAW, start_ms, end_ms)]
    width = ROLLUP_WIDTHS_MS[level]
    low, high = -(-start_ms // width) * width, min(end_ms, known.until_ms) // width * width
    if low >= high:
        return _from(level - 1, start_ms, end_ms, known)
    dirty = widen(known.dirty, width)
    segments = [Segment(level, *interval) for interval in gaps_between(dirty, low, high)]
    for gap in ((start_ms, low), *clip(dirty, low, high), (high, end_ms)):
        segments += _from(level - 1, *gap, known)
    return segments
