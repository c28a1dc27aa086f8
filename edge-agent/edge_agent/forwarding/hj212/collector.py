"""Stored batches to minutes, and minutes to records that wait to be sent; each record is made once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

import msgspec

from edge_agent.errors import StoreError
from edge_agent.forwarding.aggregation import Periods
from edge_agent.forwarding.hj212.channels import Rules
from edge_agent.forwarding.hj212.minutes import Carry, Minute, Samples, minute_of
from edge_agent.forwarding.hj212.packet import Area
from edge_agent.forwarding.hj212.parameters import Parameters
from edge_agent.forwarding.hj212.records import (
    DAY,
    HOUR,
    MINUTES,
    REALTIME,
    RUN_TIMES,
    STATES,
    length_ms,
    period_area,
    realtime_area,
    run_time_area,
    states_area,
)
from edge_agent.forwarding.hj212.sending import encoded
from edge_agent.forwarding.hj212.times import DAY_MS, HOUR_MS, MINUTE_MS, begin_of
from edge_agent.model import Quality, Sample
from edge_agent.store.base import Outbox, RecordState, StoredBatch, TargetRecord, TargetRecords
from edge_agent.system.clock import Clock, clock_set, wait
from edge_contract import batch
from edge_contract.errors import BatchError

log = logging.getLogger(__name__)

BATCHES_AT_ONCE = 16
GRACE_MS = 5_000
"""How late a sample may come for its minute."""
LOOK_S = 1.0
"""How often the end of a minute is looked for where no batch comes."""
RETRY_S = 5.0
BASE = "minute"
"""Kind of what records are made of; never sent."""
PROGRESS = "progress"
ANYTHING = 0
"""Number of no point: whatever was read."""
MAX_SILENT_MINUTES = 24 * 60
MINUTES_STORED_MS = 2 * DAY_MS
"""Of minutes, and of real-time data that were sent late."""
MAX_STORED = 50_000
"""Records of a kind that were sent, for requests: about a month of one a minute, 25 MB with 10 factors."""
PAGE = 1500


class Progress(msgspec.Struct, frozen=True):
    """Minutes before ended_ms are stored, and carry holds at that time; read_seq ended the last one."""

    read_seq: int = 0
    ended_ms: int = 0
    carry: Carry = Carry()


class Collector:
    """on_read: takes the number of the last batch that was read, and up to which none is needed any more.
    on_refused: takes a batch that cannot be read, and why. on_added: takes records that wait since now.
    """

    def __init__(
        self,
        name: str,
        rules: Rules,
        parameters: Parameters,
        outbox: Outbox,
        records: TargetRecords,
        clock: Clock,
        commit_interval_s: float,
        keep_days: int,
        *,
        on_read: Callable[[int, int], None],
        on_refused: Callable[[str, str], None],
        on_added: Callable[[list[TargetRecord]], Awaitable[None]],
    ) -> None:
        self.on_read, self.on_refused, self.on_added = on_read, on_refused, on_added
        self.read_seq = outbox.position().upto_seq
        self._name = name
        self._rules = rules
        self._parameters = parameters
        self._outbox = outbox
        self._records = records
        self._clock = clock
        self._margin_ms = round(commit_interval_s * 2000) + 2 * GRACE_MS
        self._stored_ms = keep_days * DAY_MS
        self._points = frozenset(
            number
            for channel in rules.channels
            for number in (channel.point, channel.flow, channel.state)
            if number is not None
        ) | {one.point for one in rules.equipment}
        self._newest: dict[int, Sample] = {}
        self._progress = Progress()
        self._started_ms = 0
        self._late, self._was_late = 0, False
        self._looking = asyncio.Event()

    def realtime(self) -> tuple[int, Area]:
        """Time and area of real-time data of now; () without any."""
        return realtime_area(self._newest, self._progress.carry, self._rules, self._clock.now_ms())

    def states(self) -> tuple[int, Area]:
        """Time and area of the states of equipment now; () without any."""
        now_ms = self._clock.now_ms()
        return now_ms, states_area(self._newest, self._rules, now_ms)

    async def run(self, progress: bytes | None) -> None:
        """Until cancelled. progress: the note of an earlier start."""
        if progress is not None:
            self._progress = msgspec.json.decode(progress, type=Progress)
        self._started_ms = self._clock.now_ms()
        periods = Periods(Samples, MINUTE_MS, grace_ms=GRACE_MS, ended_ms=self._progress.ended_ms)
        while True:
            try:
                await self._step(periods)
            except StoreError as error:
                log.error("forwarder %s: %s; what was read is made again", self._name, error)
                await self._clock.sleep(RETRY_S)
                # nothing of it was passed: the batches are still there
                self.read_seq = self._outbox.position().upto_seq
                periods = Periods(Samples, MINUTE_MS, grace_ms=GRACE_MS, ended_ms=self._progress.ended_ms)

    async def _step(self, periods: Periods[Samples]) -> None:
        newest = self._outbox.state().next_seq - 1
        batches = await self._outbox.following(self.read_seq, BATCHES_AT_ONCE)
        for stored in batches:
            samples = list(self._samples(stored))
            ended, late = periods.collect(stored.seq, stored.t_ms, samples), periods.late
            self._take_newest(samples)
            is_late = late > self._late and stored.seq > self._progress.read_seq
            if is_late and not self._was_late:
                log.warning("forwarder %s: samples come for minutes that have ended", self._name)
            self._late, self._was_late = late, is_late
            await self._end(ended, periods.ended_ms, stored.seq)
            self.read_seq = stored.seq
        now_ms = self._clock.now_ms()
        if not batches:
            if clock_set(now_ms):
                ended = periods.end_before(now_ms - self._margin_ms)
                await self._end(ended, periods.ended_ms, self.read_seq)
            self.read_seq = max(self.read_seq, newest)
        self.on_read(self.read_seq, periods.needs_seq(self.read_seq))
        if not batches:
            await self._wait_more()

    async def _wait_more(self) -> None:
        """A moment, or until something is committed."""

        def look(new: asyncio.Future[None]) -> None:
            if not new.cancelled():
                self._looking.set()

        new = asyncio.ensure_future(self._outbox.wait_new(self.read_seq))
        new.add_done_callback(look)
        try:
            await wait(self._clock, self._looking, LOOK_S)
        finally:
            new.cancel()

    def _samples(self, stored: StoredBatch) -> Iterator[Sample]:
        """Of the points, and one of point 0 in each minute in which anything was read.

        None of a batch that the cloud asked for once more.
        """
        if self._outbox.travels_late(stored.seq):
            return
        try:
            _, columns = batch.decode(stored.payload)
        except BatchError as error:
            log.error("forwarder %s: batch %d cannot be read: %s", self._name, stored.seq, error)
            self.on_refused(f"batch {stored.seq}", str(error))
            return
        for column in columns:
            if column.point in self._points:
                for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True):
                    yield Sample(column.point, t_ms, value, Quality(quality))
        by_minute: dict[int, int] = {}
        for t_ms in {t_ms for column in columns for t_ms in column.t_ms}:
            by_minute[t_ms // MINUTE_MS] = max(t_ms, by_minute.get(t_ms // MINUTE_MS, 0))
        for t_ms in by_minute.values():
            yield Sample(ANYTHING, t_ms, None, Quality.NOT_YET_READ)

    def _take_newest(self, samples: Iterable[Sample]) -> None:
        for sample in samples:
            known = self._newest.get(sample.point)
            if known is None or known.t_ms <= sample.t_ms:
                self._newest[sample.point] = sample

    async def _end(self, ended: list[tuple[int, dict[int, Samples]]], ended_ms: int, read_seq: int) -> None:
        """Minutes and records up to ended_ms, where that is another time than before."""
        before_ms = self._progress.ended_ms
        if ended_ms == before_ms:
            return
        carry, made = self._progress.carry, dict[int, dict[str, Minute]]()
        by_begin = dict(ended)
        for begin_ms in self._begins(by_begin, before_ms, ended_ms):
            if begin_ms in by_begin or carry.troubles:
                made[begin_ms], carry = minute_of(begin_ms, by_begin.get(begin_ms, {}), self._rules, carry)
        rows = [
            TargetRecord(BASE, begin_ms, begin_ms + MINUTE_MS, msgspec.json.encode(minutes))
            for begin_ms, minutes in made.items()
            if minutes
        ]
        await self._records.put(self._name, rows, {})
        records = await self._made_records([row.t_ms for row in rows], before_ms, ended_ms)
        progress = Progress(read_seq, ended_ms, carry)
        await self._records.put(self._name, records, {PROGRESS: msgspec.json.encode(progress)})
        self._progress = progress
        if records:
            await self.on_added(records)
        if begin_of(ended_ms, HOUR_MS, 0) > before_ms:
            await self._forget(ended_ms)

    def _begins(self, by_begin: Mapping[int, object], before_ms: int, ended_ms: int) -> list[int]:
        """Minutes with samples, and those that passed while this process ran: a trouble may hold in them."""
        first = max(before_ms, self._started_ms, ended_ms - MAX_SILENT_MINUTES * MINUTE_MS)
        silent = range(begin_of(first + MINUTE_MS - 1, MINUTE_MS, 0), ended_ms, MINUTE_MS)
        return sorted(by_begin.keys() | set(silent))

    async def _made_records(self, begins: list[int], before_ms: int, ended_ms: int) -> list[TargetRecord]:
        """Of the periods that ended between the two times. begins: of minutes that were read."""
        records = []
        for kind in (MINUTES, HOUR, DAY, RUN_TIMES) if self._rules.equipment else (MINUTES, HOUR, DAY):
            periods = {self._period(kind, t_ms) for t_ms in (*begins, max(before_ms - 1, 0))}
            for begin_ms, end_ms in sorted(periods):
                if before_ms < end_ms <= ended_ms:
                    records += await self._record(kind, begin_ms, end_ms)
        return records

    def _period(self, kind: str, t_ms: int) -> tuple[int, int]:
        """Begin and end of the record's period; (0, 0) where none is made."""
        interval = self._parameters.report_interval_at(t_ms)
        if kind == MINUTES and not interval:
            return 0, 0
        length = length_ms(kind, interval)
        begin_ms = begin_of(t_ms, length, self._rules.offset_ms)
        return begin_ms, begin_ms + length

    async def _record(self, kind: str, begin_ms: int, end_ms: int) -> list[TargetRecord]:
        rows = await self._records.between(self._name, BASE, begin_ms, end_ms - 1, PAGE)
        minutes = {row.t_ms: msgspec.json.decode(row.payload, type=dict[str, Minute]) for row in rows}
        interval = self._parameters.report_interval_at(begin_ms)
        if kind == RUN_TIMES:
            area = run_time_area(begin_ms, minutes, self._rules)
        else:
            area = period_area(kind, begin_ms, minutes, self._rules, interval)
        return [TargetRecord(kind, begin_ms, end_ms, encoded(area), RecordState.WAITING)] if area else []

    async def _forget(self, now_ms: int) -> None:
        for kind in (BASE, REALTIME, STATES):
            await self._records.forget(self._name, kind, now_ms - MINUTES_STORED_MS)
        for kind in (MINUTES, HOUR, DAY, RUN_TIMES):
            interval = self._parameters.report_interval_at(now_ms) or 1
            stored_ms = min(self._stored_ms, MAX_STORED * length_ms(kind, interval))
            await self._records.forget(self._name, kind, now_ms - stored_ms)
