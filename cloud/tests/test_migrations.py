"""The migrations make exactly the tables of the models, on both databases, and can be undone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import JSON, Connection, column, inspect, select, table, text
from sqlalchemy.exc import DBAPIError

from cloud import migrations
from cloud.core.natural_order import natural_key
from cloud.db import Base, Database
from cloud.domains.all import DOMAINS
from cloud.domains.commands.models import CommandPreset
from cloud.domains.identity.models import AuthGroup, User
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice


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


async def test_stored_writes_of_switches_become_positions_where_they_are_sure(database_url: str) -> None:
    levels = {1: (None, None), 2: (1, 0), 3: (170, 85), 4: (0, 1), 5: (None, None)}
    writes = [(1, 1), (2, 0), (3, 170), (3, 85), (3, 1), (4, 0), (4, False), (5, 1)]
    kept: dict[str, Any] = {"protocol": "p", "port": "lan", "address": "1"}
    common: dict[str, Any] = {
        "rw": "readwrite",
        "data_type": "uint16",
        "unit": "",
        "period_ms": 0,
        "record": 1,
    }
    night = CommandPreset(device_id=1, title="Night", changed_ms=0, user_name="u")
    night.writes = [{"dsid": dsid, "value": value} for dsid, value in writes]
    database = Database(database_url)
    async with database.session() as session:
        session.add(Device(id=1, gateway_id="a", title="A", secret_hash="", created_ms=0, catalog="known"))
        await session.flush()
        session.add(SlaveDevice(id=1, device_id=1, name="s", title="s", **kept))
        await session.flush()
        for number in levels:
            kind = "num" if number == 5 else "swh"
            place = {"id": number, "device_id": 1, "slave_id": 1}
            session.add(DataPoint(name=f"p{number}", title="", kind=kind, **place, **common))
        session.add(night)
        await session.commit()
    await database.close()
    to = migrations.configuration(database_url)
    await asyncio.to_thread(command.downgrade, to, "0021")
    point = table("data_point", column("id"), column("on_value", JSON), column("off_value", JSON))
    async with database.engine.begin() as connection:
        for number, (on, off) in levels.items():
            if on is not None:
                values = point.update().where(point.c.id == number).values(on_value=on, off_value=off)
                await connection.execute(values)
    await database.close()
    await asyncio.to_thread(migrations.upgrade, database_url)
    async with database.session() as session:
        (found,) = await session.scalars(select(CommandPreset.writes))
        expected = [True, False, True, False, True, 0, False, 1]
        assert [repr(write["value"]) for write in found] == list(map(repr, expected))
        assert await session.scalar(select(Device.catalog)) == "", "its names are asked for"
    await database.close()


async def test_groups_of_personal_users_get_what_ownership_implies(
    database_url: str,
) -> None:
    kept = {
        "sees": (4, ["Monitor", "Monitor.DeviceMonitor"]),
        "mall": (6, ["Monitor"]),
        "plant": (3, ["Monitor.DeviceMonitor"]),
    }
    database = Database(database_url)
    async with database.session() as session:
        session.add(User(id=1, user_name="u", password_hash="", user_type=0, path="/1/", created_ms=0))
        await session.flush()
        for title, (user_type, codes) in kept.items():
            group = AuthGroup(owner_id=1, title=title, user_type=user_type, permissions=codes, created_ms=0)
            session.add(group)
        await session.commit()
    await database.close()
    to = migrations.configuration(database_url)
    await asyncio.to_thread(command.downgrade, to, "0030")
    await asyncio.to_thread(command.upgrade, to, "0031")
    async with database.session() as session:
        found = {group.title: group.permissions for group in await session.scalars(select(AuthGroup))}
    await database.close()
    await asyncio.to_thread(migrations.upgrade, database_url)  # the database is that of other tests too
    expected = {title: codes for title, (_, codes) in kept.items()}
    expected["sees"] = ["Device/cmd", "DeviceManage", "Monitor", "Monitor.DeviceMonitor"]
    assert found == expected


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


async def test_postgresql_compiles_no_queries(migrated_postgres: str) -> None:
    """A query of the landing page that is compiled first takes seconds instead of a tenth of one."""
    database = Database(migrated_postgres)
    async with database.reading() as session:
        assert (await session.execute(text("SHOW jit"))).scalar_one() == "off"
    await database.close()
