"""Samples as lines: each kind of value, each quality."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.line_protocol import encode
from cloud.timeseries.series_table import SeriesTable
from cloud.timeseries.values import ValueKind
from edge_contract.model import Quality, Value

BIG = 2**63


def lines_of(columns: list[SeriesColumn], newest_ms: dict[int, int]) -> str:
    return encode(SeriesTable.of(columns).singles(), newest_ms).decode()


@pytest.mark.parametrize(
    ("value", "quality", "fields"),
    [
        (1.5, 0, f"v=1.5,k={ValueKind.FLOAT:d}i,q=0i"),
        (1.5, 5, f"v=1.5,k={ValueKind.FLOAT:d}i,q=5i"),
        (7, 0, f"v=7.0,k={ValueKind.INT:d}i,q=0i"),
        (True, 0, f"v=1.0,k={ValueKind.BOOL:d}i,q=0i"),
        (None, 5, f"k={ValueKind.NONE:d}i,q=5i"),
        ('a"b\\', 0, f'text="a\\"b\\\\",k={ValueKind.TEXT:d}i,q=0i'),
        (BIG, 0, f'v={float(BIG)!r},text="{BIG}",k={ValueKind.BIG:d}i,q=0i'),
        (math.nan, 0, f"k={ValueKind.NONE:d}i,q={Quality.OUT_OF_RANGE:d}i"),
        (math.inf, 5, f"k={ValueKind.NONE:d}i,q=5i"),
        (10**400, 0, f"k={ValueKind.NONE:d}i,q={Quality.OUT_OF_RANGE:d}i"),
    ],
)
def test_a_line(value: Value, quality: int, fields: str) -> None:
    line = f"dp,series=3 {fields} 12"
    assert lines_of([SeriesColumn(3, [12], [value], [quality])], {}) == line
    more = [SeriesColumn(4, [13], [0.5], [0]), SeriesColumn(3, [12] * 2, [value] * 2, [quality] * 2)]
    assert lines_of(more, {3: 12}).split("\n") == ["dp,series=4 v=0.5,k=1i,q=0i 13", line, line]


@pytest.mark.parametrize(
    ("value", "quality", "fields"),
    [
        (1.5, 0, "v=1.5"),
        (1.5, 5, "v=1.5,q=5i"),
        (7, 0, f"v=7.0,k={ValueKind.INT:d}i"),
        (True, 5, f"v=1.0,k={ValueKind.BOOL:d}i,q=5i"),
        (None, 0, f"k={ValueKind.NONE:d}i,q=0i"),
        ("a", 0, f'text="a",k={ValueKind.TEXT:d}i,q=0i'),
        (BIG, 0, f'v={float(BIG)!r},text="{BIG}",k={ValueKind.BIG:d}i,q=0i'),
    ],
)
def test_only_a_number_newer_than_all_of_its_series_is_a_short_line(
    value: Value, quality: int, fields: str
) -> None:
    newest = {3: 11}
    assert lines_of([SeriesColumn(3, [12], [value], [quality])], newest) == f"dp,series=3 {fields} 12"
    again = lines_of([SeriesColumn(3, [9, 12], [0.5, 0.5], [0, 0])], {3: 12}).split("\n")
    assert again == ["dp,series=3 v=0.5,k=1i,q=0i 9", "dp,series=3 v=0.5,k=1i,q=0i 12"]


def test_the_newest_time_rises_with_what_is_sent() -> None:
    newest = {3: 11}
    lines = lines_of([SeriesColumn(3, [12, 14, 13, 14, 15], [0.5] * 5, [0] * 5)], newest).split("\n")
    assert ["k=1i,q=0i" in line for line in lines] == [False, False, True, True, False]
    assert newest == {3: 15}


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53))
def test_a_number_keeps_all_of_its_digits(value: float) -> None:
    text = lines_of([SeriesColumn(3, [12], [value], [0])], {3: 11})
    found = float(text[len("dp,series=3 v=") :].split(" ")[0].split(",")[0])
    assert (found, math.copysign(1, found)) == (value, math.copysign(1, value))
