"""The landing page is every user type's, also where groups of before name permissions."""

from __future__ import annotations

import asyncio

from alembic import command
from sqlalchemy import select

from cloud import migrations
from cloud.db import Database
from cloud.domains.identity.models import AuthGroup, AuthRule, User
from cloud.domains.identity.permissions import of_type

BESIDE = "Monitor.DeviceMonitor"


def test_every_type_has_it() -> None:
    assert all("PlatformOverView" in of_type(user_type) for user_type in range(7))


async def test_groups_of_before_get_it_and_rules_stay(database_url: str) -> None:
    to = migrations.configuration(database_url)
    await asyncio.to_thread(command.downgrade, to, "0032")
    database = Database(database_url)
    async with database.session() as session:
        session.add(User(id=1, user_name="a", password_hash="", user_type=0, created_ms=0))
        await session.flush()
        for number, given in enumerate(([BESIDE], [BESIDE, "PlatformOverView"], ["auth.User"]), 1):
            session.add(
                AuthGroup(
                    id=number, owner_id=1, title=str(number), user_type=4, permissions=given, created_ms=0
                )
            )
        session.add(AuthRule(code="PlatformOverView", types="0123"))
        session.add(AuthRule(code="Event", types="0123"))
        await session.commit()
    await asyncio.to_thread(command.upgrade, to, "0033")
    async with database.reading() as session:
        groups = {row.id: row.permissions for row in await session.scalars(select(AuthGroup))}
        rules = {row.code: row.types for row in await session.scalars(select(AuthRule))}
    await database.close()
    await asyncio.to_thread(migrations.upgrade, database_url)  # the database is that of other tests too
    assert groups == {1: [BESIDE, "PlatformOverView"], 2: [BESIDE, "PlatformOverView"], 3: ["auth.User"]}
    assert rules == {"PlatformOverView": "0123", "Event": "0123"}  # somebody set it
