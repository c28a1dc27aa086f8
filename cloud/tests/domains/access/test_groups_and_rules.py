"""Groups and rules: who sees and changes them, and that a change counts at once."""

from __future__ import annotations

import pytest

from cloud.domains.access.schemas import GroupBody, GroupRow, RuleBody
from cloud.domains.access.service import AccessService
from cloud.domains.identity.grants import FRESH_MS, Grants
from cloud.domains.identity.permissions import PERMISSIONS, of_type
from cloud.domains.identity.user_schemas import UserChange
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError

from ..identity.conftest import AccountServices


@pytest.fixture
def access(accounts: AccountServices) -> AccessService:
    return AccessService(accounts.database, accounts.grants, clock=accounts.clock)


def body(user_type: int = 3, *permissions: str, title: str = "Operators") -> GroupBody:
    return GroupBody(title=title, user_type=user_type, permissions=list(permissions))


async def listed(
    accounts: AccountServices, access: AccessService, asker: str, search: str = ""
) -> list[GroupRow]:
    page = await access.groups((await accounts.as_(asker)).scope, search, None, 1, 100)
    assert page.total == len(page.rows)
    return page.rows


async def give(accounts: AccountServices, name: str, group: int | None) -> None:
    change = UserChange.model_validate({"group_id": group})
    await accounts.users.edit(await accounts.as_("root"), accounts.ids[name], change)


async def test_groups_are_seen_by_owner_and_above_with_their_users(
    accounts: AccountServices, access: AccessService
) -> None:
    agent = await accounts.as_("agent")
    made = await access.make_group(agent, body(3, "Monitor", "Event", "Monitor"))
    assert (made.permissions, made.users, made.owner_name) == (["Event", "Monitor"], 0, "agent")
    await give(accounts, "enterprise", made.group_id)
    for asker in ("agent", "factory-a", "root"):
        assert [(row.title, row.users) for row in await listed(accounts, access, asker)] == [("Operators", 1)]
    for asker in ("enterprise", "factory-b"):
        assert await listed(accounts, access, asker) == []
    assert await listed(accounts, access, "root", "OPER") and not await listed(accounts, access, "root", "%")
    page = await access.groups(agent.scope, "", 2, 1, 10)
    assert (page.rows, page.total) == ([], 0)


async def test_change_of_a_group_counts_at_once(accounts: AccountServices, access: AccessService) -> None:
    agent = await accounts.as_("agent")
    group = (await access.make_group(agent, body(3, "Monitor"))).group_id
    await give(accounts, "enterprise", group)
    assert (await accounts.as_("enterprise")).permissions == {"Monitor"}
    await access.change_group(agent, group, body(3, "Monitor", "Event", "auth.Rule", title="Others"))
    assert (await accounts.as_("enterprise")).permissions == {"Monitor", "Event"}  # no more than the type has
    await give(accounts, "enterprise", None)
    assert (await accounts.as_("enterprise")).permissions == of_type(3)


async def test_group_in_use_stays(accounts: AccountServices, access: AccessService) -> None:
    agent = await accounts.as_("agent")
    group = (await access.make_group(agent, body(3))).group_id
    await give(accounts, "enterprise", group)
    for attempt in (access.delete_group(agent, group), access.change_group(agent, group, body(4))):
        with pytest.raises(Conflict) as caught:
            await attempt
        assert (caught.value.reason, caught.value.arguments) == ("group.has_users", {"users": 1})
    await give(accounts, "enterprise", None)
    await access.delete_group(agent, group)
    assert await listed(accounts, access, "root") == []


async def test_wrong_and_foreign_groups(accounts: AccountServices, access: AccessService) -> None:
    agent, other = await accounts.as_("agent"), await accounts.as_("factory-b")
    for user_type in (0, 1, 2):
        with pytest.raises(ParameterError) as caught:
            await access.make_group(agent, body(user_type))
        assert caught.value.reason == "user.type_not_greater"
    with pytest.raises(ParameterError, match="permissions: Nothing is no permission"):
        await access.make_group(agent, body(3, "Monitor", "Nothing"))
    group = (await access.make_group(agent, body(3))).group_id
    for number in (group, 999):
        with pytest.raises(NotFound):
            await access.change_group(other, number, body(3))
        with pytest.raises(NotFound):
            await access.delete_group(other, number)


async def test_rule_renames_switches_off_and_gives_types(
    accounts: AccountServices, access: AccessService
) -> None:
    root = await accounts.as_("root")
    row = await access.change_rule(
        root, "Device/cmd", RuleBody(zh="命令", en="Commands", types=[4, 0, 4], enabled=True)
    )
    assert (row.zh, row.en, row.types, row.default_en, row.default_types) == (
        "命令", "Commands", [0, 4], "Send commands", list(range(7))
    )  # fmt: skip
    assert (await accounts.as_("person")).may("Device/cmd") and not (await accounts.as_("agent")).may(
        "Device/cmd"
    )
    await access.change_rule(root, "Device/cmd", RuleBody(enabled=False))
    assert not (await accounts.as_("root")).may("Device/cmd")
    rows = {row.code: row for row in await access.rules(root)}
    assert list(rows) == [permission.code for permission in PERMISSIONS]
    assert (rows["Device/cmd"].enabled, rows["Device/cmd"].types, rows["Event"].enabled) == (
        False, list(range(7)), True
    )  # fmt: skip
    await access.change_rule(root, "Device/cmd", RuleBody())
    assert (await accounts.as_("agent")).may("Device/cmd")
    assert {row.code: row.en for row in await access.permissions()}["Device/cmd"] == "Send commands"


async def test_rules_are_the_platforms(accounts: AccountServices, access: AccessService) -> None:
    factory, root = await accounts.as_("factory-a"), await accounts.as_("root")
    for attempt in (access.rules(factory), access.change_rule(factory, "Event", RuleBody())):
        with pytest.raises(NoPermission):
            await attempt
    with pytest.raises(NotFound):
        await access.change_rule(root, "Nothing", RuleBody())
    for wrong in (RuleBody(enabled=False), RuleBody(types=[1])):
        with pytest.raises(Conflict) as caught:  # who would take it back?
            await access.change_rule(root, "auth.Rule", wrong)
        assert caught.value.reason == "rule.key"
    assert (await access.change_rule(root, "auth.Rule", RuleBody(en="The rules"))).en == "The rules"


async def test_another_process_hears_of_it_soon(accounts: AccountServices, access: AccessService) -> None:
    elsewhere = Grants(accounts.database, clock=accounts.clock)
    assert "Event" in await elsewhere.of(2, None, "/1/")
    await access.change_rule(await accounts.as_("root"), "Event", RuleBody(enabled=False))
    accounts.clock.now += FRESH_MS
    assert "Event" in await elsewhere.of(2, None, "/1/")
    accounts.clock.now += 1
    assert "Event" not in await elsewhere.of(2, None, "/1/")
