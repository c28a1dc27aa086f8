"""Every attempt to sign in leaves a row; who may read it; how long it stays."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from cloud.domains.identity import signin_log
from cloud.domains.identity.attempts import Attempts
from cloud.domains.identity.models import LoginLog
from cloud.domains.identity.signin import RESULTS, SignInService
from cloud.domains.identity.signin_log import KEPT_MS, MOST_ROWS, LogQuery
from cloud.domains.identity.user_schemas import SignInRow
from cloud.errors import Busy, CloudError, NoPermission, WrongCredentials

from .conftest import ADDRESS, PASSWORD, House


async def rows(house: House, asker: str = "root", **words: object) -> list[SignInRow]:
    user = await house.as_(asker)
    return (await house.log.page(user.scope, LogQuery(**words), 1, 100)).rows  # type: ignore[arg-type]


async def attempt(house: House, name: str, password: str = PASSWORD) -> None:
    with pytest.raises(CloudError):
        await house.sign_in.login(name, password, ADDRESS, "Firefox")


async def set_of(house: House, name: str, **values: object) -> None:
    async with house.database.session() as session:
        user = await session.merge(await house.user(name))
        for key, value in values.items():
            setattr(user, key, value)
        await session.commit()


async def test_each_result_is_told(house: House) -> None:
    await house.sign_in.login(" agent ", PASSWORD, ADDRESS, "Firefox" * 100)
    await attempt(house, "agent", "wrong")
    await set_of(house, "agent", status=0)
    await attempt(house, "agent")
    await set_of(house, "agent", status=1, expire_ms=house.clock())
    await attempt(house, "agent")
    await set_of(house, "agent", expire_ms=None, user_type=5)
    await attempt(house, "agent")
    await set_of(house, "agent", user_type=2)
    await set_of(house, "factory-a", status=0)
    await attempt(house, "agent")
    await attempt(house, "nobody\0", "wrong")
    await attempt(house, "nobody", "wrong")
    await attempt(house, "nobody", "wrong")
    found = list(reversed(await rows(house)))
    assert [row.result for row in found] == [
        "ok", "wrong", "disabled", "expired", "refused_type", "above", "wrong", "wrong", "locked"
    ]  # fmt: skip
    assert {row.result for row in found} == set(RESULTS)
    assert {row.address for row in found} == {ADDRESS}
    assert (len(found[0].agent), found[1].agent) == (200, "Firefox")
    assert [row.user_id for row in found[6:8]] == [None, None] and found[6].user_name == "nobody"
    assert (await house.user("agent")).last_login_ms == house.clock()


async def test_it_is_filtered_and_told_to_who_stands_above(house: House) -> None:
    await house.sign_in.login("person", PASSWORD, ADDRESS)
    house.clock.pass_s(1)
    await house.sign_in.login("stranger", PASSWORD, "192.0.2.8")
    await attempt(house, "nobody")
    assert [row.user_name for row in await rows(house)] == ["nobody", "stranger", "person"]
    assert [row.user_name for row in await rows(house, "agent")] == ["person"]
    assert [row.user_name for row in await rows(house, "factory-b")] == ["stranger"]
    assert [row.user_name for row in await rows(house, search="2.0.2.8")] == ["stranger"]
    assert [row.user_name for row in await rows(house, result="wrong")] == ["nobody"]
    assert [row.user_name for row in await rows(house, end_ms=house.clock() - 1)] == ["person"]
    assert len(await rows(house, start_ms=house.clock())) == 2
    assert [row.user_name for row in await rows(house, user_id=house.ids["person"])] == ["person"]


async def test_deleted_user_leaves_his_rows(house: House) -> None:
    await house.sign_in.login("person", PASSWORD, ADDRESS)
    await house.users.delete(await house.as_("root"), house.ids["person"], None)
    assert [(row.user_name, row.user_id) for row in await rows(house)] == [("person", None)]


async def test_rows_are_kept_for_180_days(house: House) -> None:
    assert (KEPT_MS, MOST_ROWS) == (15_552_000_000, 200_000)
    await house.sign_in.login("person", PASSWORD, ADDRESS)
    house.clock.pass_s(KEPT_MS / 1000)
    await house.log.forget_old(house.clock())
    assert len(await rows(house)) == 1
    house.clock.pass_s(1)
    await house.log.forget_old(house.clock())
    assert await rows(house) == []


async def test_a_flood_of_failures_does_not_push_successes_out(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signin_log, "MOST_ROWS", 30)
    monkeypatch.setattr(signin_log, "ROUND", 7)
    results = ["ok"] * 10 + ["wrong"] * 40
    async with house.database.session() as session:
        session.add_all(
            LoginLog(at_ms=house.clock() + at, user_name="x", address="", result=result)
            for at, result in enumerate(results)
        )
        await session.commit()
    await house.log.forget_old(house.clock())
    async with house.database.reading() as session:
        count = dict(
            (await session.execute(select(LoginLog.result, func.count()).group_by(LoginLog.result))).all()
        )
    assert count == {"ok": 10, "wrong": 20}


async def test_too_many_attempts_are_told_to_wait_and_leave_no_row(house: House) -> None:
    sign_in = SignInService(house.database, house.identity, "person", Attempts(2, 0.5), clock=house.clock)
    await sign_in.login("agent", PASSWORD, ADDRESS)
    await sign_in.demo(ADDRESS)
    for late in (sign_in.login("agent", PASSWORD, ADDRESS), sign_in.demo(ADDRESS)):
        with pytest.raises(Busy) as caught:
            await late
        assert caught.value.reason == "sign_in.too_many"
    assert len(await rows(house)) == 2
    await sign_in.login("agent", PASSWORD, "192.0.2.9")
    house.clock.pass_s(2)
    await sign_in.login("agent", PASSWORD, ADDRESS)


async def test_demo_sign_in_is_denied_by_default(house: House) -> None:
    sign_in = SignInService(house.database, house.identity, clock=house.clock)
    assert not await sign_in.demo_offered()
    with pytest.raises(NoPermission) as caught:
        await sign_in.demo(ADDRESS)
    assert caught.value.reason == "sign_in.no_demo"


async def test_demo_sign_in_gives_the_demo_user(house: House) -> None:
    assert await house.sign_in.demo_offered()
    tokens = await house.sign_in.demo(ADDRESS, "Firefox")
    assert (await house.identity.current(tokens.token)).name == "person"
    assert [(row.user_name, row.result) for row in await rows(house)] == [("person", "ok")]
    for values in ({"status": 0}, {"status": 1, "expire_ms": 1}, {"expire_ms": None, "user_type": 5}):
        await set_of(house, "person", **values)
        assert not await house.sign_in.demo_offered()
        with pytest.raises(NoPermission):
            await house.sign_in.demo(ADDRESS)


@pytest.mark.parametrize("name", ["root", "nobody"])
async def test_platform_staff_and_nobody_are_no_demo_user(house: House, name: str) -> None:
    sign_in = SignInService(house.database, house.identity, name, clock=house.clock)
    assert not await sign_in.demo_offered()
    with pytest.raises(NoPermission):
        await sign_in.demo(ADDRESS)


async def test_refused_type_is_told_only_with_the_right_password(house: House) -> None:
    await set_of(house, "agent", user_type=5)
    with pytest.raises(WrongCredentials):
        await house.sign_in.login("agent", "wrong", ADDRESS)
    with pytest.raises(NoPermission) as caught:
        await house.sign_in.login("agent", PASSWORD, ADDRESS)
    assert caught.value.reason == "sign_in.no_portal"
