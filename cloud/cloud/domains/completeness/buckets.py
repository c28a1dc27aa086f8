"""Periods cut into hours or days, and the share that arrived. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@dataclass(frozen=True)
class Missing:
    """A gap: so many batches within from_ms..to_ms, for this reason."""

    count: int
    from_ms: int
    to_ms: int
    reason: str


def bounds(from_ms: int, to_ms: int, width_ms: int, offset_ms: int = 0) -> list[int]:
    """Beginnings of the buckets that cover a period, and the end of the last. offset_ms: of the local day."""
    start = from_ms - (from_ms + offset_ms) % width_ms
    count = -(-(to_ms - start) // width_ms)
    return [start + width_ms * index for index in range(count + 1)]


def spread(gap: Missing, edges: list[int]) -> list[int]:
    """How many batches of a gap fall into each bucket, if they were closed evenly; others are left out.

    The parts of a gap that lies within the edges add up to it.
    """
    length = gap.to_ms - gap.from_ms
    if length <= 0:
        return [gap.count if low <= gap.from_ms < high else 0 for low, high in pairwise(edges)]
    before = [gap.count * min(max(edge - gap.from_ms, 0), length) // length for edge in edges]
    return [high - low for low, high in pairwise(before)]


def by_reason(gaps: Iterable[Missing], edges: list[int]) -> list[dict[str, int]]:
    """Missing batches of each bucket by reason."""
    counts: list[dict[str, int]] = [{} for _ in edges[1:]]
    for gap in gaps:
        for bucket, count in zip(counts, spread(gap, edges), strict=True):
            if count:
                bucket[gap.reason] = bucket.get(gap.reason, 0) + count
    return counts


def percent(received: int, missing: int) -> float | None:
    """Share of the batches that arrived, cut after the third digit: 100 only when nothing is missing."""
    if received + missing == 0:
        return None
    return received * 100_000 // (received + missing) / 1000
