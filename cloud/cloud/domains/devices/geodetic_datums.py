"""Pure conversion of coordinates into WGS-84, out of the two datums that Chinese maps use.

GCJ-02 is WGS-84 with an offset inside of a box around China; no formula undoes it, so it is approached, to
about 0.01 m. BD-09 is GCJ-02 moved once more, everywhere.
"""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin, sqrt
from typing import Literal

Datum = Literal["WGS84", "GCJ02", "BD09"]

_AXIS_M = 6378245.0
_ECCENTRICITY_SQUARED = 0.006693421622965823
_BOX = (72.004, 0.8293, 137.8347, 55.8271)  # west, south, east, north
_BAIDU = pi * 3000.0 / 180.0
_NEAR_DEG = 1e-7
_MAX_STEPS = 20


def to_wgs84(longitude: float, latitude: float, datum: Datum) -> tuple[float, float]:
    """Degrees of a datum in degrees of WGS-84."""
    if datum == "WGS84":
        return longitude, latitude
    if datum == "BD09":
        longitude, latitude = _bd09_to_gcj02(longitude, latitude)
    return _gcj02_to_wgs84(longitude, latitude)


def wgs84_to_gcj02(longitude: float, latitude: float) -> tuple[float, float]:
    """Degrees as a map of mainland China draws them."""
    if not _in_box(longitude, latitude):
        return longitude, latitude
    east, north = _offset(longitude, latitude)
    return longitude + east, latitude + north


def _gcj02_to_wgs84(longitude: float, latitude: float) -> tuple[float, float]:
    if not _in_box(longitude, latitude):
        return longitude, latitude
    x, y = longitude, latitude
    for _ in range(_MAX_STEPS):
        shifted_x, shifted_y = wgs84_to_gcj02(x, y)
        x, y = x - (shifted_x - longitude), y - (shifted_y - latitude)
        if abs(shifted_x - longitude) <= _NEAR_DEG and abs(shifted_y - latitude) <= _NEAR_DEG:
            break
    return x, y


def _bd09_to_gcj02(longitude: float, latitude: float) -> tuple[float, float]:
    x, y = longitude - 0.0065, latitude - 0.006
    radius = hypot(x, y) - 0.00002 * sin(y * _BAIDU)
    angle = atan2(y, x) - 0.000003 * cos(x * _BAIDU)
    return radius * cos(angle), radius * sin(angle)


def _in_box(longitude: float, latitude: float) -> bool:
    west, south, east, north = _BOX
    return west <= longitude <= east and south <= latitude <= north


def _offset(longitude: float, latitude: float) -> tuple[float, float]:
    """Degrees to the east and to the north."""
    x, y = longitude - 105.0, latitude - 35.0
    wave = (20.0 * sin(6.0 * x * pi) + 20.0 * sin(2.0 * x * pi)) * 2.0 / 3.0
    north = -100.0 + 2.0 * x + 3.0 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * sqrt(abs(x)) + wave
    north += (20.0 * sin(y * pi) + 40.0 * sin(y / 3.0 * pi)) * 2.0 / 3.0
    north += (160.0 * sin(y / 12.0 * pi) + 320.0 * sin(y * pi / 30.0)) * 2.0 / 3.0
    east = 300.0 + x + 2.0 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * sqrt(abs(x)) + wave
    east += (20.0 * sin(x * pi) + 40.0 * sin(x / 3.0 * pi)) * 2.0 / 3.0
    east += (150.0 * sin(x / 12.0 * pi) + 300.0 * sin(x / 30.0 * pi)) * 2.0 / 3.0
    radians = latitude / 180.0 * pi
    magic = 1.0 - _ECCENTRICITY_SQUARED * sin(radians) ** 2
    root = sqrt(magic)
    return (
        east * 180.0 / (_AXIS_M / root * cos(radians) * pi),
        north * 180.0 / (_AXIS_M * (1.0 - _ECCENTRICITY_SQUARED) / (magic * root) * pi),
    )
