"""Embedded time series: one SQLite file; blocks of what was written, older samples in chunks, with rollups.

Every call is one function on a thread of its own, so a cancelled caller never leaves a transaction open.
Writes and reads have a thread and a connection each; in WAL mode a reader does not wait for the writer.

A write is one transaction, durable when it returns: a block for each partition of series (`blocks.py`), so
that a thousand gateways cost a row each and not one a sample. A task folds blocks and packs them. A file of
an older version is read at once; its rows become blocks behind the next writes.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from cloud.timeseries import packer, tables, tail
from cloud.timeseries.base import (
    Damage,
    DamagedSeries,
    DownsampledSeries,
    SampleBucket,
    SeriesColumn,
    StoredSample,
    TimeSeriesError,
)
from cloud.timeseries.blocks import PARTITION_SERIES, of_columns
from cloud.timeseries.metrics import MAX_LOGGED, TOO_LATE
from cloud.timeseries.reading import Reading, newest
from cloud.timeseries.rollups import listed
from cloud.timeseries.unpacked import ROWS_AT_ONCE, Unpacked
from cloud.timeseries.worker import Worker

log = logging.getLogger(__name__)

T = TypeVar("T")

PACK_AT = 1024
"""Samples of a series, in the mean of its partition, that are worth a step of packing."""

FEW = 4
"""A series that has this part of them, or less, stays in the tail when its partition is packed."""

PACKING_SHARE = 0.25
"""Part of the time that packing may hold the writer's thread: writes go first."""

OLDER_SERIES = 500
"""Series that one reading looks for what is older than a day: others read in between."""

FORGET_ROWS = 5000
"""Rows or chunks that one step of a deletion removes."""

MAX_DAMAGE = 1000
"""Remembered of one series."""

FAILURE_PAUSE_S = 30.0
"""Before packing is tried again after an error, a full disk as a rule."""


class EmbeddedTimeSeries:
    """TimeSeries in one SQLite file. A write is blocks of the tail; a task packs a partition whose series
    have pack_at samples.
    """

    def __init__(self, path: Path, *, pack_at: int = PACK_AT, chunk: int = packer.CHUNK) -> None:
        self._path = path
        self._pack_at = pack_at
        self._chunk = chunk
        self._writer = Worker(path, "timeseries-write")
        self._reader = Worker(path, "timeseries-read")
        self._damaged: dict[int, dict[tuple[Damage, int], None]] = {}  # what was found and its width
        self._from_ms: dict[int, int] = {}  # of which something was deleted -> since when samples are there
        self._logged: set[int] = set()
        self._read_blocks = tail.BlockCache()  # of the reader's thread
        self._unpacked = Unpacked(pack_at, self._from_ms)
        self._stepping = asyncio.Lock()
        self._wake = asyncio.Event()
        self._packing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the file and create its tables; TimeSeriesError when it cannot be opened."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        await self._writer.open()
        await self._writer.run(lambda connection: connection.executescript(tables.SCHEMA))
        self._from_ms |= await self._writer.run(tables.stored_from_of_all)
        await self._reader.open()

    async def close(self) -> None:
        """Finish what is running and close the file."""
        if self._packing is not None:
            self._packing.cancel()
            await asyncio.gather(self._packing, return_exceptions=True)
            self._packing = None
        await self._reader.close()
        await self._writer.close()

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        """One transaction; on the disk when it returns."""

        if not columns:
            return
        await self._writer.run(partial(self._write, columns=columns))
        self._wake.set()
        if self._packing is None:
            self._packing = asyncio.create_task(self._pack_for_ever())

    async def check(self) -> None:
        """A reading."""
        await self.latest([1])

    async def own_limit_s(self) -> int | None:
        """None: it deletes what it is told to."""
        return None

    async def latest(self, series: Sequence[int]) -> dict[int, StoredSample]:
        """Newest sample of each series that has one."""
        return await self._reader.read(partial(newest, series=series))

    async def samples(
        self, series: int, start_ms: int, end_ms: int, limit: int, *, newest_first: bool = False
    ) -> list[StoredSample]:
        """Raw samples with start_ms <= t < end_ms, at most limit."""
        if limit <= 0:
            return []

        def read(reading: Reading) -> list[StoredSample]:
            if newest_first:
                return reading.backwards(start_ms, end_ms, limit)
            return reading.forwards(start_ms, end_ms, limit)

        return await self._read(series, read)

    async def count(self, series: int, start_ms: int, end_ms: int) -> int:
        """How many samples the range holds."""
        return await self._read(series, lambda reading: reading.count(start_ms, end_ms))

    async def buckets(self, series: int, start_ms: int, end_ms: int, width_ms: int) -> list[SampleBucket]:
        """Aggregates by rising start; starts are start_ms + n * width_ms."""
        return await self._read(
            series, lambda reading: listed(reading.rollup(start_ms, end_ms, start_ms, width_ms))
        )

    async def envelope(self, series: int, start_ms: int, end_ms: int, pixels: int) -> DownsampledSeries:
        """The range for a chart of so many pixels."""
        return await self._read(series, lambda reading: reading.envelope(start_ms, end_ms, pixels))

    async def older(self, series: Sequence[int], t_ms: int, width_ms: int = tables.RAW) -> set[int]:
        """Which of them have something that delete_before() would forget; one short reading for every 500."""
        day_ms, found = t_ms // tables.DAY_MS * tables.DAY_MS, set[int]()
        for at in range(0, len(series), OLDER_SERIES):
            some = series[at : at + OLDER_SERIES]
            found |= await self._reader.read(
                partial(tables.older, series=some, t_ms=day_ms, width_ms=width_ms)
            )
        return found

    async def damage(self, series: int, start_ms: int, end_ms: int) -> list[Damage]:
        """Of chunks and blocks that are there still: what was deleted since is no gap."""

        def there(connection: sqlite3.Connection) -> list[Damage]:
            spans = {
                Damage(first, last)
                for _, first, last, _ in tables.spans(connection, series, start_ms, end_ms)
            } | {
                Damage(first, last) for _, first, last in tail.blocks_of(connection, series, start_ms, end_ms)
            }
            known = self._damaged.get(series, {})
            found = {each for each, width in list(known) if width != tables.RAW or each in spans}
            return sorted(each for each in found if each.start_ms < end_ms and each.end_ms >= start_ms)

        return await self._reader.read(there) if series in self._damaged else []

    async def delete_before(self, series: int, t_ms: int, width_ms: int = tables.RAW) -> None:
        """Forget in steps, each a transaction of its own. Samples are summed up in the rollups first."""
        day_ms = t_ms // tables.DAY_MS * tables.DAY_MS

        def cut(connection: sqlite3.Connection) -> int | None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return packer.cut(connection, series, day_ms, width_ms, self._damages(series))

        def step(connection: sqlite3.Connection) -> bool:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return packer.forget(connection, series, day_ms, width_ms, FORGET_ROWS)

        if day_ms <= 0 and series not in self._from_ms:
            return
        while (from_ms := await self._writer.run(cut)) is None:
            while await self.pack(series):
                pass
        if width_ms == tables.RAW:
            self._from_ms[series] = from_ms
            late = partial(packer.is_waiting, series=series, before_ms=from_ms, known=self._damages(series))
            while await self._writer.run(late) and await self.pack(series):
                pass
        self._from_ms.setdefault(series, -tables.EVER_MS)
        while day_ms > 0 and await self._writer.run(step):
            pass

    async def pack(self, series: int) -> int:
        """One step of the partition of a series: into chunks and rollups; how many samples were moved."""
        return await self._pack(series // PARTITION_SERIES, 1)

    async def drain(self) -> None:
        """Pack until nothing is due, what an earlier run left included."""
        await self._scan()
        while self._unpacked.due or self._stepping.locked():
            await self._pack_next()

    async def _pack(self, partition: int, min_samples: int) -> int:
        def step(connection: sqlite3.Connection) -> tuple[dict[int, packer.Packed], int]:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                _, rows = tail.take_rows(connection, partition, ROWS_AT_ONCE)
                packed = packer.pack_tail(connection, partition, min_samples, self._chunk, self._damages)
                count = self._unpacked.recount(connection, partition)
                if not rows and not any(one.moved for one in packed.values()):
                    count.is_late = False  # what is left waits for a damaged chunk to go
                return packed, rows

        packed, rows = await self._writer.run(step)
        for series, one in packed.items():
            for damage in one.damaged:
                self._note_damage(series, tables.RAW, damage)
            if one.late:
                self._log_late(series, one)
        return rows + sum(one.moved for one in packed.values())

    def _write(self, connection: sqlite3.Connection, columns: Sequence[SeriesColumn]) -> None:
        block = of_columns(columns)
        placed = self._unpacked.place(connection, block)
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            tail.put(connection, placed)
        self._unpacked.note(placed, block)

    async def _read(self, series: int, read: Callable[[Reading], T]) -> T:
        return await self._reader.read(
            lambda connection: read(Reading(connection, series, self._note_damage, self._read_blocks.load))
        )

    def _damages(self, series: int) -> list[Damage]:
        return [damage for damage, width in list(self._damaged.get(series, ())) if width == tables.RAW]

    def _note_damage(self, series: int, width_ms: int, damage: Damage) -> None:
        """Called by the reader's thread too; each is logged once."""
        known = self._damaged.setdefault(series, {})
        if (damage, width_ms) in known or len(known) >= MAX_DAMAGE:
            return
        known[damage, width_ms] = None
        what = f"buckets of {width_ms} ms" if width_ms else "samples"
        log.error("series %d: %s of %d to %d are damaged", series, what, damage.start_ms, damage.end_ms)

    def _log_late(self, series: int, packed: packer.Packed) -> None:
        """Each series is logged once."""
        refused = packed.late - packed.added
        TOO_LATE.labels("added").inc(packed.added)
        TOO_LATE.labels("refused").inc(refused)
        if refused and series not in self._logged and len(self._logged) < MAX_LOGGED:
            self._logged.add(series)
            log.warning("series %d: %d samples came too late even for its levels", series, refused)

    async def _pack_for_ever(self) -> None:
        """Begins with the first write: a process that only reads leaves it to the one that writes."""
        await self._scan()
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._unpacked.due:
                begun = time.monotonic()
                try:
                    await self._pack_next()
                except DamagedSeries as error:  # stays in the tail, which is read all the same
                    log.error("samples stay unpacked: %s", error)
                except TimeSeriesError as error:
                    log.error("samples wait to be packed: %s", error)
                    await asyncio.sleep(FAILURE_PAUSE_S)
                await asyncio.sleep((time.monotonic() - begun) * (1 / PACKING_SHARE - 1))

    async def _pack_next(self) -> None:
        async with self._stepping:
            if self._unpacked.due:
                partition = self._unpacked.take_due()
                try:
                    await self._pack_due(partition)
                except DamagedSeries:  # due again with the next samples
                    self._unpacked[partition].samples = 0
                    raise
                except TimeSeriesError:
                    self._unpacked.due[partition] = None
                    raise

    async def _pack_due(self, partition: int) -> None:
        if not self._unpacked.is_due(partition):
            await self._writer.run(partial(self._fold, partition=partition))
            return
        few = 1 if self._unpacked[partition].is_late else max(1, self._pack_at // FEW)
        if await self._pack(partition, few) and self._unpacked.is_due(partition):
            self._unpacked.due[partition] = None

    def _fold(self, connection: sqlite3.Connection, partition: int) -> None:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            packer.fold(connection, partition)
        self._unpacked.recount(connection, partition)

    async def _scan(self) -> None:
        """What an earlier run left unpacked, and the rows of an older version's file."""
        after: int | None = -(2**62)
        try:
            while after is not None:
                after = await self._writer.run(partial(self._unpacked.scan_some, after=after))
            rows = 1
            while rows:
                rows = await self._writer.run(self._unpacked.take_rows)
            self._wake.set()
        except TimeSeriesError as error:
            log.error("the unpacked samples cannot be counted: %s", error)
