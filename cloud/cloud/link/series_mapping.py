"""Columns of batches by series, without what cannot be stored.

Batches of the same points with one sample each become columns of all of them: what follows costs by column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, groupby, islice, pairwise
from operator import attrgetter, itemgetter, lt
from typing import NamedTuple, TypeVar

from cloud.link.metrics import UNSTORED_SAMPLES
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.series_table import SeriesTable
from edge_contract.batch import Column, FlatColumns
from edge_contract.limits import CLOCK_AHEAD_MS, EARLIEST_MS

T = TypeVar("T")


class ReceivedColumns(NamedTuple):
    """Columns of a batch that came at received_ms, and their first and last time. UTC milliseconds."""

    columns: FlatColumns
    received_ms: int
    first_ms: int
    last_ms: int

    @property
    def is_in_time(self) -> bool:
        """Whether a clock can have said all of its times."""
        return self.first_ms >= EARLIEST_MS and self.last_ms <= self.received_ms + CLOCK_AHEAD_MS

    @property
    def is_single(self) -> bool:
        """Whether every column has one sample."""
        return len(self.columns.t_ms) == len(self.columns.points)


def received(columns: FlatColumns, received_ms: int) -> ReceivedColumns:
    """Of a batch that has just been decoded."""
    return ReceivedColumns(columns, received_ms, min(columns.t_ms), max(columns.t_ms))


def to_series(batches: Iterable[ReceivedColumns], points: dict[int, int]) -> SeriesTable:
    """Columns of batches of one catalog by series, in the order of arrival, without unknown points and times
    that cannot be.
    """
    table = SeriesTable([], [], [], [], [])
    for _, neighbours in groupby(map(_by_point, batches), key=_likeness):
        for batch in _merged(list(neighbours)):
            table.extend(_table(batch, points))
    return table


def _likeness(batch: ReceivedColumns) -> object:
    """Neighbours in which it is the same may be merged."""
    return batch.columns.points if batch.is_single and batch.is_in_time else batch


def _by_point(batch: ReceivedColumns) -> ReceivedColumns:
    """By rising point where each has one sample; a batch has them by the form of their values."""
    columns = batch.columns
    points, count = columns.points, len(columns.points)
    if not batch.is_single or all(map(lt, points, islice(points, 1, None))):
        return batch
    pick = itemgetter(*sorted(range(count), key=points.__getitem__))
    made = FlatColumns()
    made.points, made.lengths = list(pick(points)), columns.lengths
    made.t_ms, made.values = list(pick(columns.t_ms)), list(pick(columns.values))
    made.qualities = None if columns.qualities is None else list(pick(columns.qualities))
    return batch._replace(columns=made)


def _merged(run: list[ReceivedColumns]) -> list[ReceivedColumns]:
    """Batches of one sample of each of the same points as one: columns by rising time, of one time in the
    order of arrival. As they are when one has times between those of another, or several and the last is
    the first of another: which of both came first is lost in this order.
    """
    in_order = sorted(run, key=attrgetter("first_ms"))
    if len(run) == 1 or any(_overlap(earlier, later) for earlier, later in pairwise(in_order)):
        return run
    batches = [batch.columns for batch in in_order]
    made = FlatColumns()
    made.points = batches[0].points
    made.lengths = [len(batches)] * len(made.points)
    made.t_ms = _transposed([columns.t_ms for columns in batches])
    made.values = _transposed([columns.values for columns in batches])
    if any(columns.qualities is not None for columns in batches):
        good = [0] * len(made.points)
        made.qualities = _transposed([columns.qualities or good for columns in batches])
    received_ms = max(batch.received_ms for batch in run)
    return [ReceivedColumns(made, received_ms, in_order[0].first_ms, in_order[-1].last_ms)]


def _overlap(earlier: ReceivedColumns, later: ReceivedColumns) -> bool:
    last_ms = earlier.last_ms
    return last_ms > later.first_ms or earlier.first_ms < last_ms == later.first_ms


def _transposed(rows: Sequence[list[T]]) -> list[T]:
    """One column after the other."""
    return list(chain.from_iterable(zip(*rows, strict=True)))


def _table(batch: ReceivedColumns, points: dict[int, int]) -> SeriesTable:
    columns = batch.columns
    series = list(map(points.get, columns.points))
    if None in series or not batch.is_in_time:
        return SeriesTable.of(_possible(columns, points, batch.received_ms + CLOCK_AHEAD_MS))
    qualities = [0] * len(columns.t_ms) if columns.qualities is None else columns.qualities
    return SeriesTable(series, columns.lengths, columns.t_ms, columns.values, qualities)  # type: ignore[arg-type]


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
