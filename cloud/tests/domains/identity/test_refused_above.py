"""Who stands below a disabled or expired user is refused as he is: at sign-in, with tokens, in jobs."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from cloud.domains.access.answers import WhyService
from cloud.domains.access.schemas import WhyAsked
from cloud.domains.identity.models import User
from cloud.domains.identity.signin_log import LogQuery
from cloud.domains.identity.user_schemas import UserBody, UserChange
from cloud.errors import NoPermission, SessionExpired, WrongCredentials

from .conftest import ADDRESS, PASSWORD, House

BELOW = ("agent", "enterprise", "person")
BESIDE = ("factory-b", "stranger")


async def refuse(house: House, how: str, name: str) -> None:
    root = await house.as_("root")
    if how == "disabled":
        await house.users.set_status(root, house.ids[name], 0)
    else:
        await house.users.edit(root, house.ids[name], UserChange(user_expire=house.clock()))


@pytest.mark.parametrize("how", ["disabled", "expired"])
async def test_the_whole_chain_counts(house: House, how: str) -> None:
    tokens = {name: await house.tokens(name) for name in BELOW + BESIDE}
    await refuse(house, how, "factory-a")
    assert sorted(house.ended) == [f"of {name}" for name in BELOW]
    for name in BELOW:
        with pytest.raises(SessionExpired):
            await house.identity.current(tokens[name].token)
        with pytest.raises(SessionExpired):
            await house.identity.refresh(tokens[name].token, tokens[name].refresh_token)
        with pytest.raises(NoPermission) as caught:
            await house.sign_in.login(name, PASSWORD, ADDRESS)
        assert caught.value.reason == "sign_in.above"
        with pytest.raises(WrongCredentials):  # the reason is for who knows the password
            await house.sign_in.login(name, "wrong", ADDRESS)
        assert await house.identity.user_now(house.ids[name]) is None
    for name in BESIDE:
        assert (await house.identity.current(tokens[name].token)).name == name
    assert not await house.sign_in.demo_offered()  # "person"
    log = await house.log.page((await house.as_("root")).scope, LogQuery(result="above"), 1, 20)
    assert {row.user_name for row in log.rows} == set(BELOW)


async def test_an_expiry_that_comes_ends_the_sessions_below(house: House) -> None:
    tokens = await house.tokens("person")
    root = await house.as_("root")
    await house.users.edit(root, house.ids["agent"], UserChange(user_expire=house.clock() + 60_000))
    assert (await house.identity.current(tokens.token)).name == "person"
    house.clock.pass_s(60)
    with pytest.raises(SessionExpired):
        await house.identity.current(tokens.token)
    await house.identity.end_refused()
    assert house.ended == ["of person"]
    await house.users.edit(await house.as_("root"), house.ids["agent"], UserChange(user_expire=None))
    assert await house.sign_in.login("person", PASSWORD, ADDRESS)


async def test_moving_below_an_expired_user_ends_sessions(house: House) -> None:
    await refuse(house, "expired", "factory-b")
    await house.tokens("enterprise")
    root = await house.as_("root")
    await house.users.edit(root, house.ids["agent"], UserChange(parent_id=house.ids["factory-b"]))
    assert house.ended == ["of enterprise"]


async def test_staff_of_the_platform_above_do_not_count(house: House) -> None:
    """A colleague who leaves does not shut out the customers whom he made."""
    staff = await house.identity.add_user("colleague", PASSWORD, 0, "root")
    root = await house.as_("root")
    made = await house.users.create(
        root, UserBody(user_name="customer", user_type=1, password=PASSWORD, parent_id=staff)
    )
    async with house.database.session() as session:
        await session.execute(update(User).where(User.id == staff).values(status=0))
        await session.commit()
    assert await house.sign_in.login("customer", PASSWORD, ADDRESS)
    assert await house.identity.user_now(made.user_id) is not None


async def test_why_names_it(house: House) -> None:
    await refuse(house, "expired", "factory-a")
    why = WhyService(house.database, house.grants, {}, clock=house.clock)
    asked = WhyAsked(user_id=house.ids["person"], permissions=("Event",))
    answer = await why.why(await house.as_("root"), asked)
    assert (answer.allowed, [reason.code for reason in answer.reasons]) == (False, ["refused_above"])
