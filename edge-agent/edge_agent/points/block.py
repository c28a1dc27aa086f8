"""Raw values of one request to a row of engineering values, compiled once a block."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from edge_agent.config.model import Point
from edge_agent.model import PointKind, Quality, RecordMode, Row, Value
from edge_agent.points.fixed import fixed_scale
from edge_agent.points.scale import Raw, integral, unsigned_zero, value_of
from edge_contract.dense import all_finite, is_singles
from edge_contract.limits import EARLIEST_MS


class PointBlock:
    """The points of one request, in the order of its raw values. numbers: of the points in rows."""

    def __init__(self, points: Sequence[Point], numbers: Sequence[int]) -> None:
        self.points = tuple(points)
        self.numbers = tuple(numbers)
        self.modes = tuple(point.reports for point in points)
        self.always_recorded = all(mode is RecordMode.ALWAYS for mode in self.modes)
        self.recorded_on_change = all(
            point.reports is RecordMode.ON_CHANGE and point.type is PointKind.NUMERIC for point in points
        )
        self.deadbands = tuple(point.deadband for point in points)
        self._linear = all(point.type is PointKind.NUMERIC for point in points)
        self._identity = all(
            point.ratio == 1 and point.bias == 0 and point.tofixed is None for point in points
        )
        self._ratios = tuple(integral(point.ratio) for point in points)
        self._biases = tuple(integral(point.bias) for point in points)
        self._decimals = tuple(point.tofixed for point in points)
        self._rounds = any(decimals is not None for decimals in self._decimals)
        self._fixed = fixed_scale(points) if self._linear else None

    def row(self, raw: Sequence[Raw], t_ms: int) -> Row:
        """Values and qualities of one reading."""
        if self._linear and t_ms >= EARLIEST_MS:
            values = self._scaled(raw)
            if values is not None:
                return Row(self.numbers, t_ms, values)
        values = [value_of(point, value) for point, value in zip(self.points, raw, strict=True)]
        known = Quality.GOOD if t_ms >= EARLIEST_MS else Quality.UNCERTAIN_TIME
        qualities = [Quality.OUT_OF_RANGE if value is None else known for value in values]
        return Row(self.numbers, t_ms, values, qualities if any(qualities) else None)

    def without_value(self, quality: Quality, t_ms: int) -> Row:
        """A row that says why there is no value."""
        return Row(self.numbers, t_ms, (None,) * len(self.numbers), (quality,) * len(self.numbers))

    def _scaled(self, raw: Sequence[Raw]) -> Sequence[Value] | None:
        """Engineering values, or None when one is no finite number (their sum shows it for all at once)."""
        values: Sequence[float | int]
        try:
            if self._identity:
                if is_singles(raw) and all_finite(raw):  # type: ignore[arg-type]
                    return raw
                values = raw  # type: ignore[assignment]  # the sum below refuses anything but numbers
            elif self._fixed is not None and (fixed := self._fixed(raw)) is not None:  # type: ignore[arg-type]
                return fixed
            elif self._rounds:
                values = [
                    value * ratio + bias  # type: ignore[operator]
                    if decimals is None
                    else unsigned_zero(round(value * ratio + bias, decimals))  # type: ignore[operator]
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
