"""Writers of SQLite take turns in this process, urgent ones first; a cancelled one keeps nobody waiting, and
one that waits has no connection.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.db import Database, WriteQueue

MANY = 40
"""More than the connections of a pool."""


async def test_in_line_and_urgent_first() -> None:
    turn, order = WriteQueue(), list[str]()

    async def work(name: str, urgent: bool) -> None:
        await turn.take(urgent)
        order.append(name)
        await asyncio.sleep(0)
        turn.give()

    await turn.take(False)
    tasks = [
        asyncio.create_task(work(name, name.startswith("u"))) for name in ("a", "b", "u1", "c", "u2", "gone")
    ]
    await asyncio.sleep(0)
    tasks[-1].cancel()
    tasks[1].cancel()
    turn.give()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == ["u1", "u2", "a", "c"]
    await asyncio.wait_for(turn.take(False), 10)


async def test_a_turn_given_to_a_cancelled_writer_is_passed_on() -> None:
    turn = WriteQueue()
    await turn.take(False)
    waiting = asyncio.create_task(turn.take(False))
    await asyncio.sleep(0)
    turn.give()
    waiting.cancel()  # its turn has come and it has not noticed
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(turn.take(False), 10)


async def test_many_writers_of_one_file(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/turns.db")
    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))
        await connection.execute(text("INSERT INTO number VALUES (0)"))

    async def add(fails: bool) -> None:
        async with database.session(urgent=fails) as session:
            n = (await session.execute(text("SELECT n FROM number"))).scalar_one()
            await session.execute(text("UPDATE number SET n = :n"), {"n": n + 1})
            if fails:
                raise ZeroDivisionError
            await session.commit()

    done = await asyncio.gather(*(add(number % 3 == 0) for number in range(30)), return_exceptions=True)
    assert sum(isinstance(item, ZeroDivisionError) for item in done) == 10
    stuck = [asyncio.create_task(add(False)) for _ in range(10)]
    await asyncio.sleep(0.005)
    for task in stuck:
        task.cancel()
    ended = await asyncio.gather(*stuck, return_exceptions=True)
    written = sum(not isinstance(item, BaseException) for item in ended)
    async with asyncio.timeout(10), database.reading() as session:
        assert (await session.execute(text("SELECT n FROM number"))).scalar_one() >= 20 + written
    await asyncio.wait_for(add(False), 10)
    await database.close()


async def test_a_cancelled_statement_keeps_no_lock(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/cancelled.db")
    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))
    written = asyncio.Event()

    async def write(then: str) -> None:
        async with database.session() as session:
            await session.execute(text("INSERT INTO number VALUES (1)"))
            written.set()
            await session.execute(text(then))
            await session.commit()

    count = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000000)"
    cancelled = asyncio.create_task(write(f"{count} SELECT count(*) FROM c UNION ALL SELECT 1"))
    await written.wait()
    await asyncio.sleep(0.05)
    cancelled.cancel()
    ended = await asyncio.gather(cancelled, return_exceptions=True)
    assert isinstance(ended[0], asyncio.CancelledError)  # its traceback keeps the cursor from being collected
    await asyncio.wait_for(write("SELECT 1"), 10)
    async with database.reading() as session:
        assert (await session.execute(text("SELECT count(*) FROM number"))).scalar_one() == 1
    await database.close()


@pytest.mark.parametrize("urgent", [True, False])
async def test_a_reader_waits_for_no_writer(tmp_path: Path, urgent: bool) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/turns.db")
    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))
    async with database.session(urgent=urgent, beside=True) as writing:
        await writing.execute(text("INSERT INTO number VALUES (1)"))
        async with asyncio.timeout(10), database.reading() as session:
            assert (await session.execute(text("SELECT count(*) FROM number"))).scalar_one() == 0
        await writing.commit()
    await database.close()


async def test_only_a_passing_session_does_not_wait_for_the_disk(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/passing.db")
    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))

    async def insert(session: AsyncSession) -> int:
        async with session:
            await session.execute(text("INSERT INTO number VALUES (1)"))
            level = (await session.execute(text("PRAGMA synchronous"))).scalar_one()
            await session.commit()
        return int(level)

    normal, full = 1, 2
    opened = (
        database.session(),
        database.asynchronous_commit(),
        database.asynchronous_commit(),
        database.session(urgent=True),
    )
    assert [await insert(session) for session in opened] == [full, normal, normal, full]
    async with database.reading() as session:
        assert (await session.execute(text("SELECT count(*) FROM number"))).scalar_one() == 4
    await database.close()


async def test_writers_that_wait_for_their_turn_leave_readers_their_connections(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path}/flood.db")
    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE number (n INTEGER)"))

    async def write(urgent: bool) -> None:
        async with database.session(urgent=urgent) as session:
            await session.execute(text("INSERT INTO number VALUES (1)"))
            await session.commit()

    async def read() -> int:
        async with database.reading() as session:
            return int((await session.execute(text("SELECT count(*) FROM number"))).scalar_one())

    async with database.session(beside=True) as first:
        await first.execute(text("INSERT INTO number VALUES (1)"))
        waiting = [asyncio.create_task(write(number % 2 == 0)) for number in range(MANY)]
        for _ in range(MANY):  # with a connection for each writer that waits, none is left of the pool
            assert await read() == 0
        assert not any(task.done() for task in waiting)
        await first.commit()
    await asyncio.gather(*waiting)
    assert await read() == MANY + 1
    await database.close()


async def test_a_writer_that_gets_no_connection_passes_its_turn_on(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    database = Database(f"sqlite+aiosqlite:///{folder}/late.db")
    for urgent in (False, True, False):
        with pytest.raises(OperationalError, match="unable to open"):
            async with database.session(urgent=urgent) as session:
                await session.execute(text("SELECT 1"))
    folder.mkdir()
    for urgent in (False, True):
        async with asyncio.timeout(10), database.session(urgent=urgent) as session:
            assert (await session.execute(text("SELECT 1"))).scalar_one() == 1
    await database.close()
