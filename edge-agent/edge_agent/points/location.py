"""Positions of the earth: what a device gives to the text of C-144, and the distance of two of them. Pure.

A device gives two numbers, of which the protocol makes the text "first,second"; the same as its own text; or
sentences of NMEA 0183, of which the last one with a position counts: RMC, GGA and GLL of any receiver (GP,
GN, GL, BD, GB ...), each with its checksum.
"""

from __future__ import annotations

import re
from math import asin, cos, hypot, isfinite, radians, sin

DECIMALS = 6
"""Of a degree: about 0.1 m."""

EARTH_M = 6_371_000.0

_SENTENCE = re.compile(r"\$([A-Z]{2}(RMC|GGA|GLL),[^$*]*)\*([0-9A-Fa-f]{2})")
_LATITUDE = re.compile(r"([0-9]{2})([0-9]{2}(?:\.[0-9]+)?)")
_LONGITUDE = re.compile(r"([0-9]{3})([0-9]{2}(?:\.[0-9]+)?)")

_FIRST = {"RMC": 3, "GGA": 2, "GLL": 1}
"""Field of a sentence at which latitude, N or S, longitude, E or W begin."""

_FIX = {"RMC": (2, "A"), "GGA": (6, "12345"), "GLL": (6, "A")}
"""Field that says whether there is a fix, and what it then holds; 6 to 8 of GGA are guessed or made up."""


def position_of(text: str, coordinates: str | None, ratio: float = 1.0, bias: float = 0.0) -> str | None:
    """The text of a position, or None. coordinates: order and unit of two numbers, lat_lon by default."""
    if "$" in text:
        return _of_sentences(text)
    order = coordinates or "lat_lon"
    parts = text.split(",")
    if len(parts) != 2:
        return None
    try:
        first, second = (float(part) * ratio + bias for part in parts)
    except (ValueError, OverflowError):
        return None
    if order.endswith("minutes"):
        first, second = _degrees(first), _degrees(second)
    latitude, longitude = (first, second) if order.startswith("lat") else (second, first)
    return written(longitude, latitude)


def written(longitude: float, latitude: float) -> str | None:
    """The text of a place of the earth; None for any other, and for 0,0: a receiver without a fix."""
    if not (isfinite(longitude) and isfinite(latitude)):
        return None
    if abs(longitude) > 180 or abs(latitude) > 90:
        return None
    longitude, latitude = round(longitude, DECIMALS) + 0.0, round(latitude, DECIMALS) + 0.0
    if (longitude, latitude) == (0.0, 0.0):
        return None
    return f"{longitude:.{DECIMALS}f},{latitude:.{DECIMALS}f}"


def distance_m(one: str, other: str) -> float:
    """Metres between two positions; infinite when one of the texts is none."""
    try:
        (x1, y1), (x2, y2) = (tuple(map(float, text.split(","))) for text in (one, other))
    except ValueError:
        return float("inf")
    half_y, half_x = radians(y2 - y1) / 2, radians(x2 - x1) / 2
    chord = hypot(sin(half_y), sin(half_x) * (cos(radians(y1)) * cos(radians(y2))) ** 0.5)
    return 2 * EARTH_M * asin(min(1.0, chord))


def _of_sentences(text: str) -> str | None:
    """The last sentence decides: a receiver that has lost its fix says so."""
    result: str | None = None
    for body, kind, checksum in _SENTENCE.findall(text):
        if _checksum(body) == int(checksum, 16):
            result = _of_sentence(body.split(","), kind)
    return result


def _of_sentence(fields: list[str], kind: str) -> str | None:
    at, (fix_at, fixed) = _FIRST[kind], _FIX[kind]
    if len(fields) <= max(at + 3, fix_at) or not fields[fix_at] or fields[fix_at] not in fixed:
        return None
    latitude, longitude = _LATITUDE.fullmatch(fields[at]), _LONGITUDE.fullmatch(fields[at + 2])
    if latitude is None or longitude is None:
        return None
    north, east = {"N": 1, "S": -1}.get(fields[at + 1]), {"E": 1, "W": -1}.get(fields[at + 3])
    if north is None or east is None or float(latitude[2]) >= 60 or float(longitude[2]) >= 60:
        return None
    return written(
        east * (int(longitude[1]) + float(longitude[2]) / 60),
        north * (int(latitude[1]) + float(latitude[2]) / 60),
    )


def _checksum(body: str) -> int:
    checksum = 0
    for letter in body:
        checksum ^= ord(letter)
    return checksum


def _degrees(number: float) -> float:
    """Of dddmm.mmmm; NaN when the minutes are none."""
    if not isfinite(number):
        return number
    degrees, minutes = divmod(abs(number), 100)
    if minutes >= 60:
        return float("nan")
    return (degrees + minutes / 60) * (-1 if number < 0 else 1)
