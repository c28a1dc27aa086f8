"""Limits of projects and gateways: of a user and everybody below him, in every way that makes one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import func, select

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.binding import BindService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.forms import DeviceFields
from cloud.domains.devices.registry import Registry
from cloud.domains.devices.schemas import BindBody
from cloud.domains.devices.share_schemas import OwnerBody
from cloud.domains.devices.shares import ShareService
from cloud.domains.identity.limits import LimitService
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.user_schemas import UserBody, UserChange
from cloud.domains.inventory.models import Device
from cloud.domains.projects.schemas import MoveBody, ProjectBody
from cloud.domains.projects.service import ProjectService
from cloud.errors import CloudError, Code, Conflict, NotFound, ParameterError

from ...conftest import DomainServices
from .conftest import OWNED, AccountServices

Act = Callable[[], Awaitable[Any]]


class Tree(AccountServices):
    """root, two factories; below factory-a: agent, enterprise, person."""

    def who(self, name: str) -> CurrentUser:
        user_type = {"root": 0, "factory-a": 1, "factory-b": 1, "agent": 2, "person": 4}.get(name, 3)
        path = self.paths[name]
        scope = Scope(self.ids[name], path, everything=user_type == 0)
        return CurrentUser(self.ids[name], name, user_type, frozenset(), "", scope)

    async def look(self) -> None:
        async with self.database.reading() as session:
            rows = await session.execute(select(User.user_name, User.path))
        self.paths = {row[0]: row[1] for row in rows}
        self.projects = ProjectService(self.database, clock=self.clock)

    async def limit(self, name: str, by: str = "root", **limits: int | None) -> None:
        await self.users.edit(self.who(by), self.ids[name], UserChange.model_validate({"limits": limits}))

    async def add(self, name: str, *gateways: str) -> None:
        async with self.database.session() as session:
            registry = Registry(session, self.who(name), clock=self.clock)
            if len(gateways) == 1:
                await registry.add(gateways[0], "secret", DeviceFields())
            else:
                await registry.add_all(
                    dict.fromkeys(gateways, DeviceFields()), dict.fromkeys(gateways, "secret")
                )
            await session.commit()

    async def devices(self) -> int:
        async with self.database.reading() as session:
            return int((await session.execute(select(func.count(Device.id)))).scalar_one())

    async def id_of(self, gateway: str) -> int:
        async with self.database.reading() as session:
            return (await session.scalars(select(Device.id).where(Device.gateway_id == gateway))).one()

    async def used(self, name: str) -> dict[str, tuple[int | None, int | None, int]]:
        states = await LimitService(self.database, OWNED).states(self.who(name), self.ids[name])
        return {each.resource: (each.limit, each.bound, each.used) for each in states}


@pytest.fixture
async def tree(database_url: str) -> AsyncIterator[Tree]:
    accounts = Tree(Database(database_url))
    await accounts.plant()
    await accounts.look()
    yield accounts
    await accounts.database.close()


async def refused(act: Awaitable[Any], reason: str = "limit.devices") -> CloudError:
    with pytest.raises(Conflict) as conflict:
        await act
    assert (conflict.value.code, conflict.value.reason) == (Code.MESSAGE, reason)
    return conflict.value


async def test_it_counts_everybody_below(tree: Tree) -> None:
    await tree.limit("agent", devices=3)
    await tree.add("agent", "gw-1")
    await tree.add("person", "gw-2", "gw-3")
    error = await refused(tree.add("agent", "gw-4"))
    assert error.arguments == {"user": "agent", "limit": 3, "used": 3}
    await refused(tree.add("enterprise", "gw-4"), "limit.devices_above")
    await refused(tree.add("person", "gw-4", "gw-5"), "limit.devices_above")
    assert await tree.devices() == 3
    await tree.add("factory-a", "gw-4")  # above the limit's user
    await tree.add("root", "gw-5")
    assert await tree.used("agent") == {"projects": (None, None, 0), "devices": (3, 3, 3)}
    assert (await tree.used("person"))["devices"] == (None, 3, 2)


async def test_nobody_gives_more_than_he_has(tree: Tree) -> None:
    await tree.limit("agent", devices=3)
    with pytest.raises(ParameterError) as error:
        await tree.limit("enterprise", by="agent", devices=4)
    assert (error.value.field, error.value.reason) == ("limits.devices", "limit.above_own")
    assert error.value.arguments == {"limit": 3}
    await tree.limit("enterprise", by="agent", devices=3)
    body = UserBody.model_validate({"user_name": "more", "user_type": 3, "limits": {"devices": 9}})
    with pytest.raises(ParameterError):
        await tree.users.create(tree.who("agent"), body)
    made = await tree.users.create(
        tree.who("agent"), body.model_copy(update={"limits": body.limits.model_copy(update={"devices": 2})})
    )
    states = await LimitService(tree.database, OWNED).states(tree.who("agent"), made.user_id)
    assert [(each.resource, each.limit) for each in states] == [("projects", None), ("devices", 2)]


async def test_only_who_may_edit_a_user_sets_and_sees_his_limits(tree: Tree) -> None:
    for by, name in (("agent", "agent"), ("enterprise", "agent"), ("factory-b", "agent")):
        with pytest.raises(CloudError):
            await tree.limit(name, by=by, devices=9)
    with pytest.raises(NotFound):
        await LimitService(tree.database, OWNED).states(tree.who("factory-b"), tree.ids["agent"])


async def test_lowering_deletes_nothing_and_refuses_more(tree: Tree) -> None:
    await tree.add("agent", "gw-1", "gw-2")
    await tree.limit("agent", devices=1)
    assert (await tree.used("agent"))["devices"] == (1, 1, 2)
    await refused(tree.add("agent", "gw-3"))
    await tree.limit("agent", devices=None)
    await tree.add("agent", "gw-3")


async def test_an_edit_without_limits_leaves_them(tree: Tree) -> None:
    await tree.limit("agent", devices=1, projects=2)
    await tree.users.edit(tree.who("root"), tree.ids["agent"], UserChange(remark="x"))
    await tree.limit("agent", projects=5)
    found = await tree.used("agent")
    assert (found["devices"][0], found["projects"][0]) == (1, 5)


async def test_handing_a_gateway_over(tree: Tree) -> None:
    async def taken(number: int, user_id: int | None) -> None:
        pass

    async def left(number: int) -> None:
        pass

    shares = ShareService(tree.database, taken, left, clock=tree.clock)
    await tree.add("factory-a", "gw-1")
    await tree.add("person", "gw-2")
    await tree.limit("agent", devices=1)
    number = await tree.id_of("gw-1")
    to = OwnerBody(user_id=tree.ids["enterprise"])
    error = await refused(shares.give(tree.who("factory-a"), number, to))
    assert error.arguments["user"] == "agent"
    below = OwnerBody(user_id=tree.ids["enterprise"])  # from person to enterprise: the agent has it already
    await shares.give(tree.who("factory-a"), await tree.id_of("gw-2"), below)


async def test_binding_by_scan(tree: Tree, services: DomainServices) -> None:
    bind = BindService(tree.database, services.devices, clock=tree.clock)
    await tree.add("root", "gw-1")
    async with tree.database.session(beside=True) as session:
        device = await session.get_one(Device, await tree.id_of("gw-1"))
        device.bind_code = "code-of-gw-1"
        await session.commit()
    await tree.limit("agent", devices=0)
    await refused(bind.bind(tree.who("person"), BindBody(code="code-of-gw-1")), "limit.devices_above")
    await tree.limit("agent", devices=1)
    assert (await bind.bind(tree.who("person"), BindBody(code="code-of-gw-1"))).role == "owner"


async def test_claiming_from_the_command_line(tree: Tree, services: DomainServices) -> None:
    claims = ClaimService(tree.database, services._put, services._disable, clock=tree.clock)
    await claims.claim("gw-1", owner="person")
    await tree.limit("agent", devices=1)
    before = await tree.devices()
    for name, rotate in (("gw-2", False), ("gw-3", True)):
        await refused(claims.claim(name, owner="enterprise", rotate=rotate))
    assert await tree.devices() == before
    await claims.claim("gw-1", rotate=True, owner="enterprise")
    assert (await tree.used("enterprise"))["devices"][2] == 1


async def test_moving_and_deleting_users(tree: Tree) -> None:
    root = tree.who("root")
    await tree.add("person", "gw-1", "gw-2")
    await tree.limit("factory-b", devices=1)
    move = UserChange(parent_id=tree.ids["factory-b"])
    await refused(tree.users.edit(root, tree.ids["enterprise"], move))
    await refused(tree.users.delete(root, tree.ids["agent"], tree.ids["factory-b"]))
    assert (await tree.used("agent"))["devices"][2] == 2
    await tree.limit("factory-b", devices=2)
    await tree.users.edit(root, tree.ids["enterprise"], move)
    await tree.look()
    assert (await tree.used("factory-b"))["devices"] == (2, 2, 2)
    await tree.limit("factory-b", devices=0)  # within one tree nothing becomes more
    await tree.users.edit(root, tree.ids["person"], UserChange(parent_id=tree.ids["factory-b"]))


async def test_projects(tree: Tree) -> None:
    def body(kind: str, parent_id: int | None = None) -> ProjectBody:
        return ProjectBody.model_validate({"kind": kind, "title": "P", "parent_id": parent_id})

    agent, person = tree.who("agent"), tree.who("person")
    await tree.limit("agent", projects=1)
    group = await tree.projects.add(agent, body("group"))  # groups do not count
    await tree.projects.add(person, body("project"))
    await refused(tree.projects.add(agent, body("project", group.id)), "limit.projects")
    factory = tree.who("factory-a")
    mine = await tree.projects.add(factory, body("project"))
    await refused(
        tree.projects.move(factory, mine.id, MoveBody(parent_id=group.id, place=0)), "limit.projects"
    )
    above = await tree.projects.add(factory, body("group"))
    await tree.projects.move(factory, mine.id, MoveBody(parent_id=above.id, place=0))
    await refused(tree.projects.delete(factory, above.id, group.id), "limit.projects")
    await tree.limit("agent", projects=2)
    await tree.projects.delete(factory, above.id, group.id)
    assert (await tree.used("agent"))["projects"] == (2, 2, 2)


async def test_two_at_once_do_not_both_take_the_last_place(tree: Tree) -> None:
    await tree.limit("agent", devices=4)
    names = [f"gw-{number}" for number in range(8)]
    who = ["agent", "person"] * 4
    done = await asyncio.gather(*map(tree.add, who, names), return_exceptions=True)
    assert [type(each) for each in done if each is not None] == [Conflict] * 4
    assert await tree.devices() == 4
