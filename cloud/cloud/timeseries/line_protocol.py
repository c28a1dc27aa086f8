"""Line protocol: columns to ready lines, integer milliseconds. Pure.

A line is `dp,series=<n> v=<float>,text="<string>",k=<kind>i,q=<quality>i <ms>`. Numbers are always floats in
v because the type of a field is fixed by its first write; k says what the value was. k and q are in every
line, so a sample that is written again with another type is still read as the last one written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.values import Kind, kind_of, storable
from edge_contract.model import Value

MEASUREMENT = "dp"

FLOAT = int(Kind.FLOAT)


def encode(columns: Sequence[SeriesColumn]) -> Iterator[str]:
    """One line per sample, in the order given."""
    for column in columns:
        head = f"{MEASUREMENT},series={column.series} "
        for t_ms, raw, grade in zip(column.t_ms, column.values, column.qualities, strict=True):
            if type(raw) is float and isfinite(raw):
                yield f"{head}v={raw!r},k={FLOAT}i,q={grade:d}i {t_ms}"
                continue
            value, quality = storable(raw, grade)
            kind = kind_of(value)
            yield f"{head}{_fields(kind, value)}k={int(kind)}i,q={int(quality)}i {t_ms}"


def _fields(kind: Kind, value: Value) -> str:
    if isinstance(value, str):
        return f'text="{quote(value)}",'
    if value is None:
        return ""
    number = f"v={float(value)!r},"
    return f'{number}text="{value}",' if kind is Kind.BIG else number


def quote(text: str) -> str:
    """Text for a string field: backslash and double quote escaped; a line break stands for itself."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
