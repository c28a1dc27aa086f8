"""Adjacent places in a device's memory to few requests, and a refused request to smaller ones. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar


class AddressSpan(Protocol):
    """What takes the addresses from start up to, not including, end."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


T = TypeVar("T", bound=AddressSpan)


def joined(spans: Sequence[T], max_size: int, gap: int) -> list[tuple[T, ...]]:
    """Runs that reach over at most `max_size` addresses and whose gaps are at most `gap`.

    spans: of one area, by rising start. One that is longer than most stands alone.
    """
    runs: list[list[T]] = []
    start = end = 0
    for one in spans:
        if runs and one.start - end <= gap and max(end, one.end) - start <= max_size:
            runs[-1].append(one)
            end = max(end, one.end)
        else:
            runs.append([one])
            start, end = one.start, one.end
    return [tuple(run) for run in runs]


def cut(run: Sequence[T]) -> list[tuple[T, ...]]:
    """The parts of a run that was refused: between its gaps, or its halves; none of a single span."""
    if len(run) == 1:
        return []
    parts = joined(run, max_size=max(one.end for one in run) - run[0].start, gap=0)
    if len(parts) > 1:
        return parts
    half = len(run) // 2
    return [tuple(run[:half]), tuple(run[half:])]
