"""Which samples are stored: record mode, deadband, and every change of quality.

A point without a value is recorded once, when its quality changes, and not in every cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from edge_agent.config.model import Point
from edge_agent.model import Quality, RecordMode, Sample, Value

HAS_VALUE = {Quality.GOOD, Quality.UNCERTAIN_TIME}


class Recorder:
    """Remembers what was recorded last. points: by number."""

    def __init__(self, points: Mapping[int, Point]) -> None:
        self._points = dict(points)
        self._troubled: dict[int, Quality] = {}
        self._stored: dict[int, Value] = {}

    def select(self, samples: Sequence[Sample], plain: bool = False) -> Sequence[Sample]:
        """The samples to store. plain: all are GOOD and of RecordMode.ALWAYS, no look at each is needed."""
        if plain and not self._troubled:
            return samples
        return [sample for sample in samples if self._wanted(sample)]

    def quality_of(self, number: int) -> Quality:
        """Quality last seen here: GOOD unless the point is in trouble."""
        return self._troubled.get(number, Quality.GOOD)

    def forget(self, numbers: Iterable[int]) -> None:
        """The next sample of these points is recorded whatever it is."""
        for number in numbers:
            self._troubled.pop(number, None)
            self._stored.pop(number, None)

    def _wanted(self, sample: Sample) -> bool:
        point = self._points[sample.point]
        if sample.quality not in HAS_VALUE:
            changed = self._troubled.get(sample.point) is not sample.quality
            self._troubled[sample.point] = sample.quality
            return changed and point.record is not RecordMode.NONE
        recovered = self._troubled.pop(sample.point, None) is not None
        if point.record is RecordMode.ALWAYS:
            return True
        if point.record is RecordMode.NONE:
            return False
        if recovered or self._moved(sample, point.deadband):
            self._stored[sample.point] = sample.value
            return True
        return False

    def _moved(self, sample: Sample, deadband: float) -> bool:
        if sample.point not in self._stored:
            return True
        last, now = self._stored[sample.point], sample.value
        if isinstance(last, (int, float)) and isinstance(now, (int, float)) and deadband:
            return abs(now - last) > deadband
        return last != now
