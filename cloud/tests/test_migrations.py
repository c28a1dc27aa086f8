"""The migrations make exactly the tables of the models, on both databases, and can be undone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.exc import DBAPIError

from cloud import migrations
from cloud.db import Base, Database
from cloud.domains.all import DOMAINS
from cloud.domains.devices.models import Device, SlaveDevice
from cloud.kit.natural import natural_key


def differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), Base.metadata))


async def test_models_and_migrations_agree(database_url: str) -> None:
    assert DOMAINS
    database = Database(database_url)
    async with database.engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await database.close()


def test_upgrade_twice_is_harmless_and_can_be_undone(database_url: str) -> None:
    migrations.upgrade(database_url)
    migrations.downgrade(database_url)
    migrations.upgrade(database_url)


async def test_migrations_that_fail_leave_nothing_behind(database_url: str) -> None:
    """As when the process is killed among them: the next start begins anew."""
    await asyncio.to_thread(migrations.downgrade, database_url)
    database = Database(database_url)
    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE dead_series (id INTEGER)"))  # one of the fifteenth
    with pytest.raises(DBAPIError, match="dead_series"):
        await asyncio.to_thread(migrations.upgrade, database_url)
    async with database.engine.begin() as connection:
        assert await connection.run_sync(lambda bind: "device" in inspect(bind).get_table_names()) is False
        await connection.execute(text("DROP TABLE dead_series"))
    await asyncio.to_thread(migrations.upgrade, database_url)
    await database.close()


async def test_titles_of_gateways_that_are_there_get_their_order(database_url: str) -> None:
    database = Database(database_url)
    kept: dict[str, Any] = {"protocol": "p", "port": "lan", "address": "1"}
    async with database.session() as session:
        session.add(Device(id=1, gateway_id="a", title="泵 10", secret_hash="", created_ms=0))
        await session.flush()
        session.add(SlaveDevice(device_id=1, name="s", title="s", **kept))
        await session.commit()
    await database.close()
    to = migrations.configuration(database_url)
    await asyncio.to_thread(command.downgrade, to, "0018")
    await asyncio.to_thread(migrations.upgrade, database_url)
    async with database.session() as session:
        assert await session.scalar(select(Device.title_key)) == natural_key("泵 10")
        assert await session.scalar(select(SlaveDevice.name)) == "s"  # no table was emptied on the way
    await database.close()


async def test_sqlite_is_durable(tmp_path) -> None:  # type: ignore[no-untyped-def]
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'x.db'}")
    async with database.engine.connect() as connection:
        values = [
            (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
        assert await connection.run_sync(lambda sync: inspect(sync).get_table_names()) == []
    await database.close()
    assert values == ["wal", 2, 1]
