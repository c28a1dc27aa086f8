"""Samples by time: of columns that have come, and of what is stored."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from cloud.timeseries.base import SeriesColumn, StoredSample, TimeSeries
from edge_contract.alarms.rule import Signal
from edge_contract.model import Value

Row = tuple[int, list[Signal], list[Value], list[int]]
"""Time in UTC milliseconds, points and slaves, their values and qualities."""

CATCH_UP_MS = 900_000
"""What was stored longer ago is not evaluated any more: an alarm of the present is not of an hour ago."""

PAGE_SAMPLES = 5000
"""Of one point, read at once."""


def rows_of(columns: Sequence[SeriesColumn]) -> list[Row]:
    """By rising time; within a row by rising point."""
    rows: dict[int, Row] = {}
    for column in sorted(columns, key=lambda column: column.series):
        for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True):
            row = rows.get(t_ms)
            if row is None:
                rows[t_ms] = t_ms, [column.series], [value], [int(quality)]
            else:
                row[1].append(column.series)
                row[2].append(value)
                row[3].append(int(quality))
    return [rows[t_ms] for t_ms in sorted(rows)]


async def unseen_rows(
    series: TimeSeries, points: Sequence[int], newest: Mapping[int | str, int], from_ms: int, to_ms: int
) -> AsyncIterator[Row]:
    """What points have stored behind their newest known sample, from a time on. Raises TimeSeriesError."""
    begins = {point: max(newest[point] + 1, from_ms) for point in points if point in newest}
    async for row in stored_rows(series, begins, to_ms):
        yield row


async def stored_rows(series: TimeSeries, begins: Mapping[int, int], to_ms: int) -> AsyncIterator[Row]:
    """Samples of points by rising time, each from its own time on. Raises TimeSeriesError."""
    readers = [_Reader(series, point, begins[point], to_ms) for point in sorted(begins)]
    heads = [(reader.head.t_ms, at) for at, reader in enumerate(readers) if await reader.more()]
    heapify(heads)
    while heads:
        t_ms = heads[0][0]
        row: Row = (t_ms, [], [], [])
        while heads and heads[0][0] == t_ms:
            _, at = heappop(heads)
            reader = readers[at]
            row[1].append(reader.point)
            row[2].append(reader.head.value)
            row[3].append(int(reader.head.quality))
            reader.place += 1
            if reader.place < len(reader.page) or await reader.more():
                heappush(heads, (reader.head.t_ms, at))
        yield row


class _Reader:
    """Samples of one point, page by page. head: the one that comes next."""

    def __init__(self, series: TimeSeries, point: int, from_ms: int, to_ms: int) -> None:
        self._series = series
        self._from_ms, self._to_ms = from_ms, to_ms
        self.point = point
        self.page: Sequence[StoredSample] = ()
        self.place = 0

    @property
    def head(self) -> StoredSample:
        return self.page[self.place]

    async def more(self) -> bool:
        """Read the next page; False at the end."""
        if self._from_ms >= self._to_ms:
            return False
        self.page = await self._series.samples(self.point, self._from_ms, self._to_ms, PAGE_SAMPLES)
        self.place = 0
        self._from_ms = self.page[-1].t_ms + 1 if len(self.page) == PAGE_SAMPLES else self._to_ms
        return bool(self.page)
