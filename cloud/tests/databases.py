"""Databases for tests: a SQLite file and a real PostgreSQL, migrated and empty."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cloud import migrations
from cloud.db import Base, Database

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


@pytest.fixture(scope="session")
def migrated_postgres(postgres: str) -> str:
    """URL of a migrated PostgreSQL database."""
    migrations.upgrade(postgres)
    return postgres


EMPTY = """
DO $$
DECLARE
    one text;
    has_rows boolean;
BEGIN
    SET LOCAL session_replication_role = replica;  -- references are not checked: every table is emptied
    FOREACH one IN ARRAY ARRAY[{names}] LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', one) INTO has_rows;
        IF has_rows THEN
            EXECUTE format('DELETE FROM %I', one);
        END IF;
    END LOOP;
    FOR one IN SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL LOOP
        EXECUTE format('ALTER SEQUENCE %I RESTART', one);
    END LOOP;
END $$
"""
"""TRUNCATE of all tables takes ten times as long: it makes new files for each, most of which are empty."""


async def empty(url: str) -> None:
    """Delete every row; numbers begin with 1 again."""
    database = Database(url)
    async with database.engine.begin() as connection:
        names = ", ".join(f"'{name}'" for name in Base.metadata.tables)
        await connection.exec_driver_sql(EMPTY.format(names=names))
    await database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A migrated, empty database of each kind."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "cloud.db")
        return f"sqlite+aiosqlite:///{tmp_path / 'cloud.db'}"
    url = str(request.getfixturevalue("migrated_postgres"))
    asyncio.run(empty(url))
    return url
