"""Open the store of a data folder; a damaged file is set aside, never deleted, and a new stream begins."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from edge_agent.store.base import Store
from edge_agent.store.collection import SqliteCollection
from edge_agent.store.database import Database, StoreCorrupt, is_newer
from edge_agent.store.exchange import SqliteExchange
from edge_agent.store.journal import SqliteCatalogs, SqliteJournal, SqlitePointNumbers
from edge_agent.store.outbox import SqliteOutbox
from edge_agent.store.plans import SqlitePlans
from edge_agent.store.reserve_file import ReserveFile
from edge_agent.store.rules import SqliteRules
from edge_agent.store.target_records import SqliteTargetRecords
from edge_agent.store.tasks import SqliteTasks

log = logging.getLogger(__name__)

FILE = "outbox.sqlite"


@asynccontextmanager
async def open_sqlite(
    folder: Path, max_bytes: int, now_ms: Callable[[], int], monotonic: Callable[[], float]
) -> AsyncIterator[Store]:
    """The store in folder, at most max_bytes large, closed when the block ends."""
    path = folder / FILE
    try:
        database = await Database.open(path, max_bytes)
    except StoreCorrupt as error:
        aside = set_aside(path, now_ms())
        log.error("%s; kept as %s, a new stream begins", error, aside)
        database = await Database.open(path, max_bytes)
    try:
        outbox = SqliteOutbox(database, ReserveFile(folder / "ballast"), now_ms, monotonic)
        await outbox.open()
        try:
            yield Store(
                outbox,
                SqliteJournal(database),
                SqlitePointNumbers(database),
                SqliteCatalogs(database),
                SqlitePlans(database),
                SqliteCollection(database),
                SqliteRules(database),
                SqliteExchange(database),
                SqliteTasks(database),
                SqliteTargetRecords(database),
            )
        finally:
            await outbox.write_cursors()
    finally:
        await database.close()


def set_newer_aside(folder: Path, t_ms: int) -> None:
    """After a newer agent was rolled back: what it made of the store is kept, and a new stream begins."""
    if is_newer(folder / FILE):
        aside = set_aside(folder / FILE, t_ms)
        log.error("the version that was left has changed the store; kept as %s, a new stream begins", aside)


def set_aside(path: Path, t_ms: int) -> Path:
    """Rename the file and its write-ahead log to *.bad-<time>; the new name."""
    aside = path.with_name(f"{path.name}.bad-{t_ms}")
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside
