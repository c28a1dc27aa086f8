"""A group binds whom its member makes as well."""

from __future__ import annotations

import pytest

from cloud.domains.access.answers import WhyService
from cloud.domains.access.schemas import GroupBody, RuleBody, WhyQuery
from cloud.domains.access.service import AccessService
from cloud.domains.identity.permissions import of_type
from cloud.domains.identity.user_schemas import UserBody, UserChange
from cloud.errors import NotFound, ParameterError

from ..identity.conftest import PASSWORD, AccountServices

KEPT = ("auth.User", "auth.Group/index", "Monitor", "Event")


@pytest.fixture
async def grouped(accounts: AccountServices) -> AccountServices:
    """The agent is in a group that has little."""
    await give(accounts, "agent", await accounts.group("root", 2, *KEPT))
    return accounts


@pytest.fixture
def access(accounts: AccountServices) -> AccessService:
    return AccessService(accounts.database, accounts.grants, clock=accounts.clock)


async def give(accounts: AccountServices, name: str, group: int | None) -> None:
    change = UserChange.model_validate({"group_id": group})
    await accounts.users.edit(await accounts.as_("root"), accounts.ids[name], change)


async def test_who_is_made_below_has_no_more(grouped: AccountServices) -> None:
    agent = await grouped.as_("agent")
    assert agent.permissions == set(KEPT)
    made = await grouped.users.create(agent, UserBody(user_name="puppet", user_type=3, password=PASSWORD))
    grouped.ids["puppet"] = made.user_id
    for name in ("puppet", "enterprise", "person"):
        assert (await grouped.as_(name)).permissions == of_type((await grouped.user(name)).user_type) & set(
            KEPT
        )
    assert (await grouped.as_("stranger")).permissions == of_type(3)
    assert (await grouped.as_("factory-a")).permissions == of_type(1) - {"auth.Rule"} - {
        code for code in of_type(1) if code.startswith("ota.") or code == "OtaManager"
    }


async def test_all_groups_above_count_and_changes_count_at_once(
    grouped: AccountServices, access: AccessService
) -> None:
    await give(grouped, "enterprise", await grouped.group("root", 3, "Monitor", "DeviceManage"))
    assert (await grouped.as_("person")).permissions == {"Monitor"}
    await give(grouped, "enterprise", None)
    assert (await grouped.as_("person")).permissions == of_type(4) & set(KEPT)
    group = (await grouped.user("agent")).group_id
    assert group is not None
    wider = GroupBody(title="g", user_type=2, permissions=[*KEPT, "DeviceManage"])
    await access.change_group(await grouped.as_("root"), group, wider)
    assert (await grouped.as_("enterprise")).may("DeviceManage")
    await give(grouped, "agent", None)
    assert (await grouped.as_("enterprise")).permissions == of_type(3)


async def test_moving_and_handing_over_change_it_at_once(grouped: AccountServices) -> None:
    root = await grouped.as_("root")
    change = UserChange(parent_id=grouped.ids["factory-b"])
    await grouped.users.edit(root, grouped.ids["enterprise"], change)
    assert (await grouped.as_("person")).permissions == of_type(4)
    await grouped.users.edit(root, grouped.ids["enterprise"], UserChange(parent_id=grouped.ids["agent"]))
    assert (await grouped.as_("person")).permissions == of_type(4) & set(KEPT)
    await grouped.users.delete(root, grouped.ids["agent"], grouped.ids["factory-a"])
    assert (await grouped.as_("person")).permissions == of_type(4)


async def test_why_names_it(grouped: AccountServices) -> None:
    why = WhyService(grouped.database, grouped.grants, {}, clock=grouped.clock)
    asked = WhyQuery(user_id=grouped.ids["person"], permissions=("DeviceManage",))
    answer = await why.why(await grouped.as_("root"), asked)
    assert not answer.allowed and "above_lacks" in [reason.code for reason in answer.reasons]
    asked = WhyQuery(user_id=grouped.ids["enterprise"], permissions=("DeviceManage",))
    answer = await why.why(await grouped.as_("agent"), asked)
    assert [(reason.code, reason.args) for reason in answer.reasons] == [
        ("above_lacks", {"permission": "DeviceManage"})
    ]


async def test_nobody_gives_what_he_has_not(grouped: AccountServices, access: AccessService) -> None:
    agent, root = await grouped.as_("agent"), await grouped.as_("root")
    with pytest.raises(ParameterError) as caught:
        await access.make_group(
            agent, GroupBody(title="g", user_type=3, permissions=["Event", "DeviceManage"])
        )
    assert (caught.value.field, caught.value.reason) == ("permissions", "group.not_yours")
    made = await access.make_group(agent, GroupBody(title="g", user_type=3, permissions=["Event"]))
    more = GroupBody(title="g", user_type=3, permissions=["Event", "DeviceManage"])
    with pytest.raises(ParameterError):
        await access.change_group(agent, made.group_id, more)
    await access.change_group(root, made.group_id, more)
    kept = more.model_copy(update={"remark": "changed"})
    assert (await access.change_group(agent, made.group_id, kept)).remark == "changed"  # was there already
    with pytest.raises(NotFound):
        await access.change_group(await grouped.as_("factory-b"), made.group_id, more)


async def test_what_is_off_for_everybody_may_be_given(
    accounts: AccountServices, access: AccessService
) -> None:
    root = await accounts.as_("root")
    await access.change_rule(root, "Event", RuleBody(enabled=False))
    root = await accounts.as_("root")
    assert not root.may("Event") and not root.may("ota.Sim")
    body = GroupBody(title="g", user_type=3, permissions=["Event", "ota.Sim"])
    assert (await access.make_group(root, body)).permissions == ["Event", "ota.Sim"]
