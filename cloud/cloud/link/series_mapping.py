"""Columns of a batch by series, without what cannot be stored."""

from __future__ import annotations

from collections.abc import Sequence

from cloud.link.metrics import UNSTORED_SAMPLES
from cloud.timeseries.base import SeriesColumn
from edge_contract.batch import Column
from edge_contract.limits import CLOCK_AHEAD_MS, EARLIEST_MS


def to_series(columns: Sequence[Column], points: dict[int, int], received_ms: int) -> list[SeriesColumn]:
    """Columns by series, without unknown points and without times that cannot be."""
    found: list[SeriesColumn] = []
    latest = received_ms + CLOCK_AHEAD_MS
    unknown = 0
    for column in columns:
        series = points.get(column.point)
        if series is None:
            unknown += len(column.t_ms)
        elif column.t_ms[0] >= EARLIEST_MS and column.t_ms[-1] <= latest:  # times rise
            found.append(SeriesColumn(series, column.t_ms, column.values, column.qualities))
        else:
            found += _possible(series, column, latest)
    if unknown:
        UNSTORED_SAMPLES.labels("unknown_point").inc(unknown)
    return found


def _possible(series: int, column: Column, latest: int) -> list[SeriesColumn]:
    """What of a column has a time that can be; counts the rest."""
    kept = [i for i, t_ms in enumerate(column.t_ms) if EARLIEST_MS <= t_ms <= latest]
    ahead = sum(t_ms > latest for t_ms in column.t_ms)
    UNSTORED_SAMPLES.labels("clock_ahead").inc(ahead)
    UNSTORED_SAMPLES.labels("clock_not_set").inc(len(column.t_ms) - len(kept) - ahead)
    if not kept:
        return []
    times, values, qualities = column.t_ms, column.values, column.qualities
    chosen = SeriesColumn(
        series, [times[i] for i in kept], [values[i] for i in kept], [qualities[i] for i in kept]
    )
    return [chosen]
