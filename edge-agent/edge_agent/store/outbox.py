"""The outbox on SQLite: batches in a ring that the cloud's acknowledgements empty."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Callable, Sequence

import aiosqlite

from edge_agent.errors import StoreFull
from edge_agent.store.ballast import Ballast
from edge_agent.store.base import OutboxState, StoredBatch
from edge_agent.store.database import PAGE_BYTES, Database, to_the_end
from edge_agent.store.evidence import EVICTED_TOLD, LATE_REMEMBERED, note_range
from edge_agent.store.fill_rate import FillRate

log = logging.getLogger(__name__)

EVICT_AT_ONCE = 500  # rows looked at in one eviction
EVICT_SHARE = 256  # one eviction frees at least this part of the capacity
EVICTED_ROWS = 1000  # ranges kept as evidence


class SqliteOutbox:
    """store.base.BatchLog on a Database. now_ms and monotonic are the agent's clocks."""

    def __init__(
        self, database: Database, ballast: Ballast, now_ms: Callable[[], int], monotonic: Callable[[], float]
    ) -> None:
        self._database = database
        self._ballast = ballast
        self._now_ms = now_ms
        self._monotonic = monotonic
        self._rate = FillRate()
        self._news = asyncio.Event()
        self._stream = ""
        self._first_seq = self._next_seq = 1
        self._batches = self._bytes = self._evicted = self._used_pages = 0
        self._evicting = False
        self._ranges: deque[tuple[int, int]] = deque(maxlen=EVICTED_TOLD)
        self._late: deque[int] = deque(maxlen=LATE_REMEMBERED)
        database.make_room = self._make_room

    async def open(self) -> None:
        """Find the stream, or begin one; read the counters."""
        rows = await self._database.read("SELECT id, next_seq, evicted_batches FROM stream")
        if not rows:
            rows = [(secrets.token_hex(8), 1, 0)]
            first = rows[0]

            async def begin(connection: aiosqlite.Connection) -> None:
                await connection.execute("INSERT INTO stream VALUES (?, ?, ?)", first)

            await self._database.write(begin)
        self._stream, self._next_seq, self._evicted = rows[0]
        [(self._batches, self._bytes)] = await self._database.read(
            "SELECT count(*), coalesce(sum(length(payload)), 0) FROM batch"
        )
        sql = "SELECT first_seq, last_seq FROM evicted ORDER BY first_seq DESC LIMIT ?"
        newest = await self._database.read(sql, (EVICTED_TOLD,))
        self._ranges.extend((first, last) for first, last in reversed(newest))
        await self._look()
        self._ballast.hold()

    def state(self) -> OutboxState:
        capacity = self._database.max_pages
        hours = self._rate.hours_left(self._monotonic(), self._used_pages, capacity)
        return OutboxState(
            stream=self._stream,
            first_seq=self._first_seq,
            next_seq=self._next_seq,
            batches=self._batches,
            payload_bytes=self._bytes,
            evicted_batches=self._evicted,
            hours_left=hours,
            pending_samples=0,
            full=False,
            evicted=tuple(self._ranges),
        )

    async def append(self, batch: StoredBatch, catalog: str) -> None:
        """Commit the next batch; the sequence number moves in the same transaction."""
        await to_the_end(self._append(batch, catalog))

    async def _append(self, batch: StoredBatch, catalog: str) -> None:
        async def work(connection: aiosqlite.Connection) -> None:
            await connection.execute(
                "INSERT INTO batch (seq, t_ms, samples, catalog, payload) VALUES (?, ?, ?, ?, ?)",
                (batch.seq, batch.t_ms, batch.samples, catalog, batch.payload),
            )
            await connection.execute("UPDATE stream SET next_seq = ?", (batch.seq + 1,))

        await self._database.write(work)
        self._next_seq = batch.seq + 1
        if batch.late:
            self._late.append(batch.seq)
        self._batches += 1
        self._bytes += len(batch.payload)
        await self._look()
        self._ballast.hold()
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def following(self, after_seq: int, limit: int) -> list[StoredBatch]:
        rows = await self._database.read(
            "SELECT seq, t_ms, samples, payload FROM batch WHERE seq > ? ORDER BY seq LIMIT ?",
            (after_seq, limit),
        )
        return [StoredBatch(*row) for row in rows]

    async def numbers(self, after_seq: int, limit: int) -> list[int]:
        sql = "SELECT seq FROM batch WHERE seq > ? ORDER BY seq LIMIT ?"
        return [seq for (seq,) in await self._database.read(sql, (after_seq, limit))]

    async def read(self, ranges: Sequence[tuple[int, int]], limit: int) -> list[StoredBatch]:
        found: list[StoredBatch] = []
        for first, last in sorted(ranges):
            if len(found) >= limit:
                break
            sql = (
                "SELECT seq, t_ms, samples, payload FROM batch WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
            )
            rows = await self._database.read(sql, (first, last, limit - len(found)))
            found += [StoredBatch(*row) for row in rows]
        return found

    async def forget(self, ranges: Sequence[tuple[int, int]]) -> int:
        return await to_the_end(self._forget(ranges))

    async def _forget(self, ranges: Sequence[tuple[int, int]]) -> int:
        async def work(connection: aiosqlite.Connection) -> tuple[int, int]:
            rows = size = 0
            for span in ranges:
                sql = (
                    "SELECT count(*), coalesce(sum(length(payload)), 0) FROM batch WHERE seq BETWEEN ? AND ?"
                )
                [held] = await connection.execute_fetchall(sql, span)
                await connection.execute("DELETE FROM batch WHERE seq BETWEEN ? AND ?", span)
                rows, size = rows + held[0], size + held[1]
            return rows, size

        rows, size = await self._database.write(work, durable=False)
        self._batches -= rows
        self._bytes -= size
        await self._look()
        return rows

    def travels_late(self, seq: int) -> bool:
        return seq in self._late

    async def wait_new(self, after_seq: int) -> None:
        while self._next_seq - 1 <= after_seq:
            await self._news.wait()

    async def _make_room(self) -> None:
        """Evict. Deleting writes too: when that finds no room, re-use the log's space, then the ballast's."""
        for remedy in (self._database.checkpoint, self._give_up_ballast):
            try:
                await self._evict()
            except StoreFull:
                with contextlib.suppress(StoreFull):
                    await remedy()
            else:
                return
        await self._evict()

    async def _give_up_ballast(self) -> None:
        if self._ballast.release():
            log.warning("the medium is full: the reserve file is given up so that old batches can be deleted")
            await self._database.checkpoint()

    async def _evict(self) -> None:
        """Delete the oldest batches in one transaction that also counts them."""
        wanted = max(self._database.max_pages * PAGE_BYTES // EVICT_SHARE, 64 * 1024)

        async def work(connection: aiosqlite.Connection) -> tuple[int, int, int, int]:
            sql = "SELECT seq, length(payload) FROM batch ORDER BY seq LIMIT ?"
            rows = list(await connection.execute_fetchall(sql, (EVICT_AT_ONCE,)))
            if not rows:
                raise StoreFull("no room, and no batch is left to evict")
            count = size = 0
            while count < len(rows) and size < wanted:
                size += rows[count][1]
                count += 1
            first, last = rows[0][0], rows[count - 1][0]
            await connection.execute("DELETE FROM batch WHERE seq <= ?", (last,))
            await connection.execute("UPDATE stream SET evicted_batches = evicted_batches + ?", (count,))
            await self._note_evicted(connection, first, last)
            return count, size, first, last

        count, size, first, last = await self._database.attempt(work, durable=True)
        note_range(self._ranges, first, last)
        self._evicted += count
        self._batches -= count
        self._bytes -= size
        if not self._evicting:
            log.warning("the outbox is full: the oldest batches are dropped unsent, counted in the pulse")
        self._evicting = True

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
        """Refresh what only the file knows: its oldest batch and the pages in use."""
        [(first, pages, free)] = await self._database.read(
            "SELECT (SELECT min(seq) FROM batch), page_count, freelist_count"
            " FROM pragma_page_count, pragma_freelist_count"
        )
        self._first_seq = self._next_seq if first is None else first
        self._used_pages = pages - free
        self._rate.observe(self._monotonic(), self._used_pages)
        if first is None:
            self._evicting = False
