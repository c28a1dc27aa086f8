"""Alembic's entry: runs migrations over the asynchronous engine."""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from cloud.db import Base
from cloud.domains.alarms import models as alarms
from cloud.domains.audit import models as audit
from cloud.domains.commands import models as commands
from cloud.domains.customize import models as customize
from cloud.domains.deploy import models as deploy
from cloud.domains.devices import models as devices
from cloud.domains.exchange import models as exchange
from cloud.domains.files import models as files
from cloud.domains.identity import models as identity
from cloud.domains.jobs import models as jobs
from cloud.domains.options import models as options
from cloud.domains.points import models as points
from cloud.domains.products import models as products
from cloud.domains.projects import models as projects
from cloud.domains.retention import models as retention
from cloud.domains.templates import models as templates
from cloud.link import ledger_models as ledger
from cloud.link import models as link

# importing them fills Base.metadata
TABLES = (
    alarms, audit, commands, customize, deploy, devices, exchange, files, identity, jobs, ledger, link,
    options, points, products, projects, retention, templates,
)  # fmt: skip


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        compare_type=True,
    )
    with context.begin_transaction():
        context.run_migrations()


async def run() -> None:
    engine = create_async_engine(context.config.attributes["url"])
    async with engine.connect() as connection:
        await connection.run_sync(migrate)
        await connection.commit()
    await engine.dispose()


asyncio.run(run())
