"""Scaling and rounding of a whole row at once, with the results that round() gives one by one. Pure.

round() takes half a microsecond to find the decimal nearest to a float. Here raw * ratio * 10**decimals +
bias * 10**decimals is added to a number so large that a float of its size has 16 binary places: the addition
rounds, and the integer lies in the middle of the float's bytes. The sum is within 2**-16 of what round() sees
(2**-17 from the last addition, less from the others, of numbers below 2**31), so that the integer is the same
unless it is that close to a half; such values go through round(). An integer divided by a power of ten is the
float that round() gives: both are the nearest one to the same decimal.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import hypot, isfinite

from edge_agent.config.model import Point
from edge_agent.points.scale import whole
from edge_contract.dense import MOST_DECIMALS, Decimals, is_singles

PLACES = 16
"""Binary places behind the point that are left."""
SHIFT = 1.5 * 2.0 ** (52 - PLACES) + 0.5
"""Added to a number below REACH: bits 16 to 47 of the sum hold the nearest integer, bits 0 to 15 how far the
number is above the half before it."""
REACH = 2.0**30
UPPER_PLACES = slice(1, None, 8)
"""The upper byte of the places; with 0 and 255 the number may be near a half."""
NEAR = 4
"""In the unit of the last place: twice what the result may be off."""


class FixedScale:
    """Raw numbers to rounded ones, for points of which each has tofixed."""

    def __init__(self, points: Sequence[Point], decimals: tuple[int, ...]) -> None:
        self._scales = [10.0**place for place in decimals]
        self._decimals = decimals
        self._plain = [(whole(point.ratio), whole(point.bias)) for point in points]
        self._floats = all(not all(isinstance(part, int) for part in pair) for pair in self._plain)
        self._ratios = [point.ratio * scale for point, scale in zip(points, self._scales, strict=True)]
        self._biases = [point.bias * scale for point, scale in zip(points, self._scales, strict=True)]
        self._alike = len({*zip(self._ratios, self._biases, strict=True)}) == 1
        steepest, highest = max(map(abs, self._ratios)), max(map(abs, self._biases))
        usable = isfinite(steepest) and steepest > 0 and highest < REACH
        self._most = (REACH - highest) / steepest if usable else 0.0
        self._pack = struct.Struct(f"<{len(points)}d").pack
        self._unpack = struct.Struct("<" + "2xi2x" * len(points)).unpack

    def __call__(self, raw: Sequence[float]) -> Decimals | None:
        """None when they are not all finite, within reach, and floats once they are scaled."""
        if not (self._floats or is_singles(raw)) or not hypot(*raw) < self._most:
            return None
        if self._alike:
            ratio, bias = self._ratios[0], self._biases[0]
            sums = [value * ratio + bias + SHIFT for value in raw]
        else:
            sums = [
                value * ratio + bias + SHIFT
                for value, ratio, bias in zip(raw, self._ratios, self._biases, strict=True)
            ]
        data = self._pack(*sums)
        integers: Sequence[int] = self._unpack(data)
        near = self._near_a_half(data)
        if near:
            integers = self._settled(raw, integers, near)
        return Decimals(integers, self._decimals)

    @staticmethod
    def _near_a_half(data: bytes) -> list[int]:
        """Places of the numbers of which the addition alone does not tell to which side they round."""
        found = []
        upper = data[UPPER_PLACES]
        for edge in (b"\0", b"\xff"):
            at = upper.find(edge)
            while at >= 0:
                lower = data[8 * at]
                if lower < NEAR if edge == b"\0" else lower >= 256 - NEAR:
                    found.append(at)
                at = upper.find(edge, at + 1)
        return found

    def _settled(self, raw: Sequence[float], integers: Sequence[int], near: Sequence[int]) -> Sequence[int]:
        """Those near a half by round()."""
        settled = list(integers)
        for at in near:
            rounded = round(self._scaled(raw, at), self._decimals[at])
            settled[at] = round(rounded * self._scales[at])
        return settled

    def _scaled(self, raw: Sequence[float], at: int) -> float:
        ratio, bias = self._plain[at]
        return raw[at] * ratio + bias


def fixed_scale(points: Sequence[Point]) -> FixedScale | None:
    """Of the points of a block; None when some are not rounded, or to more than MOST_DECIMALS."""
    decimals = [point.tofixed for point in points]
    known = tuple(place for place in decimals if place is not None and place <= MOST_DECIMALS)
    return FixedScale(points, known) if len(known) == len(points) else None
