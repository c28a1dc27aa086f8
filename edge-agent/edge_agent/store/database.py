"""One SQLite connection in write-ahead mode: pragmas, migrations, transactions, errors of the medium."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from edge_agent.errors import StoreError, StoreFull

log = logging.getLogger(__name__)

PAGE_BYTES = 4096
BUSY_TIMEOUT_S = 5.0  # nobody else writes; only a person with a shell could hold the file
MAKE_ROOM_TIMES = 8  # enough for the largest batch; a broken medium must not empty the whole outbox
MIGRATIONS = Path(__file__).parent / "migrations"
MEDIUM_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
CORRUPTION_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

T = TypeVar("T")
Work = Callable[[aiosqlite.Connection], Awaitable[T]]


class StoreCorrupt(StoreError):
    """The file is no database, or its integrity check failed."""


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Await work that goes on when the caller is cancelled, so that memory and file never disagree."""
    return await asyncio.shield(asyncio.ensure_future(work))


class Database:
    """Serialises transactions: nobody reads what is not committed.

    make_room: called while other transactions wait when the medium refuses a write; makes some or raises.
    """

    def __init__(self, connection: aiosqlite.Connection, max_pages: int) -> None:
        self.max_pages = max_pages
        self.make_room: Callable[[], Awaitable[None]] | None = None
        self._connection = connection
        self._lock = asyncio.Lock()
        self._durable = True

    @classmethod
    async def open(cls, path: Path, max_pages: int) -> Database:
        """Open or make the file and check it whole. StoreCorrupt, StoreFull or StoreError when that fails."""
        try:
            connection = await aiosqlite.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        except sqlite3.Error as error:
            raise mapped(error) from error
        database = cls(connection, max_pages)
        try:
            await database._prepare()
        except sqlite3.Error as error:
            await connection.close()
            raise mapped(error) from error
        except BaseException:
            await connection.close()
            raise
        return database

    async def _prepare(self) -> None:
        for pragma in (
            f"page_size = {PAGE_BYTES}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "wal_autocheckpoint = 1000",
            "journal_size_limit = 4194304",
            "cache_size = -2048",
            f"max_page_count = {self.max_pages}",
        ):
            await self._connection.execute(f"PRAGMA {pragma}")
        rows = await self.read("PRAGMA integrity_check(1)")
        if rows != [("ok",)]:
            raise StoreCorrupt(f"integrity check: {rows[0][0] if rows else 'no answer'}")
        await self._migrate()

    async def _migrate(self) -> None:
        files = sorted(MIGRATIONS.glob("[0-9]*.sql"))
        [(version,)] = await self.read("PRAGMA user_version")
        if version > len(files):
            raise StoreError(
                f"the store has schema {version}, this agent knows {len(files)}: install the newer agent"
            )
        for number, file in enumerate(files, start=1):
            if number > version:
                script = f"BEGIN;\n{file.read_text()}\nPRAGMA user_version = {number};\nCOMMIT;"
                await self._connection.executescript(script)

    async def read(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of one statement, outside any transaction."""
        async with self._lock:
            try:
                return [tuple(row) for row in await self._connection.execute_fetchall(sql, arguments)]
            except sqlite3.Error as error:
                raise mapped(error) from error

    async def write(
        self, work: Work[T], *, durable: bool = True, committed: Callable[[T], None] | None = None
    ) -> T:
        """Run work in one transaction, again after making room when the medium refused it.

        committed: takes what work returned, before the next transaction begins.

        durable=False may lose this transaction, never an earlier one, in a power cut: for deletions whose
        repetition is harmless. Never interrupted half-way.
        """
        return await to_the_end(self._write(work, durable, committed))

    async def _write(self, work: Work[T], durable: bool, committed: Callable[[T], None] | None) -> T:
        async with self._lock:
            for _ in range(MAKE_ROOM_TIMES):
                try:
                    return await self.attempt(work, durable, committed)
                except StoreFull:
                    if self.make_room is None:
                        raise
                    await self.make_room()
            return await self.attempt(work, durable, committed)

    async def attempt(self, work: Work[T], durable: bool, committed: Callable[[T], None] | None = None) -> T:
        """One try; only for who holds the transactions off (make_room)."""
        connection = self._connection
        try:
            if durable is not self._durable:
                await connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            await connection.execute("BEGIN IMMEDIATE")
            answer = await work(connection)
            await connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                await connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise mapped(error) from error
            raise
        if committed is not None:
            committed(answer)
        return answer

    async def checkpoint(self) -> None:
        """Move the write-ahead log into the file, so that its space is used again. Only within make_room."""
        try:
            await self._connection.execute_fetchall("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            raise mapped(error) from error

    async def close(self) -> None:
        async with self._lock:
            await self._connection.close()


def mapped(error: sqlite3.Error) -> StoreError:
    """The agent's error for SQLite's: no room, broken file, or anything else."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in MEDIUM_CODES:
        return StoreFull(f"the medium refuses to be written: {error}")
    if code in CORRUPTION_CODES:
        return StoreCorrupt(f"the store is damaged: {error}")
    return StoreError(f"store: {error}")
