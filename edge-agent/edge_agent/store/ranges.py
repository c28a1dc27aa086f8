"""Inclusive ranges of sequence numbers, rising and apart. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Range = tuple[int, int]

END = 2**63 - 1
"""The highest number that SQLite holds; no batch has it."""


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The same numbers in as few ranges as possible."""
    joined: list[Range] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def without(ranges: Iterable[Range], taken: Sequence[Range]) -> list[Range]:
    """Numbers of ranges that taken does not have; taken is rising and apart."""
    rest: list[Range] = []
    for first, last in merged(ranges):
        for low, high in taken:
            if high < first or low > last:
                continue
            if low > first:
                rest.append((first, low - 1))
            first = high + 1
        if first <= last:
            rest.append((first, last))
    return rest


def within(ranges: Iterable[Range], allowed: Sequence[Range]) -> list[Range]:
    """Numbers that both have; allowed is rising and apart."""
    return [
        (max(first, low), min(last, high))
        for first, last in merged(ranges)
        for low, high in allowed
        if max(first, low) <= min(last, high)
    ]
