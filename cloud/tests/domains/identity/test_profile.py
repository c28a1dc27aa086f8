"""What a user may change of himself."""

from __future__ import annotations

import pytest

from cloud.domains.identity.user_schemas import OwnPassword, ProfileChange
from cloud.errors import Busy, NoPermission, ParameterError, SessionExpired

from .conftest import PASSWORD, House

NEW = "another!word2"


def change(**words: object) -> ProfileChange:
    return ProfileChange.model_validate(words)


async def test_profile_is_read_and_changed(house: House) -> None:
    agent = await house.as_("agent")
    before = await house.profiles.profile(agent)
    assert (before.user_name, before.user_type, before.demo) == ("agent", 2, False)
    after = await house.profiles.edit(agent, change(nick_name="Li", phone="+86 1", bigscreen_title="Site"))
    assert (after.nick_name, after.phone, after.bigscreen_title) == ("Li", "+86 1", "Site")
    assert (await house.profiles.edit(agent, change(email="a@b.c"))).nick_name == "Li"


async def test_title_needs_its_permission(house: House) -> None:
    enterprise = await house.as_("enterprise")
    await house.profiles.edit(enterprise, change(bigscreen_title="Mine"))
    group = await house.group("agent", 3, "Monitor")
    async with house.database.session() as session:
        user = await session.merge(await house.user("enterprise"))
        user.group_id = group
        await session.commit()
    enterprise = await house.as_("enterprise")
    assert (
        await house.profiles.edit(enterprise, change(bigscreen_title="Mine", nick_name="x"))
    ).nick_name == "x"
    with pytest.raises(NoPermission):
        await house.profiles.edit(enterprise, change(bigscreen_title="Other"))


async def test_own_password_ends_the_other_sessions(house: House) -> None:
    mine, other = await house.tokens("agent", "here"), await house.tokens("agent", "there")
    agent = await house.identity.current(mine.token)
    await house.profiles.set_password(agent, OwnPassword(old=PASSWORD, new=NEW))
    assert house.ended == ["there"]
    assert await house.identity.current(mine.token)
    with pytest.raises(SessionExpired):
        await house.identity.current(other.token)
    assert await house.sign_in.login("agent", NEW, "x")


async def test_wrong_old_password_is_refused_and_soon_has_to_wait(house: House) -> None:
    agent = await house.as_("agent")
    for _ in range(5):
        with pytest.raises(ParameterError) as caught:
            await house.profiles.set_password(agent, OwnPassword(old="wrong", new=NEW))
        assert (caught.value.field, caught.value.reason) == ("old", "user.old_password")
    with pytest.raises(Busy):
        await house.profiles.set_password(agent, OwnPassword(old=PASSWORD, new=NEW))
    with pytest.raises(ParameterError, match="new: 8 to 200"):
        await house.profiles.set_password(agent, OwnPassword(old=PASSWORD, new="short"))
    house.clock.pass_s(2)
    await house.profiles.set_password(agent, OwnPassword(old=PASSWORD, new=NEW))


async def test_demo_user_stays_as_he_is(house: House) -> None:
    person = await house.as_("person")
    assert (await house.profiles.profile(person)).demo
    for attempt in (
        house.profiles.edit(person, change(nick_name="x")),
        house.profiles.set_password(person, OwnPassword(old=PASSWORD, new=NEW)),
    ):
        with pytest.raises(NoPermission) as caught:
            await attempt
        assert caught.value.reason == "user.demo_fixed"
