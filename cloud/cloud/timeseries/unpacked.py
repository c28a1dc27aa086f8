"""What of each partition is in the tail, and which partitions are due to be folded or packed.

Counted in memory by the writer's thread, because a question for each write would cost more than the write;
after a start counted from the file.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cloud.timeseries import tables, tail
from cloud.timeseries.blocks import PARTITION_SERIES, Block, write_plain

FOLD_AT = 32
"""Blocks since the last folding that are worth one: as many are read for a chart of the last minutes."""

ROWS_AT_ONCE = 16_384
"""Rows of an older version that one step makes a block."""

SCAN_PARTITIONS = 100
"""Partitions counted in one step after a start."""


@dataclass
class PartitionCount:
    """What of a partition is in the tail. small: blocks since the last folding. is_late: something is of a
    time whose samples are deleted, which nobody sees before it is in the rollups.
    """

    samples: int = 0
    series_mask: int = 0
    last_seq: int = 0
    small: int = 0
    is_late: bool = False


class Unpacked:
    """Counts of all partitions. pack_at: samples of a series, in the mean of its partition, that are worth a
    step of packing. stored_from: by series of which something was deleted, since when samples are there.
    """

    def __init__(self, pack_at: int, stored_from: Mapping[int, int]) -> None:
        self._pack_at = pack_at
        self._stored_from = stored_from
        self._counts: dict[int, PartitionCount] = {}
        self.due: OrderedDict[int, None] = OrderedDict()

    def __getitem__(self, partition: int) -> PartitionCount:
        return self._counts[partition]

    def is_due(self, partition: int) -> bool:
        """Whether packing is worth a step."""
        count = self._counts[partition]
        return count.is_late or 0 < self._pack_at * count.series_mask.bit_count() <= count.samples

    def take_due(self) -> int:
        """The partition that is due for the longest time."""
        return self.due.popitem(last=False)[0]

    def place(self, connection: sqlite3.Connection, block: Block) -> list[tail.Placed]:
        """Blocks of a write with the numbers that they get."""
        placed: list[tail.Placed] = []
        for each in write_plain(block):
            count = self._counts.get(each.partition) or self.recount(connection, each.partition)
            is_next = bool(placed) and placed[-1][1].partition == each.partition
            placed.append(((placed[-1][0] if is_next else count.last_seq) + 1, each))
        return placed

    def note(self, placed: Sequence[tail.Placed], block: Block) -> None:
        """These blocks were written of one."""
        late = self._late(block) if self._stored_from else ()
        for seq, each in placed:
            count = self._counts[each.partition]
            count.samples += each.samples
            count.series_mask |= each.series_mask
            count.last_seq = seq
            count.small += 1
            count.is_late = count.is_late or each.partition in late
            if count.small >= FOLD_AT or self.is_due(each.partition):
                self.due.setdefault(each.partition)

    def _late(self, block: Block) -> set[int]:
        """Partitions of which something is of a time whose samples are deleted."""
        first_ms = block.samples.t_ms[block.ends - np.diff(block.ends, prepend=0)]
        return {
            series // PARTITION_SERIES
            for series, t_ms in zip(block.series.tolist(), first_ms.tolist(), strict=True)
            if t_ms < self._stored_from.get(series, -tables.EVER_MS)
        }

    def recount(self, connection: sqlite3.Connection, partition: int) -> PartitionCount:
        """Count what the file holds, after a step or for the first time."""
        held = tail.head_of(connection, partition)
        before = self._counts.get(partition, PartitionCount())
        last_seq = max(held.last_seq, before.last_seq)
        count = PartitionCount(held.samples, held.series_mask, last_seq, is_late=before.is_late)
        self._counts[partition] = count
        return count

    def scan_some(self, connection: sqlite3.Connection, after: int) -> int | None:
        """Count the next partitions of the file by number; the last of them, None when there are no more."""
        numbers = tail.partitions(connection, after, SCAN_PARTITIONS)
        for partition in numbers:
            count = self._counts.get(partition) or self.recount(connection, partition)
            first = partition * PARTITION_SERIES
            count.is_late = count.is_late or any(
                series in self._stored_from
                and any(tail.blocks_of(connection, series, -tables.EVER_MS, self._stored_from[series]))
                for series in range(first, first + PARTITION_SERIES)
            )
            if self.is_due(partition):
                self.due.setdefault(partition)
        return numbers[-1] if len(numbers) == SCAN_PARTITIONS else None

    def take_rows(self, connection: sqlite3.Connection) -> int:
        """Make some rows of an older version a block; how many."""
        if not tail.has_rows(connection):
            return 0
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            partition, rows = tail.take_rows(connection, None, ROWS_AT_ONCE)
        self.recount(connection, partition)
        if self.is_due(partition):
            self.due.setdefault(partition)
        return rows
