"""Rows on their way to the table: put without waiting, written together by one task, all at a clean stop.

Many rows in a commit; while the database is away rows wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from typing import Any

from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from cloud.core.clock import Sleep
from cloud.core.scope import Scope
from cloud.core.shielded import shielded
from cloud.core.tables import NamedTable
from cloud.db import Database
from cloud.domains.audit.metrics import DROPPED, WRITTEN
from cloud.domains.audit.repository import AuditRepository

log = logging.getLogger(__name__)

MAX_WAITING = 5000
"""Rows; each has at most some 10 kB. The database would have to be away for that many changes."""

GATHER_S = 0.25
"""After the first row others are waited for, so that one commit serves them all."""

RETRY_S = 2.0
MAX_BATCH_ROWS = 500

STOP_TIMEOUT_S = 10.0
"""A database that serves writes all that can wait in far less; one that does not is not waited for longer."""

AWAY = (OperationalError, InterfaceError, PoolTimeout, ConnectionError, OSError)

Row = dict[str, Any]


class Recorder:
    """Owns the queue. Rows that cannot be written yet stay in it; when it is full the newest is dropped.

    named: tables of the things that rows name.
    """

    def __init__(
        self, database: Database, named: Sequence[NamedTable], *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._database = database
        self._named = named
        self._sleep = sleep
        self._waiting: deque[Row] = deque()
        self._writing = asyncio.Lock()
        self._come = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._away = False

    def put(self, row: Row) -> None:
        """Have this row written soon."""
        if len(self._waiting) >= MAX_WAITING:
            DROPPED.labels("full").inc()
            return
        self._waiting.append(row)
        self._come.set()

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Write what waits, then end. Rows that an unreachable database did not take are logged."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await self.flush()
        except TimeoutError:
            log.error("the audit could not be written within %s s", STOP_TIMEOUT_S)
        if self._waiting:
            DROPPED.labels("stop").inc(len(self._waiting))
            for row in self._waiting:
                log.error("audit row lost: %s %s by %s", row["operation"], row["path"], row["user_name"])

    async def flush(self) -> bool:
        """Write what waits now; False when the database does not take it."""
        async with self._writing:
            while self._waiting:
                if not await self._write(
                    [self._waiting[at] for at in range(min(len(self._waiting), MAX_BATCH_ROWS))]
                ):
                    return False
        return True

    async def _run(self) -> None:
        while True:
            await self._come.wait()
            await self._sleep(GATHER_S)
            self._come.clear()
            try:
                written = await self.flush()
            except Exception:
                # The audit must go on after a failure that nobody foresaw; its rows are still in the queue.
                log.exception("the audit could not be written")
                written = False
            if not written:
                self._come.set()
                await self._sleep(RETRY_S)

    @shielded
    async def _write(self, rows: list[Row]) -> bool:
        try:
            await self._insert(rows)
        except AWAY as error:
            if not self._away:
                log.error("the database does not take the audit: %s", error)
            self._away = True
            return False
        except SQLAlchemyError:
            if len(rows) > 1:  # one of them is at fault, and the others must not wait behind it for ever
                for row in rows:
                    if not await self._write([row]):
                        return False
                return True
            log.exception("a row of the audit cannot be written: %s", rows[0]["path"])
            DROPPED.labels("refused").inc()
            self._waiting.popleft()
            return True
        if self._away:
            log.info("the database takes the audit again")
        self._away = False
        return True

    async def _insert(self, rows: list[Row]) -> None:
        async with self._database.session() as session:
            await AuditRepository(session, Scope.system()).add(rows, self._named)
            await session.commit()
        for _ in rows:
            self._waiting.popleft()
        WRITTEN.inc(len(rows))
