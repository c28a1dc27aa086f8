"""The store without a medium: the same rules in memory, for a gateway without flash and for tests."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from edge_agent.errors import StoreFull
from edge_agent.model import PointKey, RefusedBlock
from edge_agent.store.base import (
    END,
    LATE_REMEMBERED,
    MAX_OF_TARGET,
    Bound,
    Covered,
    OutboxState,
    Position,
    Store,
    StoredBatch,
    StoredRecord,
)
from edge_agent.store.cursors import PRIMARY, Cursor, Holding
from edge_agent.store.memory_rules import MemoryExchange, MemoryRules
from edge_agent.store.memory_target_records import MemoryTargetRecords
from edge_agent.store.memory_tasks import MemoryTasks
from edge_agent.store.view import View
from edge_agent.system.expiry import SteadyClock
from edge_contract.payloads import Command, CommandResult, Outcome
from edge_contract.ranges import Range, join, overlap

ROW_BYTES = 64  # what a batch costs beside its payload


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class MemoryOutbox(View):
    """store.base.BatchLog; capacity_bytes bounds payloads and their rows. Clocks: UTC in ms, seconds."""

    def __init__(
        self,
        capacity_bytes: int,
        now_ms: Callable[[], int] = _now_ms,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(self, PRIMARY)
        self._capacity = capacity_bytes
        self._now_ms = now_ms
        self._monotonic = monotonic
        self._steady = SteadyClock(now_ms(), monotonic())
        self._stream = secrets.token_hex(8)
        self._batches: dict[int, StoredBatch] = {}
        self._next_seq = 1
        self._used = 0
        self._holding = Holding()
        self._late: deque[int] = deque(maxlen=LATE_REMEMBERED)
        self._commit_event = asyncio.Event()

    async def attach(self, bounds: Sequence[Bound]) -> None:
        """store.base.Consumers; without a medium nobody is known from before."""
        for name in self._holding.cursors.keys() - {bound.name for bound in bounds} - {PRIMARY}:
            self.release(name, [(1, END)])
            rest = {other: one for other, one in self._holding.cursors.items() if other != name}
            self._holding = replace(self._holding, cursors=rest)
        for bound in bounds:
            cursor = self._holding.cursors.get(bound.name)
            if cursor is None:
                cursor = Cursor(bound.name, bound, 0 if bound.start == "oldest" else self._next_seq - 1)
                count, size = self._measured(cursor.needs([(1, END)]))
                cursor = replace(cursor, batches=count, payload_bytes=size)
            cursors = {**self._holding.cursors, bound.name: replace(cursor, bound=bound)}
            self._holding = replace(self._holding, cursors=cursors)

    def consumer(self, name: str) -> View:
        """KeyError when it is not attached."""
        self._holding.cursors[name]
        return View(self, name)

    def state_of(self, name: str) -> OutboxState:
        """State of a consumer."""
        cursor = self._holding.cursors[name]
        held = self.held(name, [(1, END)])
        return OutboxState(
            stream=self._stream,
            first_seq=held[0].seq if held else self._next_seq,
            next_seq=self._next_seq,
            batches=cursor.batches,
            payload_bytes=cursor.payload_bytes,
            evicted_batches=cursor.lost_batches,
            hours_left=None,
            pending_samples=0,
            full=False,
            evicted=cursor.lost,
        )

    async def append(self, batch: StoredBatch, catalog: str) -> None:
        """Store one batch; the oldest go when there is no space. Raises StoreFull when it is larger than the
        store.
        """
        size = len(batch.payload) + ROW_BYTES
        if size > self._capacity:
            raise StoreFull("the batch is larger than the whole store")
        while self._used + size > self._capacity:
            places = self._holding.spare(self._capacity) or [(1, END)]
            oldest = next(seq for seq in self._batches if _within(seq, places))
            for name in list(self._holding.cursors):
                self.release(name, [(oldest, oldest)], lost=True)
        self._batches[batch.seq] = batch
        if batch.late:
            self._late.append(batch.seq)
        self._used += size
        self._next_seq = batch.seq + 1
        self._holding = self._holding.added(len(batch.payload))
        self._keep_bounds()
        event, self._commit_event = self._commit_event, asyncio.Event()
        event.set()

    def _keep_bounds(self) -> None:
        """Move cursors on that keep more waiting, or for longer, than they may."""
        believed_ms = self._steady.believed_ms(self._now_ms(), self._monotonic())
        for name, cursor in self._holding.cursors.items():
            bound = cursor.bound
            excess = cursor.payload_bytes - bound.max_bytes if bound.max_bytes else 0
            before_ms = believed_ms - bound.max_age_s * 1000 if bound.max_age_s and believed_ms else 0
            if excess <= 0 and not before_ms:
                continue
            for batch in self.held(name, [(1, END)]):
                if excess <= 0 and batch.t_ms >= before_ms:
                    break
                self.release(name, [(batch.seq, batch.seq)], lost=True)
                excess -= len(batch.payload)

    async def read_for(self, name: str, ranges: Sequence[Range], limit: int) -> list[StoredBatch]:
        return self.held(name, ranges)[:limit]

    async def numbers_for(self, name: str, after_seq: int, limit: int) -> list[int]:
        return [batch.seq for batch in self.held(name, [(after_seq + 1, END)])[:limit]]

    async def forget_for(self, name: str, ranges: Sequence[Range]) -> int:
        return self.release(name, ranges)

    def passed_by(self, name: str, upto_seq: int, state: str) -> None:
        self.release(name, [(1, upto_seq)])
        self._holding = self._holding.changed(replace(self._holding.cursors[name], state=state))

    def position_of(self, name: str) -> Position:
        cursor = self._holding.cursors[name]
        return Position(cursor.upto_seq, cursor.state)

    def held(self, name: str, ranges: Sequence[Range]) -> list[StoredBatch]:
        """What a consumer needs, by rising number."""
        needed = self._holding.cursors[name].needs(ranges)
        return [batch for seq, batch in self._batches.items() if _within(seq, needed)]

    def release(self, name: str, ranges: Sequence[Range], *, lost: bool = False) -> int:
        """A consumer needs ranges no more; how many batches it needed of them."""
        cursor = self._holding.cursors[name]
        spans = cursor.needs(overlap(join(ranges), [(1, self._next_seq - 1)]))
        count, size = self._measured(spans)
        unneeded = self._holding.free(name, spans)
        gone = self._measured(unneeded)
        for seq in [seq for seq in self._batches if _within(seq, unneeded)]:
            self._used -= len(self._batches.pop(seq).payload) + ROW_BYTES
        cursor = cursor.passed(spans, count, size)
        self._holding = self._holding.changed(cursor.lost_too(spans, count) if lost else cursor, *gone)
        return count

    def _measured(self, ranges: Sequence[Range]) -> tuple[int, int]:
        sizes = [len(batch.payload) for seq, batch in self._batches.items() if _within(seq, ranges)]
        return len(sizes), sum(sizes)

    def is_late(self, seq: int) -> bool:
        return seq in self._late

    async def wait_commit(self, after_seq: int) -> None:
        while self._next_seq - 1 <= after_seq:
            await self._commit_event.wait()


def _within(seq: int, ranges: Sequence[Range]) -> bool:
    return any(first <= seq <= last for first, last in ranges)


@dataclass
class _Entry:
    command: Command
    result: CommandResult | None = None
    acknowledged: bool = False
    unsettled: bool = False


@dataclass
class MemoryJournal:
    """store.base.CommandJournal. others: of targets, by name."""

    _entries: dict[str, _Entry] = field(default_factory=dict)
    _others: dict[str, MemoryJournal] = field(default_factory=dict)
    _max_entries: int | None = None

    def of_source(self, source: str) -> MemoryJournal:
        return self._others.setdefault(source, MemoryJournal(_max_entries=MAX_OF_TARGET))

    async def begin(self, command: Command, t_ms: int) -> bool:
        if command.id in self._entries:
            return False
        self._entries[command.id] = _Entry(command)
        if self._max_entries is not None:
            beyond = list(self._entries.items())[: -self._max_entries]
            for command_id in [command_id for command_id, entry in beyond if entry.result is not None]:
                del self._entries[command_id]
        return True

    async def finish(self, result: CommandResult) -> None:
        entry = self._entries.get(result.id)
        if entry is not None:
            entry.result, entry.acknowledged = result, False
            entry.unsettled = result.outcome is Outcome.UNKNOWN

    async def command(self, command_id: str) -> Command | None:
        entry = self._entries.get(command_id)
        return entry.command if entry else None

    async def result(self, command_id: str) -> CommandResult | None:
        entry = self._entries.get(command_id)
        return entry.result if entry else None

    async def unfinished(self) -> list[Command]:
        return [entry.command for entry in self._entries.values() if entry.result is None]

    async def unsettled(self, limit: int) -> list[tuple[Command, CommandResult]]:
        entries = [entry for entry in self._entries.values() if entry.unsettled]
        return [(entry.command, entry.result) for entry in entries if entry.result is not None][-limit:]

    async def leave_unsettled(self, command_id: str) -> None:
        entry = self._entries.get(command_id)
        if entry is not None:
            entry.unsettled = False

    async def unacknowledged(self, limit: int) -> list[CommandResult]:
        waiting = [e.result for e in self._entries.values() if e.result is not None and not e.acknowledged]
        return waiting[:limit]

    async def reopen(self, command_id: str) -> None:
        self._mark([command_id], acknowledged=False)

    async def acknowledged(self, command_ids: Sequence[str]) -> None:
        self._mark(command_ids, acknowledged=True)

    def _mark(self, command_ids: Sequence[str], *, acknowledged: bool) -> None:
        for command_id in command_ids:
            entry = self._entries.get(command_id)
            if entry is not None and entry.result is not None:
                entry.acknowledged = acknowledged


@dataclass
class MemoryPointNumbers:
    """store.base.PointNumbers."""

    _numbers: dict[PointKey, int] = field(default_factory=dict)

    async def assign(self, keys: Sequence[PointKey]) -> dict[PointKey, int]:
        return {key: self._numbers.setdefault(key, len(self._numbers) + 1) for key in keys}


@dataclass
class MemoryCatalogs:
    """store.base.Catalogs."""

    _payloads: dict[str, bytes] = field(default_factory=dict)

    async def keep(self, catalog: str, payload: bytes) -> None:
        self._payloads[catalog] = payload

    async def payload(self, catalog: str) -> bytes | None:
        return self._payloads.get(catalog)


@dataclass
class MemoryPlans:
    """store.base.PlanMemory."""

    _by_slave: dict[str, tuple[str, list[RefusedBlock]]] = field(default_factory=dict)

    async def recall(self, slave: str, digest: str) -> list[RefusedBlock]:
        known, refused = self._by_slave.get(slave, ("", []))
        return refused if known == digest else []

    async def keep(self, slave: str, digest: str, refused: Sequence[RefusedBlock]) -> None:
        self._by_slave[slave] = digest, list(refused)


@dataclass
class MemoryCollection:
    """store.base.CollectionLog."""

    _covered: Covered = field(default_factory=Covered)
    _records: dict[int, StoredRecord] = field(default_factory=dict)

    async def covered(self) -> Covered:
        return self._covered

    async def put(
        self, record: StoredRecord, to_ms: int, ended: str, per_hour: Mapping[str, float], max_bytes: int
    ) -> None:
        self._records[record.seq] = record
        self._covered = Covered(record.seq + 1, to_ms, ended, dict(per_hour))
        while len(self._records) > 1 and sum(len(one.payload) for one in self._records.values()) > max_bytes:
            del self._records[min(self._records)]

    async def following(self, after_seq: int, before_seq: int, limit: int) -> list[StoredRecord]:
        return [self._records[seq] for seq in sorted(self._records) if after_seq < seq < before_seq][:limit]

    async def forget(self, upto_seq: int) -> None:
        self._records = {seq: record for seq, record in self._records.items() if seq > upto_seq}


def open_memory(
    capacity_bytes: int,
    now_ms: Callable[[], int] = _now_ms,
    monotonic: Callable[[], float] = time.monotonic,
) -> Store:
    """A store that is gone with the process."""
    return Store(
        MemoryOutbox(capacity_bytes, now_ms, monotonic),
        MemoryJournal(),
        MemoryPointNumbers(),
        MemoryCatalogs(),
        MemoryPlans(),
        MemoryCollection(),
        MemoryRules(),
        MemoryExchange(),
        MemoryTasks(),
        MemoryTargetRecords(),
    )
