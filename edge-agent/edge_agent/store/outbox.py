"""The outbox on SQLite: batches in a ring, deleted when every consumer has acknowledged them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import sqlite3
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from edge_agent.errors import StoreFull
from edge_agent.store import batch_rows, consumer_rows
from edge_agent.store.base import (
    END,
    LATE_REMEMBERED,
    MAX_EVICTED_RANGES,
    Bound,
    OutboxState,
    Position,
    StoredBatch,
)
from edge_agent.store.cursors import PRIMARY, Cursor, Holding
from edge_agent.store.database import Database, to_the_end
from edge_agent.store.fill_rate import FillRate
from edge_agent.store.reserve_file import ReserveFile
from edge_agent.store.view import View
from edge_agent.system.expiry import SteadyClock
from edge_contract.ranges import Range, join, overlap

log = logging.getLogger(__name__)

EVICT_AT_ONCE = 500  # rows looked at in one eviction
EVICT_SHARE = 256  # one eviction frees at least this part of the capacity
EVICTED_ROWS = 1000  # ranges stored as evidence


class SqliteOutbox(View):
    """store.base.BatchLog on a Database; itself the primary's view. now_ms, monotonic: the agent's clocks."""

    def __init__(
        self,
        database: Database,
        reserve_file: ReserveFile,
        now_ms: Callable[[], int],
        monotonic: Callable[[], float],
    ) -> None:
        super().__init__(self, PRIMARY)
        self._database = database
        self._reserve_file = reserve_file
        self._now_ms = now_ms
        self._monotonic = monotonic
        self._steady = SteadyClock(now_ms(), monotonic())
        self._rate = FillRate()
        self._commit_event = asyncio.Event()
        self._stream = ""
        self._next_seq = 1
        self._used_pages = 0
        self._first: dict[str, int] = {}
        self._passed: Mapping[str, Position] = {}
        self._holding = Holding()
        self._losing: set[str] = set()
        self._late: deque[int] = deque(maxlen=LATE_REMEMBERED)
        database.free_space = self._free_space

    async def open(self) -> None:
        """Find the stream, or begin one; read cursors and counters."""
        rows = await self._database.read("SELECT id, next_seq, evicted_batches FROM stream")
        if not rows:
            rows = [(secrets.token_hex(8), 1, 0)]
            first = rows[0]

            def begin(connection: sqlite3.Connection) -> None:
                connection.execute("INSERT INTO stream VALUES (?, ?, ?)", first)

            await self._database.write(begin)
        self._stream, self._next_seq, evicted = rows[0]
        sql = "SELECT first_seq, last_seq FROM evicted ORDER BY first_seq DESC LIMIT ?"
        newest = await self._database.read(sql, (MAX_EVICTED_RANGES,))

        def load(connection: sqlite3.Connection) -> Holding:
            stored = consumer_rows.load(connection)
            primary = replace(
                stored.pop(PRIMARY, Cursor(PRIMARY, Bound(PRIMARY))),
                lost_batches=evicted,
                lost=tuple((first, last) for first, last in reversed(newest)),
            )
            cursors = {PRIMARY: primary, **stored}
            for name, cursor in cursors.items():
                batches, size = batch_rows.measured(connection, cursor.needs([(1, END)]))
                cursors[name] = replace(cursor, batches=batches, payload_bytes=size)
            return Holding(cursors, *batch_rows.measured(connection, [(1, END)]))

        await self._change(load, self._take, durable=False)
        self._reserve_file.hold()

    def consumer(self, name: str) -> View:
        """KeyError when it is not attached."""
        self._holding.cursors[name]
        return View(self, name)

    async def attach(self, bounds: Sequence[Bound]) -> None:
        """store.base.Consumers."""
        await to_the_end(self._attach(bounds))

    async def _attach(self, bounds: Sequence[Bound]) -> None:
        if not bounds and not self._holding.is_shared:
            return
        named = {bound.name for bound in bounds}

        def work(connection: sqlite3.Connection) -> Holding:
            holding = self._holding
            for name in holding.cursors.keys() - named - {PRIMARY}:
                holding = self._release(connection, holding, name, [(1, END)])
                rest = {other: one for other, one in holding.cursors.items() if other != name}
                holding = replace(holding, cursors=rest)
            for bound in bounds:
                cursor = holding.cursors.get(bound.name)
                if cursor is None:
                    begin = 0 if bound.start == "oldest" else self._next_seq - 1
                    cursor = Cursor(bound.name, bound, begin)
                    batches, size = batch_rows.measured(connection, cursor.needs([(1, END)]))
                    cursor = replace(cursor, batches=batches, payload_bytes=size)
                holding = replace(
                    holding, cursors={**holding.cursors, bound.name: replace(cursor, bound=bound)}
                )
            consumer_rows.replace_all(connection, holding)
            return holding

        await self._change(work, self._take)

    async def _change(
        self,
        work: Callable[[sqlite3.Connection], Holding],
        committed: Callable[[Holding], None],
        *,
        durable: bool = True,
    ) -> None:
        """One transaction, and what only the file knows then: in one way to its thread and back."""

        def with_look(connection: sqlite3.Connection) -> tuple[Holding, batch_rows.Look]:
            holding = work(connection)
            needed = {name: cursor.needs([(1, END)]) for name, cursor in holding.cursors.items()}
            return holding, batch_rows.look(connection, needed)

        def take(answer: tuple[Holding, batch_rows.Look]) -> None:
            committed(answer[0])
            self._used_pages, self._first = answer[1]
            self._rate.observe(self._monotonic(), self._used_pages)
            self._losing &= self._first.keys()

        await self._database.write(with_look, durable=durable, committed=take)

    def _take(self, holding: Holding) -> None:
        self._holding = holding
        self._passed = {name: one for name, one in self._passed.items() if name in holding.cursors}

    def state_of(self, name: str) -> OutboxState:
        """As one consumer sees it; the time left is the store's."""
        cursor = self._holding.cursors[name]
        hours = self._rate.hours_left(self._monotonic(), self._used_pages, self._database.max_pages)
        return OutboxState(
            stream=self._stream,
            first_seq=self._first.get(name, self._next_seq),
            next_seq=self._next_seq,
            batches=cursor.batches,
            payload_bytes=cursor.payload_bytes,
            evicted_batches=cursor.lost_batches,
            hours_left=hours,
            pending_samples=0,
            full=False,
            evicted=cursor.lost,
        )

    async def append(self, batch: StoredBatch, catalog: str) -> None:
        """Commit the next batch; sequence number and waiting cursors move in the same transaction."""
        await to_the_end(self._append(batch, catalog))

    async def _append(self, batch: StoredBatch, catalog: str) -> None:
        row = batch.seq, batch.t_ms, batch.samples, catalog, batch.payload

        def work(connection: sqlite3.Connection) -> Holding:
            holding = self._with_passed(connection, self._holding)
            sql = "INSERT INTO batch (seq, t_ms, samples, catalog, payload) VALUES (?, ?, ?, ?, ?)"
            connection.execute(sql, row)
            connection.execute("UPDATE stream SET next_seq = ?", (batch.seq + 1,))
            holding = self._bound(connection, holding.added(len(batch.payload)))
            consumer_rows.update(connection, self._holding, holding)
            return holding

        def committed(holding: Holding) -> None:
            self._next_seq = batch.seq + 1
            self._note_losses(self._holding, holding)
            self._holding = holding

        await self._change(work, committed)
        if batch.late:
            self._late.append(batch.seq)
        if self._reserve_file.hold():
            await self._database.grow()
        event, self._commit_event = self._commit_event, asyncio.Event()
        event.set()

    async def read_for(self, name: str, ranges: Sequence[Range], limit: int) -> list[StoredBatch]:
        """Batches within ranges that a consumer needs, by rising number."""
        needed = self._needed(name, ranges)
        return await self._database.look(lambda connection: batch_rows.read(connection, needed, limit))

    async def numbers_for(self, name: str, after_seq: int, limit: int) -> list[int]:
        """Numbers beyond one that a consumer needs."""
        needed = self._needed(name, [(after_seq + 1, END)])
        return await self._database.look(lambda connection: batch_rows.numbers(connection, needed, limit))

    def _needed(self, name: str, ranges: Sequence[Range]) -> list[Range]:
        return self._holding.cursors[name].needs(ranges)

    async def forget_for(self, name: str, ranges: Sequence[Range]) -> int:
        """A consumer's acknowledgement, in a transaction of its own."""
        return await to_the_end(self._forget(name, ranges))

    async def _forget(self, name: str, ranges: Sequence[Range]) -> int:
        def work(connection: sqlite3.Connection) -> Holding:
            spans = overlap(join(ranges), [(1, self._next_seq - 1)])
            holding = self._release(connection, self._holding, name, spans)
            holding = self._with_passed(connection, holding)
            consumer_rows.update(connection, self._holding, holding)
            return holding

        forgotten = 0

        def committed(holding: Holding) -> None:
            nonlocal forgotten
            forgotten = self._holding.cursors[name].batches - holding.cursors[name].batches
            self._holding = holding

        await self._change(work, committed, durable=False)
        return forgotten

    def passed_by(self, name: str, upto_seq: int, state: str) -> None:
        """A consumer's acknowledgement with the next commit."""
        if name in self._holding.cursors:
            position = Position(min(upto_seq, self._next_seq - 1), state)
            self._passed = {**self._passed, name: position}  # the thread may be at the one before

    def position_of(self, name: str) -> Position:
        """What waits for the next commit counts: it will be written before anything is deleted by it."""
        if (passed := self._passed.get(name)) is not None:
            return passed
        cursor = self._holding.cursors[name]
        return Position(cursor.upto_seq, cursor.state)

    async def write_cursors(self) -> None:
        """Write the cursors that wait for a commit: at the end."""
        if any(name in self._holding.cursors for name in self._passed):
            with contextlib.suppress(StoreFull):
                await self.forget_for(PRIMARY, [])

    def _with_passed(self, connection: sqlite3.Connection, holding: Holding) -> Holding:
        for name, position in self._passed.items():
            if name in holding.cursors:
                if position.upto_seq > holding.cursors[name].upto_seq:
                    holding = self._release(connection, holding, name, [(1, position.upto_seq)])
                holding = holding.changed(replace(holding.cursors[name], state=position.state))
        return holding

    def _release(
        self,
        connection: sqlite3.Connection,
        holding: Holding,
        name: str,
        ranges: Sequence[Range],
        *,
        lost: bool = False,
    ) -> Holding:
        """A consumer needs ranges no more; what nobody needs is deleted."""
        cursor = holding.cursors[name]
        spans = cursor.needs(ranges)
        count, size = batch_rows.measured(connection, spans)
        unneeded = holding.free(name, spans)
        gone = (count, size) if unneeded == spans else batch_rows.measured(connection, unneeded)
        batch_rows.delete(connection, unneeded)
        cursor = cursor.passed(spans, count, size)
        return holding.changed(cursor.lost_too(spans, count) if lost else cursor, *gone)

    def _bound(self, connection: sqlite3.Connection, holding: Holding) -> Holding:
        """Move cursors on that keep more waiting than they may."""
        if not holding.is_shared:
            return holding
        believed_ms = self._steady.believed_ms(self._now_ms(), self._monotonic())
        for cursor in list(holding.cursors.values()):
            bound = cursor.bound
            excess = cursor.payload_bytes - bound.max_bytes if bound.max_bytes else 0
            before_ms = believed_ms - bound.max_age_s * 1000 if bound.max_age_s and believed_ms else 0
            if excess <= 0 and not before_ms:
                continue
            last = 0
            for seq, t_ms, size in batch_rows.oldest(connection, cursor.needs([(1, END)]), EVICT_AT_ONCE):
                if excess <= 0 and t_ms >= before_ms:
                    break
                last, excess = seq, excess - size
            if last:
                spans = cursor.needs([(max(cursor.upto_seq, 1), last)])
                holding = self._release(connection, holding, cursor.name, spans, lost=True)
        return holding

    def _note_losses(self, before: Holding, after: Holding) -> None:
        """Say once that a consumer loses batches, until nothing waits for it."""
        for name, cursor in after.cursors.items():
            known = before.cursors.get(name, cursor)
            if name != PRIMARY and cursor.lost_batches > known.lost_batches and name not in self._losing:
                self._losing.add(name)
                log.warning(
                    "forwarder %s: more waits than it may keep: the oldest batches are lost to it", name
                )
            elif cursor.batches == 0:
                self._losing.discard(name)

    def is_late(self, seq: int) -> bool:
        """Whether a batch was stored as late, as far as this process remembers."""
        return seq in self._late

    async def wait_commit(self, after_seq: int) -> None:
        """Return when a batch with a higher number has been committed."""
        while self._next_seq - 1 <= after_seq:
            await self._commit_event.wait()

    async def _free_space(self) -> None:
        """Evict and use what that frees. Deleting writes too: use the log's space, then the reserve's."""
        for remedy in (self._database.checkpoint, self._give_up_reserve_file, None):
            try:
                await self._evict()
                break
            except StoreFull:
                if remedy is None:
                    raise
                with contextlib.suppress(StoreFull):
                    await remedy()
        await self._database.stop_growing()

    async def _give_up_reserve_file(self) -> None:
        if self._reserve_file.release():
            log.warning("the medium is full: the reserve file is given up so that old batches can be deleted")
            await self._database.checkpoint()

    async def _evict(self) -> None:
        """Delete the oldest batches in one transaction that counts them for everybody who needed them."""
        capacity = self._database.max_pages * self._database.page_bytes
        wanted = max(capacity // EVICT_SHARE, 64 * 1024)

        def work(connection: sqlite3.Connection) -> Holding:
            """Raises StoreFull when no batch is left to evict."""
            holding = self._holding
            places = holding.spare(capacity) or [(1, END)]
            rows = batch_rows.oldest(connection, places, EVICT_AT_ONCE)
            if not rows:
                raise StoreFull("no room, and no batch is left to evict")
            count = size = 0
            while count < len(rows) and size < wanted:
                size += rows[count][2]
                count += 1
            gone = overlap(places, [(rows[0][0], rows[count - 1][0])])
            for name in list(holding.cursors):
                holding = self._release(connection, holding, name, gone, lost=True)
            batch_rows.delete(connection, gone)
            evicted = holding.primary.lost_batches - self._holding.primary.lost_batches
            if evicted:
                sql = "UPDATE stream SET evicted_batches = evicted_batches + ?"
                connection.execute(sql, (evicted,))
                for first, last in self._holding.primary.needs(gone):
                    self._note_evicted(connection, first, last)
            consumer_rows.update(connection, self._holding, holding)
            return holding

        def committed(holding: Holding) -> None:
            if holding.primary.lost_batches > self._holding.primary.lost_batches:
                if PRIMARY not in self._losing:
                    log.warning(
                        "the outbox is full: the oldest batches are dropped unsent, counted in the pulse"
                    )
                self._losing.add(PRIMARY)
            self._note_losses(self._holding, holding)
            self._holding = holding

        await self._database.attempt(work, durable=True, committed=committed)

    def _note_evicted(self, connection: sqlite3.Connection, first: int, last: int) -> None:
        """Extend the newest range when this one follows it, else add one; the evidence is bounded."""
        t_ms = self._now_ms()
        sql = "UPDATE evicted SET last_seq = ?, t_ms = ? WHERE last_seq = ?"
        cursor = connection.execute(sql, (last, t_ms, first - 1))
        if cursor.rowcount == 0:
            connection.execute("INSERT INTO evicted VALUES (?, ?, ?)", (first, last, t_ms))
            connection.execute(
                "DELETE FROM evicted WHERE first_seq IN"
                " (SELECT first_seq FROM evicted ORDER BY first_seq DESC LIMIT -1 OFFSET ?)",
                (EVICTED_ROWS,),
            )
