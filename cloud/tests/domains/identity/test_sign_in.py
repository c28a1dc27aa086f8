"""Sign-in: Argon2id, tokens, rotation, lock-out, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from cloud.db import Database
from cloud.domains.identity.lockout import FORGIVEN_AFTER_S, LONGEST_LOCK_S, Lockout
from cloud.domains.identity.passwords import Passwords
from cloud.domains.identity.service import TOKEN_S, IdentityService
from cloud.domains.identity.signin import SignInService
from cloud.errors import Busy, Conflict, NoPermission, ParameterError, SessionExpired, WrongCredentials

from ...conftest import Clock

ADDRESS = "127.0.0.1"
PASSWORD = "correct!horse1"


class Signing(IdentityService):
    """Users, sessions and the way in, with a simulated clock."""

    def __init__(self, database: Database) -> None:
        self.test_clock = Clock()
        super().__init__(database, clock=self.test_clock)
        self.login = SignInService(database, self, clock=self.test_clock).login


@pytest.fixture
async def identity(database_url: str) -> AsyncIterator[Signing]:
    database = Database(database_url)
    made = Signing(database)
    await made.add_user("admin", PASSWORD, 0)
    yield made
    await database.close()


async def test_sign_in_trims_the_name_and_gives_the_user(identity: Signing) -> None:
    tokens = await identity.login("  admin ", PASSWORD, ADDRESS)
    user = await identity.current(tokens.token)
    assert (user.name, user.user_type, user.may("DeviceManage")) == ("admin", 0, True)
    assert tokens.expires_in == TOKEN_S
    info = await identity.info(user.id)
    assert (info.user_name, info.status) == ("admin", 1)


@pytest.mark.parametrize(("name", "word"), [("admin", "wrong"), ("nobody", PASSWORD), ("", "")])
async def test_every_wrong_sign_in_looks_the_same(identity: Signing, name: str, word: str) -> None:
    with pytest.raises(WrongCredentials):
        await identity.login(name, word, ADDRESS)


async def test_lock_after_five_failures_even_for_the_right_password(identity: Signing) -> None:
    for _ in range(5):
        with pytest.raises(WrongCredentials):
            await identity.login("admin", "wrong", ADDRESS)
    with pytest.raises(WrongCredentials):
        await identity.login("admin", PASSWORD, ADDRESS)
    identity.test_clock.pass_s(1.1)
    assert await identity.login("admin", PASSWORD, ADDRESS)


async def test_guesses_beside_each_other_do_not_pass_the_lock(
    identity: Signing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All have found the name unlocked before the first is compared; the right one is compared last."""
    matches, arrived = identity.passwords.matches, asyncio.Event()

    async def in_order(stored: str | None, word: str) -> bool:
        if word == PASSWORD:
            arrived.set()
            await asyncio.wait(wrong, timeout=60)
        await asyncio.wait_for(arrived.wait(), 60)
        return await matches(stored, word)

    monkeypatch.setattr(identity.passwords, "matches", in_order)
    wrong = [asyncio.create_task(identity.login("admin", "wrong", ADDRESS)) for _ in range(9)]
    with pytest.raises(WrongCredentials):
        await identity.login("admin", PASSWORD, ADDRESS)
    results = await asyncio.gather(*wrong, return_exceptions=True)
    assert all(isinstance(result, WrongCredentials) for result in results)


async def test_flood_of_sign_ins_is_told_to_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Passwords.__init__.__globals__, "MAX_WAITING", 3)
    passwords = Passwords()
    flood = [passwords.matches(None, PASSWORD) for _ in range(5)]
    results = await asyncio.gather(*flood, return_exceptions=True)
    assert [type(result) for result in results] == [bool] * 3 + [Busy] * 2
    assert await passwords.matches(None, PASSWORD) is False


async def test_two_tabs_that_refresh_at_once_get_the_same_tokens(identity: Signing) -> None:
    first = await identity.login("admin", PASSWORD, ADDRESS)
    both = await asyncio.gather(*(identity.refresh(first.token, first.refresh_token) for _ in range(4)))
    assert len({tokens.token for tokens in both}) == 1


def test_failures_are_forgiven_after_a_quiet_time() -> None:
    lockout = Lockout()
    for _ in range(8):
        lockout.failed(["address a"], 0)
    assert lockout.locked(["address a"], 7)
    lockout.failed(["address a"], 8 + FORGIVEN_AFTER_S + 1)
    assert not lockout.locked(["address a"], 8 + FORGIVEN_AFTER_S + 1)


def test_a_key_is_locked_by_its_fifth_failure_and_not_before() -> None:
    """Also by the clock of a machine that has just started."""
    lockout = Lockout()
    for failures in range(1, 6):
        lockout.failed(["address a", "user b"], 0.0)
        assert lockout.locked(["address a"], 0.5) is lockout.locked(["user b"], 0.5) is (failures == 5)
    assert lockout.locked(["address x", "user b"], 0.5) and not lockout.locked(["address x"], 0.5)
    assert not lockout.locked(["address a"], 1.0), "one second, to the end"


def test_the_count_starts_again_after_fifteen_quiet_minutes_behind_the_lock() -> None:
    for waited_s, locked in ((900.0, True), (900.1, False)):
        lockout = Lockout()
        for _ in range(4):
            lockout.failed(["user a"], 50.0)
        lockout.failed(["user a"], 50.0 + waited_s)
        assert lockout.locked(["user a"], 50.5 + waited_s) is locked
        for _ in range(5):
            lockout.failed(["user b"], 50.0)
        lockout.failed(["user b"], 51.0 + waited_s)
        assert lockout.locked(["user b"], 51.5 + waited_s) is locked


def test_lock_doubles_up_to_fifteen_minutes_and_is_bounded() -> None:
    lockout = Lockout()
    for failure in range(30):
        lockout.failed(["user a"], 0)
        if failure >= 4:
            lock = min(2.0 ** (failure - 4), LONGEST_LOCK_S)
            assert lockout.locked(["user a"], lock - 0.01) and not lockout.locked(["user a"], lock + 0.01)
    for number in range(20_000):
        lockout.failed([f"user {number}"], 0)
    assert len(lockout._records) == 10_000


async def test_app_users_have_no_portal(identity: Signing) -> None:
    await identity.add_user("phone", PASSWORD, 5)
    with pytest.raises(NoPermission):
        await identity.login("phone", PASSWORD, ADDRESS)


async def test_refresh_rotates_and_reuse_ends_the_family(identity: Signing) -> None:
    clock = identity.test_clock
    first = await identity.login("admin", PASSWORD, ADDRESS)
    second = await identity.refresh(first.token, first.refresh_token)
    assert second.token != first.token
    assert await identity.refresh(first.token, first.refresh_token) == second  # another tab, within 10 s
    clock.pass_s(11)
    with pytest.raises(SessionExpired):
        await identity.current(first.token)
    assert await identity.current(second.token)
    with pytest.raises(SessionExpired):
        await identity.refresh(first.token, first.refresh_token)
    with pytest.raises(SessionExpired):
        await identity.current(second.token)


async def test_refresh_needs_both_tokens(identity: Signing) -> None:
    first = await identity.login("admin", PASSWORD, ADDRESS)
    other = await identity.login("admin", PASSWORD, ADDRESS)
    with pytest.raises(SessionExpired):
        await identity.refresh(other.token, first.refresh_token)


async def test_token_ends_by_time_logout_and_new_password(identity: Signing) -> None:
    tokens = await identity.login("admin", PASSWORD, ADDRESS)
    await identity.logout(tokens.token)
    with pytest.raises(SessionExpired):
        await identity.current(tokens.token)
    tokens = await identity.login("admin", PASSWORD, ADDRESS)
    identity.test_clock.pass_s(TOKEN_S + 1)
    with pytest.raises(SessionExpired):
        await identity.current(tokens.token)
    tokens = await identity.refresh(tokens.token, tokens.refresh_token)
    await identity.set_password("admin", "another!word2")
    with pytest.raises(SessionExpired):
        await identity.current(tokens.token)


async def test_expired_sessions_are_deleted(identity: Signing) -> None:
    tokens = await identity.login("admin", PASSWORD, ADDRESS)
    identity.test_clock.pass_s(15 * 24 * 3600)
    await identity.forget_expired()
    with pytest.raises(SessionExpired):
        await identity.refresh(tokens.token, tokens.refresh_token)


async def test_wrong_users_name_the_field(identity: Signing) -> None:
    with pytest.raises(ParameterError, match="password: 8 to 200 letters, digits"):
        await identity.add_user("new", "short", 0)
    with pytest.raises(ParameterError, match="user_type: 0 to 6"):
        await identity.add_user("new", PASSWORD, 7)
    with pytest.raises(ParameterError, match="user_name"):
        await identity.add_user("a b", PASSWORD, 0)
    with pytest.raises(Conflict):
        await identity.add_user("admin", PASSWORD, 0)
