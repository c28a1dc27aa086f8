"""Settles the reads every second, keeps the growing record, and gives the cloud those that are closed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import msgspec

from edge_agent.collection.counts import Counts, absence
from edge_agent.collection.summary import Summary
from edge_agent.errors import StoreFull
from edge_agent.model import Reads, Span
from edge_agent.store.base import CollectionLog, StoredRecord
from edge_agent.store.database import to_the_end
from edge_agent.system.clock import Clock, clock_set
from edge_contract.collection import CollectionRecord, Missed
from edge_contract.limits import COLLECTION_GAPS, COLLECTION_RECORDS, COLLECTION_S, COLLECTION_SPAN_MS
from edge_contract.payloads import encode

log = logging.getLogger(__name__)

LOOK_S = 1.0
FROZEN_S = 3.0
"""A look that comes so much after the one before says that the whole agent stood still."""
REPORT_AFTER_S = 10.0
"""A slave that falls silent or comes back is reported at once, but records last so long at least."""
SAVE_S = 5.0
"""How often the growing record is written: a kill loses what was counted since."""
LONGEST_S = 3600.0
"""Without a link a record grows for so long, so that days of outage are few records."""
STEP_MS = 1000
"""A wall clock that moves by more between two looks was set; less is its discipline."""
MAX_STORED_BYTES = 8 * 1024 * 1024
"""Records that wait for the cloud; the oldest go first."""
REPORT_BYTES = 1024 * 1024
"""Records of one report together; one alone may be larger."""


class Source(Protocol):
    """Where reads come from: the bus."""

    def reads(self, now: float, frozen: Span, *, final: bool = False) -> Iterable[Reads]: ...

    def reads_per_hour(self) -> dict[str, float]: ...

    def silent(self) -> frozenset[str]: ...

    def disabled(self) -> list[str]: ...


class CollectionRecorder:
    """run() beside the bus, finish() when it has ended. linked: whether the cloud takes records now.

    changed: set when there may be another closed record.
    """

    def __init__(
        self,
        source: Source,
        stored_records: CollectionLog,
        clock: Clock,
        linked: Callable[[], bool] = lambda: False,
    ) -> None:
        self.changed = asyncio.Event()
        self._source = source
        self._stored_records = stored_records
        self._clock = clock
        self._linked = linked
        self._per_hour: Mapping[str, float] = source.reads_per_hour()
        self._disabled = source.disabled()
        self._counts = Counts(self._per_hour, self._disabled)
        self._begun = self._looked = self._saved = clock.monotonic()
        self._offset_ms = self._offset()
        self._from_ms: int | None = None  # of the growing record; None until the clock is set
        self._seq = 0  # of the growing record; 0 until the store was asked
        self._frozen: Span = (-1.0, -1.0)
        self._full = False
        self._silent: frozenset[str] = frozenset()  # when a record was closed last
        self.summary = Summary(self._per_hour, clock.now_ms)

    async def run(self) -> None:
        """Look for ever."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch())
            while True:
                await self._clock.sleep(LOOK_S)
                await self.look()

    async def look(self) -> None:
        """Settle what has ended, and write when it is time."""
        now = self._notice()
        await self._follow_clock()
        self._count_ended(now)
        if self._from_ms is not None and self._has_changed(now):
            await to_the_end(self._write(close=True))
        elif self._from_ms is not None and now - self._saved >= SAVE_S:
            await to_the_end(self._write())

    def _has_changed(self, now: float) -> bool:
        age_ms = self._wall_ms(now) - (self._from_ms or 0)
        return self._linked() and age_ms >= REPORT_AFTER_S * 1000 and self._source.silent() != self._silent

    async def _watch(self) -> None:
        """A slow medium holds look() up, but not this."""
        while True:
            await self._clock.sleep(LOOK_S)
            self._notice()

    def _notice(self) -> float:
        """The time; who stood still since the last call finds it in _frozen."""
        now = self._clock.monotonic()
        if now - self._looked > FROZEN_S:
            self._frozen = (self._looked, now)
            log.warning("the agent stood still for %.0f s", now - self._looked)
        self._looked = now
        return now

    async def finish(self, why: str) -> None:
        """The bus has ended. why: stopped or switched."""
        await self._follow_clock()
        self._count_ended(self._clock.monotonic(), final=True)
        if self._from_ms is not None:
            await to_the_end(self._write(ended=why))

    async def waiting(self) -> list[CollectionRecord]:
        """Closed records for one report, the oldest first; the one that grows is left to grow."""
        records: list[CollectionRecord] = []
        span_ms = size = 0
        for stored in await self._stored_records.following(0, self._seq, COLLECTION_RECORDS):
            span_ms, size = span_ms + stored.span_ms, size + len(stored.payload)
            if span_ms > COLLECTION_SPAN_MS or (records and size > REPORT_BYTES):
                break
            records.append(msgspec.json.decode(stored.payload, type=CollectionRecord))
        return records

    async def acknowledged(self, seq: int) -> None:
        """The cloud holds the records up to this one."""
        await self._stored_records.forget(min(seq, self._seq - 1))

    def _count_ended(self, now: float, *, final: bool = False) -> None:
        ended_reads = self._source.reads(now, self._frozen, final=final)
        for reads in ended_reads if self._from_ms is not None else map(_untimed, ended_reads):
            self._counts.add(reads)
            self.summary.add(reads, self._wall_ms)

    async def _follow_clock(self) -> None:
        """Begin when the clock is set; end the record when it was put forward or back."""
        offset_ms = self._offset()
        if not clock_set(self._clock.now_ms()):
            self._offset_ms = offset_ms
            return
        moved_ms, self._offset_ms = offset_ms - self._offset_ms, offset_ms
        if self._from_ms is None:
            await to_the_end(self._begin())
        elif abs(moved_ms) > STEP_MS:
            self._offset_ms = offset_ms - moved_ms
            await to_the_end(self._write(close=True))
            self._offset_ms = offset_ms
            now_ms = self._wall_ms(self._clock.monotonic())
            if moved_ms > 0:
                await self._skipped(self._from_ms, now_ms)
            self._from_ms = now_ms

    async def _begin(self) -> None:
        """The first record of these parts; before it, what nobody read."""
        covered = await self._stored_records.covered()
        self._seq, self._from_ms = covered.next_seq, self._wall_ms(self._begun)
        if covered.to_ms and covered.to_ms < self._from_ms:
            reason = Missed.SWITCHING if covered.ended == "switched" else Missed.NOT_RUNNING
            await self._keep_all(
                absence(self._seq, covered.to_ms, self._from_ms, covered.per_hour, reason)
            )  # fmt: skip

    async def _skipped(self, from_ms: int, to_ms: int) -> None:
        """A time that the wall clock never showed: nothing is expected in it."""
        await self._keep_all(absence(self._seq, from_ms, to_ms, {}, Missed.CLOCK_MOVED))

    async def _keep_all(self, records: Sequence[CollectionRecord]) -> None:
        for record in records:
            await self._put(record, "")
            self._seq = record.seq + 1
        self.changed.set()

    async def _write(self, *, ended: str = "", close: bool = False) -> None:
        """Write the growing record; it is closed when its time has come, or when it is full of gaps."""
        now = self._clock.monotonic()
        from_ms, to_ms = self._from_ms, self._wall_ms(now)
        if from_ms is None or to_ms <= from_ms:
            return
        record = self._counts.record(self._seq, from_ms, to_ms, self._wall_ms)
        if not await self._put(record, ended):
            return
        age_s = (to_ms - from_ms) / 1000
        if close or ended or age_s >= (COLLECTION_S if self._linked() else LONGEST_S) or self._crowded():
            self._seq += 1
            self._from_ms = to_ms
            self._silent = self._source.silent()
            self._counts = Counts(self._per_hour, self._disabled)
            self.changed.set()

    def _crowded(self) -> bool:
        return self._counts.gaps >= COLLECTION_GAPS - len(self._disabled)

    async def _put(self, record: CollectionRecord, ended: str) -> bool:
        """False when the medium refuses; the record goes on growing, and is written later."""
        self._saved = self._clock.monotonic()
        stored = StoredRecord(record.seq, record.to_ms - record.from_ms, encode(record))
        try:
            await self._stored_records.put(stored, record.to_ms, ended, self._per_hour, MAX_STORED_BYTES)
        except StoreFull as error:
            if not self._full:
                log.error("what was read cannot be noted: %s", error)
            self._full = True
            return False
        self._full = False
        return True

    def _wall_ms(self, monotonic_s: float) -> int:
        return round(monotonic_s * 1000 + self._offset_ms)

    def _offset(self) -> float:
        """Milliseconds that the wall clock shows beyond the monotonic one."""
        before = self._clock.monotonic()
        wall_ms = self._clock.now_ms()
        return wall_ms - (before + self._clock.monotonic()) * 500


def _untimed(reads: Reads) -> Reads:
    """Nobody knows when it was read: not good."""
    if not reads.slots:
        return replace(reads, missed=0)  # reported with the total
    return replace(reads, good=0, missed=reads.expected, reason=Missed.CLOCK_NOT_SET, by="", points=())
