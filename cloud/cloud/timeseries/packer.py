"""Background work on the embedded store: tail into chunks and rollups; what is too old goes.

Each function is one step inside a transaction of the caller.

A partition whose series have 1,024 samples each becomes chunks of about 4,096 samples, for at most a quarter
of the time; a series that has few yet stays in the tail. A sample of the tail takes precedence over one of a
chunk with its time: late and corrected data are written like others, merged by the next step. Chunks of a
series never overlap.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cloud.timeseries import backfill, tables, tail
from cloud.timeseries.base import Damage, DamagedSeries
from cloud.timeseries.blocks import Block, folded, of_parts, write_packed
from cloud.timeseries.columns import Samples, merged
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

FOLDED_SAMPLES = 2048
"""A block of so many is not folded again before it is packed."""

CHUNK = 4096
"""Samples of a chunk: half as many take 2 % more bytes, twice as many a range's edges twice as long."""

STEP_SAMPLES = 65_536
"""A step packs blocks of so many samples: a write that comes meanwhile waits for it."""

TEXT_BYTES = 1_000_000
"""Chunks of longer texts are cut so that they stay about as small."""


@dataclass(frozen=True)
class Packed:
    """Samples of one series that left the tail. late: those of a time whose samples are deleted; added: which
    of them the rollups took. damaged: chunks because of which some stay.
    """

    moved: int = 0
    late: int = 0
    added: int = 0
    damaged: tuple[Damage, ...] = ()


def fold(connection: sqlite3.Connection, partition: int) -> bool:
    """Make one block of the newest that are small, before they become many; False when there is nothing to
    do. It takes the place of the newest of them.
    """
    few: list[tail.BlockHead] = []
    for head in reversed(tail.heads_of(connection, partition)):
        if head.samples >= FOLDED_SAMPLES:
            break
        few.insert(0, head)
    return len(few) > 1 and _replace(connection, partition, few, lambda block: block) is not None


def pack_tail(
    connection: sqlite3.Connection,
    partition: int,
    min_samples: int = 1,
    chunk: int = CHUNK,
    known: Callable[[int], Iterable[Damage]] = lambda _: (),
) -> dict[int, Packed]:
    """Move the oldest blocks of a partition, by series. A series of fewer than min_samples stays, and so do
    samples of damaged chunks; known: those of a series that were found.
    """
    packed: dict[int, Packed] = {}

    def rest(block: Block) -> Block:
        left: list[tuple[int, Samples]] = []
        for series, samples in block.each():
            if len(samples) >= min_samples:
                packed[series], samples = _pack(connection, series, samples, chunk, known(series))
            if len(samples):
                left.append((series, samples))
        return of_parts(left)

    size = STEP_SAMPLES
    heads = tail.heads_of(connection, partition)
    while heads and not any(one.moved for one in packed.values()):  # what stays holds up nothing
        sizes = np.cumsum([head.samples for head in heads])
        oldest = heads[: max(1, int(np.searchsorted(sizes, size, side="right")))]
        _replace(connection, partition, oldest, rest)
        if len(oldest) == len(heads):
            break
        size = 2 * int(sizes[len(oldest)])
        heads = tail.heads_of(connection, partition)
    return packed


def _replace(
    connection: sqlite3.Connection,
    partition: int,
    heads: Sequence[tail.BlockHead],
    make: Callable[[Block], Block],
) -> Block | None:
    """Put what is made of neighbouring blocks in their place. One that cannot be read stays until its time
    is deleted.
    """
    read = [
        (head, block) for head in heads if (block := tail.load(connection, partition, head.id)) is not None
    ]
    if not read:
        return None
    made = make(folded([block for _, block in read]))
    tail.remove(connection, [head.id for head, _ in read])
    if len(made):
        tail.put(connection, [(read[-1][0].seq, write_packed(made))])
    return made


def _pack(
    connection: sqlite3.Connection, series: int, unpacked: Samples, chunk: int, known: Iterable[Damage]
) -> tuple[Packed, Samples]:
    """Samples of a series' tail into chunks and rollups; what of them stays in the tail."""
    chunks = Packable(connection, series, known)
    chosen = chunks.choose(unpacked)
    moving, left = unpacked.pick(chosen), unpacked.pick(~chosen)
    if not len(moving):
        return Packed(damaged=chunks.damaged), left
    taken_ms = tables.taken_from(connection, series)
    _into_chunks(connection, series, moving.between(taken_ms, tables.EVER_MS), chunk, chunks)
    gone_ms = tables.stored_from(connection, series, tables.RAW)
    fresh = moving.between(max(gone_ms, taken_ms), tables.EVER_MS)
    if len(fresh):
        _into_levels(connection, series, fresh, chunks)
    too_late = moving.between(-tables.EVER_MS, gone_ms)
    added = backfill.add_to_rollups(connection, series, *too_late.numbers()) if len(too_late) else 0
    return Packed(len(moving), len(too_late), added, chunks.damaged), left


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
    parts = max(1, round(len(samples) / chunk), min(len(samples), text_bytes // TEXT_BYTES))
    for which in np.array_split(np.arange(len(samples)), parts):
        part = samples.pick(which)
        connection.execute(
            "INSERT INTO chunk (series, start_ms, end_ms, count, packed) VALUES (?, ?, ?, ?, ?)",
            (series, int(part.t_ms[0]), int(part.t_ms[-1]), len(part), pack_samples(part)),
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
    unpacked = tail.samples_of(connection, series, -tables.EVER_MS, before_ms, lambda _: None)
    return len(unpacked) > 0 and bool(Packable(connection, series, known).choose(unpacked).any())


def cut(
    connection: sqlite3.Connection, series: int, day_ms: int, width_ms: int, known: Iterable[Damage] = ()
) -> int | None:
    """Note that what is older than a day is not kept; since when it is, which lies between what it was and
    that day and never behind the data: whatever clock the day was told by, what comes next is kept. None
    while there are samples to be packed, since they go to the rollups first.
    """
    old = tables.stored_from(connection, series, width_ms)
    if width_ms == tables.RAW and old <= day_ms and is_waiting(connection, series, day_ms, known):
        return None
    low, high = min(old, day_ms), max(old, day_ms)
    from_ms = min(max(tables.newest_day(connection, series), low), high)
    if from_ms != old:
        tables.put_stored_from(connection, series, width_ms, from_ms)
    if width_ms == tables.RAW and tables.stored_from(connection, series, tables.TAKEN) != day_ms:
        tables.put_stored_from(connection, series, tables.TAKEN, day_ms)
    return from_ms


def forget(connection: sqlite3.Connection, series: int, t_ms: int, width_ms: int, max_count: int) -> bool:
    """Delete at most `most` chunks or pages older than a day; whether there are more. A damaged chunk goes
    when all of it is older.
    """
    if width_ms != tables.RAW:
        return _forget_pages(connection, series, width_ms, t_ms, max_count)
    tail.forget_damaged(connection, series, t_ms)
    gone = connection.execute(
        "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE series = ? AND end_ms < ?"
        " ORDER BY start_ms LIMIT ?)",
        (series, t_ms, max_count),
    ).rowcount
    for number, start_ms, _, _ in tables.spans(connection, series, t_ms, t_ms + 1):
        if start_ms < t_ms:
            try:
                part = tables.chunk(connection, number).between(t_ms, tables.EVER_MS)
            except DamagedSeries:
                continue
            connection.execute(
                "UPDATE chunk SET start_ms = ?, count = ?, packed = ? WHERE id = ?",
                (int(part.t_ms[0]), len(part), pack_samples(part), number),
            )
    return gone >= max_count


def _forget_pages(
    connection: sqlite3.Connection, series: int, width_ms: int, t_ms: int, max_count: int
) -> bool:
    page = t_ms // tables.PAGES_MS[width_ms]
    gone = connection.execute(
        "DELETE FROM level WHERE id IN (SELECT id FROM level WHERE series = ? AND width_ms = ? AND page < ?"
        " LIMIT ?)",
        (series, width_ms, page, max_count),
    ).rowcount
    span_ms = tables.PAGES_MS[width_ms]
    old = tables.level(connection, series, width_ms, page * span_ms, (page + 1) * span_ms)
    if len(old) and old.start_ms[0] < t_ms:
        tables.put_level(connection, series, width_ms, page, old.between(t_ms, tables.EVER_MS))
    return gone >= max_count
