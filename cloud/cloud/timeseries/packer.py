"""Background work on one series of the embedded store: the tail into chunks and levels; what is too old goes.

Each function is one step inside a transaction of the caller.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cloud.timeseries import late, tables
from cloud.timeseries.columns import Samples, merged, of_rows
from cloud.timeseries.columns import pack as pack_samples
from cloud.timeseries.packing import Ints
from cloud.timeseries.rollups import (
    LEVELS_MS,
    Rollup,
    combine,
    joined,
    replaced,
    summarise,
)

CHUNK = 4096
"""Samples of a chunk: half as many take 2 % more bytes, twice as many a range's edges twice as long."""

STEP_ROWS = 16_384
STEP_CHUNKS = 16
"""A step packs at most so many rows into so many chunks: a write that comes meanwhile waits for it."""

NEAR_MS = 960_000
"""Buckets that are no farther apart are made from one reading of what lies between them."""

TEXT_BYTES = 1_000_000
"""Chunks of longer texts are cut so that they stay about as small."""


@dataclass(frozen=True)
class Packed:
    """Rows that left the tail. late: those of a time whose samples are deleted; added: which of them the
    levels took.
    """

    moved: int = 0
    late: int = 0
    added: int = 0


def pack_tail(
    connection: sqlite3.Connection, series: int, chunk: int = CHUNK, going_ms: int = -tables.EVER_MS
) -> Packed:
    """Move the oldest rows of the tail. The newest row stays, because it is the series' latest sample, unless
    it is older than going_ms, what is deleted next having to be in the levels, or than what is stored.
    """
    rows = tables.tail(connection, series, -tables.EVER_MS, tables.EVER_MS, STEP_ROWS + 1)[:STEP_ROWS]
    if not rows:
        return Packed()
    (newest,) = connection.execute("SELECT max(t_ms) FROM sample WHERE series = ?", (series,)).fetchone()
    taken_ms = tables.taken_from(connection, series)
    if rows[-1][0] == newest >= max(going_ms, taken_ms):
        rows.pop()
    if not rows:
        return Packed()
    first, last = rows[0][0], rows[-1][0]
    samples = of_rows([row for row in rows if row[0] >= taken_ms])
    taken = _into_chunks(connection, series, samples, chunk)
    if taken < len(samples):
        last = int(samples.t_ms[taken - 1])
        samples = samples.pick(slice(0, taken))
    gone_ms = tables.kept_from(connection, series, tables.RAW)
    fresh = samples.between(gone_ms, tables.EVER_MS)
    if len(fresh):
        _into_levels(connection, series, fresh)
    too_late = of_rows([row for row in rows if row[0] < gone_ms and row[0] <= last])
    added = late.into_levels(connection, series, *too_late.numbers()) if len(too_late) else 0
    cursor = connection.execute(
        "DELETE FROM sample WHERE series = ? AND t_ms >= ? AND t_ms <= ?", (series, first, last)
    )
    return Packed(cursor.rowcount, len(too_late), added)


def _into_chunks(connection: sqlite3.Connection, series: int, samples: Samples, chunk: int) -> int:
    """Write chunks that hold the samples too; how many samples, from the first, were taken."""
    if not len(samples):
        return 0
    before = connection.execute(
        "SELECT start_ms FROM chunk WHERE series = ? AND start_ms <= ? ORDER BY start_ms DESC LIMIT 1",
        (series, int(samples.t_ms[0])),
    ).fetchone()
    low = before[0] if before else int(samples.t_ms[0])
    found = tables.spans(connection, series, low, int(samples.t_ms[-1]) + 1, STEP_CHUNKS + 1)
    starts = np.array([span[1] for span in found], np.int64)
    owner = np.searchsorted(starts, samples.t_ms, side="right") - 1
    taken = len(samples)
    if len(found) > STEP_CHUNKS:
        taken = int(np.searchsorted(owner, STEP_CHUNKS))
    for which in np.unique(owner[:taken]).tolist():
        part = samples.pick(np.flatnonzero(owner[:taken] == which))
        if which >= 0:
            number, _, end_ms, count = found[which]
            if count < chunk or part.t_ms[0] <= end_ms:
                part = merged(tables.chunk(connection, number), part)
                connection.execute("DELETE FROM chunk WHERE id = ?", (number,))
        _write_chunks(connection, series, part, chunk)
    return taken


def _write_chunks(connection: sqlite3.Connection, series: int, samples: Samples, chunk: int) -> None:
    text_bytes = sum(len(text) for text in samples.text.tolist() if text is not None)
    pieces = max(1, round(len(samples) / chunk), min(len(samples), text_bytes // TEXT_BYTES))
    for which in np.array_split(np.arange(len(samples)), pieces):
        piece = samples.pick(which)
        connection.execute(
            "INSERT INTO chunk (series, start_ms, end_ms, count, packed) VALUES (?, ?, ?, ?, ?)",
            (series, int(piece.t_ms[0]), int(piece.t_ms[-1]), len(piece), pack_samples(piece)),
        )


def _into_levels(connection: sqlite3.Connection, series: int, samples: Samples) -> None:
    """Make every bucket anew in which there is one of the samples: the finest from the chunks, each other
    from the level below.
    """
    finest = LEVELS_MS[0]
    dirty = np.unique(samples.t_ms // finest * finest)
    known: dict[int, Samples] = {}
    parts = []
    for low, high in _stretches(dirty, finest, NEAR_MS):
        for number, *_ in tables.spans(connection, series, low, high):
            if number not in known:
                known[number] = tables.chunk(connection, number)
            parts.append(summarise(*known[number].between(low, high).numbers(), 0, finest))
    _into_pages(connection, series, finest, dirty, _chosen(joined(parts), finest, dirty))
    for below, width in pairwise(LEVELS_MS):
        dirty = np.unique(dirty // width * width)
        parts = [
            tables.level(connection, series, below, low, high)
            for low, high in _stretches(dirty, width, tables.PAGES_MS[below])
        ]
        _into_pages(connection, series, width, dirty, _chosen(joined(parts), width, dirty))


def _chosen(fine: Rollup, width_ms: int, wanted: Ints) -> Rollup:
    return combine(fine.pick(np.isin(fine.start_ms // width_ms * width_ms, wanted)), 0, width_ms)


def _stretches(starts: Ints, width_ms: int, near_ms: int) -> Iterator[tuple[int, int]]:
    """Ranges that hold the buckets; near ones together, since what they are read from comes in whole."""
    for part in np.split(starts, np.flatnonzero(np.diff(starts) > near_ms) + 1):
        yield int(part[0]), int(part[-1]) + width_ms


def _into_pages(
    connection: sqlite3.Connection, series: int, width_ms: int, dirty: Ints, made: Rollup
) -> None:
    span_ms = tables.PAGES_MS[width_ms]
    pages = dirty // span_ms
    for page in np.unique(pages).tolist():
        low, high = page * span_ms, (page + 1) * span_ms
        old = tables.level(connection, series, width_ms, low, high)
        tables.put_level(
            connection, series, width_ms, page, replaced(old, dirty[pages == page], made.between(low, high))
        )


def is_waiting(connection: sqlite3.Connection, series: int, before_ms: int) -> bool:
    """Whether the tail holds samples of that time, which are in no level."""
    return bool(tables.tail(connection, series, -tables.EVER_MS, before_ms, 1))


def cut(connection: sqlite3.Connection, series: int, day_ms: int, width_ms: int) -> int | None:
    """Note that what is older than a day is not kept; since when it is, which lies between what it was and
    that day and never behind the data: whatever clock the day was told by, what comes next is kept. None
    while there are samples to be packed, since they go to the levels first.
    """
    old = tables.kept_from(connection, series, width_ms)
    if width_ms == tables.RAW and old <= day_ms and is_waiting(connection, series, day_ms):
        return None
    low, high = min(old, day_ms), max(old, day_ms)
    kept = min(max(tables.newest_day(connection, series), low), high)
    if kept != old:
        tables.put_kept(connection, series, width_ms, kept)
    if width_ms == tables.RAW and tables.kept_from(connection, series, tables.TAKEN) != day_ms:
        tables.put_kept(connection, series, tables.TAKEN, day_ms)
    return kept


def forget(connection: sqlite3.Connection, series: int, t_ms: int, width_ms: int, most: int) -> bool:
    """Delete at most `most` chunks or pages older than a day; whether there are more."""
    if width_ms != tables.RAW:
        return _forget_pages(connection, series, width_ms, t_ms, most)
    gone = connection.execute(
        "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE series = ? AND end_ms < ?"
        " ORDER BY start_ms LIMIT ?)",
        (series, t_ms, most),
    ).rowcount
    for number, start_ms, _, _ in tables.spans(connection, series, t_ms, t_ms + 1):
        if start_ms < t_ms:
            piece = tables.chunk(connection, number).between(t_ms, tables.EVER_MS)
            connection.execute(
                "UPDATE chunk SET start_ms = ?, count = ?, packed = ? WHERE id = ?",
                (int(piece.t_ms[0]), len(piece), pack_samples(piece), number),
            )
    return gone >= most


def _forget_pages(connection: sqlite3.Connection, series: int, width_ms: int, t_ms: int, most: int) -> bool:
    page = t_ms // tables.PAGES_MS[width_ms]
    gone = connection.execute(
        "DELETE FROM level WHERE id IN (SELECT id FROM level WHERE series = ? AND width_ms = ? AND page < ?"
        " LIMIT ?)",
        (series, width_ms, page, most),
    ).rowcount
    span_ms = tables.PAGES_MS[width_ms]
    old = tables.level(connection, series, width_ms, page * span_ms, (page + 1) * span_ms)
    if len(old) and old.start_ms[0] < t_ms:
        tables.put_level(connection, series, width_ms, page, old.between(t_ms, tables.EVER_MS))
    return gone >= most
