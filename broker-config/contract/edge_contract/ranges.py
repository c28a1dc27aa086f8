"""Sets of integers as ranges, of two kinds that the types tell apart. Pure; nothing here raises.

`Range` is closed, (first, last): batch numbers. `Interval` is half-open, low <= t < high: UTC milliseconds.
They stay two kinds: a batch number has a successor, so (1, 2) and (3, 4) are one range, while the end of an
interval is the start of the next. Results rise and are disjoint; arguments must be so where they are a
`Sequence`, and may come in any order and overlap where they are an `Iterable` of `join` and `union`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

Range = tuple[int, int]
"""Closed: (first, last), both in it."""

Interval = tuple[int, int]
"""Half-open: low <= t < high."""

Intervals = tuple[Interval, ...]


def _merged(parts: Iterable[tuple[int, int]], touching: int) -> list[tuple[int, int]]:
    """touching: how far behind an end the next may begin to be one with it; 1 closed, 0 half-open."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(parts):
        if merged and low <= merged[-1][1] + touching:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


# Closed


def join(ranges: Iterable[Range]) -> list[Range]:
    """The same numbers in as few ranges as possible."""
    return _merged(ranges, 1)


def overlap(these: Sequence[Range], others: Sequence[Range]) -> list[Range]:
    """Numbers in both."""
    ranges: list[Range] = []
    i = j = 0
    while i < len(these) and j < len(others):
        first, last = max(these[i][0], others[j][0]), min(these[i][1], others[j][1])
        if first <= last:
            ranges.append((first, last))
        if these[i][1] < others[j][1]:
            i += 1
        else:
            j += 1
    return ranges


def without(these: Sequence[Range], others: Sequence[Range]) -> list[Range]:
    """Numbers of the first that are not in the second."""
    ranges: list[Range] = []
    j = 0
    for first, last in these:
        while j < len(others) and others[j][1] < first:
            j += 1
        k = j
        while first <= last and k < len(others) and others[k][0] <= last:
            if first < others[k][0]:
                ranges.append((first, others[k][0] - 1))
            first = others[k][1] + 1
            k += 1
        if first <= last:
            ranges.append((first, last))
    return ranges


def size(ranges: Iterable[Range]) -> int:
    """How many numbers."""
    return sum(last - first + 1 for first, last in ranges)


# Half-open


def union(*parts: Iterable[Interval]) -> Intervals:
    """Everything in any of them; what touches becomes one."""
    return tuple(_merged((interval for part in parts for interval in part), 0))


def clip(intervals: Sequence[Interval], low: int, high: int) -> Intervals:
    """The parts in low <= t < high."""
    cut = ((max(start, low), min(end, high)) for start, end in intervals)
    return tuple((start, end) for start, end in cut if start < end)


def cut_out(intervals: Intervals, low: int, high: int) -> Intervals:
    """The parts outside low <= t < high."""
    if low >= high or not intervals:
        return intervals
    first, last = min(intervals[0][0], low), max(intervals[-1][1], high)
    return clip(intervals, first, low) + clip(intervals, high, last)


def covers(intervals: Sequence[Interval], wanted: Iterable[Interval]) -> bool:
    """Whether all of wanted is in intervals."""
    return all(any(low <= start and end <= high for low, high in intervals) for start, end in wanted)


def coarsen(intervals: Intervals, max_intervals: int) -> Intervals:
    """At most so many: the narrowest gaps are filled."""
    if len(intervals) <= max_intervals:
        return intervals
    gaps = sorted(range(1, len(intervals)), key=lambda n: intervals[n][0] - intervals[n - 1][1])
    cuts = [0, *sorted(gaps[len(intervals) - max_intervals :]), len(intervals)]
    return tuple((intervals[low][0], intervals[high - 1][1]) for low, high in pairwise(cuts))


def buckets_of(times: Sequence[int], before: int, width: int) -> Intervals:
    """The buckets of a width that hold a time older than before, cut there."""
    starts = {t // width * width for t in times if t < before}
    return clip(union((start, start + width) for start in starts), min(starts, default=0), before)


def widen(intervals: Iterable[Interval], width: int) -> Intervals:
    """The buckets of a width that they touch."""
    return union((low // width * width, -(-high // width) * width) for low, high in intervals)


def gaps_between(intervals: Sequence[Interval], low: int, high: int) -> Intervals:
    """What of low <= t < high they leave free."""
    edges = [low, *(edge for part in clip(intervals, low, high) for edge in part), high]
    return tuple((start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end)
