"""Points of a batch become series; what nobody knows or no clock can have said is left out and counted."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.link.metrics import UNSTORED_SAMPLES
from cloud.link.series_mapping import ReceivedColumns, received, to_series
from edge_contract.batch import FlatColumns, decode_flat, encode
from edge_contract.limits import CLOCK_AHEAD_MS, EARLIEST_MS
from edge_contract.model import Quality, Row, Value

NOW_MS = 1_790_000_000_000
LATEST_MS = NOW_MS + CLOCK_AHEAD_MS
POINTS = {1: 11, 2: 12, 3: 13}


def mapped(*rows: Row) -> list[tuple[int, int, object, int]]:
    _, columns = decode_flat(encode("0" * 16, 1, "a" * 16, NOW_MS, rows))
    return [
        (column.series, *sample)
        for column in to_series([received(columns, NOW_MS)], POINTS)
        for sample in zip(column.t_ms, column.values, column.qualities, strict=True)
    ]


@pytest.fixture(autouse=True)
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    counted: dict[str, float] = {}

    class Counter:
        def __init__(self, reason: str) -> None:
            self.reason = reason

        def inc(self, count: float) -> None:
            if count:
                counted[self.reason] = counted.get(self.reason, 0) + count

    monkeypatch.setattr(UNSTORED_SAMPLES, "labels", Counter)
    return counted


def test_every_point_is_known(counts: dict[str, float]) -> None:
    rows = [
        Row((1, 3), NOW_MS, (1.5, True)),
        Row((1, 3), NOW_MS + 1, (7, None), (Quality.GOOD, Quality.STALE)),
    ]
    assert mapped(*rows) == [
        (11, NOW_MS, 1.5, 0), (11, NOW_MS + 1, 7, 0), (13, NOW_MS, True, 0), (13, NOW_MS + 1, None, 2),
    ]  # fmt: skip
    assert counts == {}


def test_unknown_points_are_counted_by_sample(counts: dict[str, float]) -> None:
    assert mapped(Row((1, 8, 9), NOW_MS, (1, 2, 3)), Row((8,), NOW_MS + 1, (4,))) == [(11, NOW_MS, 1, 0)]
    assert counts == {"unknown_point": 3}
    assert mapped(Row((8,), NOW_MS, (1,))) == []


def test_times_that_cannot_be(counts: dict[str, float]) -> None:
    assert mapped(Row((1,), EARLIEST_MS, (1,)), Row((1,), LATEST_MS, (2,))) == [
        (11, EARLIEST_MS, 1, 0),
        (11, LATEST_MS, 2, 0),
    ]
    assert counts == {}
    rows = [Row((1, 2), t_ms, (1, 2)) for t_ms in (EARLIEST_MS - 1, NOW_MS, LATEST_MS + 1)]
    assert mapped(*rows, Row((3,), LATEST_MS + 1, (3,), (Quality.STALE,))) == [
        (11, NOW_MS, 1, 0),
        (12, NOW_MS, 2, 0),
    ]
    assert counts == {"clock_ahead": 3, "clock_not_set": 2}


VALUES: st.SearchStrategy[Value] = st.one_of(
    st.integers(-300, 300),
    st.integers(-300, 300).map(lambda tenths: tenths / 10),
    st.sampled_from([None, "on"]),
)
BATCHES = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from([(1, 2, 3), (3, 1), (2,)]),
            st.sampled_from([0, 1, 2, 900, CLOCK_AHEAD_MS + 2]),
            st.tuples(VALUES, VALUES, VALUES),
            st.sampled_from([(), (Quality.GOOD, Quality.STALE, Quality.GOOD)]),
        ),
        min_size=1,
        max_size=2,
    ),
    max_size=6,
)


def decoded(rows: list[Row], like: FlatColumns | None) -> FlatColumns:
    return decode_flat(encode("0" * 16, 1, "a" * 16, NOW_MS, rows), like)[1]


@given(BATCHES)
def test_batches_together_are_the_same_samples(
    drawn: list[list[tuple[tuple[int, ...], int, tuple[Value, ...], tuple[Quality, ...]]]],
) -> None:
    batches: list[ReceivedColumns] = []
    for number, rows in enumerate(drawn):
        made = [
            Row(points, NOW_MS + later, values[: len(points)], qualities[: len(points)])
            for points, later, values, qualities in rows
        ]
        like = batches[-1].columns if batches else None
        batches.append(received(decoded(made, like), NOW_MS + number))
    stored: dict[tuple[int, int], tuple[object, int]] = {}
    for batch in batches:
        for column in to_series([batch], POINTS):
            for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True):
                stored[column.series, t_ms] = repr(value), quality
    together: dict[tuple[int, int], tuple[object, int]] = {}
    for column in to_series(batches, POINTS):
        assert all(earlier <= later for earlier, later in pairwise(column.t_ms))
        for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True):
            together[column.series, t_ms] = repr(value), quality
    assert together == stored


def test_of_one_time_what_came_last_is_stored() -> None:
    """Though the one that came last begins with an earlier time."""
    moments = [
        [Row((1, 2), NOW_MS, (1, 1))],
        [Row((1, 2), NOW_MS + 2, (2, 2))],
        [Row((1,), NOW_MS + 2, (3,)), Row((2,), NOW_MS, (3,))],
    ]
    table = to_series([received(decoded(rows, None), NOW_MS) for rows in moments], POINTS)
    stored = {
        (column.series, t_ms): value
        for column in table
        for t_ms, value in zip(column.t_ms, column.values, strict=True)
    }
    assert stored == {(11, NOW_MS): 1, (11, NOW_MS + 2): 3, (12, NOW_MS): 3, (12, NOW_MS + 2): 2}


def test_moments_of_the_same_points_are_a_column_each() -> None:
    """In whatever order they come, and whatever the order of their values' forms is in each of them."""
    moments = [(3000, (1.5, 7, 200)), (1000, (1.25, 300, 2)), (2000, (2.0, 9, 3))]
    batches = [received(decoded([Row((1, 2, 3), NOW_MS + t, v)], None), NOW_MS) for t, v in moments]
    assert [batch.columns.points for batch in batches[:2]] == [[2, 3, 1], [3, 2, 1]]
    table = to_series(batches, POINTS)
    assert (table.series, table.lengths) == ([11, 12, 13], [3, 3, 3])
    assert table.t_ms == [NOW_MS + t for t in (1000, 2000, 3000)] * 3
    assert table.values == [1.25, 2.0, 1.5, 300, 9, 7, 2, 3, 200]
