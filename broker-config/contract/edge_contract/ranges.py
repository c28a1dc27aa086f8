"""Sets of batch numbers as ranges (first, last), both inclusive. Pure.

Results are disjoint and rising. `overlap` and `without` take both sides so.
"""

from __future__ import annotations

from collections.abc import Iterable

Range = tuple[int, int]


def join(ranges: Iterable[Range]) -> list[Range]:
    """The same numbers in as few ranges as possible; ranges may come in any order and overlap."""
    joined: list[Range] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined


def overlap(these: Iterable[Range], others: Iterable[Range]) -> list[Range]:
    """Numbers in both."""
    found: list[Range] = []
    left, right = list(these), list(others)
    i = j = 0
    while i < len(left) and j < len(right):
        first, last = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if first <= last:
            found.append((first, last))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return found


def without(these: Iterable[Range], others: Iterable[Range]) -> list[Range]:
    """Numbers of the first that are not in the second."""
    found: list[Range] = []
    taken = list(others)
    j = 0
    for first, last in these:
        while j < len(taken) and taken[j][1] < first:
            j += 1
        k = j
        while first <= last and k < len(taken) and taken[k][0] <= last:
            if first < taken[k][0]:
                found.append((first, taken[k][0] - 1))
            first = taken[k][1] + 1
            k += 1
        if first <= last:
            found.append((first, last))
    return found


def size(ranges: Iterable[Range]) -> int:
    """How many numbers."""
    return sum(last - first + 1 for first, last in ranges)
