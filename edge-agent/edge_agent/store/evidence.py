"""What a store tells about batches that it holds no longer or that travel differently."""

from __future__ import annotations

from collections import deque

EVICTED_TOLD = 100
"""Ranges of evicted batches that the pulse tells."""
LATE_REMEMBERED = 1000
"""Late batches of this process; far fewer are on their way at a time."""


def note_range(ranges: deque[tuple[int, int]], first: int, last: int) -> None:
    """Extend the newest range when this one follows it, else add one; the oldest falls out when full."""
    if ranges and ranges[-1][1] == first - 1:
        ranges[-1] = (ranges[-1][0], last)
    else:
        ranges.append((first, last))
