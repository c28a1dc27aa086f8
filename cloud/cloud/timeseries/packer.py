"""Background work on one series of the embedded store: tail into chunks and rollups; what is too old goes.

Each function is one step inside a transaction of the caller.

A tail of 1,024 rows becomes chunks of about 4,096 samples, for at most a quarter of the time. The newest
row stays, so that it is found by the primary key. A row of the tail stands before a sample of a chunk with
its time: late and corrected data are rows like others, merged by the next step. Chunks of a series never
overlap.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cloud.timeseries import backfill, tables
from cloud.timeseries.base import Damage, DamagedSeries
from cloud.timeseries.columns import Samples, merged, of_rows
from cloud.timeseries.columns import pack as pack_samples
from cloud.timeseries.packable import Packable, bucket_spans
from cloud.timeseries.packing import Ints
from cloud.timeseries.rollups import (
    ROLLUP_WIDTHS_MS,
    Rollup,
    combine,
    joined,
    replaced,
    summarise,
)

CHUNK = 4096
"""Samples of a chunk: half as many take 2 % more bytes, twice as many a range's edges twice as long."""

STEP_ROWS = 16_384
"""A step packs at most so many rows: a write that comes meanwhile waits for it."""

TEXT_BYTES = 1_000_000
"""Chunks of longer texts are cut so that they stay about as small."""


@dataclass(frozen=True)
class Packed:
    """Rows that left the tail. late: those of a time whose samples are deleted; added: which of them the
    rollups took. damaged: chunks whose rows stay.
    """

    moved: int = 0
    late: int = 0
    added: int = 0
    damaged: tuple[Damage, ...] = ()


def pack_tail(
    connection: sqlite3.Connection,
    series: int,
    chunk: int = CHUNK,
    going_ms: int = -tables.EVER_MS,
    known: Iterable[Damage] = (),
) -> Packed:
    """Move the oldest rows of the tail. The newest row stays, because it is the series' latest sample, unless
    it is older than going_ms, what is deleted next having to be in the rollups, or than what is stored. So do
    rows of damaged chunks; known: those that were found.
    """
    (newest,) = connection.execute("SELECT max(t_ms) FROM sample WHERE series = ?", (series,)).fetchone()
    if newest is None:
        return Packed()
    taken_ms = tables.taken_from(connection, series)
    chunks = Packable(connection, series, known)
    rows = chunks.rows(newest if newest >= max(going_ms, taken_ms) else newest + 1, STEP_ROWS)
    if not rows:
        return Packed(damaged=chunks.damaged)
    samples = of_rows([row for row in rows if row[0] >= taken_ms])
    _into_chunks(connection, series, samples, chunk, chunks)
    gone_ms = tables.kept_from(connection, series, tables.RAW)
    fresh = samples.between(gone_ms, tables.EVER_MS)
    if len(fresh):
        _into_levels(connection, series, fresh, chunks)
    too_late = of_rows([row for row in rows if row[0] < gone_ms])
    added = backfill.add_to_rollups(connection, series, *too_late.numbers()) if len(too_late) else 0
    moved = chunks.delete(rows[0][0], rows[-1][0])
    return Packed(moved, len(too_late), added, chunks.damaged)


def _into_chunks(
    connection: sqlite3.Connection, series: int, samples: Samples, chunk: int, chunks: Packable
) -> None:
    """Write chunks that hold the samples too."""
    if not len(samples):
        return
    owner, found = chunks.owners(samples.t_ms)
    for which in np.unique(owner).tolist():
        part = samples.pick(np.flatnonzero(owner == which))
        if which >= 0:
            number, _, end_ms, count = span = found[which]
            is_wanted = count < chunk or part.t_ms[0] <= end_ms
            if is_wanted and (there := chunks.chunk(span)) is not None:
                part = merged(there, part)
                chunks.drop(number)
        _write_chunks(connection, series, part, chunk)


def _write_chunks(connection: sqlite3.Connection, series: int, samples: Samples, chunk: int) -> None:
    text_bytes = sum(len(text) for text in samples.text.tolist() if text is not None)
    pieces = max(1, round(len(samples) / chunk), min(len(samples), text_bytes // TEXT_BYTES))
    for which in np.array_split(np.arange(len(samples)), pieces):
        piece = samples.pick(which)
        connection.execute(
            "INSERT INTO chunk (series, start_ms, end_ms, count, packed) VALUES (?, ?, ?, ?, ?)",
            (series, int(piece.t_ms[0]), int(piece.t_ms[-1]), len(piece), pack_samples(piece)),
        )


def _into_levels(connection: sqlite3.Connection, series: int, samples: Samples, chunks: Packable) -> None:
    """Make every bucket anew in which there is one of the samples: the finest from the chunks, each other
    from the level below. None of them reaches into a damaged chunk.
    """
    finest = ROLLUP_WIDTHS_MS[0]
    dirty = np.unique(samples.t_ms // finest * finest)
    parts = []
    for low, high, found in chunks.spans(dirty):
        there = [part for span in found if (part := chunks.chunk(span)) is not None]
        parts += [summarise(*part.between(low, high).numbers(), 0, finest) for part in there]
    _into_pages(connection, series, finest, dirty, _chosen(joined(parts), finest, dirty))
    for below, width in pairwise(ROLLUP_WIDTHS_MS):
        dirty = np.unique(dirty // width * width)
        parts = [
            tables.level(connection, series, below, low, high)
            for low, high in bucket_spans(dirty, width, tables.PAGES_MS[below])
        ]
        _into_pages(connection, series, width, dirty, _chosen(joined(parts), width, dirty))


def _chosen(fine: Rollup, width_ms: int, wanted: Ints) -> Rollup:
    return combine(fine.pick(np.isin(fine.start_ms // width_ms * width_ms, wanted)), 0, width_ms)


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


def is_waiting(
    connection: sqlite3.Connection, series: int, before_ms: int, known: Iterable[Damage] = ()
) -> bool:
    """Whether the tail holds samples of that time that are in no level and can be: those of damaged chunks
    cannot.
    """
    return bool(Packable(connection, series, known).rows(before_ms, 1))


def cut(
    connection: sqlite3.Connection, series: int, day_ms: int, width_ms: int, known: Iterable[Damage] = ()
) -> int | None:
    """Note that what is older than a day is not kept; since when it is, which lies between what it was and
    that day and never behind the data: whatever clock the day was told by, what comes next is kept. None
    while there are samples to be packed, since they go to the rollups first.
    """
    old = tables.kept_from(connection, series, width_ms)
    if width_ms == tables.RAW and old <= day_ms and is_waiting(connection, series, day_ms, known):
        return None
    low, high = min(old, day_ms), max(old, day_ms)
    kept = min(max(tables.newest_day(connection, series), low), high)
    if kept != old:
        tables.put_kept(connection, series, width_ms, kept)
    if width_ms == tables.RAW and tables.kept_from(connection, series, tables.TAKEN) != day_ms:
        tables.put_kept(connection, series, tables.TAKEN, day_ms)
    return kept


def forget(connection: sqlite3.Connection, series: int, t_ms: int, width_ms: int, most: int) -> bool:
    """Delete at most `most` chunks or pages older than a day; whether there are more. A damaged chunk goes
    when all of it is older.
    """
    if width_ms != tables.RAW:
        return _forget_pages(connection, series, width_ms, t_ms, most)
    gone = connection.execute(
        "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE series = ? AND end_ms < ?"
        " ORDER BY start_ms LIMIT ?)",
        (series, t_ms, most),
    ).rowcount
    for number, start_ms, _, _ in tables.spans(connection, series, t_ms, t_ms + 1):
        if start_ms < t_ms:
            try:
                piece = tables.chunk(connection, number).between(t_ms, tables.EVER_MS)
            except DamagedSeries:
                continue
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
