"""Contacts and groups: who sees and changes them, what is refused, what an owner who changes does to them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import select, update

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.contacts import groups as groups_module
from cloud.domains.contacts import service as service_module
from cloud.domains.contacts.groups import ContactGroupService
from cloud.domains.contacts.models import ContactGroup
from cloud.domains.contacts.schemas import ContactBody, ContactGroupBody, ContactGroupRow
from cloud.domains.contacts.service import ContactService
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.project_models import Project
from cloud.errors import Conflict, NotFound, ParameterError

from ...conftest import ADMIN, DomainServices

MAKER = CurrentUser(1, "maker", 1, frozenset(), "", Scope(1, "/1/"))
PLANT = CurrentUser(2, "plant", 3, frozenset(), "", Scope(2, "/1/2/"))
OTHER = CurrentUser(3, "other", 3, frozenset(), "", Scope(3, "/3/"))
HOOK = "https://open.feishu.cn/open-apis/bot/v2/hook/abc"


class Scene:
    def __init__(self, services: DomainServices) -> None:
        self.database: Database = services.database
        self.contacts = ContactService(self.database, clock=services.clock)
        self.groups = ContactGroupService(self.database, clock=services.clock)
        self.device = 0
        self.project = 0

    async def contact(self, user: CurrentUser, name: str = "Li", **fields: Any) -> int:
        return (await self.contacts.create(user, ContactBody(name=name, **fields))).id

    async def group(self, user: CurrentUser, **fields: Any) -> ContactGroupRow:
        return await self.groups.create(user, ContactGroupBody.model_validate({"title": "Shift", **fields}))

    async def change(self, user: CurrentUser, group: int, **fields: Any) -> ContactGroupRow:
        body = ContactGroupBody.model_validate({"title": "Shift", **fields})
        return await self.groups.change(user, group, body)

    async def robots(self, group: int) -> dict[str, Any]:
        async with self.database.reading() as session:
            row = await session.get(ContactGroup, group)
        assert row is not None
        return row.robots


@pytest.fixture
async def scene(services: DomainServices) -> Scene:
    made = Scene(services)
    async with services.database.session() as session:
        for number, name, path in ((1, "maker", "/1/"), (2, "plant", "/1/2/"), (3, "other", "/3/")):
            session.add(
                User(id=number, user_name=name, password_hash="x", user_type=3, path=path, created_ms=1)
            )
        await session.commit()
    await services.claims.claim("gw-a", "Boiler", owner="plant")
    async with services.database.session() as session:
        made.device = (await session.scalars(select(Device.id).where(Device.gateway_id == "gw-a"))).one()
        project = Project(kind="project", title="Line", owner_id=2, path="/1/", created_ms=1)
        session.add(project)
        await session.commit()
        made.project = project.id
    return made


async def test_contacts_are_seen_by_their_owner_and_above(scene: Scene) -> None:
    li = await scene.contact(PLANT, phone="+86 138-0000-0000", email="li@example.com")
    for user in (PLANT, MAKER, ADMIN):
        page = await scene.contacts.page(user, 1, 20, "")
        assert [(row.id, row.phone, row.user_name) for row in page.rows] == [(li, "+8613800000000", "plant")]
    assert (await scene.contacts.page(OTHER, 1, 20, "")).total == 0
    for doing in (scene.contacts.delete(OTHER, li), scene.contacts.change(OTHER, li, ContactBody(name="x"))):
        with pytest.raises(NotFound):
            await doing
    row = await scene.contacts.change(MAKER, li, ContactBody(name="Wang", language="en"))
    assert (row.name, row.user_name, row.email) == ("Wang", "plant", "")
    await scene.contacts.delete(PLANT, li)
    assert (await scene.contacts.page(ADMIN, 1, 20, "")).total == 0


async def test_contacts_are_searched_by_name_and_address(scene: Scene) -> None:
    await scene.contact(PLANT, "Li", email="li@example.com")
    await scene.contact(PLANT, "Wang", phone="13811112222")
    for search, expected in (("wANG", ["Wang"]), ("1111", ["Wang"]), ("@example", ["Li"]), ("%", [])):
        page = await scene.contacts.page(PLANT, 1, 20, search)
        assert [row.name for row in page.rows] == expected


@pytest.mark.parametrize(
    "fields",
    [
        {"email": "li"}, {"email": "li@x, b@y"}, {"email": "li@x\nBcc: a@b"}, {"phone": "12"},
        {"phone": "1380000a"},
        {"phone": "9605--"}, {"wechat": "a b"}, {"name": " "}, {"language": "fr"}, {"zone": "UTC"},
    ],
)  # fmt: skip
def test_a_contact_of_another_form_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        ContactBody.model_validate({"name": "Li", **fields})
    assert [error["loc"][0] for error in caught.value.errors()] == list(fields)


async def test_members_are_of_the_owner_and_what_is_chosen_is_seen(scene: Scene) -> None:
    mine, his = await scene.contact(PLANT), await scene.contact(OTHER)
    above = await scene.contact(MAKER)
    for user, contact in ((PLANT, his), (PLANT, above), (MAKER, mine)):
        with pytest.raises(NotFound, match="contact"):
            await scene.group(user, contact_ids=[contact])
    for chosen in (
        {"gateways": "devices", "device_ids": [scene.device]},
        {"gateways": "projects", "project_ids": [scene.project]},
    ):
        with pytest.raises(NotFound):
            await scene.group(OTHER, **chosen)
        row = await scene.group(PLANT, contact_ids=[mine], **chosen)
        assert row.model_dump(include=set(chosen)) == chosen
        titles = [[each.title for each in some] for some in (row.contacts, row.devices, row.projects)]
        assert titles in ([["Li"], ["Boiler"], []], [["Li"], [], ["Line"]])
    assert [row.groups for row in (await scene.contacts.page(PLANT, 1, 20, "")).rows] == [["Shift", "Shift"]]
    group = (await scene.groups.page(PLANT, 1, 1, "shift")).rows[0].id
    assert (await scene.change(MAKER, group, contact_ids=[mine])).contact_ids == [mine]
    with pytest.raises(NotFound):
        await scene.change(OTHER, group)
    with pytest.raises(NotFound):
        await scene.groups.delete(OTHER, group)
    await scene.contacts.delete(PLANT, mine)
    assert (await scene.groups.page(PLANT, 1, 1, "")).rows[0].contact_ids == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"gateways": "devices"}, "device_ids"),
        ({"gateways": "projects", "device_ids": [1]}, "project_ids"),
        ({"robots": [{"kind": "webhook", "url": "https://a"}] * 2}, "robots"),
        ({"quiet": {"start": "22:00", "end": "22:00"}}, "end"),
        ({"quiet": {"start": "24:00", "end": "07:00"}}, "start"),
        ({"robots": [{"kind": "webhook", "url": "ftp://a"}]}, "url"),
        ({"robots": [{"kind": "webhook", "url": "https://user:word@host/"}]}, "url"),
    ],
)
def test_a_group_of_another_form_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        ContactGroupBody.model_validate({"title": "x", **fields})


async def test_robots_keep_their_secrets_and_show_none(scene: Scene) -> None:
    row = await scene.group(PLANT, robots=[{"kind": "feishu", "url": HOOK, "secret": "s3cret"}])
    assert [robot.model_dump() for robot in row.robots] == [
        {"kind": "feishu", "host": "open.feishu.cn", "has_secret": True}
    ]
    assert "abc" not in row.model_dump_json() and "s3cret" not in row.model_dump_json()
    await scene.change(PLANT, row.id, robots=[{"kind": "feishu"}])
    assert await scene.robots(row.id) == {"feishu": {"url": HOOK, "secret": "s3cret"}}
    await scene.change(PLANT, row.id, robots=[{"kind": "feishu", "secret": ""}])
    assert await scene.robots(row.id) == {"feishu": {"url": HOOK, "secret": ""}}
    await scene.change(PLANT, row.id, robots=[{"kind": "feishu", "secret": "again"}])
    await scene.change(PLANT, row.id, robots=[{"kind": "feishu", "url": f"{HOOK}d"}])
    assert await scene.robots(row.id) == {"feishu": {"url": f"{HOOK}d", "secret": ""}}
    await scene.change(PLANT, row.id)
    assert await scene.robots(row.id) == {}


@pytest.mark.parametrize(
    "url",
    ["http://x:y:z/", "http://[/", "http://[::1/", "http://]/", "http://0177.0.0.1", "http://①②⑦.0.0.1",
     "http://a\x7fb/", "http://x:99999/"],
)  # fmt: skip
async def test_a_webhook_has_an_address_that_can_be_asked(scene: Scene, url: str) -> None:
    with pytest.raises(ParameterError, match=r"robots\.0\.url: names no host"):
        await scene.group(PLANT, robots=[{"kind": "webhook", "url": url}])
    row = await scene.group(PLANT, robots=[{"kind": "webhook", "url": "https://example.com:8443/hook"}])
    assert [robot.host for robot in row.robots] == ["example.com:8443"]


async def test_a_robot_needs_the_address_of_its_provider(scene: Scene) -> None:
    for kind in ("dingtalk", "feishu"):
        with pytest.raises(ParameterError, match=r"robots\.0\.url: begins with https://"):
            await scene.group(PLANT, robots=[{"kind": kind, "url": "https://example.com/"}])
    with pytest.raises(ParameterError, match=r"robots\.1\.url: needed"):
        await scene.group(PLANT, robots=[{"kind": "webhook", "url": "https://a.b"}, {"kind": "feishu"}])


async def test_members_that_hear_nothing_are_marked(scene: Scene) -> None:
    members = [
        await scene.contact(PLANT, name="Li", email="li@example.com"),
        await scene.contact(PLANT, name="Wang", email="", phone="13800000000"),
        await scene.contact(PLANT, name="Zhao", email="zhao@example.com", enabled=False),
    ]
    row = await scene.group(PLANT, contact_ids=members, channels=["email"])
    problems = {member.title: member.problem for member in row.contacts}
    assert problems == {"Li": "", "Wang": "no_address", "Zhao": "disabled"}
    row = await scene.change(PLANT, row.id, contact_ids=members, channels=["email", "sms"])
    assert [member.problem for member in row.contacts] == ["", "", "disabled"]
    robots = [{"kind": "webhook", "url": "https://example.com"}]
    row = await scene.change(PLANT, row.id, contact_ids=members, channels=[], robots=robots)
    assert [member.problem for member in row.contacts] == ["", "", "disabled"]


async def test_a_group_that_reaches_nobody_says_so(scene: Scene) -> None:
    li = await scene.contact(PLANT, phone="13800000000")
    row = await scene.group(PLANT, contact_ids=[li], channels=["email"])
    assert row.problem == "nobody"
    assert (await scene.change(PLANT, row.id, contact_ids=[li], channels=["sms"])).problem == ""
    await scene.contacts.change(PLANT, li, ContactBody(name="Li", phone="13800000000", enabled=False))
    assert (await scene.groups.page(PLANT, 1, 20, "")).rows[0].problem == "nobody"
    robots = [{"kind": "webhook", "url": "https://example.com"}]
    assert (await scene.change(PLANT, row.id, robots=robots)).problem == ""


async def test_a_group_that_was_given_away_is_silent_until_it_is_saved(scene: Scene) -> None:
    row = await scene.group(PLANT, robots=[{"kind": "webhook", "url": "https://example.com"}])
    async with scene.database.session() as session:
        await session.execute(update(ContactGroup).values(owner_id=1))
        await session.commit()
    [given] = (await scene.groups.page(MAKER, 1, 20, "")).rows
    assert (given.problem, given.user_name) == ("owner_changed", "maker")
    assert (await scene.change(MAKER, row.id, robots=[{"kind": "webhook"}])).problem == ""


async def test_staff_makes_them_for_the_platform(scene: Scene) -> None:
    li = await scene.contact(ADMIN)
    row = await scene.group(ADMIN, contact_ids=[li], gateways="devices", device_ids=[scene.device])
    assert (row.user_name, row.problem) == ("", "nobody")
    for user in (MAKER, PLANT, OTHER):
        assert (await scene.contacts.page(user, 1, 20, "")).total == 0
        assert await scene.groups.titles(user.scope, [row.id]) == {}


async def test_which_groups_a_rule_may_name(scene: Scene) -> None:
    row = await scene.group(PLANT)
    for user in (PLANT, MAKER, ADMIN):
        await scene.groups.refuse_unseen(user.scope, [row.id])
    for scope in (OTHER.scope, Scope(4, "")):
        with pytest.raises(NotFound, match="contact group"):
            await scene.groups.refuse_unseen(scope, [row.id])
    await scene.groups.refuse_unseen(OTHER.scope, [])


async def test_there_is_a_bound_for_each_owner(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "MAX_CONTACTS", 1)
    monkeypatch.setattr(groups_module, "MAX_GROUPS", 1)
    for user in (PLANT, ADMIN):
        await scene.contact(user)
        await scene.group(user)
        with pytest.raises(Conflict, match="at most 1"):
            await scene.contact(user)
        with pytest.raises(Conflict, match="at most 1"):
            await scene.group(user)


async def test_devices_that_are_gone_do_no_harm(scene: Scene) -> None:
    row = await scene.group(PLANT, gateways="devices", device_ids=[scene.device])
    async with scene.database.session() as session:
        device = await session.get(Device, scene.device)
        await session.delete(device)
        await session.commit()
    assert (await scene.groups.page(PLANT, 1, 20, "")).rows[0].devices == []
    changed = await scene.change(PLANT, row.id, gateways="devices", device_ids=[scene.device])
    assert changed.device_ids == row.device_ids
    with pytest.raises(NotFound, match="gateway"):
        await scene.group(PLANT, gateways="devices", device_ids=[scene.device])
