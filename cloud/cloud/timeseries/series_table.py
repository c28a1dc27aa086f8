"""Columns of many series without an object for each: from a batch to the store and to who hears of it. Pure.

Most columns of a write hold one sample, and making objects of them costs more than storing them. Who wants a
few series of many takes them with `columns_of`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, chain, repeat
from typing import Any, overload

from cloud.timeseries.base import SeriesColumn
from edge_contract.model import Value


class SeriesTable(Sequence[SeriesColumn]):
    """series, lengths: of each column, a length at least 1; a series may have several. t_ms (UTC
    milliseconds), values, qualities: of each sample, one column after the other, of a column by rising time.
    """

    __slots__ = ("lengths", "qualities", "series", "t_ms", "values")

    def __init__(
        self,
        series: list[int],
        lengths: list[int],
        t_ms: list[int],
        values: list[Value],
        qualities: list[int],
    ) -> None:
        self.series = series
        self.lengths = lengths
        self.t_ms = t_ms
        self.values = values
        self.qualities = qualities

    @classmethod
    def of(cls, columns: Sequence[SeriesColumn]) -> SeriesTable:
        """The same columns without the empty ones. ValueError for a column of unequal lengths."""
        if isinstance(columns, SeriesTable):
            return columns
        table = cls([], [], [], [], [])
        for column in columns:
            if not len(column.t_ms) == len(column.values) == len(column.qualities):
                raise ValueError("a column's times, values and qualities are equally many")
            if len(column.t_ms):
                table.series.append(column.series)
                table.lengths.append(len(column.t_ms))
                table.t_ms += column.t_ms
                table.values += column.values
                table.qualities += column.qualities
        return table

    def extend(self, other: SeriesTable) -> None:
        """Add columns behind these."""
        self.series += other.series
        self.lengths += other.lengths
        self.t_ms += other.t_ms
        self.values += other.values
        self.qualities += other.qualities

    @property
    def is_single(self) -> bool:
        """Whether every column has one sample."""
        return len(self.series) == len(self.t_ms)

    def singles(self) -> SeriesTable:
        """The same samples, a column of each."""
        if self.is_single:
            return self
        owners = list(chain.from_iterable(map(repeat, self.series, self.lengths)))
        return SeriesTable(owners, [1] * len(owners), self.t_ms, self.values, self.qualities)

    def cut(self, columns: int) -> Iterator[SeriesTable]:
        """Parts of so many columns. ValueError unless each column has one sample."""
        if not self.is_single:
            raise ValueError("only a table of single samples can be cut")
        for at in range(0, len(self.series), columns):
            part = slice(at, at + columns)
            yield SeriesTable(
                self.series[part],
                self.lengths[part],
                self.t_ms[part],
                self.values[part],
                self.qualities[part],
            )

    def __len__(self) -> int:
        return len(self.series)

    @overload
    def __getitem__(self, at: int) -> SeriesColumn: ...
    @overload
    def __getitem__(self, at: slice) -> list[SeriesColumn]: ...
    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]

    def __iter__(self) -> Iterator[SeriesColumn]:
        return self._columns(range(len(self.series)))

    def of_series(self, wanted: Collection[int]) -> list[SeriesColumn]:
        """Columns of some series."""
        places = [at for at, number in enumerate(self.series) if number in wanted]
        return list(self._columns(places)) if places else []

    def _columns(self, places: Iterable[int]) -> Iterator[SeriesColumn]:
        ends = range(1, len(self.series) + 1) if self.is_single else list(accumulate(self.lengths))
        for at in places:
            part = slice(ends[at] - self.lengths[at], ends[at])
            yield SeriesColumn(self.series[at], self.t_ms[part], self.values[part], self.qualities[part])


def columns_of(columns: Sequence[SeriesColumn], wanted: Collection[int]) -> list[SeriesColumn]:
    """Those of some series. wanted: fast to look in."""
    if isinstance(columns, SeriesTable):
        return columns.of_series(wanted)
    return [column for column in columns if column.series in wanted]


def newest_time_of(columns: Sequence[SeriesColumn]) -> int:
    """Time of the newest sample; 0 for none."""
    if isinstance(columns, SeriesTable):
        return max(columns.t_ms, default=0)
    return max((column.t_ms[-1] for column in columns), default=0)
