"""Two full processes never work on one data folder or one database."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from cloud.db import Database
from cloud.errors import CloudError
from cloud.single_instance import CHECK_S, WAIT_S, DatabaseLock, FolderLock, Lock, SingleInstance, locks

from .link.equipment import eventually

Make = Callable[[], Lock]
FREED_S = 30.0


class Naps:
    """A sleep that takes no time; turn: what happens in the next ones."""

    def __init__(self, *turns: Callable[[], object]) -> None:
        self.slept: list[float] = []
        self.turns = list(turns)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if self.turns:
            made = self.turns.pop(0)()
            if asyncio.iscoroutine(made):
                await made
        await asyncio.sleep(0.001)


@pytest.fixture(params=["folder", "database"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    if request.param == "folder":
        return lambda: FolderLock(tmp_path / "data")
    url = str(request.getfixturevalue("migrated_postgres"))
    return lambda: DatabaseLock(url)


async def test_the_second_is_refused_when_the_first_stays(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    naps = Naps()
    async with SingleInstance([make()], pytest.fail):
        with pytest.raises(CloudError, match=r"another full process: .* EDGE_ROLE=api"):
            async with SingleInstance([make()], pytest.fail, sleep=naps.sleep):
                pytest.fail("two at once")
    assert sum(naps.slept) == WAIT_S
    assert caplog.text.count("another full process") == 1
    async with SingleInstance([make()], pytest.fail):
        pass


async def test_the_second_goes_on_when_the_first_ends(make: Make) -> None:
    first = make()
    assert await first.taken()
    naps = Naps(lambda: None, first.release)
    async with SingleInstance([make()], pytest.fail, sleep=naps.sleep):
        assert naps.slept[:2] == [0.5, 0.5]
        assert not await first.taken()
    await first.release()


async def test_what_was_taken_is_given_back_when_another_is_refused(tmp_path: Path) -> None:
    free, taken = tmp_path / "free", tmp_path / "taken"
    async with SingleInstance([FolderLock(taken)], pytest.fail):
        with pytest.raises(CloudError):
            async with SingleInstance([FolderLock(free), FolderLock(taken)], pytest.fail, sleep=Naps().sleep):
                pass
        async with SingleInstance([FolderLock(free)], pytest.fail):
            pass


async def cut(database: Database) -> None:
    """End every other connection to the database, as its restart does; they are gone then."""
    async with database.session() as session:
        await session.execute(
            text(
                "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND datname = current_database() AND query LIKE '%advisory%'"
            )
        )


async def takes(lock: Lock) -> None:
    """Return when it is taken: the server notices the end of a connection in its own time."""
    async with asyncio.timeout(FREED_S):
        while not await lock.taken():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_connection_that_broke_is_made_again(migrated_postgres: str) -> None:
    database, other = Database(migrated_postgres), DatabaseLock(migrated_postgres)
    naps = Naps(lambda: cut(database))
    async with SingleInstance([DatabaseLock(migrated_postgres)], pytest.fail, sleep=naps.sleep):
        await eventually(lambda: len(naps.slept) >= 4)
        assert set(naps.slept) == {CHECK_S}
        assert not await other.taken()
    await takes(other)
    await other.release()
    await database.close()


async def test_a_broken_connection_that_the_server_still_keeps_is_no_other_process(
    migrated_postgres: str,
) -> None:
    lock, other = DatabaseLock(migrated_postgres), DatabaseLock(migrated_postgres)
    await takes(lock)
    kept, lock._connection, lock._held = lock._connection, None, False
    with pytest.raises(ConnectionError, match="still holds"):
        await lock.taken()
    assert not await other.taken()
    assert kept is not None
    await kept.close()
    async with asyncio.timeout(FREED_S):
        while not lock._held:
            with contextlib.suppress(ConnectionError):
                await lock.taken()
    assert not await other.taken()
    await lock.release()
    await other.release()


async def test_who_lost_the_database_to_another_ends(
    migrated_postgres: str, caplog: pytest.LogCaptureFixture
) -> None:
    database, other, ended = Database(migrated_postgres), DatabaseLock(migrated_postgres), asyncio.Event()

    async def lose() -> None:
        await cut(database)
        await takes(other)

    async with SingleInstance([DatabaseLock(migrated_postgres)], ended.set, sleep=Naps(lose).sleep):
        async with asyncio.timeout(FREED_S):
            await ended.wait()
    assert "this one ends" in caplog.text
    await other.release()
    await database.close()


async def test_a_lock_file_that_is_removed_is_made_again_or_lost(tmp_path: Path) -> None:
    first, second = FolderLock(tmp_path), FolderLock(tmp_path)
    assert await first.taken()
    (tmp_path / "full.lock").unlink()
    assert await first.taken()
    assert not await second.taken()
    (tmp_path / "full.lock").unlink()
    assert await second.taken()
    assert not await first.taken()
    await first.release()
    await second.release()


class Away:
    """A lock that cannot be asked for some time."""

    def __init__(self, times: int) -> None:
        self.left = times

    async def taken(self) -> bool:
        self.left -= 1
        if self.left >= 0:
            raise OSError("the database is starting up")
        return True

    async def holder(self) -> str:
        return ""

    async def release(self) -> None:
        return


async def test_a_database_that_restarts_is_waited_for() -> None:
    async with SingleInstance([Away(7)], pytest.fail, sleep=Naps().sleep):
        pass
    with pytest.raises(OSError, match="starting up"):
        async with SingleInstance([Away(99)], pytest.fail, sleep=Naps().sleep):
            pytest.fail("without it")


def test_what_is_held(tmp_path: Path) -> None:
    def kinds(url: str) -> list[type[Lock]]:
        return [type(lock) for lock in locks(url, tmp_path)]

    assert kinds(f"sqlite+aiosqlite:///{tmp_path}/cloud.db") == [FolderLock]
    assert kinds(f"sqlite+aiosqlite:///{tmp_path}/elsewhere/cloud.db") == [FolderLock, FolderLock]
    assert kinds("postgresql+asyncpg://edge@/postgres") == [FolderLock, DatabaseLock]
