"""Who stands below a disabled or expired user is refused as he is: at sign-in, with tokens, in jobs."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from cloud.domains.access.answers import WhyService
from cloud.domains.access.schemas import WhyQuery
from cloud.domains.identity.models import User
from cloud.domains.identity.signin_log import LogQuery
from cloud.domains.identity.user_schemas import UserBody, UserChange
from cloud.errors import NoPermission, SessionExpired, WrongCredentials

from .conftest import ADDRESS, PASSWORD, AccountServices

BELOW = ("agent", "enterprise", "person")
BESIDE = ("factory-b", "stranger")


async def refuse(accounts: AccountServices, how: str, name: str) -> None:
    root = await accounts.as_("root")
    if how == "disabled":
        await accounts.users.set_status(root, accounts.ids[name], 0)
    else:
        await accounts.users.edit(root, accounts.ids[name], UserChange(user_expire=accounts.clock()))


@pytest.mark.parametrize("how", ["disabled", "expired"])
async def test_the_whole_chain_counts(accounts: AccountServices, how: str) -> None:
    tokens = {name: await accounts.tokens(name) for name in BELOW + BESIDE}
    await refuse(accounts, how, "factory-a")
    assert sorted(accounts.ended) == [f"of {name}" for name in BELOW]
    for name in BELOW:
        with pytest.raises(SessionExpired):
            await accounts.identity.current(tokens[name].token)
        with pytest.raises(SessionExpired):
            await accounts.identity.refresh(tokens[name].token, tokens[name].refresh_token)
        with pytest.raises(NoPermission) as caught:
            await accounts.sign_in.login(name, PASSWORD, ADDRESS)
        assert caught.value.reason == "sign_in.above"
        with pytest.raises(WrongCredentials):  # the reason is for who knows the password
            await accounts.sign_in.login(name, "wrong", ADDRESS)
        assert await accounts.identity.user_now(accounts.ids[name]) is None
    for name in BESIDE:
        assert (await accounts.identity.current(tokens[name].token)).name == name
    assert not await accounts.sign_in.demo_offered()  # "person"
    log = await accounts.log.page((await accounts.as_("root")).scope, LogQuery(result="above"), 1, 20)
    assert {row.user_name for row in log.rows} == set(BELOW)


async def test_an_expiry_that_comes_ends_the_sessions_below(accounts: AccountServices) -> None:
    tokens = await accounts.tokens("person")
    root = await accounts.as_("root")
    await accounts.users.edit(root, accounts.ids["agent"], UserChange(user_expire=accounts.clock() + 60_000))
    assert (await accounts.identity.current(tokens.token)).name == "person"
    accounts.clock.pass_s(60)
    with pytest.raises(SessionExpired):
        await accounts.identity.current(tokens.token)
    await accounts.identity.end_refused()
    assert accounts.ended == ["of person"]
    await accounts.users.edit(await accounts.as_("root"), accounts.ids["agent"], UserChange(user_expire=None))
    assert await accounts.sign_in.login("person", PASSWORD, ADDRESS)


async def test_moving_below_an_expired_user_ends_sessions(accounts: AccountServices) -> None:
    await refuse(accounts, "expired", "factory-b")
    await accounts.tokens("enterprise")
    root = await accounts.as_("root")
    await accounts.users.edit(root, accounts.ids["agent"], UserChange(parent_id=accounts.ids["factory-b"]))
    assert accounts.ended == ["of enterprise"]


async def test_staff_of_the_platform_above_do_not_count(accounts: AccountServices) -> None:
    """A colleague who leaves does not shut out the customers whom he made."""
    staff = await accounts.identity.add_user("colleague", PASSWORD, 0, "root")
    root = await accounts.as_("root")
    made = await accounts.users.create(
        root, UserBody(user_name="customer", user_type=1, password=PASSWORD, parent_id=staff)
    )
    async with accounts.database.session() as session:
        await session.execute(update(User).where(User.id == staff).values(status=0))
        await session.commit()
    assert await accounts.sign_in.login("customer", PASSWORD, ADDRESS)
    assert await accounts.identity.user_now(made.user_id) is not None


async def test_why_names_it(accounts: AccountServices) -> None:
    await refuse(accounts, "expired", "factory-a")
    why = WhyService(accounts.database, accounts.grants, {}, clock=accounts.clock)
    asked = WhyQuery(user_id=accounts.ids["person"], permissions=("Event",))
    answer = await why.why(await accounts.as_("root"), asked)
    assert (answer.allowed, [reason.code for reason in answer.reasons]) == (False, ["refused_above"])
