"""Every attempt to sign in leaves a row; who may read it; how long it stays."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from cloud.domains.identity import signin_log
from cloud.domains.identity.attempts import Attempts
from cloud.domains.identity.models import LoginLog
from cloud.domains.identity.signin import RESULTS, SignInService
from cloud.domains.identity.signin_log import KEEP_MS, MAX_ROWS, LogQuery
from cloud.domains.identity.user_schemas import SignInRow
from cloud.errors import Busy, CloudError, NoPermission, WrongCredentials

from .conftest import ADDRESS, PASSWORD, AccountServices


async def rows(accounts: AccountServices, asker: str = "root", **words: object) -> list[SignInRow]:
    user = await accounts.as_(asker)
    return (await accounts.log.page(user.scope, LogQuery(**words), 1, 100)).rows  # type: ignore[arg-type]


async def attempt(accounts: AccountServices, name: str, password: str = PASSWORD) -> None:
    with pytest.raises(CloudError):
        await accounts.sign_in.login(name, password, ADDRESS, "Firefox")


async def set_of(accounts: AccountServices, name: str, **values: object) -> None:
    async with accounts.database.session(beside=True) as session:
        user = await session.merge(await accounts.user(name))
        for key, value in values.items():
            setattr(user, key, value)
        await session.commit()


async def test_each_result_is_told(accounts: AccountServices) -> None:
    await accounts.sign_in.login(" agent ", PASSWORD, ADDRESS, "Firefox" * 100)
    await attempt(accounts, "agent", "wrong")
    await set_of(accounts, "agent", status=0)
    await attempt(accounts, "agent")
    await set_of(accounts, "agent", status=1, expire_ms=accounts.clock())
    await attempt(accounts, "agent")
    await set_of(accounts, "agent", expire_ms=None, user_type=5)
    await attempt(accounts, "agent")
    await set_of(accounts, "agent", user_type=2)
    await set_of(accounts, "factory-a", status=0)
    await attempt(accounts, "agent")
    await attempt(accounts, "nobody\0", "wrong")
    await attempt(accounts, "nobody", "wrong")
    await attempt(accounts, "nobody", "wrong")
    found = list(reversed(await rows(accounts)))
    assert [row.result for row in found] == [
        "ok", "wrong", "disabled", "expired", "refused_type", "above", "wrong", "wrong", "locked"
    ]  # fmt: skip
    assert {row.result for row in found} == set(RESULTS)
    assert {row.address for row in found} == {ADDRESS}
    assert (len(found[0].agent), found[1].agent) == (200, "Firefox")
    assert [row.user_id for row in found[6:8]] == [None, None] and found[6].user_name == "nobody"
    assert (await accounts.user("agent")).last_login_ms == accounts.clock()


async def test_it_is_filtered_and_told_to_who_stands_above(accounts: AccountServices) -> None:
    await accounts.sign_in.login("person", PASSWORD, ADDRESS)
    accounts.clock.pass_s(1)
    await accounts.sign_in.login("stranger", PASSWORD, "192.0.2.8")
    await attempt(accounts, "nobody")
    assert [row.user_name for row in await rows(accounts)] == ["nobody", "stranger", "person"]
    assert [row.user_name for row in await rows(accounts, "agent")] == ["person"]
    assert [row.user_name for row in await rows(accounts, "factory-b")] == ["stranger"]
    assert [row.user_name for row in await rows(accounts, search="2.0.2.8")] == ["stranger"]
    assert [row.user_name for row in await rows(accounts, result="wrong")] == ["nobody"]
    assert [row.user_name for row in await rows(accounts, end_ms=accounts.clock() - 1)] == ["person"]
    assert len(await rows(accounts, start_ms=accounts.clock())) == 2
    assert [row.user_name for row in await rows(accounts, user_id=accounts.ids["person"])] == ["person"]


async def test_deleted_user_leaves_his_rows(accounts: AccountServices) -> None:
    await accounts.sign_in.login("person", PASSWORD, ADDRESS)
    await accounts.users.delete(await accounts.as_("root"), accounts.ids["person"], None)
    assert [(row.user_name, row.user_id) for row in await rows(accounts)] == [("person", None)]


async def test_rows_are_kept_for_180_days(accounts: AccountServices) -> None:
    assert (KEEP_MS, MAX_ROWS) == (15_552_000_000, 200_000)
    await accounts.sign_in.login("person", PASSWORD, ADDRESS)
    accounts.clock.pass_s(KEEP_MS / 1000)
    await accounts.log.forget_old(accounts.clock())
    assert len(await rows(accounts)) == 1
    accounts.clock.pass_s(1)
    await accounts.log.forget_old(accounts.clock())
    assert await rows(accounts) == []


async def test_a_flood_of_failures_does_not_push_successes_out(
    accounts: AccountServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signin_log, "MAX_ROWS", 30)
    monkeypatch.setattr(signin_log, "ROUND", 7)
    results = ["ok"] * 10 + ["wrong"] * 40
    async with accounts.database.session() as session:
        session.add_all(
            LoginLog(at_ms=accounts.clock() + at, user_name="x", address="", result=result)
            for at, result in enumerate(results)
        )
        await session.commit()
    await accounts.log.forget_old(accounts.clock())
    async with accounts.database.reading() as session:
        count = dict(
            (await session.execute(select(LoginLog.result, func.count()).group_by(LoginLog.result))).all()
        )
    assert count == {"ok": 10, "wrong": 20}


async def test_too_many_attempts_are_told_to_wait_and_leave_no_row(accounts: AccountServices) -> None:
    sign_in = SignInService(
        accounts.database, accounts.identity, "person", Attempts(2, 0.5), clock=accounts.clock
    )
    await sign_in.login("agent", PASSWORD, ADDRESS)
    await sign_in.demo(ADDRESS)
    for late in (sign_in.login("agent", PASSWORD, ADDRESS), sign_in.demo(ADDRESS)):
        with pytest.raises(Busy) as caught:
            await late
        assert caught.value.reason == "sign_in.too_many"
    assert len(await rows(accounts)) == 2
    await sign_in.login("agent", PASSWORD, "192.0.2.9")
    accounts.clock.pass_s(2)
    await sign_in.login("agent", PASSWORD, ADDRESS)


async def test_demo_sign_in_is_denied_by_default(accounts: AccountServices) -> None:
    sign_in = SignInService(accounts.database, accounts.identity, clock=accounts.clock)
    assert not await sign_in.demo_offered()
    with pytest.raises(NoPermission) as caught:
        await sign_in.demo(ADDRESS)
    assert caught.value.reason == "sign_in.no_demo"


async def test_demo_sign_in_gives_the_demo_user(accounts: AccountServices) -> None:
    assert await accounts.sign_in.demo_offered()
    tokens = await accounts.sign_in.demo(ADDRESS, "Firefox")
    assert (await accounts.identity.current(tokens.token)).name == "person"
    assert [(row.user_name, row.result) for row in await rows(accounts)] == [("person", "ok")]
    for values in ({"status": 0}, {"status": 1, "expire_ms": 1}, {"expire_ms": None, "user_type": 5}):
        await set_of(accounts, "person", **values)
        assert not await accounts.sign_in.demo_offered()
        with pytest.raises(NoPermission):
            await accounts.sign_in.demo(ADDRESS)


@pytest.mark.parametrize("name", ["root", "nobody"])
async def test_platform_staff_and_nobody_are_no_demo_user(accounts: AccountServices, name: str) -> None:
    sign_in = SignInService(accounts.database, accounts.identity, name, clock=accounts.clock)
    assert not await sign_in.demo_offered()
    with pytest.raises(NoPermission):
        await sign_in.demo(ADDRESS)


async def test_refused_type_is_told_only_with_the_right_password(accounts: AccountServices) -> None:
    await set_of(accounts, "agent", user_type=5)
    with pytest.raises(WrongCredentials):
        await accounts.sign_in.login("agent", "wrong", ADDRESS)
    with pytest.raises(NoPermission) as caught:
        await accounts.sign_in.login("agent", PASSWORD, ADDRESS)
    assert caught.value.reason == "sign_in.no_portal"
