"""A task that opens a session while it has one is refused: it takes two connections of the pool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from cloud.db import Database, NestedSession


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    made = Database(database_url)
    yield made
    await made.close()


@pytest.mark.parametrize("outer", ["reading", "session", "asynchronous_commit"])
@pytest.mark.parametrize("inner", ["reading", "session", "asynchronous_commit"])
async def test_within_another_of_the_same_task_it_is_refused(
    database: Database, outer: str, inner: str
) -> None:
    async with getattr(database, outer)() as session:
        with pytest.raises(NestedSession):
            async with getattr(database, inner)():
                pass
        assert await session.scalar(text("SELECT 1")) == 1, "the first one goes on"


async def test_one_after_the_other_is_not(database: Database) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="of the caller"):
            async with database.reading():
                raise ValueError("of the caller")
        async with database.session() as session:
            await session.commit()


async def test_nor_is_what_another_task_opens(database: Database) -> None:
    async def read() -> int:
        async with database.reading() as session:
            return int((await session.execute(text("SELECT 1"))).scalar_one())

    async with database.reading():
        assert await asyncio.create_task(read()) == 1
        with pytest.raises(NestedSession):
            await read()


async def test_who_says_so_may_have_another_one(database: Database) -> None:
    async with database.reading(beside=True), database.session() as session:
        await session.commit()
    async with database.session(beside=True), database.reading() as session:
        assert await session.scalar(text("SELECT 1")) == 1
