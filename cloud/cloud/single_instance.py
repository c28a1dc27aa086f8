"""One full process for each data folder and each database: two would check and send everything twice.

Locked are a file in the data folder and one beside SQLite's file, and on PostgreSQL an advisory lock of a
connection of its own. One that lost its database to another meanwhile ends within seconds, with exit code
1.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol

from sqlalchemy import make_url, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from cloud.errors import CloudError

log = logging.getLogger(__name__)

WAIT_S = 20.0
"""The one before may still be ending when its supervisor starts the next."""

RETRY_S = 0.5
CHECK_S = 1.0
ANSWER_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 1.0

LOCK_NUMBER = int.from_bytes(b"edge")
"""PostgreSQL counts these locks for each database; the schema is the second number."""

TAKE_LOCK = text("SELECT pg_try_advisory_lock(:number, hashtext(current_schema()))")
LOCK_HOLDER = text(
    "SELECT host(a.client_addr), a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    " WHERE l.locktype = 'advisory' AND l.classid = :number AND l.granted"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1"
)

KEEPALIVES = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}
"""The lock of a host that lost its power is free after 25 s; by default a server waits two hours for it."""

HINT = "only one may be full; further processes for browsers are started with EDGE_ROLE=api"


class Lock(Protocol):
    """One process has it at a time."""

    async def taken(self) -> bool:
        """Try to take it, or look whether it is still held; an exception when that cannot be known."""

    async def holder(self) -> str:
        """Who has it instead, in words."""

    async def release(self) -> None: ...


class FolderLock:
    """A lock on a file in a folder, which ends with the process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "full.lock"
        self._file: IO[str] | None = None

    async def taken(self) -> bool:
        if self._file is not None:
            if self._is_there(self._file):
                return True
            log.warning("%s was removed while it was held", self._path)
            await self.release()
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return False
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        self._file = file
        return True

    def _is_there(self, file: IO[str]) -> bool:
        """A file that was removed locks nobody out."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), self._path.stat())
        except FileNotFoundError:
            return False

    async def holder(self) -> str:
        number = self._path.read_text().strip()
        return f"process {number or 'unknown'} works on {self._folder}"

    async def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class DatabaseLock:
    """An advisory lock on PostgreSQL, which ends with its connection."""

    def __init__(self, url: str) -> None:
        self._name = f"edge-cloud-{secrets.token_hex(8)}"
        self._engine = create_async_engine(
            url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            connect_args={"server_settings": {**KEEPALIVES, "application_name": self._name}},
        )
        self._connection: AsyncConnection | None = None
        self._held = False

    async def taken(self) -> bool:
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return await self._ask()
        except Exception:
            await self._drop()
            raise

    async def _ask(self) -> bool:
        if self._connection is None:
            self._connection = await self._engine.connect()
        if self._held:
            await self._connection.execute(text("SELECT 1"))
        else:
            self._held = bool(await self._connection.scalar(TAKE_LOCK, {"number": LOCK_NUMBER}))
            if not self._held and (await self._holder())[1] == self._name:
                raise ConnectionError("the connection that broke still holds the database")
        return self._held

    async def _holder(self) -> tuple[str | None, str | None]:
        """Address and name of the connection that has the lock."""
        row = None
        if self._connection is not None:
            row = (await self._connection.execute(LOCK_HOLDER, {"number": LOCK_NUMBER})).first()
        return (None, None) if row is None else (row[0], row[1])

    async def holder(self) -> str:
        address = None
        with suppress(SQLAlchemyError):
            address, _ = await self._holder()
        return f"one at {address or 'this host'} works on the same database"

    async def release(self) -> None:
        await self._drop()
        await self._engine.dispose()

    async def _drop(self) -> None:
        """What is left of a broken connection may not wait for its other end."""
        connection, self._connection, self._held = self._connection, None, False
        if connection is not None:
            with suppress(OSError, SQLAlchemyError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await connection.invalidate()
                    await connection.close()


class SingleInstance:
    """Held inside the with block; CloudError when another process does not end within WAIT_S.

    lost: called when another one took a lock while this process could not reach it.
    """

    def __init__(
        self,
        locks: list[Lock],
        lost: Callable[[], None],
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._locks = locks
        self._lost = lost
        self._sleep = sleep
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> SingleInstance:
        try:
            for lock in self._locks:
                await self._wait_for(lock)
        except BaseException:
            await self._release()
            raise
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await self._release()

    async def _wait_for(self, lock: Lock) -> None:
        left_s = WAIT_S
        while (why := await self._refusal(lock, is_last=left_s <= 0)) is not None:
            if left_s <= 0:
                raise CloudError(f"{why}; {HINT}")
            if left_s == WAIT_S:
                log.warning("%s; waiting %.0f s for its end", why, WAIT_S)
            left_s -= RETRY_S
            await self._sleep(RETRY_S)

    async def _refusal(self, lock: Lock, *, is_last: bool) -> str | None:
        """Why it cannot be taken now; None when it was. A database that restarts is asked again."""
        try:
            return None if await lock.taken() else f"another full process: {await lock.holder()}"
        except (OSError, SQLAlchemyError) as error:
            if is_last:
                raise
            return str(error)

    async def _watch(self) -> None:
        """Until one is lost. One that cannot be looked at is looked at again."""
        while True:
            await self._sleep(CHECK_S)
            for lock in self._locks:
                with suppress(
                    Exception
                ):  # the driver has its own, and the database's absence is told by others
                    if not await lock.taken():
                        who = await lock.holder()
                        log.error("another full process: %s; this one ends; %s", who, HINT)
                        self._lost()
                        return

    async def _release(self) -> None:
        for lock in reversed(self._locks):
            await lock.release()


def locks(database: str, folder: Path) -> list[Lock]:
    """Those of a full process: its data folder, and its database."""
    locks: list[Lock] = [FolderLock(folder)]
    url = make_url(database)
    if url.get_backend_name() == "postgresql":
        locks.append(DatabaseLock(database))
    elif url.database and (beside := Path(url.database).resolve().parent) != folder.resolve():
        locks.append(FolderLock(beside))
    return locks
