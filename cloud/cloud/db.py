"""The relational database: base, engine, sessions. SQLite by default, PostgreSQL for more processes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Self
from weakref import WeakSet

from sqlalchemy import AsyncAdaptedQueuePool, Connection, MetaData, PoolProxiedConnection, event
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.util import await_only
from sqlalchemy.util.concurrency import in_greenlet

from cloud.sqlite_connection import connect

BUSY_TIMEOUT_MS = 30_000
"""How long a writer waits for another on SQLite."""

CASEFOLD = "casefold"
"""Function of every SQLite connection: a text without its case in every alphabet; lower() knows A to Z."""

TURN = "turn"
"""Of a connection: its check-in gives the turn to the next writer."""

_NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


NUMBERS_ONCE = {"sqlite_autoincrement": True}
"""Table arguments of rows that records name by number beyond their deletion, as the audit names a user.
SQLite gives the number of the newest row again unless told not to; PostgreSQL's numbers only rise.
"""


_with_session: WeakSet[asyncio.Task[object]] = WeakSet()
_refuses_nested = False
_BESIDE, _HOLDER = "beside", "holder"


class NestedSession(RuntimeError):
    """A task opens a session while it has one: it takes two connections of the pool, and as many such tasks
    as there are connections wait for each other.
    """


def refuse_nested() -> None:
    """From now on nested sessions raise NestedSession; for tests: what they missed fails no request."""
    global _refuses_nested
    _refuses_nested = True


class _Session(AsyncSession):
    async def __aenter__(self) -> Self:
        task = asyncio.current_task()
        if _refuses_nested and task is not None and not self.info.get(_BESIDE):
            if task in _with_session:
                raise NestedSession
            _with_session.add(task)
            self.info[_HOLDER] = task
        return await super().__aenter__()

    async def __aexit__(self, *raised: Any) -> None:
        try:
            await super().__aexit__(*raised)
        finally:
            if (holder := self.info.pop(_HOLDER, None)) is not None:
                _with_session.discard(holder)


class Base(DeclarativeBase):
    """Every table; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(naming_convention=_NAMES)


class WriteQueue:
    """Who may write. SQLite has one writer and lets the others sleep and try again, up to 100 ms each time
    and in no order; here they wait in order, urgent ones in front.
    """

    def __init__(self) -> None:
        self._taken = False
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    async def take(self, urgent: bool) -> None:
        """Return when it is the caller's turn; BUSY_TIMEOUT_MS bounds how long each of the others has it."""
        if not self._taken:
            self._taken = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._urgent if urgent else self._others).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give()
            raise

    def give(self) -> None:
        """To the next in line."""
        for line in (self._urgent, self._others):
            while line:
                turn = line.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._taken = False


class Database:
    """Engines and sessions. On SQLite a writing session locks at its begin: it never fails half way. It waits
    for its turn before it takes a connection, so that writers that wait keep none from readers.

    engine: of readers; writing_engine: of writers that are not urgent. One and the same on PostgreSQL.
    """

    def __init__(self, url: str) -> None:
        if url.startswith("sqlite"):
            turns = WriteQueue()
            self.engine = _sqlite(url, "BEGIN")
            self.writing_engine = _sqlite_writer(url, turns, urgent=False)
            self._urgent_engine = _sqlite_writer(url, turns, urgent=True)
        else:
            self.engine = self.writing_engine = self._urgent_engine = _postgresql(url)
        self._write = _sessions(self.writing_engine)
        self._urgent = _sessions(self._urgent_engine)
        self._asynchronous_commit = _sessions(self.writing_engine.execution_options(lasting=False))
        self._read = _sessions(self.engine)

    def session(self, *, urgent: bool = False, beside: bool = False) -> AsyncSession:
        """A session that may write; the caller commits. urgent: before others that wait on SQLite. beside: as
        of reading.
        """
        return (self._urgent if urgent else self._write)(info={_BESIDE: beside})

    def asynchronous_commit(self) -> AsyncSession:
        """A session whose commit a power cut may undo as a whole: for what is found out again by itself. It
        does not make the disk wait, which ingest does at the same time; a later lasting commit keeps it too.
        """
        return self._asynchronous_commit()

    @asynccontextmanager
    async def reading(self, *, beside: bool = False) -> AsyncIterator[AsyncSession]:
        """A session that only reads; on SQLite it waits for no writer. Who opens another one while he has it
        takes two connections: many of them at a time would wait for each other. beside: another one is opened
        meanwhile, and the caller sees to it that few tasks do so at a time.
        """
        async with self._read(info={_BESIDE: beside}) as session:
            yield session

    async def close(self) -> None:
        for engine in (self.engine, self.writing_engine, self._urgent_engine):
            await engine.dispose()


def _sessions(engine: AsyncEngine) -> async_sessionmaker[_Session]:
    return async_sessionmaker(engine, class_=_Session, expire_on_commit=False)


def _postgresql(url: str) -> AsyncEngine:
    engine = create_async_engine(
        url,
        pool_pre_ping=True,
        hide_parameters=True,  # values may be secrets
        # Compiling a long query of the overview page takes longer than running it.
        connect_args={"server_settings": {"jit": "off"}},
    )

    @event.listens_for(engine.sync_engine, "begin")
    def on_begin(connection: Connection) -> None:
        if not connection.get_execution_options().get("lasting", True):
            connection.exec_driver_sql("SET LOCAL synchronous_commit = off")

    return engine


def _sqlite(url: str, begin: str, **pool: Any) -> AsyncEngine:
    """begin: the statement that begins a transaction; pool: arguments of create_async_engine about it."""
    engine = create_async_engine(
        url, hide_parameters=True, connect_args={"async_creator_fn": connect}, **pool
    )

    @event.listens_for(engine.sync_engine, "connect")
    def on_connect(connection: Any, record: object) -> None:
        connection.isolation_level = None  # the begin below is ours, not the driver's
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",  # a batch is acknowledged: it must survive a power cut
            "foreign_keys=ON",
            f"busy_timeout={BUSY_TIMEOUT_MS}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
        connection.create_function(CASEFOLD, 1, _casefold, deterministic=True)

    @event.listens_for(engine.sync_engine, "begin")
    def on_begin(connection: Connection) -> None:
        lasting = connection.get_execution_options().get("lasting", True)
        if connection.info.get("lasting", True) != lasting:
            connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if lasting else 'NORMAL'}")
            connection.info["lasting"] = lasting
        connection.exec_driver_sql(begin)

    @event.listens_for(engine.sync_engine, "invalidate")
    def on_invalidate(connection: Any, record: object, error: BaseException | None) -> None:
        """A cancelled statement is still open: closed without this, its connection keeps the write lock until
        the garbage collector finds the statement.
        """
        if in_greenlet():
            with suppress(sqlite3.Error):
                connection.rollback()

    return engine


def _sqlite_writer(url: str, turns: WriteQueue, urgent: bool) -> AsyncEngine:
    """Its one connection is of whose turn it is, from the check-out to the check-in."""

    class TurnPool(AsyncAdaptedQueuePool):
        __module__ = AsyncAdaptedQueuePool.__module__  # names its logger, whose level is that of the library

        def connect(self) -> PoolProxiedConnection:
            await_only(turns.take(urgent))
            try:
                connection = super().connect()
            except BaseException:
                turns.give()
                raise
            connection.info[TURN] = True
            return connection

    engine = _sqlite(url, "BEGIN IMMEDIATE", poolclass=TurnPool, pool_size=1, max_overflow=0)

    @event.listens_for(engine.sync_engine, "checkin")
    def on_checkin(connection: Any, record: Any) -> None:
        if record.info.pop(TURN, False):
            turns.give()

    return engine


def _casefold(text: object) -> object:
    return text.casefold() if isinstance(text, str) else text
