"""Alembic's entry: runs migrations over the asynchronous engine."""

from __future__ import annotations

import asyncio
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from alembic import context
from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import create_async_engine

from cloud.db import Base
from cloud.domains.names import NAMES
from cloud.link import collection_models, models, reception_models

TABLES = (collection_models, reception_models, models)
for name in NAMES:
    package = import_module(f"cloud.domains.{name}")
    for module in iter_modules(package.__path__):
        if module.name.endswith("models"):
            import_module(f"cloud.domains.{name}.{module.name}")  # which fills Base.metadata

WAIT_MS = 120_000
"""For another process that migrates the same database."""

NUMBER = int.from_bytes(b"edgm")
"""Of the lock on PostgreSQL."""


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        compare_type=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def exclusive(engine: Engine) -> None:
    """All migrations are one transaction, and one process makes it at a time: the next finds it made.

    Alembic takes SQLite for a database whose tables change outside transactions; only its driver does that.
    """

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, record: object) -> None:
        if engine.dialect.name == "sqlite":
            connection.isolation_level = None
            connection.execute(f"PRAGMA busy_timeout={WAIT_MS}")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({NUMBER}, hashtext(current_schema()))")


async def run() -> None:
    engine = create_async_engine(context.config.attributes["url"])
    exclusive(engine.sync_engine)
    async with engine.connect() as connection:
        await connection.run_sync(migrate)
        await connection.commit()
    await engine.dispose()


asyncio.run(run())
