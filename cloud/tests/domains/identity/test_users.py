"""The tree of users: who sees, makes, changes and takes over whom."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from cloud.domains.identity.models import AuthGroup
from cloud.domains.identity.user_schemas import UserBody, UserChange, UserQuery
from cloud.domains.inventory.models import Device
from cloud.domains.templates.models import TemplateNode
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError, SessionExpired

from .conftest import PASSWORD, House


async def names(house: House, asker: str, **words: object) -> list[str]:
    user = await house.as_(asker)
    page = await house.users.page(user.scope, UserQuery(**words), 1, 100)  # type: ignore[arg-type]
    assert page.total == len(page.rows)
    return [row.user_name for row in page.rows]


def body(name: str = "new", user_type: int = 3, **words: object) -> UserBody:
    return UserBody.model_validate({"user_name": name, "user_type": user_type, "password": PASSWORD, **words})


def change(**words: object) -> UserChange:
    return UserChange.model_validate(words)


async def test_everybody_sees_himself_and_below(house: House) -> None:
    assert await names(house, "root") == list(house.ids)
    assert await names(house, "factory-a") == ["factory-a", "agent", "enterprise", "person"]
    assert await names(house, "factory-b") == ["factory-b", "stranger"]
    assert await names(house, "person") == ["person"]


async def test_parent_out_of_sight_is_not_told(house: House) -> None:
    user = await house.as_("agent")
    rows = (await house.users.page(user.scope, UserQuery(), 1, 10)).rows
    assert [(row.parent_id, row.parent_name) for row in rows][:2] == [
        (None, None), (house.ids["agent"], "agent")
    ]  # fmt: skip


async def test_list_is_searched_filtered_sorted_and_paged(house: House) -> None:
    root = await house.as_("root")
    await house.users.edit(root, house.ids["agent"], change(nick_name="50% Li", phone="+86 1", email="a@b.c"))
    await house.users.set_status(root, house.ids["stranger"], 0)
    assert await names(house, "root", search="FACTORY") == ["factory-a", "factory-b"]
    assert await names(house, "root", search="0% l") == ["agent"]
    assert await names(house, "root", search="%") == ["agent"]
    assert await names(house, "root", types=frozenset({3})) == ["enterprise", "stranger"]
    assert await names(house, "root", status=0) == ["stranger"]
    now = house.clock()
    await house.users.edit(root, house.ids["agent"], change(user_expire=now))
    await house.users.edit(root, house.ids["enterprise"], change(user_expire=now + 1))
    assert await names(house, "root", expired=True) == ["agent"]
    assert await names(house, "factory-a", expired=False) == ["factory-a", "enterprise", "person"]
    house.clock.pass_s(1)
    assert await names(house, "root", expired=True) == ["agent", "enterprise"]
    assert (await names(house, "root", sort="-user_name"))[0] == "stranger"
    assert (await names(house, "root", sort="user_type"))[0] == "root"
    page = await house.users.page(root.scope, UserQuery(sort="user_name"), 2, 3)
    assert ([row.user_name for row in page.rows], page.total) == (["factory-b", "person", "root"], 7)
    with pytest.raises(ParameterError, match="sort: one of created_ms"):
        await house.users.page(root.scope, UserQuery(sort="password_hash"), 1, 10)


async def test_user_is_made_below_the_asker_or_somebody_he_sees(house: House) -> None:
    factory = await house.as_("factory-a")
    made = await house.users.create(factory, body(nick_name="New", user_expire=5, remark="r"))
    assert (made.parent_name, made.user_type, made.password, made.user_expire) == ("factory-a", 3, None, 5)
    assert (await house.user("new")).path == f"/{factory.id}/{made.user_id}/"
    below = await house.users.create(factory, body("deep", 3, parent_id=house.ids["agent"], password=None))
    assert (await house.user("deep")).path == f"/{factory.id}/{house.ids['agent']}/{below.user_id}/"
    assert below.password is not None
    assert await house.sign_in.login("deep", below.password, "x")


@pytest.mark.parametrize(
    ("asker", "user_type", "parent"),
    [
        ("factory-a", 1, None), ("factory-a", 0, None), ("root", 0, None), ("agent", 2, None),
        ("factory-a", 2, "agent"), ("factory-a", 2, "enterprise"), ("root", 1, "factory-b"),
    ],
)  # fmt: skip
async def test_only_greater_types_may_be_picked(
    house: House, asker: str, user_type: int, parent: str | None
) -> None:
    parent_id = house.ids[parent] if parent else None
    with pytest.raises(ParameterError, match="user_type: greater than") as caught:
        await house.users.create(await house.as_(asker), body("new", user_type, parent_id=parent_id))
    assert caught.value.reason == "user.type_not_greater"


async def test_user_is_not_made_elsewhere_twice_or_wrong(house: House) -> None:
    factory = await house.as_("factory-a")
    for parent in (house.ids["factory-b"], house.ids["root"], 999):
        with pytest.raises(NotFound):
            await house.users.create(factory, body(parent_id=parent))
    with pytest.raises(Conflict, match="exists") as caught:
        await house.users.create(factory, body("stranger"))
    assert caught.value.reason == "user.exists"
    for wrong, field in ((body("a b"), "user_name"), (body(password="short"), "password")):
        with pytest.raises(ParameterError) as caught:
            await house.users.create(factory, wrong)
        assert caught.value.field == field
    assert (await house.users.create(factory, body("张三1"))).user_name == "张三1"


async def test_nobody_changes_himself_beside_or_above(house: House) -> None:
    root, agent = await house.as_("root"), await house.as_("agent")
    await house.identity.add_user("root-2", PASSWORD, 0)
    house.ids["root-2"] = (await house.user("root-2")).id
    for asker, name in ((root, "root"), (root, "root-2"), (agent, "agent")):
        target = house.ids[name]
        for attempt in (
            house.users.edit(asker, target, change(user_type=3)),
            house.users.delete(asker, target, None),
            house.users.reset(asker, target, PASSWORD),
            house.users.set_status(asker, target, 0),
        ):
            with pytest.raises(NoPermission) as caught:
                await attempt
            assert caught.value.reason == "user.not_below"


async def test_foreign_users_are_not_there(house: House) -> None:
    agent = await house.as_("agent")
    for target in (house.ids["factory-a"], house.ids["stranger"], house.ids["root"], 999):
        for attempt in (
            house.users.edit(agent, target, change(nick_name="x")),
            house.users.delete(agent, target, None),
            house.users.reset(agent, target, PASSWORD),
            house.users.set_status(agent, target, 0),
            house.users.edit(agent, house.ids["enterprise"], change(parent_id=target)),
        ):
            with pytest.raises(NotFound):
                await attempt
        with pytest.raises(NotFound):
            await house.users.delete(agent, house.ids["person"], target)


async def test_absent_fields_stay(house: House) -> None:
    root = await house.as_("root")
    await house.users.edit(root, house.ids["agent"], change(nick_name="Li", user_expire=house.clock() + 1))
    row = await house.users.edit(root, house.ids["agent"], change(remark="x"))
    assert (row.nick_name, row.remark, row.user_expire) == ("Li", "x", house.clock() + 1)
    row = await house.users.edit(root, house.ids["agent"], change(user_expire=None))
    assert row.user_expire is None


async def test_new_type_fits_above_and_below_and_ends_sessions(house: House) -> None:
    factory, tokens = await house.as_("factory-a"), await house.tokens("enterprise")
    enterprise = house.ids["enterprise"]
    with pytest.raises(Conflict) as caught:  # a person (4) is below
        await house.users.edit(factory, enterprise, change(user_type=4))
    assert caught.value.reason == "user.type_below"
    with pytest.raises(ParameterError):
        await house.users.edit(factory, enterprise, change(user_type=2))
    await house.users.edit(factory, house.ids["person"], change(user_type=6))
    row = await house.users.edit(factory, enterprise, change(user_type=5))
    assert (row.user_type, house.ended) == (5, ["of enterprise"])
    with pytest.raises(SessionExpired):
        await house.identity.current(tokens.token)


async def test_expiry_and_status_end_sessions_at_once(house: House) -> None:
    root = await house.as_("root")
    first, second = await house.tokens("agent"), await house.tokens("person")
    await house.users.edit(root, house.ids["agent"], change(user_expire=house.clock() - 1))
    await house.users.set_status(root, house.ids["person"], 0)
    for tokens in (first, second):
        with pytest.raises(SessionExpired):
            await house.identity.current(tokens.token)
        with pytest.raises(SessionExpired):
            await house.identity.refresh(tokens.token, tokens.refresh_token)
    assert sorted(house.ended) == ["of agent", "of person"]
    await house.users.edit(root, house.ids["agent"], change(user_expire=None))
    row = await house.users.set_status(root, house.ids["person"], 1)
    assert row.status == 1 and await house.sign_in.login("person", PASSWORD, "x")


async def test_expiry_that_comes_ends_sessions_without_a_call(house: House) -> None:
    root = await house.as_("root")
    tokens = await house.tokens("agent")
    await house.users.edit(root, house.ids["agent"], change(user_expire=house.clock() + 60_000))
    await house.identity.end_refused()
    assert house.ended == []
    house.clock.pass_s(60)
    with pytest.raises(SessionExpired):
        await house.identity.current(tokens.token)
    await house.identity.end_refused()
    assert house.ended == ["of agent"]


async def test_reset_password_ends_sessions_and_is_told_once(house: House) -> None:
    factory, tokens = await house.as_("factory-a"), await house.tokens("agent")
    made = await house.users.reset(factory, house.ids["agent"], None)
    assert made.password is not None and house.ended == ["of agent"]
    with pytest.raises(SessionExpired):
        await house.identity.current(tokens.token)
    assert await house.sign_in.login("agent", made.password, "x")
    assert (await house.users.reset(factory, house.ids["agent"], PASSWORD)).password is None
    with pytest.raises(ParameterError):
        await house.users.reset(factory, house.ids["agent"], "short")


async def test_group_is_of_the_tree_and_of_the_type(house: House) -> None:
    factory = await house.as_("factory-a")
    own = await house.group("factory-a", 3, "Monitor")
    of_root, foreign = await house.group("root", 3), await house.group("factory-b", 3)
    of_agent, beside = await house.group("agent", 3), await house.group("enterprise", 3)
    enterprise = house.ids["enterprise"]
    for group in (own, of_agent):
        row = await house.users.edit(factory, enterprise, change(group_id=group))
        assert row.group_id == group
    for group in (foreign, of_root, 999):  # of another tree, or out of sight
        with pytest.raises(ParameterError) as caught:
            await house.users.edit(factory, enterprise, change(group_id=group))
        assert caught.value.reason == "user.group_foreign"
    with pytest.raises(ParameterError) as caught:  # made below the asker, but not above the user
        await house.users.create(factory, body(group_id=beside))
    assert caught.value.reason == "user.group_foreign"
    with pytest.raises(ParameterError) as caught:
        await house.users.edit(factory, house.ids["person"], change(group_id=own))
    assert caught.value.reason == "user.group_type"
    root = await house.as_("root")
    assert (await house.users.edit(root, enterprise, change(group_id=of_root))).group_id == of_root
    await house.users.edit(await house.as_("agent"), enterprise, change(nick_name="kept"))
    person, of_person = house.ids["person"], await house.group("root", 4)
    await house.users.edit(root, person, change(group_id=of_person))
    with pytest.raises(ParameterError) as caught:  # the group stays, so the type has to
        await house.users.edit(factory, person, change(user_type=6))
    assert caught.value.reason == "user.group_type"
    assert (await house.users.edit(root, enterprise, change(group_id=None))).group_id is None


async def test_user_with_something_below_is_not_deleted(house: House) -> None:
    factory = await house.as_("factory-a")
    await house.device("gw-1", "agent")
    with pytest.raises(Conflict) as caught:
        await house.users.delete(factory, house.ids["agent"], None)
    assert caught.value.reason == "user.has_below"
    assert caught.value.arguments == {"users": 2, "devices": 1}
    tokens = await house.tokens("person")
    await house.users.delete(factory, house.ids["person"], None)
    assert house.ended == ["of person"] and await names(house, "agent") == ["agent", "enterprise"]
    with pytest.raises(SessionExpired):
        await house.identity.current(tokens.token)


async def test_another_user_takes_over(house: House) -> None:
    root = await house.as_("root")
    device = await house.device("gw-1", "agent")
    group = await house.group("agent", 3)
    await house.users.edit(root, house.ids["enterprise"], change(group_id=group))
    to = house.ids["factory-b"]
    await house.users.delete(root, house.ids["agent"], to)
    assert await names(house, "factory-a") == ["factory-a"]
    assert await names(house, "factory-b") == ["enterprise", "person", "factory-b", "stranger"]
    enterprise, person = await house.user("enterprise"), await house.user("person")
    assert (enterprise.parent_id, enterprise.path) == (to, f"/{to}/{enterprise.id}/")
    assert (person.parent_id, person.path) == (enterprise.id, f"/{to}/{enterprise.id}/{person.id}/")
    async with house.database.reading() as session:
        assert await session.scalar(select(Device.owner_id).where(Device.id == device)) == to
        assert await session.scalar(select(AuthGroup.owner_id).where(AuthGroup.id == group)) == to


async def test_templates_of_a_user_who_goes_become_nobody_elses(house: House) -> None:
    root = await house.as_("root")
    owners = ("agent", "factory-b", "person")
    async with house.database.session() as session:
        for number, name in enumerate(owners, 1):
            node = TemplateNode(
                id=number, kind="template", category="point", title=name, owner_id=house.ids[name],
                shared=True, created_ms=0,
            )  # fmt: skip
            session.add(node)
        await session.commit()
    factory, platform = house.ids["factory-a"], house.ids["root"]
    await house.users.delete(root, house.ids["person"], None)
    await house.users.delete(root, house.ids["agent"], factory)
    await house.users.delete(root, house.ids["factory-b"], platform)
    async with house.database.reading() as session:
        rows = await session.execute(
            select(TemplateNode.owner_id, TemplateNode.shared).order_by(TemplateNode.id)
        )
        assert rows.all() == [(factory, True), (platform, False), (None, False)]


async def test_taker_is_not_below_has_a_smaller_type_and_leaves_no_group(house: House) -> None:
    root, agent = await house.as_("root"), house.ids["agent"]
    for name, reason in (
        ("agent", "user.circle"),
        ("person", "user.circle"),
        ("stranger", "user.type_below"),
    ):
        with pytest.raises(ParameterError) as caught:
            await house.users.delete(root, agent, house.ids[name])
        assert caught.value.reason == reason
    group = await house.group("factory-a", 3)
    await house.users.edit(root, house.ids["enterprise"], change(group_id=group))
    with pytest.raises(Conflict) as conflict:
        await house.users.delete(root, agent, house.ids["factory-b"])
    assert (conflict.value.reason, conflict.value.arguments) == ("user.groups_left", {"users": 1})
    await house.users.delete(root, agent, house.ids["factory-a"])
    assert (await house.user("enterprise")).path == f"/{house.ids['factory-a']}/{house.ids['enterprise']}/"


async def test_user_moves_with_everybody_below_him(house: House) -> None:
    root = await house.as_("root")
    row = await house.users.edit(root, house.ids["agent"], change(parent_id=house.ids["factory-b"]))
    assert row.parent_name == "factory-b"
    assert "person" in await names(house, "factory-b") and await names(house, "factory-a") == ["factory-a"]
    with pytest.raises(ParameterError) as caught:
        await house.users.edit(root, house.ids["agent"], change(parent_id=house.ids["person"]))
    assert caught.value.reason == "user.circle"
    with pytest.raises(ParameterError):
        await house.users.edit(root, house.ids["agent"], change(parent_id=house.ids["stranger"]))


async def test_names_that_begin_alike_are_different_people(house: House) -> None:
    """User 1 is not above user 11: paths end with a stroke."""
    factory = await house.as_("factory-a")
    for number in range(8):
        await house.identity.add_user(f"more-{number}", PASSWORD, 1)
    rows = (await house.users.page(factory.scope, UserQuery(), 1, 100)).rows
    assert {row.user_name for row in rows} == {"factory-a", "agent", "enterprise", "person"}


async def test_command_line_makes_users_below_others(house: House) -> None:
    made = await house.identity.add_user("staff", PASSWORD, 0, "root")
    assert (await house.user("staff")).path == f"/{house.ids['root']}/{made}/"
    with pytest.raises(ParameterError, match="user_type: greater than 3, the type of enterprise"):
        await house.identity.add_user("wrong", PASSWORD, 3, "enterprise")
    with pytest.raises(NotFound):
        await house.identity.add_user("wrong", PASSWORD, 3, "nobody")
