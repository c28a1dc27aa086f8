"""Line protocol: columns to the body of a post, integer milliseconds. Pure.

A line is `dp,series=<n> v=<float>,text="<string>",k=<kind>i,q=<quality>i <ms>`. Numbers are always floats in
v because the type of a field is fixed by its first write; k says what the value was.

A number that is newer than all of its series has no k for a float and no q for good quality, since each field
costs the server half as much as a line. Every other line has both, because it may replace one that had:
fields that a line does not name stay as they were.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from functools import lru_cache
from math import isfinite

import msgspec

from cloud.timeseries.series_table import SeriesTable
from cloud.timeseries.values import EXACT, ValueKind, kind_of, storable
from edge_contract.model import Value

MEASUREMENT = "dp"

FLOAT, INT, BOOL = int(ValueKind.FLOAT), int(ValueKind.INT), int(ValueKind.BOOL)

_HEAD, _NUMBER = f"\n{MEASUREMENT},series=".encode(), b" v="

UNKNOWN_MS = 2**62
"""Newest time of a series of which it is not known."""

_LINE_PARTS = 6
"""Of a line with a number alone: measurement, series, name of the field, number, kind and quality, time."""


def encode(singles: SeriesTable, newest_ms: MutableMapping[int, int]) -> bytes:
    """One line per column of one sample, in the order given. newest_ms: the newest time that was sent of each
    series of which that is known; changed.

    Most samples are numbers. The digits of all of them are written at once: the shortest that
    read back as the same float.
    """
    numbers: list[float] = []
    middles: list[bytes] = []
    others: list[tuple[int, bytes]] = []  # whole lines by their place
    samples = zip(singles.series, singles.t_ms, singles.values, singles.qualities, strict=True)
    for place, (owner, t_ms, raw, grade) in enumerate(samples):
        kind = FLOAT
        if type(raw) is not float or not isfinite(raw):
            if type(raw) is bool:
                kind, raw = BOOL, float(raw)
            elif type(raw) is int and -EXACT <= raw <= EXACT:
                kind, raw = INT, float(raw)
            else:
                others.append((place, _line(owner, t_ms, raw, grade)))
                raw = 0.0
        if t_ms > newest_ms.get(owner, UNKNOWN_MS):
            newest_ms[owner] = t_ms
            middles.append(b" " if kind == FLOAT and not grade else _middle(kind, int(grade), True))
        else:
            middles.append(_middle(kind, int(grade), False))
        numbers.append(raw)
    count = len(numbers)
    parts_of_lines = [b""] * (_LINE_PARTS * count)
    parts_of_lines[0::_LINE_PARTS] = [_HEAD] * count
    parts_of_lines[1::_LINE_PARTS] = _texts(singles.series)
    parts_of_lines[2::_LINE_PARTS] = [_NUMBER] * count
    parts_of_lines[3::_LINE_PARTS] = _texts(numbers)
    parts_of_lines[4::_LINE_PARTS] = middles
    parts_of_lines[5::_LINE_PARTS] = _texts(singles.t_ms)
    for place, line in others:
        at = _LINE_PARTS * place
        parts_of_lines[at : at + _LINE_PARTS] = [line] + [b""] * (_LINE_PARTS - 1)
    return b"".join(parts_of_lines)[1:]


@lru_cache(maxsize=256)
def _middle(kind: int, grade: int, is_new: bool) -> bytes:
    """What is between the number and the time of a line."""
    kind_field = b"" if is_new and kind == FLOAT else b",k=%di" % kind
    return kind_field + (b"" if is_new and not grade else b",q=%di" % grade) + b" "


def _texts(numbers: Sequence[float]) -> list[bytes]:
    return msgspec.json.encode(numbers)[1:-1].split(b",") if numbers else []


def _line(series: int, t_ms: int, raw: Value, grade: int) -> bytes:
    value, quality = storable(raw, grade)
    kind = kind_of(value)
    fields = f"{_fields(kind, value)}k={int(kind)}i,q={int(quality)}i"
    return f"\n{MEASUREMENT},series={series} {fields} {t_ms}".encode()


def _fields(kind: ValueKind, value: Value) -> str:
    if isinstance(value, str):
        return f'text="{quote(value)}",'
    if value is None:
        return ""
    number = f"v={float(value)!r},"
    return f'{number}text="{value}",' if kind is ValueKind.BIG else number


def quote(text: str) -> str:
    """Text for a string field: backslash and double quote escaped; a line break stands for itself."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
