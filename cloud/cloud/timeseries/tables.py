"""Tables of the embedded store, and the few statements that both its sides use."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from cloud.timeseries import tail
from cloud.timeseries.base import DamagedSeries
from cloud.timeseries.columns import Samples
from cloud.timeseries.columns import unpack as unpack_samples
from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS, Rollup, joined
from cloud.timeseries.rollups import pack as pack_rollup
from cloud.timeseries.rollups import unpack as unpack_rollup

T = TypeVar("T")

SCHEMA = """
CREATE TABLE IF NOT EXISTS block (
  id INTEGER PRIMARY KEY AUTOINCREMENT, partition_id INTEGER NOT NULL, seq INTEGER NOT NULL,
  first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL, count INTEGER NOT NULL,
  series_mask INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS block_place
  ON block (partition_id, seq, first_ms, last_ms, count, series_mask);
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

TAKEN = -1
"""The width in `kept` for what is still taken: samples older than this are not stored, whenever they come."""

DAY_MS = 86_400_000

EVER_MS = tail.EVER_MS

PAGES_MS = dict(zip(ROLLUP_WIDTHS_MS, (DAY_MS, 16 * DAY_MS, 64 * DAY_MS, 1024 * DAY_MS), strict=True))
"""Time that a page of each level holds: 1,440, 1,536, 1,536 and 1,024 buckets."""

_SPANS = """
SELECT id, start_ms, end_ms, count FROM chunk
WHERE series = :series AND start_ms < :end AND end_ms >= :start AND start_ms >= coalesce(
  (SELECT max(start_ms) FROM chunk WHERE series = :series AND start_ms <= :start), :start)
ORDER BY start_ms LIMIT :limit
"""

_OLDER = """
SELECT wanted.value FROM json_each(:series) AS wanted
WHERE EXISTS (SELECT 1 FROM chunk WHERE series = wanted.value AND start_ms < :before)
  OR EXISTS (SELECT 1 FROM level WHERE series = wanted.value AND width_ms = :width AND page < :page)
"""

Span = tuple[int, int, int, int]
"""Number, first time, last time and count of a chunk."""


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


def put_level(connection: sqlite3.Connection, series: int, width_ms: int, page: int, rollup: Rollup) -> None:
    """Write a page of a level; without buckets it goes."""
    key = (series, width_ms, page)
    if len(rollup):
        connection.execute(
            "INSERT INTO level (series, width_ms, page, packed) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (series, width_ms, page) DO UPDATE SET packed = excluded.packed",
            (*key, pack_rollup(rollup)),
        )
    else:
        connection.execute("DELETE FROM level WHERE series = ? AND width_ms = ? AND page = ?", key)


def stored_from(connection: sqlite3.Connection, series: int, width_ms: int) -> int:
    """What is older than this was deleted."""
    row = connection.execute(
        "SELECT from_ms FROM kept WHERE series = ? AND width_ms = ?", (series, width_ms)
    ).fetchone()
    return int(row[0]) if row else -EVER_MS


def put_stored_from(connection: sqlite3.Connection, series: int, width_ms: int, from_ms: int) -> None:
    """Another time for stored_from."""
    connection.execute(
        "INSERT INTO kept (series, width_ms, from_ms) VALUES (?, ?, ?)"
        " ON CONFLICT (series, width_ms) DO UPDATE SET from_ms = excluded.from_ms",
        (series, width_ms, from_ms),
    )


def taken_from(connection: sqlite3.Connection, series: int) -> int:
    """Samples since then are stored: those not deleted, and of the others what is to be kept again."""
    gone_ms, taken_ms = stored_from(connection, series, RAW), stored_from(connection, series, TAKEN)
    return gone_ms if taken_ms == -EVER_MS else min(gone_ms, taken_ms)


def newest_day(connection: sqlite3.Connection, series: int) -> int:
    """Begin of the UTC day behind all that is known of a series; -EVER_MS when nothing is."""
    newest = tail.newest_of(connection, [series]).get(series)
    last = connection.execute(
        "SELECT end_ms FROM chunk WHERE series = ? ORDER BY start_ms DESC LIMIT 1", (series,)
    ).fetchone()
    page = connection.execute(
        "SELECT packed FROM level WHERE series = ? AND width_ms = ? ORDER BY page DESC LIMIT 1",
        (series, DAY_MS),
    ).fetchone()
    times = [int(newest.t_ms[0])] if newest is not None else []
    times += last or []
    if page is not None:
        times.append(int(_unpacked(unpack_rollup, page[0], "level").start_ms[-1]))
    return (max(times) // DAY_MS + 1) * DAY_MS if times else -EVER_MS


def older(connection: sqlite3.Connection, series: Sequence[int], t_ms: int, width_ms: int) -> set[int]:
    """Those that have samples, or for a width stored buckets too, older than t_ms."""
    page = t_ms // PAGES_MS[width_ms] if width_ms != RAW else 0
    asked = {"series": json.dumps(list(series)), "before": t_ms, "width": width_ms, "page": page}
    numbers = {int(row[0]) for row in connection.execute(_OLDER, asked)}
    numbers |= tail.older(connection, [each for each in series if each not in numbers], t_ms)
    if width_ms == RAW or t_ms == page * PAGES_MS[width_ms]:
        return numbers
    begin_ms = page * PAGES_MS[width_ms]
    rest = [each for each in series if each not in numbers]
    return numbers | {each for each in rest if len(level(connection, each, width_ms, begin_ms, t_ms))}


def stored_from_of_all(connection: sqlite3.Connection) -> dict[int, int]:
    """Since when there are samples of each series of which something was deleted."""
    rows = connection.execute(
        "SELECT series, max(CASE width_ms WHEN ? THEN from_ms ELSE ? END) FROM kept GROUP BY series",
        (RAW, -EVER_MS),
    )
    return dict(rows.fetchall())
