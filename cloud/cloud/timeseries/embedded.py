"""Embedded time series: one SQLite file, clustered by (series, time).

Every call is one function on a thread of its own, so a cancelled caller never leaves a transaction open.
Writes and reads have a thread and a connection each; in WAL mode a reader does not wait for the writer.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

from cloud.timeseries.base import Bucket, SeriesColumn, StoredSample, TimeSeriesError, TimeSeriesRejected
from cloud.timeseries.values import LAST_NUMERIC, Kind, kind_of, restore, storable
from edge_contract.model import Value

T = TypeVar("T")
Row = tuple[int, int, Value, int, int]

FLOAT = int(Kind.FLOAT)

BUSY_TIMEOUT_S = 10.0
"""Wait for another process (a backup, the sqlite3 shell) that holds the file's lock."""

CACHE_KIB = 32_768
"""One write touches a page of each of its series; those of a thousand gateways have to fit."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sample (
  series INTEGER NOT NULL, t_ms INTEGER NOT NULL, value, kind INTEGER NOT NULL, quality INTEGER NOT NULL,
  PRIMARY KEY (series, t_ms)) WITHOUT ROWID;
DROP TABLE IF EXISTS latest;
"""

_STEPS = (1024, 128, 16, 1)
"""Rows written by one statement. SQLite gives Python's lock back at each step and wants it again, which a
busy event loop makes it wait for; executemany is a step a row."""

_INSERT = "INSERT OR REPLACE INTO sample (series, t_ms, value, kind, quality) VALUES "

_INSERTS = {rows: _INSERT + ", ".join(["(?, ?, ?, ?, ?)"] * rows) for rows in _STEPS}

_LATEST = """
SELECT sample.series, sample.t_ms, sample.value, sample.kind, sample.quality
FROM json_each(?) AS wanted JOIN sample ON sample.series = wanted.value
WHERE sample.t_ms = (SELECT max(t_ms) FROM sample WHERE series = wanted.value)
"""

_RANGE = "SELECT t_ms, value, kind, quality FROM sample WHERE series = ? AND t_ms >= ? AND t_ms < ?"

_BUCKETS = """
WITH bucket AS (
  SELECT (t_ms - :start) / :width AS n, count(*) AS count, min(CAST(value AS REAL)) AS low,
         max(CAST(value AS REAL)) AS high, avg(CAST(value AS REAL)) AS mean, min(t_ms) AS t0, max(t_ms) AS t1
  FROM sample
  WHERE series = :series AND t_ms >= :start AND t_ms < :end AND quality = 0 AND kind <= :numeric
  GROUP BY n)
SELECT n, count, low, high, mean,
  (SELECT CAST(value AS REAL) FROM sample WHERE series = :series AND t_ms = t0),
  (SELECT CAST(value AS REAL) FROM sample WHERE series = :series AND t_ms = t1)
FROM bucket ORDER BY n
"""


class EmbeddedTimeSeries:
    """TimeSeries in one SQLite file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer = _Worker(path, "timeseries-write")
        self._reader = _Worker(path, "timeseries-read")

    async def start(self) -> None:
        """Open the file and create its tables; TimeSeriesError when it cannot be opened."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        await self._writer.open()
        await self._writer.run(lambda connection: connection.executescript(_SCHEMA))
        await self._reader.open()

    async def close(self) -> None:
        """Finish what is running and close the file."""
        await self._reader.close()
        await self._writer.close()

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        """One transaction; on the disk when it returns."""

        def transaction(connection: sqlite3.Connection) -> None:
            rows = sorted(_rows(columns), key=itemgetter(0, 1))
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                at = 0
                for step in _STEPS:
                    while len(rows) - at >= step:
                        connection.execute(_INSERTS[step], list(chain.from_iterable(rows[at : at + step])))
                        at += step

        await self._writer.run(transaction)

    async def latest(self, series: Sequence[int]) -> dict[int, StoredSample]:
        """Newest sample of each series that has one."""
        rows = await self._reader.run(
            lambda connection: connection.execute(_LATEST, (json.dumps(list(series)),)).fetchall()
        )
        return {row[0]: _sample(row[1:]) for row in rows}

    async def samples(
        self, series: int, start_ms: int, end_ms: int, limit: int, *, newest_first: bool = False
    ) -> list[StoredSample]:
        """Raw samples with start_ms <= t < end_ms, at most limit."""
        statement = _RANGE + (" ORDER BY t_ms DESC LIMIT ?" if newest_first else " ORDER BY t_ms LIMIT ?")
        rows = await self._reader.run(
            lambda connection: connection.execute(
                statement,
                (series, start_ms, end_ms, max(limit, 0)),  # a negative LIMIT means none
            ).fetchall()
        )
        return [_sample(row) for row in rows]

    async def count(self, series: int, start_ms: int, end_ms: int) -> int:
        """How many samples the range holds."""
        (number,) = await self._reader.run(
            lambda connection: connection.execute(
                "SELECT count(*) FROM sample WHERE series = ? AND t_ms >= ? AND t_ms < ?",
                (series, start_ms, end_ms),
            ).fetchone()
        )
        return int(number)

    async def buckets(self, series: int, start_ms: int, end_ms: int, width_ms: int) -> list[Bucket]:
        """Aggregates by rising start; starts are start_ms + n * width_ms."""
        rows = await self._reader.run(
            lambda connection: connection.execute(
                _BUCKETS,
                {
                    "series": series,
                    "start": start_ms,
                    "end": end_ms,
                    "width": width_ms,
                    "numeric": LAST_NUMERIC,
                },
            ).fetchall()
        )
        return [Bucket(start_ms + row[0] * width_ms, *row[1:]) for row in rows]


class _Worker:
    """One thread with one connection."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        def connect() -> None:
            connection = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA journal_size_limit = 67108864")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            self._connection = connection

        await self._submit(connect)

    async def close(self) -> None:
        def disconnect() -> None:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

        await self._submit(disconnect)
        self._executor.shutdown()

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def call() -> T:
            if self._connection is None:
                raise TimeSeriesError("the embedded time series is not open")
            return work(self._connection)

        return await self._submit(call)

    async def _submit(self, call: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, call)
        except (OverflowError, UnicodeEncodeError, sqlite3.DataError) as error:
            raise TimeSeriesRejected(str(error)) from error
        except sqlite3.Error as error:
            raise TimeSeriesError(f"embedded time series {self._path.name}: {error}") from error


def _rows(columns: Sequence[SeriesColumn]) -> Iterator[Row]:
    for column in columns:
        series = column.series
        for t_ms, raw, grade in zip(column.t_ms, column.values, column.qualities, strict=True):
            if type(raw) is float and isfinite(raw):
                yield series, t_ms, raw, FLOAT, grade
                continue
            value, quality = storable(raw, grade)
            kind = kind_of(value)
            yield series, t_ms, str(value) if kind is Kind.BIG else value, kind, quality


def _sample(row: tuple[int, Value, int, int]) -> StoredSample:
    t_ms, value, kind, quality = row
    text = value if isinstance(value, str) else None
    number = None if isinstance(value, str) else value
    return StoredSample(t_ms, restore(kind, number, text), quality)
