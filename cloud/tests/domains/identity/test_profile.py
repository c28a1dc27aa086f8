"""What a user may change of himself."""

from __future__ import annotations

import pytest

from cloud.domains.identity.user_schemas import OwnPassword, ProfileChange
from cloud.errors import Busy, NoPermission, ParameterError, SessionExpired

from .conftest import PASSWORD, AccountServices

NEW = "another!word2"


def change(**words: object) -> ProfileChange:
    return ProfileChange.model_validate(words)


async def test_profile_is_read_and_changed(accounts: AccountServices) -> None:
    agent = await accounts.as_("agent")
    before = await accounts.profiles.profile(agent)
    assert (before.user_name, before.user_type, before.demo) == ("agent", 2, False)
    after = await accounts.profiles.edit(agent, change(nick_name="Li", phone="+86 1", bigscreen_title="Site"))
    assert (after.nick_name, after.phone, after.bigscreen_title) == ("Li", "+86 1", "Site")
    assert (await accounts.profiles.edit(agent, change(email="a@b.c"))).nick_name == "Li"


async def test_title_needs_its_permission(accounts: AccountServices) -> None:
    enterprise = await accounts.as_("enterprise")
    await accounts.profiles.edit(enterprise, change(bigscreen_title="Mine"))
    group = await accounts.group("agent", 3, "Monitor")
    async with accounts.database.session(beside=True) as session:
        user = await session.merge(await accounts.user("enterprise"))
        user.group_id = group
        await session.commit()
    enterprise = await accounts.as_("enterprise")
    assert (
        await accounts.profiles.edit(enterprise, change(bigscreen_title="Mine", nick_name="x"))
    ).nick_name == "x"
    with pytest.raises(NoPermission):
        await accounts.profiles.edit(enterprise, change(bigscreen_title="Other"))


async def test_own_password_ends_the_other_sessions(accounts: AccountServices) -> None:
    mine, other = await accounts.tokens("agent", "here"), await accounts.tokens("agent", "there")
    agent = await accounts.identity.current(mine.token)
    await accounts.profiles.set_password(agent, OwnPassword(old=PASSWORD, new=NEW))
    assert accounts.ended == ["there"]
    assert await accounts.identity.current(mine.token)
    with pytest.raises(SessionExpired):
        await accounts.identity.current(other.token)
    assert await accounts.sign_in.login("agent", NEW, "x")


async def test_wrong_old_password_is_refused_and_soon_has_to_wait(accounts: AccountServices) -> None:
    agent = await accounts.as_("agent")
    for _ in range(5):
        with pytest.raises(ParameterError) as caught:
            await accounts.profiles.set_password(agent, OwnPassword(old="wrong", new=NEW))
        assert (caught.value.field, caught.value.reason) == ("old", "user.old_password")
    with pytest.raises(Busy):
        await accounts.profiles.set_password(agent, OwnPassword(old=PASSWORD, new=NEW))
    with pytest.raises(ParameterError, match="new: 8 to 200"):
        await accounts.profiles.set_password(agent, OwnPassword(old=PASSWORD, new="short"))
    accounts.clock.pass_s(2)
    await accounts.profiles.set_password(agent, OwnPassword(old=PASSWORD, new=NEW))


async def test_demo_user_stays_as_he_is(accounts: AccountServices) -> None:
    person = await accounts.as_("person")
    assert (await accounts.profiles.profile(person)).demo
    for attempt in (
        accounts.profiles.edit(person, change(nick_name="x")),
        accounts.profiles.set_password(person, OwnPassword(old=PASSWORD, new=NEW)),
    ):
        with pytest.raises(NoPermission) as caught:
            await attempt
        assert caught.value.reason == "user.demo_fixed"
