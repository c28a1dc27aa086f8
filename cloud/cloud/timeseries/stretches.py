"""Sets of times as stretches low <= t < high, by rising time and apart from each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

Stretches = tuple[tuple[int, int], ...]


def union(*parts: Iterable[tuple[int, int]]) -> Stretches:
    """Everything in any of them; what touches becomes one."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(stretch for part in parts for stretch in part):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return tuple(joined)


def within(stretches: Stretches, low_ms: int, high_ms: int) -> Stretches:
    """The parts in low_ms <= t < high_ms."""
    cut = ((max(low, low_ms), min(high, high_ms)) for low, high in stretches)
    return tuple((low, high) for low, high in cut if low < high)


def without(stretches: Stretches, low_ms: int, high_ms: int) -> Stretches:
    """The parts outside low_ms <= t < high_ms."""
    if low_ms >= high_ms or not stretches:
        return stretches
    first, last = min(stretches[0][0], low_ms), max(stretches[-1][1], high_ms)
    return within(stretches, first, low_ms) + within(stretches, high_ms, last)


def covers(stretches: Stretches, wanted: Stretches) -> bool:
    """Whether all of wanted is in stretches."""
    return all(any(low <= start and end <= high for low, high in stretches) for start, end in wanted)


def bounded(stretches: Stretches, most: int) -> Stretches:
    """At most so many: the narrowest gaps are filled."""
    if len(stretches) <= most:
        return stretches
    gaps = sorted(range(1, len(stretches)), key=lambda n: stretches[n][0] - stretches[n - 1][1])
    cuts = [0, *sorted(gaps[len(stretches) - most :]), len(stretches)]
    return tuple((stretches[low][0], stretches[high - 1][1]) for low, high in pairwise(cuts))


def of_times(t_ms: Sequence[int], before_ms: int, width_ms: int) -> Stretches:
    """The buckets of width_ms that hold a time older than before_ms, cut there."""
    starts = {t // width_ms * width_ms for t in t_ms if t < before_ms}
    return within(union((start, start + width_ms) for start in starts), min(starts, default=0), before_ms)


def widened(stretches: Stretches, width_ms: int) -> Stretches:
    """The buckets of width_ms that they touch."""
    return union(((low // width_ms * width_ms, -(-high // width_ms) * width_ms) for low, high in stretches))


def between(stretches: Stretches, low_ms: int, high_ms: int) -> Stretches:
    """What of low_ms <= t < high_ms they leave free."""
    edges = [low_ms, *(edge for part in within(stretches, low_ms, high_ms) for edge in part), high_ms]
    return tuple((low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high)
