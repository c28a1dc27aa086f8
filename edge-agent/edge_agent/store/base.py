"""Interface of the store: the one place between collecting and forwarding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, Protocol

from edge_agent.model import PointKey, RefusedBlock, Row
from edge_agent.store.task_log import TaskLog
from edge_contract.edge_rules import RuleEvent
from edge_contract.payloads import Command, CommandResult

END = 2**63 - 1
"""The highest number that SQLite holds; no batch has it."""

MAX_EVICTED_RANGES = 100
"""Ranges of evicted batches that the pulse names, in any store."""

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""Of events of rules (C-169); the oldest go, those first that the cloud holds."""

ACKNOWLEDGED_EVENTS = 200
"""The newest events stay for the gateway's own page."""

MAX_OF_TARGET = 5000
"""Commands of one target that are remembered; of more the oldest go, with their results."""

LATE_REMEMBERED = 1000
"""Late batches of this process; far fewer are on their way at a time."""


@dataclass(frozen=True)
class StoredBatch:
    """One batch as it is sent: the payload is never encoded again. late: to travel as history."""

    seq: int
    t_ms: int
    samples: int
    payload: bytes
    late: bool = False


@dataclass(frozen=True)
class OutboxState:
    """How full the outbox is. hours_left: until it is full at the current rate, None if it does not fill."""

    stream: str
    first_seq: int  # oldest batch held, next_seq when none
    next_seq: int
    batches: int
    payload_bytes: int
    evicted_batches: int
    hours_left: float | None
    pending_samples: int  # in memory, not yet committed
    full: bool  # the medium refused the last commit
    dropped_samples: int = 0  # never committed: memory was full too, or no batch can carry them
    evicted: tuple[tuple[int, int], ...] = ()  # numbers of evicted batches, the newest ranges, rising
    written_bytes_day: int | None = None  # by the whole agent to its media at the present rate


@dataclass(frozen=True)
class Bound:
    """How much a consumer may keep waiting; beyond it its cursor moves on, and what it missed is counted.

    max_bytes: of payload; max_age_s: by the batch's commit; 0: only the store's own bound.
    start: where a consumer begins that the store does not know.
    """

    name: str
    max_bytes: int = 0
    max_age_s: int = 0
    start: Literal["end", "oldest"] = "end"


@dataclass(frozen=True)
class Position:
    """upto_seq: the consumer needs nothing up to here. state: what it gave with that."""

    upto_seq: int
    state: str


class SampleSink(Protocol):
    """What the collecting side sees of the store."""

    def put(self, row: Row) -> None:
        """Take a row into memory (bounded; the oldest go first, counted). Never blocks."""


class Outbox(Protocol):
    """What one forwarder sees of the store: the batches that it needs. The others' cursors do not show."""

    def state(self) -> OutboxState:
        """evicted: also what was moved past by the consumer's own bound."""

    async def following(self, after_seq: int, limit: int) -> list[StoredBatch]:
        """Batches with seq > after_seq, by rising seq."""

    async def numbers(self, after_seq: int, limit: int) -> list[int]:
        """Sequence numbers held that are higher, rising; cheaper than following, which reads payloads."""

    async def read(self, ranges: Sequence[tuple[int, int]], limit: int) -> list[StoredBatch]:
        """Batches held within inclusive ranges, by rising seq."""

    async def forget(self, ranges: Sequence[tuple[int, int]]) -> int:
        """Acknowledged: needed no more. How many were; unknown numbers are ignored.

        Deleted is what no other consumer needs.
        """

    def passed(self, upto_seq: int, state: str = "") -> None:
        """Acknowledged up to here; written with the next commit, so that it costs none of its own.

        state: what the consumer wants to find beside its cursor at the next start; small.
        """

    def position(self) -> Position:
        """As it was last given, or is stored from an earlier start."""

    def travels_late(self, seq: int) -> bool:
        """Whether a batch of this process was appended as late."""

    async def wait_new(self, after_seq: int) -> None:
        """Return when a batch with a higher number has been committed."""


class Consumers(Protocol):
    """Who reads batches beside the cloud."""

    async def attach(self, bounds: Sequence[Bound]) -> None:
        """These and no others: a consumer that is not named holds nothing back any more."""

    def consumer(self, name: str) -> Outbox:
        """The view of one that is attached."""


class BatchLog(Outbox, Consumers, Protocol):
    """What the committer sees of the store: the cloud's outbox, and the writing end of everybody's."""

    async def append(self, batch: StoredBatch, catalog: str) -> None:
        """Commit the batch of number state().next_seq durably, evicting the oldest when full.

        Once begun it finishes even if the caller is cancelled. StoreFull when the medium has no space at all.
        """


class CommandJournal(Protocol):
    """At-most-once memory of the commands of one source: the cloud, or a target that may write."""

    def of_source(self, source: str) -> CommandJournal:
        """That of another one, which is bounded (MAX_OF_TARGET). source: the name of a target."""

    async def begin(self, command: Command, t_ms: int) -> bool:
        """True when this id was never seen; durable before it returns."""

    async def finish(self, result: CommandResult) -> None:
        """Keep a result until it is acknowledged; of one that is resolved the resolution takes its place."""

    async def command(self, command_id: str) -> Command | None:
        """A command that was begun."""

    async def result(self, command_id: str) -> CommandResult | None:
        """The result of a command; None while it has none."""

    async def unfinished(self) -> list[Command]:
        """Commands that were begun and have no result."""

    async def unsettled(self, limit: int) -> list[tuple[Command, CommandResult]]:
        """Commands whose outcome is unknown, and is looked for, oldest first."""

    async def leave_unsettled(self, command_id: str) -> None:
        """Its outcome is looked for no longer."""

    async def unacknowledged(self, limit: int) -> list[CommandResult]:
        """Results that the cloud has not confirmed, oldest first."""

    async def reopen(self, command_id: str) -> None:
        """Count a result as unacknowledged again: the cloud asked for it once more."""

    async def acknowledged(self, command_ids: Sequence[str]) -> None:
        """The cloud holds the results of these commands. Raises StoreFull."""


class PointNumbers(Protocol):
    """Numbers of points in batches; never used twice."""

    async def assign(self, keys: Sequence[PointKey]) -> dict[PointKey, int]:
        """Number of each point, the same for ever; new points get the next ones. Raises StoreFull."""


class Catalogs(Protocol):
    """Catalogs by hash, stored while a stored batch refers to them: the cloud may ask for an old one."""

    async def keep(self, catalog: str, payload: bytes) -> None:
        """Remember the catalog in force and forget those that no batch refers to."""

    async def payload(self, catalog: str) -> bytes | None:
        """Bytes of a catalog by its hash; None when it is not stored."""


class PlanMemory(Protocol):
    """What was learned about a slave's refusals, valid for one configuration of it (digest)."""

    async def recall(self, slave: str, digest: str) -> list[RefusedBlock]:
        """Nothing when the configuration has changed."""

    async def keep(self, slave: str, digest: str, refused: Sequence[RefusedBlock]) -> None:
        """Store the blocks that a slave refused, in place of earlier ones. Raises StoreFull."""


@dataclass(frozen=True)
class StoredRecord:
    """A record of collection as it is sent (JSON). span_ms: the time that it covers."""

    seq: int
    span_ms: int
    payload: bytes


@dataclass(frozen=True)
class Covered:
    """Up to when records cover the time, 0 for never, and how the last agent ended (empty: it did not say).

    per_hour: what that agent was to read of each slave.
    """

    next_seq: int = 1
    to_ms: int = 0
    ended: str = ""
    per_hour: dict[str, float] = field(default_factory=dict)


class CollectionLog(Protocol):
    """Records of collection until the cloud has them."""

    async def covered(self) -> Covered:
        """Up to when, in UTC milliseconds, records were written, and the next number."""

    async def put(
        self, record: StoredRecord, to_ms: int, ended: str, per_hour: Mapping[str, float], max_bytes: int
    ) -> None:
        """Keep a record, in place of what it has grown from; the oldest go beyond max_bytes. StoreFull."""

    async def following(self, after_seq: int, before_seq: int, limit: int) -> list[StoredRecord]:
        """Records between two numbers, without them, by rising number."""

    async def forget(self, upto_seq: int) -> None:
        """Delete the records up to this number."""


@dataclass(frozen=True)
class HeldRules:
    """JSON of edge_contract: Rules without a state, and the EngineState that belongs to them."""

    rules: bytes
    state: bytes


@dataclass(frozen=True)
class StoredLinkage:
    """Writes that a transition has brought about. begun: never again, whatever happens."""

    number: int
    linkage: bytes
    begun: bool


class RuleLog(Protocol):
    """Rules that the gateway evaluates, their state and their events. Writes raise StoreFull."""

    async def held(self) -> HeldRules | None:
        """None: there never were any."""

    async def replace(self, held: HeldRules, events: Sequence[RuleEvent]) -> None:
        """Other rules, with what that ends, in one transaction."""

    async def record(self, state: bytes, events: Sequence[RuleEvent], linkages: Sequence[bytes]) -> list[int]:
        """A state with what came of it, in one transaction; the numbers of the linkages. Without events and
        linkages it becomes durable with the next batch's commit.
        """

    async def waiting(self, limit: int) -> list[RuleEvent]:
        """What the cloud does not hold, the oldest first."""

    async def newest(self, limit: int) -> list[RuleEvent]:
        """The newest first, those that the cloud holds too."""

    async def dropped(self) -> int:
        """Events that went unsent, because too many waited."""

    async def acknowledged(self, upto_seq: int) -> None:
        """The cloud holds the events up to this number."""

    async def change_waiting(self, change: Callable[[RuleEvent], RuleEvent]) -> None:
        """Put another event in the place of each that waits."""

    async def linkages(self) -> list[StoredLinkage]:
        """Those that have not ended, the oldest first."""

    async def begin_linkage(self, number: int) -> None:
        """Durable before it returns."""

    async def end_linkage(self, number: int, event: RuleEvent) -> None:
        """What came of it takes its place."""


@dataclass(frozen=True)
class HeldExchange:
    """JSON: ExchangeRules without states, and what each rule did last."""

    rules: bytes
    state: bytes


class ExchangeLog(Protocol):
    """Rules of data exchange that the gateway runs, and what each did last. Writes raise StoreFull."""

    async def held(self) -> HeldExchange | None:
        """None: there never were any."""

    async def replace(self, held: HeldExchange) -> None:
        """Other rules, durable before it returns."""

    async def note(self, state: bytes) -> None:
        """Another state of the same rules; it becomes durable with the next batch's commit."""


class RecordState(IntEnum):
    """Of a record of a forwarder. STORED: never to be sent. DROPPED: not sent, and never will be."""

    STORED = 0
    WAITING = 1
    DELIVERED = 2
    DROPPED = 3


@dataclass(frozen=True)
class TargetRecord:
    """What a forwarder makes of batches for one period. kind: its own; t_ms, due_ms: begin and end, UTC."""

    kind: str
    t_ms: int
    due_ms: int
    payload: bytes
    state: RecordState = RecordState.STORED


class TargetRecords(Protocol):
    """Records and notes of forwarders, by the name of a consumer. Writes raise StoreFull.

    They are forgotten when it is detached.
    """

    async def put(self, name: str, records: Sequence[TargetRecord], notes: Mapping[str, bytes]) -> None:
        """In one transaction; a record that is there already stays as it is, a note is replaced."""

    async def note(self, name: str, notes: Mapping[str, bytes]) -> None:
        """Notes alone, durable before it returns."""

    async def notes(self, name: str) -> dict[str, bytes]:
        """Every note."""

    async def waiting(self, name: str, limit: int) -> list[TargetRecord]:
        """Records that wait to be sent, by rising due_ms."""

    async def count_waiting(self, name: str) -> int:
        """How many wait."""

    async def between(self, name: str, kind: str, from_ms: int, to_ms: int, limit: int) -> list[TargetRecord]:
        """Records of a kind in [from_ms, to_ms], the oldest first."""

    async def mark(self, name: str, kind: str, t_ms: int, state: RecordState) -> None:
        """Another state of one record."""

    async def give_up(self, name: str, keep: int) -> list[TargetRecord]:
        """Drop the oldest that wait, so that so many are kept; those that were dropped."""

    async def forget(self, name: str, kind: str, before_ms: int) -> None:
        """Delete records of a kind that are older and do not wait."""


@dataclass(frozen=True)
class Store:
    """The parts of one opened store; they share one file."""

    outbox: BatchLog
    journal: CommandJournal
    numbers: PointNumbers
    catalogs: Catalogs
    plans: PlanMemory
    collection: CollectionLog
    rules: RuleLog
    exchange: ExchangeLog
    tasks: TaskLog
    target_records: TargetRecords
