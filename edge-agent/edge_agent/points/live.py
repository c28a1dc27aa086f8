"""Newest value of every point."""

from __future__ import annotations

from collections import defaultdict

from edge_agent.model import Quality, Row, Sample


class LiveTable:
    """Newest row of every block of points. Bounded by the blocks; one loop writes and reads it.

    A point may lie in several blocks (a command reads it alone): the block that was read last counts.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[int, ...], tuple[int, Row]] = {}
        self._blocks: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
        self._turn = 0

    def update(self, row: Row) -> None:
        self._turn += 1
        if row.points not in self._rows:
            for number in row.points:
                self._blocks[number].append(row.points)
        self._rows[row.points] = self._turn, row

    def get(self, number: int) -> Sample | None:
        """None: never read."""
        if number not in self._blocks:
            return None
        _, row = max((self._rows[block] for block in self._blocks[number]), key=lambda entry: entry[0])
        at = row.points.index(number)
        quality = row.qualities[at] if row.qualities else Quality.GOOD
        return Sample(number, row.t_ms, row.values[at], quality)

    def age_ms(self, number: int, now_ms: int) -> int | None:
        """Milliseconds since the newest sample, never negative; None: never read."""
        sample = self.get(number)
        return None if sample is None else max(0, now_ms - sample.t_ms)

    def snapshot(self) -> list[Sample]:
        """Newest sample of every point that was read."""
        newest = {
            sample.point: sample
            for _, row in sorted(self._rows.values(), key=lambda entry: entry[0])
            for sample in row.samples()
        }
        return list(newest.values())
