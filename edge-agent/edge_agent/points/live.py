"""Newest value of every point."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from operator import attrgetter

from edge_agent.model import Quality, Row, Sample


@dataclass(slots=True)
class _Newest:
    """turn: of all updates, when the row came."""

    turn: int
    row: Row


class LiveTable:
    """Newest row of every block of points. Bounded by the blocks; one loop writes and reads it.

    A point may lie in several blocks (a command reads it alone): the block that was read last counts. Points
    without a value now keep their last good sample.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[int, ...], _Newest] = {}
        # by the identity of the tuple, which its entry keeps alive: a long one takes long to hash
        self._same: dict[int, _Newest] = {}
        self._blocks: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
        self._last_values: dict[int, Sample] = {}
        self._turn = 0

    def update(self, row: Row) -> None:
        if row.qualities is not None or self._last_values:
            self._keep(row)
        self._turn += 1
        newest = self._same.get(id(row.points))
        if newest is None:
            newest = self._newest_of(row)
        newest.turn, newest.row = self._turn, row

    def _newest_of(self, row: Row) -> _Newest:
        """The entry of a block whose numbers come in another tuple than last time."""
        newest = self._rows.get(row.points)
        if newest is None:
            newest = self._rows[row.points] = _Newest(self._turn, row)
            for number in row.points:
                self._blocks[number].append(row.points)
        self._same.pop(id(newest.row.points), None)
        self._same[id(row.points)] = newest
        return newest

    def get(self, number: int) -> Sample | None:
        """None: never read."""
        if number not in self._blocks:
            return None
        row = max((self._rows[block] for block in self._blocks[number]), key=attrgetter("turn")).row
        at = row.points.index(number)
        quality = row.qualities[at] if row.qualities else Quality.GOOD
        return Sample(number, row.t_ms, row.values[at], quality)

    def last(self, number: int) -> Sample | None:
        """The newest sample, or where it has no value the last good one; None: never read."""
        sample = self.get(number)
        return None if sample is None else self._readable(sample)

    def readable(self) -> list[Sample]:
        """The snapshot as it is shown: what has no value is the last good one, with the quality of now."""
        return [self._readable(sample) for sample in self.snapshot()]

    def _readable(self, sample: Sample) -> Sample:
        last = self._last_values.get(sample.point) if sample.value is None else None
        return sample if last is None else Sample(last.point, last.t_ms, last.value, sample.quality)

    def _keep(self, row: Row) -> None:
        """Before a row takes the place of the one before: the good values that it ends."""
        for number, value in zip(row.points, row.values, strict=True):
            if value is not None:
                self._last_values.pop(number, None)
            elif (known := self.get(number)) is not None and known.value is not None:
                self._last_values[number] = known

    def age_ms(self, number: int, now_ms: int) -> int | None:
        """Milliseconds since the newest sample, never negative; None: never read."""
        sample = self.get(number)
        return None if sample is None else max(0, now_ms - sample.t_ms)

    def snapshot(self) -> list[Sample]:
        """Newest sample of every point that was read."""
        samples = {
            sample.point: sample
            for newest in sorted(self._rows.values(), key=attrgetter("turn"))
            for sample in newest.row.samples()
        }
        return list(samples.values())
