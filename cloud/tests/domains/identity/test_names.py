"""Names that look alike are the same name, on both databases, also for users from before."""

from __future__ import annotations

import asyncio

import pytest
from alembic import command
from sqlalchemy import text

from cloud import migrations
from cloud.db import Database
from cloud.domains.identity.names import check_name, name_key
from cloud.domains.identity.profile import ProfileService
from cloud.domains.identity.user_schemas import ProfileChange, UserBody
from cloud.errors import Conflict, NoPermission, ParameterError

from .conftest import ADDRESS, PASSWORD, AccountServices


@pytest.mark.parametrize(
    ("name", "key"),
    [("Root", "root"), ("ROOT", "root"), ("Straße", "strasse"), ("ＲＯＯＴ", "root"), ("张三", "张三")],
)
def test_key(name: str, key: str) -> None:
    assert name_key(name) == key == name_key(key)


@pytest.mark.parametrize(
    "name", ["root.", "root-", "root_", "r", "r\u043eot", "root\u200b", " root", "a" * 65]
)
def test_names_that_nobody_may_take(name: str) -> None:
    with pytest.raises(ParameterError) as caught:
        check_name(name)
    assert (caught.value.field, caught.value.reason) == ("user_name", "user.name")


@pytest.mark.parametrize("name", ["Stranger", "STRANGER", "stranger"])
async def test_twins_are_refused(accounts: AccountServices, name: str) -> None:
    body = UserBody(user_name=name, user_type=3, password=PASSWORD)
    with pytest.raises(Conflict) as caught:
        await accounts.users.create(await accounts.as_("factory-a"), body)
    assert caught.value.reason == "user.exists"
    with pytest.raises(Conflict):
        await accounts.identity.add_user(name, PASSWORD, 3)


async def test_two_at_once_make_no_twins(accounts: AccountServices) -> None:
    factory = await accounts.as_("factory-a")
    bodies = [
        UserBody(user_name=name, user_type=3, password=PASSWORD) for name in ("Maria", "maria", "MARIA")
    ]
    made = await asyncio.gather(
        *(accounts.users.create(factory, body) for body in bodies), return_exceptions=True
    )
    assert sorted(isinstance(each, Conflict) for each in made) == [False, True, True]


async def test_sign_in_takes_the_name_however_it_is_written(accounts: AccountServices) -> None:
    tokens = await accounts.sign_in.login("Factory-A", PASSWORD, ADDRESS)
    assert (await accounts.identity.current(tokens.token)).name == "factory-a"


async def test_data_of_the_demo_user_stay_however_the_setting_is_written(accounts: AccountServices) -> None:
    profiles = ProfileService(accounts.database, accounts.identity, "Person", clock=accounts.clock)
    with pytest.raises(NoPermission):
        await profiles.edit(await accounts.as_("person"), ProfileChange(nick_name="x"))


async def test_twins_from_before_keep_their_names(database_url: str) -> None:
    config = migrations.configuration(database_url)
    try:
        await asyncio.to_thread(command.downgrade, config, "0006")
        await _old_users(database_url, "Root", "root", "ROOT", "other")
        await asyncio.to_thread(command.upgrade, config, "head")
        database = Database(database_url)
        accounts = AccountServices(database)
        async with database.reading() as session:
            rows = (await session.execute(text('SELECT user_name, name_key FROM "user" ORDER BY id'))).all()
        assert [tuple(row) for row in rows] == [
            ("Root", "root"), ("root", "root~2"), ("ROOT", "root~3"), ("other", "other")
        ]  # fmt: skip
        named = {
            name: await accounts.sign_in._named(name) for name in ("Root", "root", "ROOT", "rOOt", "Other")
        }
        assert {name: user and user.id for name, user in named.items()} == {
            "Root": 1, "root": 2, "ROOT": 3, "rOOt": 1, "Other": 4
        }  # fmt: skip
        await database.close()
    finally:
        await asyncio.to_thread(migrations.upgrade, database_url)


async def _old_users(url: str, *names: str) -> None:
    database = Database(url)
    async with database.session() as session:
        for number, name in enumerate(names, 1):
            await session.execute(
                text(
                    'INSERT INTO "user" (id, user_name, nick_name, password_hash, user_type, status,'
                    " bigscreen_title, created_ms) VALUES (:id, :name, '', '', 3, 1, '', 0)"
                ),
                {"id": number, "name": name},
            )
        await session.commit()
    await database.close()


def test_a_key_has_at_most_64_characters() -> None:
    assert name_key("X" * 70) == "x" * 64
    assert name_key("\ufdfa" * 4) == name_key(name_key("\ufdfa" * 4)), "a sign may become eighteen"
