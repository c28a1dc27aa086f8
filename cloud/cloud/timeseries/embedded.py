"""Embedded time series: one SQLite file; new rows in a tail, older ones packed in chunks, with rollups.

Every call is one function on a thread of its own, so a cancelled caller never leaves a transaction open.
Writes and reads have a thread and a connection each; in WAL mode a reader does not wait for the writer.

The tail is table `sample`, clustered by (series, time): a write is one transaction, durable when it
returns, by statements of 1,024 rows, because SQLite gives the interpreter lock back at each step of a
statement. A file of an older version without chunks is read at once and packed behind the next writes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

from cloud.timeseries import packer, tables
from cloud.timeseries.base import (
    Bucket,
    Damage,
    DamagedSeries,
    Envelope,
    SeriesColumn,
    StoredSample,
    TimeSeriesError,
)
from cloud.timeseries.metrics import MAX_LOGGED, TOO_LATE
from cloud.timeseries.reading import Reading
from cloud.timeseries.rollups import listed
from cloud.timeseries.values import Kind, kind_of, restore, storable
from cloud.timeseries.worker import Worker
from edge_contract.model import Value

log = logging.getLogger(__name__)

T = TypeVar("T")
Row = tuple[int, int, Value, int, int]

FLOAT = int(Kind.FLOAT)

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

PACK_AT = 1024
"""Rows of a series in the tail that are worth a step of packing."""

PACKING_SHARE = 0.25
"""Part of the time that packing may hold the writer's thread: writes go first."""

SCAN_SERIES = 500
"""Series counted in one step after a start."""

OLDER_SERIES = 500
"""Series that one reading looks for what is older than a day: others read in between."""

FORGET_ROWS = 5000
"""Rows or chunks that one step of a deletion removes."""

MAX_DAMAGE = 1000
"""Remembered of one series."""

FAILURE_PAUSE_S = 30.0
"""Before packing is tried again after an error, a full disk as a rule."""


class EmbeddedTimeSeries:
    """TimeSeries in one SQLite file. A write is rows of the tail; a task packs a series that has pack_at."""

    def __init__(self, path: Path, *, pack_at: int = PACK_AT, chunk: int = packer.CHUNK) -> None:
        self._path = path
        self._pack_at = pack_at
        self._chunk = chunk
        self._writer = Worker(path, "timeseries-write")
        self._reader = Worker(path, "timeseries-read")
        self._unpacked: dict[int, int] = {}  # series -> rows in the tail, at most
        self._damaged: dict[int, dict[tuple[Damage, int], None]] = {}  # what was found and its width
        self._kept: dict[int, int] = {}  # of which something was deleted -> since when samples are there
        self._late: set[int] = set()  # due since something came that is older
        self._told: set[int] = set()
        self._due: deque[int] = deque()
        self._stepping = asyncio.Lock()
        self._wake = asyncio.Event()
        self._packing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the file and create its tables; TimeSeriesError when it cannot be opened."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        await self._writer.open()
        await self._writer.run(lambda connection: connection.executescript(tables.SCHEMA))
        self._kept = await self._writer.run(tables.kept)
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
        self._note(columns)

    async def check(self) -> None:
        """A reading."""
        await self.latest([1])

    async def own_limit_s(self) -> int | None:
        """None: it deletes what it is told to."""
        return None

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

    async def buckets(self, series: int, start_ms: int, end_ms: int, width_ms: int) -> list[Bucket]:
        """Aggregates by rising start; starts are start_ms + n * width_ms."""
        return await self._read(
            series, lambda reading: listed(reading.rollup(start_ms, end_ms, start_ms, width_ms))
        )

    async def envelope(self, series: int, start_ms: int, end_ms: int, pixels: int) -> Envelope:
        """The range for a chart of so many pixels."""
        return await self._read(series, lambda reading: reading.envelope(start_ms, end_ms, pixels))

    async def older(self, series: Sequence[int], t_ms: int, width_ms: int = tables.RAW) -> set[int]:
        """Which of them have something that delete_before() would forget; one short reading for every 500."""
        day_ms, found = t_ms // tables.DAY_MS * tables.DAY_MS, set[int]()
        for at in range(0, len(series), OLDER_SERIES):
            some = series[at : at + OLDER_SERIES]
            found |= await self._reader.run(
                partial(tables.older, series=some, t_ms=day_ms, width_ms=width_ms)
            )
        return found

    async def damage(self, series: int, start_ms: int, end_ms: int) -> list[Damage]:
        """Of chunks that are there still: what was deleted since is no gap."""

        def there(connection: sqlite3.Connection) -> list[Damage]:
            spans = {
                Damage(first, last)
                for _, first, last, _ in tables.spans(connection, series, start_ms, end_ms)
            }
            known = self._damaged.get(series, {})
            found = {each for each, width in list(known) if width != tables.RAW or each in spans}
            return sorted(each for each in found if each.start_ms < end_ms and each.end_ms >= start_ms)

        return await self._reader.run(there) if series in self._damaged else []

    async def delete_before(self, series: int, t_ms: int, width_ms: int = tables.RAW) -> None:
        """Forget in steps, each a transaction of its own. Samples are summed up in the rollups first."""
        day_ms = t_ms // tables.DAY_MS * tables.DAY_MS

        def cut(connection: sqlite3.Connection) -> int | None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return packer.cut(connection, series, day_ms, width_ms, self._found(series))

        def step(connection: sqlite3.Connection) -> bool:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return packer.forget(connection, series, day_ms, width_ms, FORGET_ROWS)

        if day_ms <= 0 and series not in self._kept:
            return
        while (kept := await self._writer.run(cut)) is None:
            while await self.pack(series, day_ms):
                pass
        if width_ms == tables.RAW:
            self._kept[series] = kept
            late = partial(packer.is_waiting, series=series, before_ms=kept, known=self._found(series))
            while await self._writer.run(late) and await self.pack(series):
                pass
        self._kept.setdefault(series, -tables.EVER_MS)
        while day_ms > 0 and await self._writer.run(step):
            pass

    async def pack(self, series: int, going_ms: int = -tables.EVER_MS) -> int:
        """One step: move rows of a series from the tail into chunks and rollups; how many.

        The newest stays unless it is older than going_ms.
        """

        def step(connection: sqlite3.Connection) -> packer.Packed:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return packer.pack_tail(connection, series, self._chunk, going_ms, self._found(series))

        packed = await self._writer.run(step)
        for damage in packed.damaged:
            self._note_damage(series, tables.RAW, damage)
        if packed.late:
            self._tell_late(series, packed)
        return packed.moved

    async def settle(self) -> None:
        """Pack until nothing is due, what an earlier run left included."""
        await self._scan()
        while self._due or self._stepping.locked():
            await self._pack_next()

    async def _read(self, series: int, read: Callable[[Reading], T]) -> T:
        def transaction(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN")
            try:
                return read(Reading(connection, series, self._note_damage))
            finally:
                connection.execute("ROLLBACK")

        return await self._reader.run(transaction)

    def _found(self, series: int) -> list[Damage]:
        return [damage for damage, width in list(self._damaged.get(series, ())) if width == tables.RAW]

    def _note_damage(self, series: int, width_ms: int, damage: Damage) -> None:
        """Called by the reader's thread too; each is logged once."""
        known = self._damaged.setdefault(series, {})
        if (damage, width_ms) in known or len(known) >= MAX_DAMAGE:
            return
        known[damage, width_ms] = None
        what = f"buckets of {width_ms} ms" if width_ms else "samples"
        log.error("series %d: %s of %d to %d are damaged", series, what, damage.start_ms, damage.end_ms)

    def _tell_late(self, series: int, packed: packer.Packed) -> None:
        """Each series is logged once."""
        refused = packed.late - packed.added
        TOO_LATE.labels("added").inc(packed.added)
        TOO_LATE.labels("refused").inc(refused)
        if refused and series not in self._told and len(self._told) < MAX_LOGGED:
            self._told.add(series)
            log.warning("series %d: %d samples came too late even for its levels", series, refused)

    def _note(self, columns: Sequence[SeriesColumn]) -> None:
        unpacked = self._unpacked
        for column in columns:
            known = unpacked.get(column.series, 0)
            unpacked[column.series] = rows = known + len(column.t_ms)
            kept = self._kept.get(column.series)
            is_late = kept is not None and bool(column.t_ms) and min(column.t_ms) < kept
            if is_late and column.series not in self._late:  # nobody sees it before it is in the rollups
                self._late.add(column.series)
            elif not known < self._pack_at <= rows:
                continue
            self._due.append(column.series)
            self._wake.set()
        if self._packing is None:
            self._packing = asyncio.create_task(self._pack_for_ever())

    async def _pack_for_ever(self) -> None:
        """Begins with the first write: a process that only reads leaves it to the one that writes."""
        await self._scan()
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._due:
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
            if self._due:
                await self._pack_due()

    async def _pack_due(self) -> None:
        series = self._due.popleft()
        self._late.discard(series)
        begun = self._unpacked.get(series, 0)
        try:
            moved = await self.pack(series)
        except DamagedSeries:  # due again with the next rows
            self._unpacked[series] = max(self._unpacked.get(series, 0) - begun, 0)
            raise
        except TimeSeriesError:
            self._due.append(series)
            raise
        if moved >= self._pack_at:  # there may be more
            self._due.append(series)
            self._unpacked[series] = max(self._unpacked.get(series, 0) - moved, self._pack_at)
        else:
            self._unpacked[series] = max(self._unpacked.get(series, 0) - begun, 0)

    async def _scan(self) -> None:
        """What an earlier run left unpacked, and the rows of a file that knew no chunks."""
        after: int | None = -(2**63)
        while after is not None:
            try:
                after = await self._scan_some(after)
            except TimeSeriesError as error:
                log.error("the unpacked samples cannot be counted: %s", error)
                return
            await asyncio.sleep(0)

    async def _scan_some(self, after: int) -> int | None:
        found = await self._reader.run(
            lambda connection: tables.tails(connection, after, self._pack_at, SCAN_SERIES)
        )
        for series, rows, oldest in found:
            known = self._unpacked.get(series, 0)
            self._unpacked[series] = max(rows, known)
            is_late = oldest < self._kept.get(series, oldest) and series not in self._late
            if is_late:
                self._late.add(series)
            if is_late or known < self._pack_at <= rows:
                self._due.append(series)
                self._wake.set()
        return found[-1][0] if len(found) == SCAN_SERIES else None


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
