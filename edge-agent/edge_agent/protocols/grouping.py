"""Neighbours in a device's memory to few requests, and a refused request to smaller ones. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Span(Protocol):
    """What takes the addresses from start up to, not including, end."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


T = TypeVar("T", bound=Span)


def joined(spans: Sequence[T], most: int, gap: int) -> list[tuple[T, ...]]:
    """Runs that reach over at most `most` addresses and whose holes are at most `gap`.

    spans: of one area, by rising start. One that is longer than most stands alone.
    """
    runs: list[list[T]] = []
    start = end = 0
    for one in spans:
        if runs and one.start - end <= gap and max(end, one.end) - start <= most:
            runs[-1].append(one)
            end = max(end, one.end)
        else:
            runs.append([one])
            start, end = one.start, one.end
    return [tuple(run) for run in runs]


def cut(run: Sequence[T]) -> list[tuple[T, ...]]:
    """The parts of a run that was refused: between its holes, or its halves; none of a single span."""
    if len(run) == 1:
        return []
    parts = joined(run, most=max(one.end for one in run) - run[0].start, gap=0)
    if len(parts) > 1:
        return parts
    half = len(run) // 2
    return [tuple(run[:half]), tuple(run[half:])]
