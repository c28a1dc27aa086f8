"""The tail of the embedded store: blocks of what was written and is not in chunks yet.

A later block of a partition takes precedence over an earlier one, and every block over a chunk. Rows of an
older version's `sample` table are the earliest of all; they become blocks step by step.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from cloud.timeseries.base import Damage
from cloud.timeseries.blocks import (
    PARTITION_SERIES,
    Block,
    WrittenBlock,
    folded,
    of_parts,
    read,
    write_packed,
)
from cloud.timeseries.columns import NONE, Samples, merged, of_rows

EVER_MS = 2**62

_STEPS = (512, 64, 8, 1)
"""Blocks written by one statement. SQLite gives Python's lock back at each step and wants it again, which a
busy event loop makes it wait for; executemany is a step a row."""

_INSERT = "INSERT INTO block (partition_id, seq, first_ms, last_ms, count, series_mask, packed) VALUES "

_INSERTS = {rows: _INSERT + ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * rows) for rows in _STEPS}

_BLOCKS = (
    "SELECT id, seq, first_ms, last_ms, count, series_mask FROM block WHERE partition_id = ? ORDER BY seq"
)

_OF_SERIES = """
SELECT id, first_ms, last_ms FROM block
WHERE partition_id = ? AND series_mask & ? != 0 AND last_ms >= ? AND first_ms < ? ORDER BY seq
"""

CACHED_SAMPLES = 500_000
"""Samples of blocks that a reader remembers, 25 MB: the points of a gateway are read one after another."""

Damaged = Callable[[Damage], None]
"""Told the time of a block that cannot be read."""


Load = Callable[[sqlite3.Connection, int, int], Block | None]
"""Samples of a block of a partition by its number; None when it cannot be read."""


Placed = tuple[int, WrittenBlock]
"""A block and its number within its partition."""


class BlockHead(NamedTuple):
    """A block without its samples. seq: rises within its partition; series_mask: a bit for each series."""

    id: int
    seq: int
    first_ms: int
    last_ms: int
    samples: int
    series_mask: int


class Partition(NamedTuple):
    """What of a partition is in the tail. last_seq: of its newest block, 0 for none."""

    blocks: int = 0
    samples: int = 0
    series_mask: int = 0
    last_seq: int = 0


def place_of(series: int) -> tuple[int, int]:
    """Partition of a series and its bit in a mask."""
    return series // PARTITION_SERIES, 1 << series % PARTITION_SERIES


def head_of(connection: sqlite3.Connection, partition: int) -> Partition:
    """Sums over the blocks of a partition."""
    heads = heads_of(connection, partition)
    mask = 0
    for head in heads:
        mask |= head.series_mask
    return Partition(len(heads), sum(head.samples for head in heads), mask, heads[-1].seq if heads else 0)


def heads_of(connection: sqlite3.Connection, partition: int) -> list[BlockHead]:
    """Blocks of a partition, the earliest first."""
    return [BlockHead(*row) for row in connection.execute(_BLOCKS, (partition,))]


def partitions(connection: sqlite3.Connection, after: int, limit: int) -> list[int]:
    """The next partitions by number that have blocks."""
    numbers: list[int] = []
    while len(numbers) < limit:
        (partition,) = connection.execute(
            "SELECT min(partition_id) FROM block WHERE partition_id > ?", (after,)
        ).fetchone()
        if partition is None:
            break
        numbers.append(partition)
        after = partition
    return numbers


def put(connection: sqlite3.Connection, blocks: Sequence[Placed]) -> None:
    """Write blocks with their numbers."""
    rows: list[object] = []
    for seq, (partition, *facts) in blocks:
        rows += (partition, seq, *facts)
    at, left = 0, len(blocks)
    for step in _STEPS:
        while left >= step:
            connection.execute(_INSERTS[step], rows[at : at + 7 * step])
            at, left = at + 7 * step, left - step


def remove(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Delete blocks."""
    for number in numbers:
        connection.execute("DELETE FROM block WHERE id = ?", (number,))


def load(connection: sqlite3.Connection, partition: int, number: int) -> Block | None:
    """A block's samples; None when it cannot be read."""
    (packed,) = connection.execute("SELECT packed FROM block WHERE id = ?", (number,)).fetchone()
    try:
        return read(partition, packed)
    except (ValueError, IndexError, struct.error, zlib.error):
        return None


class BlockCache:
    """Blocks that were read last. A block never changes, and no other gets its number."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, Block] = OrderedDict()
        self._samples = 0

    def load(self, connection: sqlite3.Connection, partition: int, number: int) -> Block | None:
        """As load()."""
        if number in self._blocks:
            self._blocks.move_to_end(number)
            return self._blocks[number]
        block = load(connection, partition, number)
        if block is not None:
            self._blocks[number] = block
            self._samples += len(block)
            while self._samples > CACHED_SAMPLES:
                _, oldest = self._blocks.popitem(last=False)
                self._samples -= len(oldest)
        return block


def samples_of(
    connection: sqlite3.Connection,
    series: int,
    start_ms: int,
    end_ms: int,
    damaged: Damaged,
    read_block: Load = load,
) -> Samples:
    """Samples of a series in the tail with start_ms <= t < end_ms, by rising time. What cannot be read is
    left out, and told.
    """
    parts = [_rows_of(connection, series, start_ms, end_ms)]
    for number, first_ms, last_ms in blocks_of(connection, series, start_ms, end_ms):
        block = read_block(connection, series // PARTITION_SERIES, number)
        if block is None:
            damaged(Damage(first_ms, last_ms))
        elif (part := block.of(series)) is not None:
            parts.append(part)
    parts = [part for part in parts if len(part)]
    if not parts:
        return NONE
    return latest_of(parts).between(start_ms, end_ms)


def rows_end(connection: sqlite3.Connection, series: int, start_ms: int, end_ms: int, limit: int) -> int:
    """Where a reading from start_ms has to end so that it holds at most so many rows of an older version."""
    row = connection.execute(
        "SELECT t_ms FROM sample WHERE series = ? AND t_ms >= ? AND t_ms < ? ORDER BY t_ms LIMIT 1 OFFSET ?",
        (series, start_ms, end_ms, limit),
    ).fetchone()
    return int(row[0]) if row else end_ms


def latest_of(parts: Sequence[Samples]) -> Samples:
    """One of several; where they have the same time the later part stands."""
    if len(parts) <= 2:
        return merged(parts[0], parts[-1]) if len(parts) == 2 else parts[0]
    return folded([of_parts([(0, part)]) for part in parts]).samples


def blocks_of(
    connection: sqlite3.Connection, series: int, start_ms: int, end_ms: int
) -> list[tuple[int, int, int]]:
    """Number, first and last time of the blocks that may hold such samples of a series."""
    partition, bit = place_of(series)
    return connection.execute(_OF_SERIES, (partition, bit, start_ms, end_ms)).fetchall()


def newest_of(connection: sqlite3.Connection, series: Sequence[int]) -> dict[int, Samples]:
    """The newest sample in the tail of each of the series that has one. What is damaged is left out."""
    newest = {number: rows for number in series if len(rows := _newest_row(connection, number))}
    wanted = defaultdict[int, list[int]](list)
    for number in series:
        wanted[number // PARTITION_SERIES].append(number)
    for partition, numbers in wanted.items():
        mask = sum(1 << number % PARTITION_SERIES for number in numbers)
        for head in heads_of(connection, partition):
            block = load(connection, partition, head.id) if head.series_mask & mask else None
            if block is None:
                continue
            for number in numbers:
                part = block.of(number)
                if part is not None and (number not in newest or part.t_ms[-1] >= newest[number].t_ms[0]):
                    newest[number] = part.pick(slice(-1, None))
    return newest


def _newest_row(connection: sqlite3.Connection, series: int) -> Samples:
    return of_rows(
        connection.execute(
            "SELECT t_ms, value, kind, quality FROM sample WHERE series = ? ORDER BY t_ms DESC LIMIT 1",
            (series,),
        ).fetchall()
    )


def older(connection: sqlite3.Connection, series: Sequence[int], t_ms: int) -> set[int]:
    """Those of the series that have samples in the tail from before a time."""
    return {
        number
        for number in series
        if connection.execute(
            "SELECT 1 FROM sample WHERE series = ? AND t_ms < ? LIMIT 1", (number, t_ms)
        ).fetchone()
        or any(
            (block := load(connection, number // PARTITION_SERIES, block_id)) is None
            or ((part := block.of(number)) is not None and part.t_ms[0] < t_ms)
            for block_id, _, _ in blocks_of(connection, number, -EVER_MS, t_ms)
        )
    }


def forget_damaged(connection: sqlite3.Connection, series: int, t_ms: int) -> None:
    """Delete the blocks of a series' partition that cannot be read when all of them is older than a time."""
    for number, _, last_ms in blocks_of(connection, series, -EVER_MS, t_ms):
        if last_ms < t_ms and load(connection, series // PARTITION_SERIES, number) is None:
            remove(connection, [number])


def has_rows(connection: sqlite3.Connection) -> bool:
    """Whether there are rows of an older version."""
    return connection.execute("SELECT 1 FROM sample LIMIT 1").fetchone() is not None


def take_rows(connection: sqlite3.Connection, partition: int | None, limit: int) -> tuple[int, int]:
    """Make rows of an older version a block, of one partition or the first that has some; which partition
    and how many rows. The blocks that are there take precedence over it.
    """
    begin = -EVER_MS if partition is None else partition * PARTITION_SERIES
    (series,) = connection.execute("SELECT min(series) FROM sample WHERE series >= ?", (begin,)).fetchone()
    if series is None or (partition is not None and series // PARTITION_SERIES != partition):
        return partition or 0, 0
    partition = series // PARTITION_SERIES
    rows = connection.execute(
        "SELECT t_ms, value, kind, quality FROM sample WHERE series = ? ORDER BY t_ms LIMIT ?",
        (series, limit),
    ).fetchall()
    (earliest,) = connection.execute(
        "SELECT min(seq) FROM block WHERE partition_id = ?", (partition,)
    ).fetchone()
    put(connection, [(min(earliest or 0, 0) - 1, write_packed(of_parts([(series, of_rows(rows))])))])
    connection.execute("DELETE FROM sample WHERE series = ? AND t_ms <= ?", (series, rows[-1][0]))
    return partition, len(rows)


def _rows_of(connection: sqlite3.Connection, series: int, start_ms: int, end_ms: int) -> Samples:
    return of_rows(
        connection.execute(
            "SELECT t_ms, value, kind, quality FROM sample WHERE series = ? AND t_ms >= ? AND t_ms < ?"
            " ORDER BY t_ms",
            (series, start_ms, end_ms),
        ).fetchall()
    )
