"""The migrations make exactly the tables of the models, on both databases, and can be undone."""

from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect

from cloud import migrations
from cloud.db import Base, Database
from cloud.domains.all import DOMAINS


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
