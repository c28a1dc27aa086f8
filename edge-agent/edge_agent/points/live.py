"""Newest sample of every point."""

from __future__ import annotations

from collections.abc import Sequence

from edge_agent.model import Sample


class LiveTable:
    """Bounded by the number of points; one loop writes and reads it."""

    def __init__(self) -> None:
        self._newest: dict[int, Sample] = {}

    def update(self, samples: Sequence[Sample]) -> None:
        newest = self._newest
        for sample in samples:
            newest[sample.point] = sample

    def get(self, number: int) -> Sample | None:
        """None: never read."""
        return self._newest.get(number)

    def age_ms(self, number: int, now_ms: int) -> int | None:
        """Milliseconds since the newest sample, never negative; None: never read."""
        sample = self._newest.get(number)
        return None if sample is None else max(0, now_ms - sample.t_ms)

    def snapshot(self) -> list[Sample]:
        return list(self._newest.values())
