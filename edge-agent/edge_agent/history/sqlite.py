"""The history store on a medium: one SQLite file, read and written by one thread.

Write-ahead log with synchronous=FULL like the outbox; locked for this process alone, so that the log needs no
shared memory, which not every file system of a memory card has.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from edge_agent.errors import StoreError, StoreFull
from edge_agent.history.base import Chunk, Extent, Usage, remaining
from edge_agent.model import PointKey
from edge_agent.store.database import PAGE_BYTES, fit_pages, mapped
from edge_contract.limits import MAX_BATCH_BYTES

SCHEMA = (Path(__file__).parent / "schema.sql").read_text()
VERSION = 1
BUSY_TIMEOUT_S = 1.0
EVICT_SHARE = 64
"""One eviction frees this part of the capacity; it does so only when fewer pages than that are free."""
EVICT_BYTES = 32 * 1024
"""One eviction frees at least this."""
EVICT_TIMES = 4
LOG_BYTES = 1 << 20
LARGEST_BYTES = 2 * MAX_BATCH_BYTES
"""What one transaction adds at most in one piece."""

T = TypeVar("T")


class SqliteHistoryStore:
    """history.base.HistoryStore."""

    def __init__(self, connection: sqlite3.Connection, max_bytes: int) -> None:
        self._connection = connection
        self._max_bytes = max_bytes
        self._page_bytes = PAGE_BYTES
        self._numbers: dict[PointKey, int] = {}

    @classmethod
    def open(cls, path: Path, max_bytes: int) -> SqliteHistoryStore:
        """Open or make the file. StoreCorrupt when it is none of ours, StoreError when it is a newer one."""
        with _errors():
            connection = sqlite3.connect(
                path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        store = cls(connection, max_bytes)
        try:
            with _errors():
                store._prepare()
        except BaseException:
            connection.close()
            raise
        return store

    def _prepare(self) -> None:
        for pragma in (
            f"page_size = {PAGE_BYTES}",
            "locking_mode = EXCLUSIVE",
            "journal_mode = WAL",
            "synchronous = FULL",
            f"journal_size_limit = {LOG_BYTES}",
            "cache_size = -1024",
            "secure_delete = FAST",
        ):
            self._connection.execute(f"PRAGMA {pragma}")
        self._page_bytes = fit_pages(self._connection)
        self._max_pages = self._max_bytes // self._page_bytes
        self._evict_pages = max(self._max_pages // EVICT_SHARE, EVICT_BYTES // self._page_bytes)
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_BYTES // self._page_bytes}")
        self._connection.execute(f"PRAGMA max_page_count = {self._max_pages}")
        [(version,)] = self._rows("PRAGMA user_version")
        if version > VERSION:
            raise StoreError(f"the local history has schema {version}, this agent knows {VERSION}")
        if version == 0:
            self._connection.executescript(f"BEGIN;\n{SCHEMA}\nPRAGMA user_version = {VERSION};\nCOMMIT;")

    def numbers(self, keys: Sequence[PointKey]) -> dict[PointKey, int]:
        known = self._numbers  # no other process has the file, and none of them ever changes
        if not all(key in known for key in keys):
            known = {key: number for number, key in self.keys().items()}
            new = [(key.slave, key.point) for key in dict.fromkeys(keys) if key not in known]
            if new:
                self._write(lambda connection: _insert(connection, "point (slave, name) VALUES (?, ?)", new))
                known = {key: number for number, key in self.keys().items()}
            self._numbers = known
        return {key: known[key] for key in keys}

    def keys(self) -> dict[int, PointKey]:
        rows = self._read("SELECT number, slave, name FROM point")
        return {number: PointKey(slave, name) for number, slave, name in rows}

    def note(self, payloads: Sequence[bytes]) -> None:
        rows = [(one,) for one in payloads]
        self._write(lambda connection: _insert(connection, "noted (payload) VALUES (?)", rows))

    def noted(self) -> list[bytes]:
        return [payload for (payload,) in self._read("SELECT payload FROM noted ORDER BY id")]

    def seal(self, chunks: Sequence[Chunk], extents: Mapping[int, Extent]) -> None:
        chunk_rows = [(c.slave, c.first_ms, c.last_ms, c.samples, c.payload) for c in chunks]
        spans = [(e.first_ms, e.last_ms, number) for number, e in extents.items()]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM noted")
            connection.executemany(
                "INSERT INTO chunk (slave, first_ms, last_ms, samples, payload) VALUES (?, ?, ?, ?, ?)",
                chunk_rows,
            )
            connection.executemany(
                "UPDATE point SET first_ms = min(ifnull(first_ms, ?1), ?1),"
                " last_ms = max(ifnull(last_ms, ?2), ?2) WHERE number = ?3",
                spans,
            )
            connection.execute("UPDATE total SET samples = samples + ?", (sum(c.samples for c in chunks),))

        self._write(work)

    def newest_id(self) -> int:
        [(newest,)] = self._read("SELECT ifnull(max(id), 0) FROM chunk")
        return int(newest)

    def chunks(
        self, slave: str | None, from_ms: int, to_ms: int, after: int, until: int, limit: int
    ) -> list[Chunk]:
        sql = (
            "SELECT id, slave, first_ms, last_ms, samples, payload FROM chunk"
            " WHERE id > ? AND id <= ? AND last_ms >= ? AND first_ms <= ? AND (? IS NULL OR slave = ?)"
            " ORDER BY id LIMIT ?"
        )
        return [Chunk(*row) for row in self._read(sql, (after, until, from_ms, to_ms, slave, slave, limit))]

    def extents(self) -> dict[int, Extent]:
        rows = self._read("SELECT number, first_ms, last_ms FROM point WHERE first_ms IS NOT NULL")
        oldest = dict(self._read("SELECT slave, min(first_ms) FROM chunk GROUP BY slave"))
        return remaining({number: Extent(first, last) for number, first, last in rows}, self.keys(), oldest)

    def expire(self, before_ms: int) -> int:
        def work(connection: sqlite3.Connection) -> int:
            return _delete(connection, "last_ms < ?", (before_ms,))

        return self._write(work)

    def usage(self) -> Usage:
        [(samples, evicted)] = self._read("SELECT samples, evicted FROM total")
        [(oldest,)] = self._read("SELECT min(first_ms) FROM chunk")
        pages, free = self._pages()
        return Usage(
            (pages - free) * self._page_bytes, self._max_pages * self._page_bytes, samples, oldest, evicted
        )

    def close(self) -> None:
        with _errors():
            self._connection.close()

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        for _ in range(EVICT_TIMES):
            try:
                return self._attempt(work)
            except StoreFull:
                self._free_space()
        return self._attempt(work)

    def _free_space(self) -> None:
        """Delete the oldest chunks. StoreFull when that does not help: what is full is not this file."""
        pages, free = self._pages()
        if (
            pages < self._max_pages - self._evict_pages - LARGEST_BYTES // self._page_bytes
            or free > self._evict_pages
        ):
            raise StoreFull("the medium of the local history is full")
        wanted = self._evict_pages * self._page_bytes

        def work(connection: sqlite3.Connection) -> None:
            """Raises StoreFull when no chunk is left to drop."""
            size, last = 0, None
            oldest = "SELECT last_ms, length(payload) FROM chunk ORDER BY last_ms"
            for last_ms, length in connection.execute(oldest).fetchall():
                if size >= wanted and last_ms != last:
                    break
                size, last = size + length, last_ms
            if last is None:
                raise StoreFull("no room for the local history, and no chunk is left to drop")
            gone = _delete(connection, "last_ms <= ?", (last,))
            connection.execute("UPDATE total SET evicted = evicted + ?", (gone,))

        self._attempt(work)

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with _errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                answer = work(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        return answer

    def _read(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with _errors():
            return self._rows(sql, arguments)

    def _rows(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, arguments).fetchall()

    def _pages(self) -> tuple[int, int]:
        """Pages of the file, and how many of them are free."""
        sql = "SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count"
        [(pages, free)] = self._read(sql)
        return pages, free


def _insert(connection: sqlite3.Connection, where: str, rows: Sequence[Sequence[Any]]) -> None:
    """No cursor leaves: one that an error's traceback still holds would keep the closed file locked."""
    connection.executemany(f"INSERT INTO {where}", rows)


def _delete(connection: sqlite3.Connection, where: str, arguments: Sequence[Any]) -> int:
    """Delete chunks; how many samples they held."""
    sql = f"SELECT ifnull(sum(samples), 0) FROM chunk WHERE {where}"  # noqa: S608 - constants of this file
    [(samples,)] = connection.execute(sql, arguments).fetchall()
    if samples:
        connection.execute(f"DELETE FROM chunk WHERE {where}", arguments)  # noqa: S608
        connection.execute("UPDATE total SET samples = samples - ?", (samples,))
    return int(samples)


@contextmanager
def _errors() -> Iterator[None]:
    """SQLite's errors as the agent's."""
    try:
        yield
    except sqlite3.Error as error:
        raise mapped(error) from error
