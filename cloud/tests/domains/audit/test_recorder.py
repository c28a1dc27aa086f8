"""The queue: written together, nothing lost at a clean stop or while the database is away, bounded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from cloud.db import Database
from cloud.domains.all import DOMAINS
from cloud.domains.audit import recorder as module
from cloud.domains.audit.metrics import DROPPED
from cloud.domains.audit.models import AuditEntry
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.repository import AuditRepository

NAMED = tuple(table for domain in DOMAINS for table in domain.named)


def row(number: int, **changes: Any) -> dict[str, Any]:
    made = {
        "at_ms": number, "user_id": 1, "user_name": "u", "user_path": "/1/", "address": "127.0.0.1",
        "method": "PUT", "path": f"/api/v1/x/{number}", "operation": "putX", "ids": {}, "query": {},
        "changes": {"a": number}, "status": 200, "code": 0, "duration_ms": 1, "request_id": "0",
    }  # fmt: skip
    return made | changes


async def count(database: Database) -> int:
    async with database.reading() as session:
        return int((await session.execute(select(func.count()).select_from(AuditEntry))).scalar_one())


def dropped(reason: str) -> float:
    return float(DROPPED.labels(reason)._value.get())


class Nap:
    """A sleep that takes no time. retried: set by the one after a failure."""

    def __init__(self) -> None:
        self.retried = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        if seconds == module.RETRY_S:
            self.retried.set()
        await asyncio.sleep(0)


async def test_written_together_and_all_at_a_clean_stop(database_url: str) -> None:
    database = Database(database_url)
    recorder = Recorder(database, NAMED)
    recorder.start()
    for number in range(1200):
        recorder.put(row(number))
    await recorder.stop()
    assert await count(database) == 1200
    async with database.reading() as session:
        numbers = list(await session.scalars(select(AuditEntry.at_ms).order_by(AuditEntry.id)))
    assert numbers == list(range(1200))
    await database.close()


async def test_waits_while_the_database_is_away(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(sqlite_url)
    nap = Nap()
    recorder = Recorder(database, NAMED, sleep=nap)
    real, back, both = AuditRepository.add, asyncio.Event(), asyncio.Event()

    async def add(self: AuditRepository, rows: Any, named: Any) -> None:
        if not back.is_set():
            raise OperationalError("INSERT", {}, Exception("gone"))
        await real(self, rows, named)
        if len(rows) == 2:
            both.set()

    monkeypatch.setattr(AuditRepository, "add", add)
    recorder.start()
    recorder.put(row(1))
    await asyncio.wait_for(nap.retried.wait(), 10)
    recorder.put(row(2))
    assert await recorder.flush() is False
    back.set()
    await asyncio.wait_for(both.wait(), 10)
    await recorder.stop()
    assert await count(database) == 2
    await database.close()


async def test_bounded_and_told_what_is_lost(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 3)
    database = Database(sqlite_url)
    recorder = Recorder(database, NAMED)
    full, stop = dropped("full"), dropped("stop")
    for number in range(5):
        recorder.put(row(number))
    assert dropped("full") - full == 2

    async def add(self: AuditRepository, rows: Any, named: Any) -> None:
        raise OperationalError("INSERT", {}, Exception("gone"))

    monkeypatch.setattr(AuditRepository, "add", add)
    await recorder.stop()
    assert dropped("stop") - stop == 3
    assert sum("audit row lost" in record.message for record in caplog.records) == 3
    await database.close()


async def test_one_row_that_cannot_be_written_holds_up_no_other(database_url: str) -> None:
    database = Database(database_url)
    recorder = Recorder(database, NAMED)
    before = dropped("refused")
    for number in range(6):
        recorder.put(row(number, path=None) if number == 3 else row(number))
    assert await recorder.flush()
    assert (await count(database), dropped("refused") - before) == (5, 1)
    await database.close()


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    (tmp_path / "cloud.db").write_bytes(sqlite_template.read_bytes())
    return f"sqlite+aiosqlite:///{tmp_path / 'cloud.db'}"
