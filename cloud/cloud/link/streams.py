"""What has been received of a stream: everything up to a number, and ranges above it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from edge_contract.ranges import Range, join, without

MAX_RANGES = 2000
"""Ranges remembered above the contiguous part. Beyond it the lowest is forgotten: its batches would be taken
again if they came again, which changes nothing in the time series."""


@dataclass(frozen=True)
class Received:
    """contiguous: every number up to here; above: disjoint rising inclusive ranges, none touching another."""

    contiguous: int = 0
    above: tuple[Range, ...] = ()

    def __contains__(self, seq: int) -> bool:
        return seq <= self.contiguous or any(first <= seq <= last for first, last in self.above)

    @property
    def highest(self) -> int:
        """Highest number received, 0 when none was."""
        return self.above[-1][1] if self.above else self.contiguous

    def add(self, seqs: Iterable[int]) -> Received:
        """This and more."""
        ranges = join([*self.above, *((seq, seq) for seq in seqs)])
        contiguous = self.contiguous
        while ranges and ranges[0][0] <= contiguous + 1:
            contiguous = max(contiguous, ranges.pop(0)[1])
        return Received(contiguous, tuple(ranges[-MAX_RANGES:]))

    def missing(self, first: int = 1, last: int | None = None) -> list[Range]:
        """Ranges within first..last (default: the highest received) that were not received."""
        last = self.highest if last is None else last
        return without([(first, last)], [(0, self.contiguous), *self.above])
