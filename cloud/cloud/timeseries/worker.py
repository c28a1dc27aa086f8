"""A thread with a connection to the embedded store's file."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from cloud.timeseries.base import TimeSeriesError, TimeSeriesRejected

T = TypeVar("T")

BUSY_TIMEOUT_S = 10.0
"""Wait for another process (a backup, the sqlite3 shell) that holds the file's lock."""

CACHE_KIB = 32_768
"""The pages of the index of blocks of a thousand gateways, and of the chunks that are packed, have to fit."""


class Worker:
    """One thread with one connection."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        def connect() -> None:
            connection = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA journal_size_limit = 67108864")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            self._connection = connection

        await self._submit(connect)

    async def close(self) -> None:
        def disconnect() -> None:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

        await self._submit(disconnect)
        self._executor.shutdown()

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do it on the thread. TimeSeriesError when SQLite fails, TimeSeriesRejected for a refused value."""

        def call() -> T:
            """Run it in the worker's thread. Raises TimeSeriesError when the store is not open."""
            if self._connection is None:
                raise TimeSeriesError("the embedded time series is not open")
            return work(self._connection)

        return await self._submit(call)

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """As run(), on one state of the file: what is found by one statement is there for the next."""

        def transaction(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                connection.execute("ROLLBACK")

        return await self.run(transaction)

    async def _submit(self, call: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, call)
        except (OverflowError, UnicodeEncodeError, sqlite3.DataError) as error:
            raise TimeSeriesRejected(str(error)) from error
        except sqlite3.Error as error:
            raise TimeSeriesError(f"embedded time series {self._path.name}: {error}") from error
