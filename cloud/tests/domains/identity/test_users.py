"""The tree of users: who sees, makes, changes and takes over whom."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from cloud.domains.identity.models import AuthGroup
from cloud.domains.identity.user_schemas import UserBody, UserChange, UserQuery
from cloud.domains.inventory.models import Device
from cloud.domains.templates.models import TemplateNode
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError, SessionExpired

from .conftest import PASSWORD, AccountServices


async def names(accounts: AccountServices, asker: str, **words: object) -> list[str]:
    user = await accounts.as_(asker)
    page = await accounts.users.page(user.scope, UserQuery(**words), 1, 100)  # type: ignore[arg-type]
    assert page.total == len(page.rows)
    return [row.user_name for row in page.rows]


def body(name: str = "new", user_type: int = 3, **words: object) -> UserBody:
    return UserBody.model_validate({"user_name": name, "user_type": user_type, "password": PASSWORD, **words})


def change(**words: object) -> UserChange:
    return UserChange.model_validate(words)


async def test_everybody_sees_himself_and_below(accounts: AccountServices) -> None:
    assert await names(accounts, "root") == list(accounts.ids)
    assert await names(accounts, "factory-a") == ["factory-a", "agent", "enterprise", "person"]
    assert await names(accounts, "factory-b") == ["factory-b", "stranger"]
    assert await names(accounts, "person") == ["person"]


async def test_parent_out_of_sight_is_not_told(accounts: AccountServices) -> None:
    user = await accounts.as_("agent")
    rows = (await accounts.users.page(user.scope, UserQuery(), 1, 10)).rows
    assert [(row.parent_id, row.parent_name) for row in rows][:2] == [
        (None, None), (accounts.ids["agent"], "agent")
    ]  # fmt: skip


async def test_list_is_searched_filtered_sorted_and_paged(accounts: AccountServices) -> None:
    root = await accounts.as_("root")
    await accounts.users.edit(
        root, accounts.ids["agent"], change(nick_name="50% Li", phone="+86 1", email="a@b.c")
    )
    await accounts.users.set_status(root, accounts.ids["stranger"], 0)
    assert await names(accounts, "root", search="FACTORY") == ["factory-a", "factory-b"]
    assert await names(accounts, "root", search="0% l") == ["agent"]
    assert await names(accounts, "root", search="%") == ["agent"]
    assert await names(accounts, "root", types=frozenset({3})) == ["enterprise", "stranger"]
    assert await names(accounts, "root", status=0) == ["stranger"]
    now = accounts.clock()
    await accounts.users.edit(root, accounts.ids["agent"], change(user_expire=now))
    await accounts.users.edit(root, accounts.ids["enterprise"], change(user_expire=now + 1))
    assert await names(accounts, "root", expired=True) == ["agent"]
    assert await names(accounts, "factory-a", expired=False) == ["factory-a", "enterprise", "person"]
    accounts.clock.pass_s(1)
    assert await names(accounts, "root", expired=True) == ["agent", "enterprise"]
    assert (await names(accounts, "root", sort="-user_name"))[0] == "stranger"
    assert (await names(accounts, "root", sort="user_type"))[0] == "root"
    page = await accounts.users.page(root.scope, UserQuery(sort="user_name"), 2, 3)
    assert ([row.user_name for row in page.rows], page.total) == (["factory-b", "person", "root"], 7)
    with pytest.raises(ParameterError, match="sort: one of created_ms"):
        await accounts.users.page(root.scope, UserQuery(sort="password_hash"), 1, 10)


async def test_user_is_made_below_the_asker_or_somebody_he_sees(accounts: AccountServices) -> None:
    factory = await accounts.as_("factory-a")
    made = await accounts.users.create(factory, body(nick_name="New", user_expire=5, remark="r"))
    assert (made.parent_name, made.user_type, made.password, made.user_expire) == ("factory-a", 3, None, 5)
    assert (await accounts.user("new")).path == f"/{factory.id}/{made.user_id}/"
    below = await accounts.users.create(
        factory, body("deep", 3, parent_id=accounts.ids["agent"], password=None)
    )
    assert (await accounts.user("deep")).path == f"/{factory.id}/{accounts.ids['agent']}/{below.user_id}/"
    assert below.password is not None
    assert await accounts.sign_in.login("deep", below.password, "x")


@pytest.mark.parametrize(
    ("asker", "user_type", "parent"),
    [
        ("factory-a", 1, None), ("factory-a", 0, None), ("root", 0, None), ("agent", 2, None),
        ("factory-a", 2, "agent"), ("factory-a", 2, "enterprise"), ("root", 1, "factory-b"),
    ],
)  # fmt: skip
async def test_only_greater_types_may_be_picked(
    accounts: AccountServices, asker: str, user_type: int, parent: str | None
) -> None:
    parent_id = accounts.ids[parent] if parent else None
    with pytest.raises(ParameterError, match="user_type: greater than") as caught:
        await accounts.users.create(await accounts.as_(asker), body("new", user_type, parent_id=parent_id))
    assert caught.value.reason == "user.type_not_greater"


async def test_user_is_not_made_elsewhere_twice_or_wrong(accounts: AccountServices) -> None:
    factory = await accounts.as_("factory-a")
    for parent in (accounts.ids["factory-b"], accounts.ids["root"], 999):
        with pytest.raises(NotFound):
            await accounts.users.create(factory, body(parent_id=parent))
    with pytest.raises(Conflict, match="exists") as caught:
        await accounts.users.create(factory, body("stranger"))
    assert caught.value.reason == "user.exists"
    for wrong, field in ((body("a b"), "user_name"), (body(password="short"), "password")):
        with pytest.raises(ParameterError) as caught:
            await accounts.users.create(factory, wrong)
        assert caught.value.field == field
    assert (await accounts.users.create(factory, body("张三1"))).user_name == "张三1"


async def test_nobody_changes_himself_beside_or_above(accounts: AccountServices) -> None:
    root, agent = await accounts.as_("root"), await accounts.as_("agent")
    await accounts.identity.add_user("root-2", PASSWORD, 0)
    accounts.ids["root-2"] = (await accounts.user("root-2")).id
    for asker, name in ((root, "root"), (root, "root-2"), (agent, "agent")):
        target = accounts.ids[name]
        for attempt in (
            accounts.users.edit(asker, target, change(user_type=3)),
            accounts.users.delete(asker, target, None),
            accounts.users.reset(asker, target, PASSWORD),
            accounts.users.set_status(asker, target, 0),
        ):
            with pytest.raises(NoPermission) as caught:
                await attempt
            assert caught.value.reason == "user.not_below"


async def test_foreign_users_are_not_there(accounts: AccountServices) -> None:
    agent = await accounts.as_("agent")
    for target in (accounts.ids["factory-a"], accounts.ids["stranger"], accounts.ids["root"], 999):
        for attempt in (
            accounts.users.edit(agent, target, change(nick_name="x")),
            accounts.users.delete(agent, target, None),
            accounts.users.reset(agent, target, PASSWORD),
            accounts.users.set_status(agent, target, 0),
            accounts.users.edit(agent, accounts.ids["enterprise"], change(parent_id=target)),
        ):
            with pytest.raises(NotFound):
                await attempt
        with pytest.raises(NotFound):
            await accounts.users.delete(agent, accounts.ids["person"], target)


async def test_absent_fields_stay(accounts: AccountServices) -> None:
    root = await accounts.as_("root")
    await accounts.users.edit(
        root, accounts.ids["agent"], change(nick_name="Li", user_expire=accounts.clock() + 1)
    )
    row = await accounts.users.edit(root, accounts.ids["agent"], change(remark="x"))
    assert (row.nick_name, row.remark, row.user_expire) == ("Li", "x", accounts.clock() + 1)
    row = await accounts.users.edit(root, accounts.ids["agent"], change(user_expire=None))
    assert row.user_expire is None


async def test_new_type_fits_above_and_below_and_ends_sessions(accounts: AccountServices) -> None:
    factory, tokens = await accounts.as_("factory-a"), await accounts.tokens("enterprise")
    enterprise = accounts.ids["enterprise"]
    with pytest.raises(Conflict) as caught:  # a person (4) is below
        await accounts.users.edit(factory, enterprise, change(user_type=4))
    assert caught.value.reason == "user.type_below"
    with pytest.raises(ParameterError):
        await accounts.users.edit(factory, enterprise, change(user_type=2))
    await accounts.users.edit(factory, accounts.ids["person"], change(user_type=6))
    row = await accounts.users.edit(factory, enterprise, change(user_type=5))
    assert (row.user_type, accounts.ended) == (5, ["of enterprise"])
    with pytest.raises(SessionExpired):
        await accounts.identity.current(tokens.token)


async def test_expiry_and_status_end_sessions_at_once(accounts: AccountServices) -> None:
    root = await accounts.as_("root")
    first, second = await accounts.tokens("agent"), await accounts.tokens("person")
    await accounts.users.edit(root, accounts.ids["agent"], change(user_expire=accounts.clock() - 1))
    await accounts.users.set_status(root, accounts.ids["person"], 0)
    for tokens in (first, second):
        with pytest.raises(SessionExpired):
            await accounts.identity.current(tokens.token)
        with pytest.raises(SessionExpired):
            await accounts.identity.refresh(tokens.token, tokens.refresh_token)
    assert sorted(accounts.ended) == ["of agent", "of person"]
    await accounts.users.edit(root, accounts.ids["agent"], change(user_expire=None))
    row = await accounts.users.set_status(root, accounts.ids["person"], 1)
    assert row.status == 1 and await accounts.sign_in.login("person", PASSWORD, "x")


async def test_expiry_that_comes_ends_sessions_without_a_call(accounts: AccountServices) -> None:
    root = await accounts.as_("root")
    tokens = await accounts.tokens("agent")
    await accounts.users.edit(root, accounts.ids["agent"], change(user_expire=accounts.clock() + 60_000))
    await accounts.identity.end_refused()
    assert accounts.ended == []
    accounts.clock.pass_s(60)
    with pytest.raises(SessionExpired):
        await accounts.identity.current(tokens.token)
    await accounts.identity.end_refused()
    assert accounts.ended == ["of agent"]


async def test_reset_password_ends_sessions_and_is_told_once(accounts: AccountServices) -> None:
    factory, tokens = await accounts.as_("factory-a"), await accounts.tokens("agent")
    made = await accounts.users.reset(factory, accounts.ids["agent"], None)
    assert made.password is not None and accounts.ended == ["of agent"]
    with pytest.raises(SessionExpired):
        await accounts.identity.current(tokens.token)
    assert await accounts.sign_in.login("agent", made.password, "x")
    assert (await accounts.users.reset(factory, accounts.ids["agent"], PASSWORD)).password is None
    with pytest.raises(ParameterError):
        await accounts.users.reset(factory, accounts.ids["agent"], "short")


async def test_group_is_of_the_tree_and_of_the_type(accounts: AccountServices) -> None:
    factory = await accounts.as_("factory-a")
    own = await accounts.group("factory-a", 3, "Monitor")
    of_root, foreign = await accounts.group("root", 3), await accounts.group("factory-b", 3)
    of_agent, beside = await accounts.group("agent", 3), await accounts.group("enterprise", 3)
    enterprise = accounts.ids["enterprise"]
    for group in (own, of_agent):
        row = await accounts.users.edit(factory, enterprise, change(group_id=group))
        assert row.group_id == group
    for group in (foreign, of_root, 999):  # of another tree, or out of sight
        with pytest.raises(ParameterError) as caught:
            await accounts.users.edit(factory, enterprise, change(group_id=group))
        assert caught.value.reason == "user.group_foreign"
    with pytest.raises(ParameterError) as caught:  # made below the asker, but not above the user
        await accounts.users.create(factory, body(group_id=beside))
    assert caught.value.reason == "user.group_foreign"
    with pytest.raises(ParameterError) as caught:
        await accounts.users.edit(factory, accounts.ids["person"], change(group_id=own))
    assert caught.value.reason == "user.group_type"
    root = await accounts.as_("root")
    assert (await accounts.users.edit(root, enterprise, change(group_id=of_root))).group_id == of_root
    await accounts.users.edit(await accounts.as_("agent"), enterprise, change(nick_name="kept"))
    person, of_person = accounts.ids["person"], await accounts.group("root", 4)
    await accounts.users.edit(root, person, change(group_id=of_person))
    with pytest.raises(ParameterError) as caught:  # the group stays, so the type has to
        await accounts.users.edit(factory, person, change(user_type=6))
    assert caught.value.reason == "user.group_type"
    assert (await accounts.users.edit(root, enterprise, change(group_id=None))).group_id is None


async def test_user_with_something_below_is_not_deleted(accounts: AccountServices) -> None:
    factory = await accounts.as_("factory-a")
    await accounts.device("gw-1", "agent")
    with pytest.raises(Conflict) as caught:
        await accounts.users.delete(factory, accounts.ids["agent"], None)
    assert caught.value.reason == "user.has_below"
    assert caught.value.arguments == {"users": 2, "devices": 1}
    tokens = await accounts.tokens("person")
    await accounts.users.delete(factory, accounts.ids["person"], None)
    assert accounts.ended == ["of person"] and await names(accounts, "agent") == ["agent", "enterprise"]
    with pytest.raises(SessionExpired):
        await accounts.identity.current(tokens.token)


async def test_another_user_takes_over(accounts: AccountServices) -> None:
    root = await accounts.as_("root")
    device = await accounts.device("gw-1", "agent")
    group = await accounts.group("agent", 3)
    await accounts.users.edit(root, accounts.ids["enterprise"], change(group_id=group))
    to = accounts.ids["factory-b"]
    await accounts.users.delete(root, accounts.ids["agent"], to)
    assert await names(accounts, "factory-a") == ["factory-a"]
    assert await names(accounts, "factory-b") == ["enterprise", "person", "factory-b", "stranger"]
    enterprise, person = await accounts.user("enterprise"), await accounts.user("person")
    assert (enterprise.parent_id, enterprise.path) == (to, f"/{to}/{enterprise.id}/")
    assert (person.parent_id, person.path) == (enterprise.id, f"/{to}/{enterprise.id}/{person.id}/")
    async with accounts.database.reading() as session:
        assert await session.scalar(select(Device.owner_id).where(Device.id == device)) == to
        assert await session.scalar(select(AuthGroup.owner_id).where(AuthGroup.id == group)) == to


async def test_templates_of_a_user_who_goes_become_nobody_elses(accounts: AccountServices) -> None:
    root = await accounts.as_("root")
    owners = ("agent", "factory-b", "person")
    async with accounts.database.session() as session:
        for number, name in enumerate(owners, 1):
            node = TemplateNode(
                id=number, kind="template", category="point", title=name, owner_id=accounts.ids[name],
                shared=True, created_ms=0,
            )  # fmt: skip
            session.add(node)
        await session.commit()
    factory, platform = accounts.ids["factory-a"], accounts.ids["root"]
    await accounts.users.delete(root, accounts.ids["person"], None)
    await accounts.users.delete(root, accounts.ids["agent"], factory)
    await accounts.users.delete(root, accounts.ids["factory-b"], platform)
    async with accounts.database.reading() as session:
        rows = await session.execute(
            select(TemplateNode.owner_id, TemplateNode.shared).order_by(TemplateNode.id)
        )
        assert rows.all() == [(factory, True), (platform, False), (None, False)]


async def test_taker_is_not_below_has_a_smaller_type_and_leaves_no_group(accounts: AccountServices) -> None:
    root, agent = await accounts.as_("root"), accounts.ids["agent"]
    for name, reason in (
        ("agent", "user.circle"),
        ("person", "user.circle"),
        ("stranger", "user.type_below"),
    ):
        with pytest.raises(ParameterError) as caught:
            await accounts.users.delete(root, agent, accounts.ids[name])
        assert caught.value.reason == reason
    group = await accounts.group("factory-a", 3)
    await accounts.users.edit(root, accounts.ids["enterprise"], change(group_id=group))
    with pytest.raises(Conflict) as conflict:
        await accounts.users.delete(root, agent, accounts.ids["factory-b"])
    assert (conflict.value.reason, conflict.value.arguments) == ("user.groups_left", {"users": 1})
    await accounts.users.delete(root, agent, accounts.ids["factory-a"])
    assert (
        await accounts.user("enterprise")
    ).path == f"/{accounts.ids['factory-a']}/{accounts.ids['enterprise']}/"


async def test_user_moves_with_everybody_below_him(accounts: AccountServices) -> None:
    root = await accounts.as_("root")
    row = await accounts.users.edit(root, accounts.ids["agent"], change(parent_id=accounts.ids["factory-b"]))
    assert row.parent_name == "factory-b"
    assert "person" in await names(accounts, "factory-b") and await names(accounts, "factory-a") == [
        "factory-a"
    ]
    with pytest.raises(ParameterError) as caught:
        await accounts.users.edit(root, accounts.ids["agent"], change(parent_id=accounts.ids["person"]))
    assert caught.value.reason == "user.circle"
    with pytest.raises(ParameterError):
        await accounts.users.edit(root, accounts.ids["agent"], change(parent_id=accounts.ids["stranger"]))


async def test_names_that_begin_alike_are_different_people(accounts: AccountServices) -> None:
    """User 1 is not above user 11: paths end with a stroke."""
    factory = await accounts.as_("factory-a")
    for number in range(8):
        await accounts.identity.add_user(f"more-{number}", PASSWORD, 1)
    rows = (await accounts.users.page(factory.scope, UserQuery(), 1, 100)).rows
    assert {row.user_name for row in rows} == {"factory-a", "agent", "enterprise", "person"}


async def test_command_line_makes_users_below_others(accounts: AccountServices) -> None:
    made = await accounts.identity.add_user("staff", PASSWORD, 0, "root")
    assert (await accounts.user("staff")).path == f"/{accounts.ids['root']}/{made}/"
    with pytest.raises(ParameterError, match="user_type: greater than 3, the type of enterprise"):
        await accounts.identity.add_user("wrong", PASSWORD, 3, "enterprise")
    with pytest.raises(NotFound):
        await accounts.identity.add_user("wrong", PASSWORD, 3, "nobody")
