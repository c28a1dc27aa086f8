"""Flat columns are the same columns; who wants a few series of many gets those."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.series_table import SeriesTable, columns_of, newest_time_of


def plain(columns: object) -> list[tuple[int, list[int], list[object], list[int]]]:
    return [(c.series, list(c.t_ms), list(c.values), list(c.qualities)) for c in columns]  # type: ignore[attr-defined]


def column(series: int, *samples: tuple[int, object, int]) -> SeriesColumn:
    times, values, qualities = zip(*samples, strict=True) if samples else ((), (), ())
    return SeriesColumn(series, list(times), list(values), list(qualities))


SAMPLES = st.lists(st.tuples(st.integers(0, 9), st.one_of(st.none(), st.floats(0, 1)), st.integers(0, 3)))
COLUMNS = st.lists(st.builds(lambda series, samples: column(series, *samples), st.integers(1, 5), SAMPLES))


@given(COLUMNS, COLUMNS, st.sets(st.integers(1, 5)))
def test_the_same_columns(some: list[SeriesColumn], more: list[SeriesColumn], wanted: set[int]) -> None:
    table = SeriesTable.of(some)
    table.extend(SeriesTable.of(more))
    filled = [each for each in some + more if each.t_ms]
    assert len(table) == len(filled)
    assert plain(table) == plain(filled)
    assert plain(table[1:3]) == plain(filled[1:3])
    assert table.is_single == all(len(each.t_ms) == 1 for each in filled)
    chosen = [each for each in filled if each.series in wanted]
    assert plain(columns_of(table, wanted)) == plain(columns_of(filled, wanted)) == plain(chosen)


def test_one_column_by_its_place() -> None:
    columns = [column(4, (1, 1.5, 0)), column(2, (1, 2, 0), (2, None, 5)), column(9, (3, True, 0))]
    table = SeriesTable.of(columns)
    assert table.series == [4, 2, 9] and table.lengths == [1, 2, 1]
    assert plain([table[1], table[-1]]) == plain(columns[1:])
    with pytest.raises(IndexError):
        table[3]


def test_the_newest_time() -> None:
    columns = [column(1, (1, 1, 0), (7, 1, 0)), column(2, (5, 1, 0))]
    assert newest_time_of(columns) == newest_time_of(SeriesTable.of(columns)) == 7
    assert newest_time_of([]) == newest_time_of(SeriesTable.of([])) == 0


def test_a_table_stays_and_columns_of_unequal_lengths_are_refused() -> None:
    table = SeriesTable.of([column(1, (1, 1, 0))])
    assert SeriesTable.of(table) is table
    for wrong in (
        SeriesColumn(1, [1], [], [0]),
        SeriesColumn(1, [1], [1.0], []),
        SeriesColumn(1, [], [1.0], []),
    ):
        with pytest.raises(ValueError, match="equally many"):
            SeriesTable.of([wrong])


@given(COLUMNS, st.integers(1, 7))
def test_single_samples_are_cut_in_their_order(some: list[SeriesColumn], columns: int) -> None:
    table = SeriesTable.of(some)
    singles = table.singles()
    expected = [
        (c.series, [t], [v], [q])
        for c in table
        for t, v, q in zip(c.t_ms, c.values, c.qualities, strict=True)
    ]
    assert plain(singles) == expected
    parts = list(singles.cut(columns))
    assert [each for part in parts for each in plain(part)] == expected
    assert all(len(part) == columns for part in parts[:-1])
    if not table.is_single:
        with pytest.raises(ValueError, match="single samples"):
            next(table.cut(columns))
