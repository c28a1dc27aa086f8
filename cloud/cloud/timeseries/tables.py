"""Tables of the embedded store, and the few statements that both its sides use."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Callable
from typing import TypeVar

from cloud.timeseries.base import DamagedSeries
from cloud.timeseries.columns import Row, Samples
from cloud.timeseries.columns import unpack as unpack_samples
from cloud.timeseries.rollups import LEVELS_MS, Rollup, joined
from cloud.timeseries.rollups import unpack as unpack_rollup

T = TypeVar("T")

SCHEMA = """
CREATE TABLE IF NOT EXISTS sample (
  series INTEGER NOT NULL, t_ms INTEGER NOT NULL, value, kind INTEGER NOT NULL, quality INTEGER NOT NULL,
  PRIMARY KEY (series, t_ms)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunk (
  id INTEGER PRIMARY KEY, series INTEGER NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
  count INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS chunk_span ON chunk (series, start_ms, end_ms, count);
CREATE TABLE IF NOT EXISTS level (
  id INTEGER PRIMARY KEY, series INTEGER NOT NULL, width_ms INTEGER NOT NULL, page INTEGER NOT NULL,
  packed BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS level_page ON level (series, width_ms, page);
CREATE TABLE IF NOT EXISTS kept (
  series INTEGER NOT NULL, width_ms INTEGER NOT NULL, from_ms INTEGER NOT NULL,
  PRIMARY KEY (series, width_ms)) WITHOUT ROWID;
DROP TABLE IF EXISTS latest;
"""

RAW = 0
"""The width in `kept` that stands for the samples themselves."""

DAY_MS = 86_400_000

PAGES_MS = dict(zip(LEVELS_MS, (DAY_MS, 16 * DAY_MS, 64 * DAY_MS, 1024 * DAY_MS), strict=True))
"""Time that a page of each level holds: 1,440, 1,536, 1,536 and 1,024 buckets."""

EVER_MS = 2**62

_TAIL = (
    "SELECT t_ms, value, kind, quality FROM sample WHERE series = ? AND t_ms >= ? AND t_ms < ?"
    " ORDER BY t_ms LIMIT ?"
)

_SPANS = """
SELECT id, start_ms, end_ms, count FROM chunk
WHERE series = :series AND start_ms < :end AND end_ms >= :start AND start_ms >= coalesce(
  (SELECT max(start_ms) FROM chunk WHERE series = :series AND start_ms <= :start), :start)
ORDER BY start_ms LIMIT :limit
"""

Span = tuple[int, int, int, int]
"""Number, first time, last time and count of a chunk."""


def tail(
    connection: sqlite3.Connection, series: int, start_ms: int, end_ms: int, limit: int = -1
) -> list[Row]:
    """Rows that are not packed yet, by rising time."""
    return connection.execute(_TAIL, (series, start_ms, end_ms, limit)).fetchall()


def spans(
    connection: sqlite3.Connection, series: int, start_ms: int, end_ms: int, limit: int = -1
) -> list[Span]:
    """Chunks that touch start_ms <= t < end_ms, by rising time."""
    wanted = {"series": series, "start": start_ms, "end": end_ms, "limit": limit}
    return connection.execute(_SPANS, wanted).fetchall()


def chunk(connection: sqlite3.Connection, number: int) -> Samples:
    """Samples of one chunk."""
    (packed,) = connection.execute("SELECT packed FROM chunk WHERE id = ?", (number,)).fetchone()
    return _unpacked(unpack_samples, packed, "chunk")


def level(connection: sqlite3.Connection, series: int, width_ms: int, start_ms: int, end_ms: int) -> Rollup:
    """Stored buckets that begin in start_ms <= t < end_ms."""
    pages = connection.execute(
        "SELECT packed FROM level WHERE series = ? AND width_ms = ? AND page BETWEEN ? AND ? ORDER BY page",
        (series, width_ms, start_ms // PAGES_MS[width_ms], (end_ms - 1) // PAGES_MS[width_ms]),
    ).fetchall()
    return joined([_unpacked(unpack_rollup, packed, "level") for (packed,) in pages]).between(
        start_ms, end_ms
    )


def _unpacked(unpack: Callable[[bytes], T], packed: bytes, what: str) -> T:
    try:
        return unpack(packed)
    except (zlib.error, struct.error, ValueError, IndexError) as error:
        raise DamagedSeries(f"a {what} cannot be unpacked") from error


def kept_from(connection: sqlite3.Connection, series: int, width_ms: int) -> int:
    """What is older than this was deleted."""
    found = connection.execute(
        "SELECT from_ms FROM kept WHERE series = ? AND width_ms = ?", (series, width_ms)
    ).fetchone()
    return int(found[0]) if found else -EVER_MS
