"""Raw values of one request to samples, compiled once a block: no per-point work beyond the sample itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from math import isfinite

from edge_agent.config.model import Point
from edge_agent.model import PointKind, Quality, RecordMode, Sample
from edge_agent.points.scale import Raw, value_of, whole
from edge_contract.limits import EARLIEST_MS


class PointBlock:
    """The points of one request, in the order of its raw values. numbers: of the points in samples."""

    def __init__(self, points: Sequence[Point], numbers: Sequence[int]) -> None:
        self.points = tuple(points)
        self.numbers = tuple(numbers)
        self.always_recorded = all(point.record is RecordMode.ALWAYS for point in points)
        self._linear = all(point.type is PointKind.NUMERIC for point in points)
        self._identity = all(
            point.ratio == 1 and point.bias == 0 and point.tofixed is None for point in points
        )
        self._ratios = tuple(whole(point.ratio) for point in points)
        self._biases = tuple(whole(point.bias) for point in points)
        self._decimals = tuple(point.tofixed for point in points)
        self._rounds = any(decimals is not None for decimals in self._decimals)

    def samples(self, raw: Sequence[Raw], t_ms: int) -> tuple[list[Sample], bool]:
        """Samples of one reading, and whether every one is GOOD."""
        if self._linear and t_ms >= EARLIEST_MS:
            values = self._scaled(raw)
            if values is not None:
                return list(map(Sample, self.numbers, repeat(t_ms), values)), True
        samples = [
            self._sample(point, number, value, t_ms)
            for point, number, value in zip(self.points, self.numbers, raw, strict=True)
        ]
        return samples, all(sample.quality is Quality.GOOD for sample in samples)

    def without_value(self, quality: Quality, t_ms: int) -> list[Sample]:
        """Samples that say why there is no value."""
        return [Sample(number, t_ms, None, quality) for number in self.numbers]

    def _scaled(self, raw: Sequence[Raw]) -> Sequence[float | int] | None:
        """Engineering values, or None when one is no finite number (their sum shows it for all at once)."""
        values: Sequence[float | int]
        try:
            if self._identity:
                values = raw  # type: ignore[assignment]  # the sum below refuses anything but numbers
            elif self._rounds:
                values = [
                    value * ratio + bias if decimals is None else round(value * ratio + bias, decimals)  # type: ignore[operator]
                    for value, ratio, bias, decimals in zip(
                        raw, self._ratios, self._biases, self._decimals, strict=True
                    )
                ]
            else:
                values = [
                    value * ratio + bias  # type: ignore[operator]
                    for value, ratio, bias in zip(raw, self._ratios, self._biases, strict=True)
                ]
            return values if isfinite(sum(values)) else None
        except (TypeError, ValueError, OverflowError):
            return None

    @staticmethod
    def _sample(point: Point, number: int, raw: Raw, t_ms: int) -> Sample:
        value = value_of(point, raw)
        if value is None:
            return Sample(number, t_ms, None, Quality.OUT_OF_RANGE)
        return Sample(number, t_ms, value, Quality.GOOD if t_ms >= EARLIEST_MS else Quality.UNCERTAIN_TIME)
