"""Columns of a batch by series, without what cannot be stored."""

from __future__ import annotations

from cloud.link.metrics import UNSTORED_SAMPLES
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.series_table import SeriesTable
from edge_contract.batch import Column, FlatColumns
from edge_contract.limits import CLOCK_AHEAD_MS, EARLIEST_MS


def to_series(columns: FlatColumns, points: dict[int, int], received_ms: int) -> SeriesTable:
    """Columns by series, without unknown points and without times that cannot be."""
    latest = received_ms + CLOCK_AHEAD_MS
    series = list(map(points.get, columns.points))
    times = columns.t_ms
    if None in series or min(times) < EARLIEST_MS or max(times) > latest:
        return SeriesTable.of(_possible(columns, points, latest))
    qualities = [0] * len(times) if columns.qualities is None else columns.qualities
    return SeriesTable(series, columns.lengths, times, columns.values, qualities)  # type: ignore[arg-type]


def _possible(columns: FlatColumns, points: dict[int, int], latest: int) -> list[SeriesColumn]:
    """What has a known point and a time that can be; counts the rest."""
    possible = []
    unknown = 0
    for column in columns.columns():
        series = points.get(column.point)
        if series is None:
            unknown += len(column.t_ms)
        else:
            possible.append(_part(series, column, latest))
    if unknown:
        UNSTORED_SAMPLES.labels("unknown_point").inc(unknown)
    return possible


def _part(series: int, column: Column, latest: int) -> SeriesColumn:
    times, values, qualities = column.t_ms, column.values, column.qualities
    kept = [i for i, t_ms in enumerate(times) if EARLIEST_MS <= t_ms <= latest]
    if len(kept) < len(times):
        ahead = sum(t_ms > latest for t_ms in times)
        UNSTORED_SAMPLES.labels("clock_ahead").inc(ahead)
        UNSTORED_SAMPLES.labels("clock_not_set").inc(len(times) - len(kept) - ahead)
    return SeriesColumn(
        series, [times[i] for i in kept], [values[i] for i in kept], [qualities[i] for i in kept]
    )
