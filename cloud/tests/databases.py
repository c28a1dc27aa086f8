"""Databases for tests: a SQLite file and a real PostgreSQL, migrated and empty."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from cloud import migrations
from cloud.db import Base
from cloud.settings import Settings

POSTGRES = Path("/usr/lib/postgresql/15/bin")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of a real PostgreSQL on a socket of its own."""
    if not POSTGRES.is_dir():
        pytest.skip("PostgreSQL 15 is not installed")
    folder = Path(tempfile.mkdtemp(prefix="edge-postgres-"))
    user: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    data = folder / "data"
    make = [*user, POSTGRES / "initdb", "-D", data, "-U", "edge", "--auth=trust", "--no-sync"]
    make += ["--encoding=UTF8", "--locale=C.UTF-8"]  # whose lower() knows every alphabet, as a server's does
    subprocess.run(make, check=True, capture_output=True, cwd=folder)
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    start = [*user, POSTGRES / "pg_ctl", "-D", data, "-w", "-o", options, "-l", data / "log", "start"]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    yield f"postgresql+asyncpg://edge@/postgres?host={folder}"
    stop = [*user, POSTGRES / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
    subprocess.run(stop, check=True, capture_output=True, cwd=folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite database to copy."""
    file = tmp_path_factory.mktemp("template") / "cloud.db"
    migrations.upgrade(f"sqlite+aiosqlite:///{file}")
    return file


def migrated_settings(folder: Path, template: Path, **more: Any) -> Settings:
    """Settings of an application with a migrated, empty SQLite database in its folder."""
    shutil.copy(template, folder / "cloud.db")
    return Settings(data_dir=folder, broker_port=0, **more)


@pytest.fixture(scope="session")
def migrated_postgres(postgres: str) -> str:
    """URL of a migrated PostgreSQL database."""
    migrations.upgrade(postgres)
    return postgres


EMPTY = """
CREATE FUNCTION pg_temp.make_empty() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one text;
BEGIN
    SET LOCAL session_replication_role = replica;  -- references are not checked: every table is emptied
    {deletes}
    FOR one IN SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL LOOP
        EXECUTE format('ALTER SEQUENCE %I RESTART', one);
    END LOOP;
END $$
"""
"""TRUNCATE of all tables takes ten times as long: it makes new files for each, most of which are empty."""

DELETE = 'IF EXISTS (SELECT FROM "{name}") THEN DELETE FROM "{name}"; END IF;'


class Emptier:
    """Deletes every row of a PostgreSQL database; numbers begin with 1 again.

    One connection does it before each test, with plans that the server made once.
    """

    def __init__(self, url: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._connection = self._loop.run_until_complete(_connected(url))

    def __call__(self) -> None:
        self._loop.run_until_complete(self._connection.execute(MAKE_EMPTY))

    def close(self) -> None:
        self._loop.run_until_complete(self._connection.close())
        self._loop.close()


MAKE_EMPTY = "SELECT pg_temp.make_empty()"


async def _connected(url: str) -> asyncpg.Connection:
    connection = await asyncpg.connect(url.replace("+asyncpg", ""))
    deletes = "\n    ".join(DELETE.format(name=name) for name in Base.metadata.tables)
    await connection.execute(EMPTY.format(deletes=deletes))
    return connection


async def empty(url: str) -> None:
    """Empty a PostgreSQL database once, from a test."""
    connection = await _connected(url)
    await connection.execute(MAKE_EMPTY)
    await connection.close()


@pytest.fixture(scope="session")
def empty_postgres(migrated_postgres: str) -> Iterator[Callable[[], None]]:
    emptier = Emptier(migrated_postgres)
    yield emptier
    emptier.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A migrated, empty database of each kind."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "cloud.db")
        return f"sqlite+aiosqlite:///{tmp_path / 'cloud.db'}"
    request.getfixturevalue("empty_postgres")()
    return str(request.getfixturevalue("migrated_postgres"))
