"""One SQLite connection in write-ahead mode: pragmas, migrations, transactions, errors of the medium."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from edge_agent.errors import StoreError, StoreFull

log = logging.getLogger(__name__)

PAGE_BYTES = 1024
"""A commit writes pages whole, and 50 samples have 170 bytes."""
LOG_BYTES = 2 << 20
"""The reserve file holds it twice: in the log, and in the file that grows by as much (reserve_file.py)."""
LEAST_BYTES = 1 << 20
"""The file may have this much on a full medium, as far as the reserve file's space goes."""
SMALL_BYTES = 4 << 20
"""A file of an earlier agent with this much in it is written anew, with pages of PAGE_BYTES."""
BUSY_TIMEOUT_S = 5.0  # nobody else writes; only a person with a shell could hold the file
ROWS_AT_ONCE = 64  # aiosqlite's own, of cursors that nobody uses here
FREE_SPACE_TIMES = 8  # enough for the largest batch; a broken medium must not empty the whole outbox
MIGRATIONS = Path(__file__).parent / "migrations"
MEDIUM_CODES = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
CORRUPTION_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""In the database's thread: one way there and back for everything it does."""


class StoreCorrupt(StoreError):
    """The file is no database, or its integrity check failed."""


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """Await work that goes on when the caller is cancelled, so that memory and file never disagree."""
    return await asyncio.shield(asyncio.ensure_future(work))


class StoreConnection(aiosqlite.Connection):
    """All of a transaction goes to aiosqlite's thread at once: the way takes as long as many statements."""

    async def run(self, work: Work[T]) -> T:
        """What work returns, or raises. It ends, also when its caller is cancelled."""
        answer: T = await self._execute(work, self._conn)  # type: ignore[no-untyped-call]
        return answer


class Database:
    """Serialises transactions: nobody reads what is not committed.

    free_space: called while other transactions wait when the medium refuses a write; makes some or raises.
    """

    def __init__(self, connection: StoreConnection, max_bytes: int) -> None:
        self.page_bytes = PAGE_BYTES
        self.max_pages = max_bytes // PAGE_BYTES
        self.free_space: Callable[[], Awaitable[None]] | None = None
        self._max_bytes = max_bytes
        self._connection = connection
        self._lock = asyncio.Lock()
        self._durable = True
        self._grows = True

    @classmethod
    async def open(cls, path: Path, max_bytes: int) -> Database:
        """Open or make the file and check it whole. StoreCorrupt, StoreFull or StoreError when that fails."""
        connect = partial(sqlite3.connect, path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        connection = StoreConnection(connect, iter_chunk_size=ROWS_AT_ONCE)
        try:
            await connection
        except sqlite3.Error as error:
            raise mapped(error, path) from error
        database = cls(connection, max_bytes)
        try:
            await connection.run(database._prepare)
        except sqlite3.Error as error:
            await connection.close()
            raise mapped(error, path) from error
        except BaseException:
            await connection.close()
            raise
        return database

    def _prepare(self, connection: sqlite3.Connection) -> None:
        for pragma in (
            f"page_size = {PAGE_BYTES}",
            "journal_mode = WAL",
            "synchronous = FULL",
            f"journal_size_limit = {LOG_BYTES}",
            "cache_size = -2048",
            "secure_delete = FAST",
        ):
            connection.execute(f"PRAGMA {pragma}")
        rows = connection.execute("PRAGMA integrity_check(1)").fetchall()
        if rows != [("ok",)]:
            raise StoreCorrupt(f"integrity check: {rows[0][0] if rows else 'no answer'}")
        self.page_bytes = fit_pages(connection)
        self.max_pages = self._max_bytes // self.page_bytes
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_BYTES // self.page_bytes}")
        connection.execute(f"PRAGMA max_page_count = {self.max_pages}")
        _migrate(connection)

    async def read(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of one statement, outside any transaction."""
        return await self.look(lambda connection: connection.execute(sql, arguments).fetchall())

    async def look(self, work: Work[T]) -> T:
        """What work reads, outside any transaction."""
        async with self._lock:
            try:
                return await self._connection.run(work)
            except sqlite3.Error as error:
                raise mapped(error) from error

    async def write(
        self, work: Work[T], *, durable: bool = True, committed: Callable[[T], None] | None = None
    ) -> T:
        """Run work in one transaction, again after making space when the medium refused it.

        committed: takes what work returned, before the next transaction begins.

        durable=False may lose this transaction, never an earlier one, in a power cut: for deletions whose
        repetition is harmless. Never interrupted half-way.
        """
        return await to_the_end(self._write(work, durable, committed))

    async def _write(self, work: Work[T], durable: bool, committed: Callable[[T], None] | None) -> T:
        async with self._lock:
            for _ in range(FREE_SPACE_TIMES):
                try:
                    return await self.attempt(work, durable, committed)
                except StoreFull:
                    if self.free_space is None:
                        raise
                    await self.free_space()
            return await self.attempt(work, durable, committed)

    async def attempt(self, work: Work[T], durable: bool, committed: Callable[[T], None] | None = None) -> T:
        """One try; only for who holds the transactions off (free_space)."""
        answer = await self._connection.run(partial(self._transaction, work, durable))
        if committed is not None:
            committed(answer)
        return answer

    def _transaction(self, work: Work[T], durable: bool, connection: sqlite3.Connection) -> T:
        try:
            if durable is not self._durable:
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            connection.execute("BEGIN IMMEDIATE")
            answer = work(connection)
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise mapped(error) from error
            raise
        return answer

    async def checkpoint(self) -> None:
        """Move the write-ahead log into the file, so that its space is used again. Only within free_space."""
        try:
            await self._connection.execute_fetchall("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            raise mapped(error) from error

    async def stop_growing(self) -> None:
        """The medium is full: use the pages that the file has. Only within free_space.

        The log alone would grow otherwise until there is no space to move it into the file.
        """
        [(pages,)] = await self._connection.execute_fetchall("PRAGMA page_count")
        await self._limit(min(max(pages, LEAST_BYTES // self.page_bytes), self.max_pages))
        self._grows = False

    async def grow(self) -> None:
        """There is space again."""
        if not self._grows:
            async with self._lock:
                await self._limit(self.max_pages)
                self._grows = True

    async def _limit(self, pages: int) -> None:
        await self._connection.execute_fetchall(f"PRAGMA max_page_count = {pages}")

    async def close(self) -> None:
        """After the transactions under way."""
        async with self._lock:
            await self._connection.close()


def _migrate(connection: sqlite3.Connection) -> None:
    files = sorted(MIGRATIONS.glob("[0-9]*.sql"))
    [(version,)] = connection.execute("PRAGMA user_version").fetchall()
    if version > len(files):
        raise StoreError(
            f"the store has schema {version}, this agent knows {len(files)}: install the newer agent"
        )
    for number, file in enumerate(files, start=1):
        if number > version:
            script = f"BEGIN;\n{file.read_text()}\nPRAGMA user_version = {number};\nCOMMIT;"
            connection.executescript(script)


def is_newer(path: Path) -> bool:
    """Whether a store has a schema that this agent does not know. A file that cannot be read has none."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)) as connection:
            [(version,)] = connection.execute("PRAGMA user_version").fetchall()
    except sqlite3.Error:
        return False
    return int(version) > len(list(MIGRATIONS.glob("[0-9]*.sql")))


def fit_pages(connection: sqlite3.Connection) -> int:
    """Bytes of a page of this file in write-ahead mode, after a small one got pages of PAGE_BYTES.

    A medium without space for that keeps what it has, as a large file does: another start tries again.
    """
    sql = "SELECT page_count - freelist_count, page_size FROM pragma_page_count, pragma_freelist_count,"
    [(used, size)] = connection.execute(f"{sql} pragma_page_size").fetchall()
    if size == PAGE_BYTES or used * size > SMALL_BYTES:
        return int(size)
    steps = "temp_store = MEMORY", "journal_mode = DELETE", f"page_size = {PAGE_BYTES}"
    try:  # outside write-ahead mode alone; what a kill leaves is either the file before or the one after
        for step in steps:
            connection.execute(f"PRAGMA {step}")
        connection.execute("VACUUM")
    except sqlite3.Error as error:
        log.warning("the pages of the store stay at %d bytes: %s", size, error)
    connection.execute("PRAGMA journal_mode = WAL")
    [(size,)] = connection.execute("PRAGMA page_size").fetchall()
    return int(size)


def mapped(error: sqlite3.Error, path: Path | None = None) -> StoreError:
    """The agent's error for SQLite's: no space, broken file, or anything else. path: of what is opened."""
    where = f"{path}: " if path else ""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in MEDIUM_CODES:
        return StoreFull(f"{where}the medium refuses to be written: {error}")
    if code in CORRUPTION_CODES:
        return StoreCorrupt(f"{where}the store is damaged: {error}")
    return StoreError(f"{where}store: {error}")
