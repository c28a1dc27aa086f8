"""Scaling and rounding of a whole row at once, with the results that round() gives one by one. Pure.

round(value, decimals) takes three times as long as round(value) to an integer, and a batch holds the
integers anyway (`Decimals`). So a row is scaled by ratio * 10**decimals and rounded to integers. Both ways
see the same number but for what floats lose, less than 2**-19 below REACH: their results differ at most where
the number is that near to a half. Such values go through round(value, decimals).

A value rounded to nothing is 0, never -0, which a batch can only hold in eight bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite
from operator import sub

from edge_agent.config.model import Point
from edge_agent.points.scale import integral
from edge_contract.dense import MAX_DECIMALS, Decimals, is_singles

REACH = 2.0**30
"""Of a scaled number: a batch holds integers of 32 bits."""
NEAR_HALF = 0.5 - 2.0**-16
"""A number that lies further than this from its integer may be rounded to either side."""


class FixedScale:
    """Raw numbers to rounded ones, for points of which each has tofixed."""

    def __init__(self, points: Sequence[Point], decimals: tuple[int, ...]) -> None:
        self._scales = [10.0**place for place in decimals]
        self._decimals = decimals
        self._plain = [(integral(point.ratio), integral(point.bias)) for point in points]
        self._floats = all(not all(isinstance(part, int) for part in pair) for pair in self._plain)
        self._ratios = [point.ratio * scale for point, scale in zip(points, self._scales, strict=True)]
        self._biases = [point.bias * scale for point, scale in zip(points, self._scales, strict=True)]
        self._alike = len({*zip(self._ratios, self._biases, strict=True)}) == 1
        steepest, highest = max(map(abs, self._ratios)), max(map(abs, self._biases))
        usable = isfinite(steepest) and steepest > 0 and highest < REACH
        self._limit = (REACH - highest) / steepest if usable else 0.0

    def __call__(self, raw: Sequence[float]) -> Decimals | None:
        """None when they are not all finite, within reach, and floats once they are scaled."""
        if not (self._floats or is_singles(raw)) or not hypot(*raw) < self._limit:
            return None
        if self._alike:
            ratio, bias = self._ratios[0], self._biases[0]
            scaled = [value * ratio + bias for value in raw]
        else:
            scaled = [
                value * ratio + bias
                for value, ratio, bias in zip(raw, self._ratios, self._biases, strict=True)
            ]
        integers = list(map(round, scaled))
        rests = list(map(sub, scaled, integers))
        if max(rests) > NEAR_HALF or min(rests) < -NEAR_HALF:
            for at, rest in enumerate(rests):
                if abs(rest) > NEAR_HALF:
                    integers[at] = self._rounded(raw[at], at)
        return Decimals(integers, self._decimals)

    def _rounded(self, value: float, at: int) -> int:
        """As round() does to the decimals of the point, in units of its last decimal."""
        ratio, bias = self._plain[at]
        return round(round(value * ratio + bias, self._decimals[at]) * self._scales[at])


def fixed_scale(points: Sequence[Point]) -> FixedScale | None:
    """Of the points of a block; None when some are not rounded, or to more than MAX_DECIMALS."""
    decimals = [point.tofixed for point in points]
    known = tuple(place for place in decimals if place is not None and place <= MAX_DECIMALS)
    return FixedScale(points, known) if len(known) == len(points) else None
