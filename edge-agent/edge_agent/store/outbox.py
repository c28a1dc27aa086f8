"""The outbox on SQLite: batches in a ring, deleted when every consumer has acknowledged them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

import aiosqlite

from edge_agent.errors import StoreFull
from edge_agent.store import consumer_rows
from edge_agent.store.base import (
    END,
    EVICTED_TOLD,
    LATE_REMEMBERED,
    Bound,
    OutboxState,
    Position,
    StoredBatch,
)
from edge_agent.store.batch_rows import delete, following_numbers, measured, oldest, read_batches
from edge_agent.store.cursors import PRIMARY, Cursor, Holding
from edge_agent.store.database import PAGE_BYTES, Database, to_the_end
from edge_agent.store.fill_rate import FillRate
from edge_agent.store.reserve_file import ReserveFile
from edge_agent.store.view import View
from edge_agent.system.expiry import SteadyClock
from edge_contract.ranges import Range, join, overlap

log = logging.getLogger(__name__)

EVICT_AT_ONCE = 500  # rows looked at in one eviction
EVICT_SHARE = 256  # one eviction frees at least this part of the capacity
EVICTED_ROWS = 1000  # ranges kept as evidence


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
        self._news = asyncio.Event()
        self._stream = ""
        self._next_seq = 1
        self._used_pages = 0
        self._first: dict[str, int] = {}
        self._passed: dict[str, Position] = {}
        self._holding = Holding()
        self._losing: set[str] = set()
        self._late: deque[int] = deque(maxlen=LATE_REMEMBERED)
        database.make_room = self._make_room

    async def open(self) -> None:
        """Find the stream, or begin one; read cursors and counters."""
        rows = await self._database.read("SELECT id, next_seq, evicted_batches FROM stream")
        if not rows:
            rows = [(secrets.token_hex(8), 1, 0)]
            first = rows[0]

            async def begin(connection: aiosqlite.Connection) -> None:
                await connection.execute("INSERT INTO stream VALUES (?, ?, ?)", first)

            await self._database.write(begin)
        self._stream, self._next_seq, evicted = rows[0]
        sql = "SELECT first_seq, last_seq FROM evicted ORDER BY first_seq DESC LIMIT ?"
        newest = await self._database.read(sql, (EVICTED_TOLD,))

        async def load(connection: aiosqlite.Connection) -> Holding:
            stored = await consumer_rows.load(connection)
            primary = replace(
                stored.pop(PRIMARY, Cursor(PRIMARY, Bound(PRIMARY))),
                lost_batches=evicted,
                lost=tuple((first, last) for first, last in reversed(newest)),
            )
            cursors = {PRIMARY: primary, **stored}
            for name, cursor in cursors.items():
                batches, size = await measured(connection, cursor.needs([(1, END)]))
                cursors[name] = replace(cursor, batches=batches, payload_bytes=size)
            return Holding(cursors, *await measured(connection, [(1, END)]))

        self._holding = await self._database.write(load, durable=False)
        await self._look()
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

        async def work(connection: aiosqlite.Connection) -> Holding:
            holding = self._holding
            for name in holding.cursors.keys() - named - {PRIMARY}:
                holding = await self._release(connection, holding, name, [(1, END)])
                rest = {other: one for other, one in holding.cursors.items() if other != name}
                holding = replace(holding, cursors=rest)
                self._passed.pop(name, None)
            for bound in bounds:
                cursor = holding.cursors.get(bound.name)
                if cursor is None:
                    begin = 0 if bound.start == "oldest" else self._next_seq - 1
                    cursor = Cursor(bound.name, bound, begin)
                    batches, size = await measured(connection, cursor.needs([(1, END)]))
                    cursor = replace(cursor, batches=batches, payload_bytes=size)
                holding = replace(
                    holding, cursors={**holding.cursors, bound.name: replace(cursor, bound=bound)}
                )
            await consumer_rows.replace_all(connection, holding)
            return holding

        await self._database.write(work, committed=self._take)
        await self._look()

    def _take(self, holding: Holding) -> None:
        self._holding = holding

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

        async def work(connection: aiosqlite.Connection) -> Holding:
            holding = await self._settle(connection, self._holding)
            sql = "INSERT INTO batch (seq, t_ms, samples, catalog, payload) VALUES (?, ?, ?, ?, ?)"
            await connection.execute(sql, row)
            await connection.execute("UPDATE stream SET next_seq = ?", (batch.seq + 1,))
            holding = await self._bound(connection, holding.added(len(batch.payload)))
            await consumer_rows.update(connection, self._holding, holding)
            return holding

        def committed(holding: Holding) -> None:
            self._next_seq = batch.seq + 1
            self._note_losses(self._holding, holding)
            self._holding = holding

        await self._database.write(work, committed=committed)
        if batch.late:
            self._late.append(batch.seq)
        await self._look()
        self._reserve_file.hold()
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def read_for(self, name: str, ranges: Sequence[Range], limit: int) -> list[StoredBatch]:
        """Batches within ranges that a consumer needs, by rising number."""
        return await read_batches(self._database, self._needed(name, ranges), limit)

    async def numbers_for(self, name: str, after_seq: int, limit: int) -> list[int]:
        """Numbers beyond one that a consumer needs."""
        return await following_numbers(self._database, self._needed(name, [(after_seq + 1, END)]), limit)

    def _needed(self, name: str, ranges: Sequence[Range]) -> list[Range]:
        return self._holding.cursors[name].needs(ranges)

    async def forget_for(self, name: str, ranges: Sequence[Range]) -> int:
        """A consumer's acknowledgement, in a transaction of its own."""
        return await to_the_end(self._forget(name, ranges))

    async def _forget(self, name: str, ranges: Sequence[Range]) -> int:
        async def work(connection: aiosqlite.Connection) -> Holding:
            spans = overlap(join(ranges), [(1, self._next_seq - 1)])
            holding = await self._release(connection, self._holding, name, spans)
            holding = await self._settle(connection, holding)
            await consumer_rows.update(connection, self._holding, holding)
            return holding

        forgotten = 0

        def committed(holding: Holding) -> None:
            nonlocal forgotten
            forgotten = self._holding.cursors[name].batches - holding.cursors[name].batches
            self._holding = holding

        await self._database.write(work, durable=False, committed=committed)
        await self._look()
        return forgotten

    def passed_by(self, name: str, upto_seq: int, state: str) -> None:
        """A consumer's acknowledgement with the next commit."""
        if name in self._holding.cursors:
            self._passed[name] = Position(min(upto_seq, self._next_seq - 1), state)

    def position_of(self, name: str) -> Position:
        """What waits for the next commit counts: it will be written before anything is deleted by it."""
        if (passed := self._passed.get(name)) is not None:
            return passed
        cursor = self._holding.cursors[name]
        return Position(cursor.upto_seq, cursor.state)

    async def settle(self) -> None:
        """Write the cursors that wait for a commit: at the end."""
        if any(name in self._holding.cursors for name in self._passed):
            with contextlib.suppress(StoreFull):
                await self.forget_for(PRIMARY, [])

    async def _settle(self, connection: aiosqlite.Connection, holding: Holding) -> Holding:
        for name, position in self._passed.items():
            if name in holding.cursors:
                if position.upto_seq > holding.cursors[name].upto_seq:
                    holding = await self._release(connection, holding, name, [(1, position.upto_seq)])
                holding = holding.changed(replace(holding.cursors[name], state=position.state))
        return holding

    async def _release(
        self,
        connection: aiosqlite.Connection,
        holding: Holding,
        name: str,
        ranges: Sequence[Range],
        *,
        lost: bool = False,
    ) -> Holding:
        """A consumer needs ranges no more; what nobody needs is deleted."""
        cursor = holding.cursors[name]
        spans = cursor.needs(ranges)
        count, size = await measured(connection, spans)
        unneeded = holding.free(name, spans)
        gone = (count, size) if unneeded == spans else await measured(connection, unneeded)
        await delete(connection, unneeded)
        cursor = cursor.passed(spans, count, size)
        return holding.changed(cursor.lost_too(spans, count) if lost else cursor, *gone)

    async def _bound(self, connection: aiosqlite.Connection, holding: Holding) -> Holding:
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
            for seq, t_ms, size in await oldest(connection, cursor.needs([(1, END)]), EVICT_AT_ONCE):
                if excess <= 0 and t_ms >= before_ms:
                    break
                last, excess = seq, excess - size
            if last:
                spans = cursor.needs([(max(cursor.upto_seq, 1), last)])
                holding = await self._release(connection, holding, cursor.name, spans, lost=True)
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
        return seq in self._late

    async def wait_commit(self, after_seq: int) -> None:
        """Return when a batch with a higher number has been committed."""
        while self._next_seq - 1 <= after_seq:
            await self._news.wait()

    async def _make_room(self) -> None:
        """Evict. Deleting writes too: when that finds no room, re-use the log's space, then the ballast's."""
        for remedy in (self._database.checkpoint, self._give_up_reserve_file):
            try:
                await self._evict()
            except StoreFull:
                with contextlib.suppress(StoreFull):
                    await remedy()
            else:
                return
        await self._evict()

    async def _give_up_reserve_file(self) -> None:
        if self._reserve_file.release():
            log.warning("the medium is full: the reserve file is given up so that old batches can be deleted")
            await self._database.checkpoint()

    async def _evict(self) -> None:
        """Delete the oldest batches in one transaction that counts them for everybody who needed them."""
        capacity = self._database.max_pages * PAGE_BYTES
        wanted = max(capacity // EVICT_SHARE, 64 * 1024)

        async def work(connection: aiosqlite.Connection) -> Holding:
            holding = self._holding
            places = holding.spare(capacity) or [(1, END)]
            rows = await oldest(connection, places, EVICT_AT_ONCE)
            if not rows:
                raise StoreFull("no room, and no batch is left to evict")
            count = size = 0
            while count < len(rows) and size < wanted:
                size += rows[count][2]
                count += 1
            gone = overlap(places, [(rows[0][0], rows[count - 1][0])])
            for name in list(holding.cursors):
                holding = await self._release(connection, holding, name, gone, lost=True)
            await delete(connection, gone)
            evicted = holding.primary.lost_batches - self._holding.primary.lost_batches
            if evicted:
                sql = "UPDATE stream SET evicted_batches = evicted_batches + ?"
                await connection.execute(sql, (evicted,))
                for first, last in self._holding.primary.needs(gone):
                    await self._note_evicted(connection, first, last)
            await consumer_rows.update(connection, self._holding, holding)
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

    async def _note_evicted(self, connection: aiosqlite.Connection, first: int, last: int) -> None:
        """Extend the newest range when this one follows it, else add one; the evidence is bounded."""
        t_ms = self._now_ms()
        sql = "UPDATE evicted SET last_seq = ?, t_ms = ? WHERE last_seq = ?"
        cursor = await connection.execute(sql, (last, t_ms, first - 1))
        if cursor.rowcount == 0:
            await connection.execute("INSERT INTO evicted VALUES (?, ?, ?)", (first, last, t_ms))
            await connection.execute(
                "DELETE FROM evicted WHERE first_seq IN"
                " (SELECT first_seq FROM evicted ORDER BY first_seq DESC LIMIT -1 OFFSET ?)",
                (EVICTED_ROWS,),
            )

    async def _look(self) -> None:
        """Refresh what only the file knows: the oldest batch of each consumer and the pages in use."""
        names = list(self._holding.cursors)
        spans = [self._needed(name, [(1, END)]) for name in names]
        firsts = "".join(", (SELECT min(seq) FROM batch WHERE seq BETWEEN ? AND ?)" for _ in names)
        sql = f"SELECT page_count, freelist_count{firsts} FROM pragma_page_count, pragma_freelist_count"  # noqa: S608 - placeholders
        [(pages, free, *found)] = await self._database.read(sql, [end for span in spans for end in span[0]])
        self._used_pages = pages - free
        self._rate.observe(self._monotonic(), self._used_pages)
        for name, span, first in zip(names, spans, found, strict=True):
            if first is None and len(span) > 1:
                first = next(iter(await self.numbers_for(name, 0, 1)), None)
            self._first[name] = self._next_seq if first is None else first
            if first is None:
                self._losing.discard(name)
