"""A SQLite connection whose statements take one step of its thread each.

By way of aiosqlite's own cursor a statement takes four: make the cursor, execute, fetch, close. Each is a
message to the connection's thread and one back, which costs more than what most statements do in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import aiosqlite

ITER_CHUNK_SIZE = 64
"""aiosqlite's own; nothing iterates over a cursor here."""


class StatementCursor:
    """What SQLAlchemy's adapter asks of a cursor. A statement is executed, its rows are fetched and it is
    closed in one step, so that no cancelled caller leaves one open, which would keep the write lock.
    """

    def __init__(self, connection: SingleStepConnection) -> None:
        self._connection = connection
        self._rows: Sequence[Any] = ()
        self.description: tuple[Any, ...] | None = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, statement: str, parameters: Iterable[Any] = ()) -> None:
        """Raises sqlite3.Error; ValueError when the connection is closed."""
        await self._run(lambda cursor: cursor.execute(statement, parameters))  # type: ignore[arg-type]

    async def executemany(self, statement: str, parameters: Iterable[Iterable[Any]]) -> None:
        """As execute."""
        await self._run(lambda cursor: cursor.executemany(statement, parameters))  # type: ignore[arg-type]

    async def fetchall(self) -> Sequence[Any]:
        """The rows of the statement, once."""
        rows, self._rows = self._rows, ()
        return rows

    async def close(self) -> None:
        """It was closed by the statement."""
        self._rows = ()

    async def _run(self, work: Callable[[sqlite3.Cursor], object]) -> None:
        self.description, self._rows, self.rowcount, self.lastrowid = await self._connection.run(work)


class SingleStepConnection(aiosqlite.Connection):
    """Of one engine's pool; what is not about cursors and the end of a transaction is aiosqlite's."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._sent, self._done = 0, 0  # steps; each counted by one thread alone

    def cursor(self) -> StatementCursor:  # type: ignore[override]
        return StatementCursor(self)

    async def run(
        self, work: Callable[[sqlite3.Cursor], object]
    ) -> tuple[tuple[Any, ...] | None, Sequence[Any], int, int | None]:
        """Description, rows, row count and last row number of what is done with a cursor."""

        def step() -> tuple[tuple[Any, ...] | None, Sequence[Any], int, int | None]:
            cursor: sqlite3.Cursor | None = None
            try:
                cursor = self._conn.cursor()
                work(cursor)
                rows = cursor.fetchall() if cursor.description else ()
                return cursor.description, rows, cursor.rowcount, cursor.lastrowid
            finally:
                if cursor is not None:
                    cursor.close()
                self._done += 1

        self._sent += 1
        return await self._execute(step)  # type: ignore[no-any-return, no-untyped-call]

    async def rollback(self) -> None:
        """SQLAlchemy asks for it twice at each end. A statement of a cancelled caller may still begin one."""
        if self._sent != self._done or self._conn.in_transaction:
            await super().rollback()


def connect(database: str, **options: Any) -> SingleStepConnection:
    """As aiosqlite.connect; for `async_creator_fn` of SQLAlchemy."""
    made = SingleStepConnection(lambda: sqlite3.connect(database, **options), ITER_CHUNK_SIZE)
    made._thread.daemon = True  # a connection that nobody closed must not keep the process alive
    return made
