"""What floods of sign-ins and refreshes reach, and what they do not."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import event, func, select

from cloud.domains.identity import lockout, service
from cloud.domains.identity.attempts import AT_ONCE
from cloud.domains.identity.lockout import FORGIVEN_AFTER_S, Lockout
from cloud.domains.identity.models import LoginLog, UserSession
from cloud.domains.identity.service import MAX_SIGN_INS
from cloud.domains.identity.signin import DEMO_AT_ONCE, NAME_AT_ONCE
from cloud.errors import Busy, SessionExpired, WrongCredentials

from .conftest import ADDRESS, PASSWORD, AccountServices

ELSEWHERE = "198.51.100.{}"


async def wrong(accounts: AccountServices, name: str, address: str, word: str = "wrong") -> None:
    with pytest.raises(WrongCredentials):
        await accounts.sign_in.login(name, word, address)


async def last_result(accounts: AccountServices) -> str | None:
    async with accounts.database.reading() as session:
        return await session.scalar(select(LoginLog.result).order_by(LoginLog.id.desc()).limit(1))


async def sessions(accounts: AccountServices) -> int:
    async with accounts.database.reading() as session:
        return int(await session.scalar(select(func.count(UserSession.id))) or 0)


async def test_guesses_elsewhere_do_not_lock_the_user_at_his_own_address(accounts: AccountServices) -> None:
    await accounts.sign_in.login("agent", PASSWORD, ADDRESS)
    for number in range(40):
        await wrong(accounts, "agent", ELSEWHERE.format(number % 20))
    assert await accounts.sign_in.login("Agent", PASSWORD, ADDRESS)


async def test_a_name_is_guessed_at_from_everywhere_only_slowly(accounts: AccountServices) -> None:
    for number in range(NAME_AT_ONCE):
        await wrong(accounts, "agent" if number % 2 else "AGENT", ELSEWHERE.format(number))
    await wrong(accounts, "agent", ELSEWHERE.format(99), PASSWORD)
    assert await last_result(accounts) == "locked"
    await accounts.sign_in.login("enterprise", PASSWORD, ELSEWHERE.format(99))
    accounts.clock.pass_s(6)
    await accounts.sign_in.login("agent", PASSWORD, ELSEWHERE.format(99))


async def test_colleagues_at_one_address_do_not_lock_who_signed_in_there(accounts: AccountServices) -> None:
    await accounts.sign_in.login("agent", PASSWORD, ADDRESS)
    for number in range(8):
        await wrong(accounts, f"name-{number}", ADDRESS)
    assert await accounts.sign_in.login("agent", PASSWORD, ADDRESS)
    await wrong(accounts, "enterprise", ADDRESS, PASSWORD)
    assert await last_result(accounts) == "locked"


async def test_addresses_of_one_site_count_as_one_and_are_logged_whole(accounts: AccountServices) -> None:
    for number in range(5):
        await wrong(accounts, "agent", f"2001:db8:0:1::{number + 1}")
    await wrong(accounts, "agent", "2001:db8:0:1:ffff::9", PASSWORD)
    assert await last_result(accounts) == "locked"
    async with accounts.database.reading() as session:
        assert len(set(await session.scalars(select(LoginLog.address)))) == 6
    await accounts.sign_in.login("agent", PASSWORD, "2001:db8:0:2::1")


async def test_one_site_has_one_bucket_of_attempts(accounts: AccountServices) -> None:
    for _ in range(AT_ONCE):
        accounts.sign_in._count(accounts.sign_in._attempts, "2001:db8:0:1::/64")
    with pytest.raises(Busy):
        await accounts.sign_in.login("agent", PASSWORD, "2001:db8:0:1::77")


def test_a_flood_frees_nobody_before_his_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockout, "REMEMBERED", 10)
    table = Lockout()
    for _ in range(16):
        table.failed(["victim"], 0)
    for number in range(100):
        table.failed([f"junk {number}"], 1)
    assert table.locked(["victim"], 2) and len(table._records) == 10
    later = 20 + FORGIVEN_AFTER_S
    table.failed(["junk 99"], later - 60)
    table.failed(["new"], later + 200)
    assert set(table._records) == {"victim", "junk 99", "new"}  # 8 that were forgiven went, the rest did not
    for _ in range(8):
        table.failed(["new"], later + 200)
    assert table.locked(["new"], later + 201)


async def test_junk_refreshes_write_nothing_and_are_limited(accounts: AccountServices) -> None:
    begun: list[str] = []
    event.listen(
        accounts.database.engine.sync_engine,
        "before_cursor_execute",
        lambda conn, cursor, statement, *rest: begun.append(statement),
    )
    well_formed = "x" * 43
    async with accounts.database.session(beside=True) as session:  # somebody writes meanwhile
        await session.execute(select(1))
        for junk in ("x", well_formed):
            with pytest.raises(SessionExpired):
                await asyncio.wait_for(accounts.identity.refresh(junk, junk, ADDRESS), 10)
        for _ in range(AT_ONCE - 2):
            with pytest.raises(SessionExpired):
                await accounts.identity.refresh("x", "y", ADDRESS)
        with pytest.raises(Busy) as caught:
            await accounts.identity.refresh("x", "y", ADDRESS)
    assert caught.value.reason == "sign_in.too_many"
    asked = [each for each in begun if "user_session" in each]
    assert len(asked) == 1 and "FOR UPDATE" not in asked[0]
    with pytest.raises(SessionExpired):
        await accounts.identity.refresh("x", "y", "192.0.2.200")
    tokens = await accounts.tokens("agent")
    assert await accounts.identity.refresh(tokens.token, tokens.refresh_token, ADDRESS), (
        "a hit is never refused"
    )


async def test_demo_sign_ins_of_one_address_are_few(accounts: AccountServices) -> None:
    for _ in range(DEMO_AT_ONCE):
        await accounts.sign_in.demo(ADDRESS)
    with pytest.raises(Busy):
        await accounts.sign_in.demo(ADDRESS)
    assert await sessions(accounts) == DEMO_AT_ONCE
    await accounts.sign_in.demo("192.0.2.8")
    accounts.clock.pass_s(6)
    await accounts.sign_in.demo(ADDRESS)


async def test_one_sign_in_too_many_ends_the_one_that_rested_longest(accounts: AccountServices) -> None:
    first = await accounts.tokens("person", "first")
    second = await accounts.tokens("person", "second")
    for number in range(MAX_SIGN_INS - 2):
        await accounts.tokens("person", f"more {number}")
    other = await accounts.tokens("agent")
    first = await accounts.identity.refresh(first.token, first.refresh_token, ADDRESS)
    await accounts.sign_in.demo(ADDRESS)
    assert accounts.ended == ["second"]
    with pytest.raises(SessionExpired):
        await accounts.identity.current(second.token)
    assert await accounts.identity.current(first.token) and await accounts.identity.current(other.token)


async def test_pairs_of_one_sign_in_are_bounded(
    accounts: AccountServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_PAIRS", 5)
    tokens = first = await accounts.tokens("agent")
    for _ in range(12):
        tokens = await accounts.identity.refresh(tokens.token, tokens.refresh_token, ADDRESS)
    assert await sessions(accounts) == 5
    accounts.clock.pass_s(11)
    with pytest.raises(SessionExpired):
        await accounts.identity.refresh(first.token, first.refresh_token, ADDRESS)
    assert await accounts.identity.current(tokens.token)
