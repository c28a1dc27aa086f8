"""Statements on SQLite: one step of the connection's thread each, and nothing left open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError

from cloud.db import Database
from cloud.sqlite_connection import SingleStepConnection, connect

NAMES = "SELECT name FROM thing ORDER BY id"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    made = Database(f"sqlite+aiosqlite:///{tmp_path / 'cloud.db'}")
    async with made.session() as session:
        await session.execute(text("CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"))
        await session.commit()
    yield made
    await made.close()


async def test_a_statement_is_one_step(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async with database.reading() as session:
        await session.execute(text(NAMES))  # has connected
    steps: list[object] = []
    execute = SingleStepConnection._execute

    async def counted(self: SingleStepConnection, step: Any, *args: Any, **kwargs: Any) -> Any:
        steps.append(step)
        return await execute(self, step, *args, **kwargs)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(SingleStepConnection, "_execute", counted)
    async with database.reading() as session:
        await session.execute(text(NAMES))
        await session.execute(text(NAMES))
    assert len(steps) == 4  # begin, two questions, end


async def test_rows_counts_and_numbers(database: Database) -> None:
    async with database.session() as session:
        insert = text("INSERT INTO thing (name) VALUES (:name)")
        assert (await session.execute(insert, [{"name": "a"}, {"name": "b"}])).rowcount == 2  # type: ignore[attr-defined]
        returned = await session.execute(text("INSERT INTO thing (name) VALUES ('c') RETURNING id, name"))
        assert returned.all() == [(3, "c")]
        changed = await session.execute(text("UPDATE thing SET name = name || '!' WHERE id > 1"))
        assert changed.rowcount == 2  # type: ignore[attr-defined]
        await session.commit()
    async with database.reading() as session:
        found = await session.execute(text(NAMES))
        assert (list(found.keys()), found.scalars().all()) == (["name"], ["a", "b!", "c!"])


async def test_a_refused_statement_leaves_nothing_open(database: Database) -> None:
    async with database.session() as session:
        with pytest.raises(IntegrityError):
            await session.execute(text("INSERT INTO thing (name) VALUES ('a'), ('a')"))
    async with database.session() as session:
        await session.execute(text("INSERT INTO thing (name) VALUES ('b')"))
        await session.commit()
    async with database.reading() as session:
        assert (await session.execute(text(NAMES))).scalars().all() == ["b"]


async def test_who_is_cancelled_in_a_statement_keeps_no_lock(database: Database) -> None:
    """The statement ends in the thread, whoever waits for it."""
    endless = text(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)"
        " INSERT INTO thing (name) SELECT i FROM n"
    )

    async def write() -> None:
        async with database.session() as session:
            await session.execute(endless)

    task = asyncio.create_task(write())
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with asyncio.timeout(20), database.session() as session:
        await session.execute(text("INSERT INTO thing (name) VALUES ('next')"))
        await session.commit()
        assert (await session.execute(text(NAMES))).scalars().all() == ["next"]


async def test_a_closed_connection_says_so(tmp_path: Path) -> None:
    connection = connect(str(tmp_path / "cloud.db"))
    await connection
    await connection.close()
    with pytest.raises(ValueError, match="closed"):
        await connection.cursor().execute("SELECT 1")


async def test_a_connection_that_cannot_be_made_is_an_error_of_the_database(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'missing' / 'cloud.db'}")
    with pytest.raises(OperationalError, match="unable to open"):
        async with database.reading() as session:
            await session.execute(text("SELECT 1"))
    await database.close()
