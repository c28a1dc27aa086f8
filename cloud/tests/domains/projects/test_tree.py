"""The tree: order, counts, moves, deletion, and whose it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from cloud.domains.inventory.models import SlaveDevice
from cloud.domains.inventory.project_models import Project
from cloud.domains.projects import service as module
from cloud.domains.projects.schemas import ProjectChange
from cloud.domains.projects.tree import Tally, ordered, placed, rolled_up
from cloud.errors import CloudError, Conflict, NotFound, ParameterError

from .conftest import Site


def reason(error: pytest.ExceptionInfo[CloudError]) -> str:
    return error.value.reason


async def test_counts_are_with_what_is_below(site: Site) -> None:
    plant = await site.add("Plant")
    east, west = [await site.add(title, plant.id) for title in ("east", "west")]
    numbers = [await site.gateway(f"d{n}", "enterprise-x", online=n > 0) for n in range(4)]
    async with site.database.session() as session:
        slave = {
            "protocol": "modbus",
            "port": "",
            "address": "",
            "online": False,
            "title": "Pump",
            "reason": "no_answer",
        }
        session.add(SlaveDevice(device_id=numbers[0], name="a", **slave))  # of one that is away
        session.add(SlaveDevice(device_id=numbers[1], name="a", **slave))
        session.add(SlaveDevice(device_id=numbers[1], name="b", **slave))
        await session.commit()
    assert (await site.assign(east.id, *numbers[:2])).changed == 2
    await site.assign(west.id, numbers[2])
    assert await site.shown() == [
        ("Plant", None, 3, 2, 1), ("east", plant.id, 2, 1, 1), ("west", plant.id, 1, 1, 0)
    ]  # fmt: skip
    none = (await site.projects.tree(site.users["factory-x"])).none
    assert (none.devices, none.online, none.alarm, none.silent) == (1, 1, 0, 0)


async def test_a_node_is_seen_by_its_owner_and_those_above(site: Site) -> None:
    mine = await site.add("mine", user="enterprise-x")
    await site.add("above")
    platform = await site.add("platform", user="platform-x")
    assert platform.owner_id is None
    seen = {name: {title for title, *_ in await site.shown(name)} for name in site.users}
    assert seen == {
        "platform-x": {"mine", "above", "platform"},
        "factory-x": {"mine", "above"},
        "enterprise-x": {"mine"},
        "person-x": set(),
        "factory-y": set(),
    }
    for call in (
        site.projects.delete(site.users["factory-y"], mine.id, None),
        site.projects.change(site.users["factory-y"], mine.id, ProjectChange(title="x")),
        site.move(mine.id, None, user="person-x"),
        site.add("x", mine.id, user="factory-y"),
    ):
        with pytest.raises(NotFound, match="project not found"):
            await call


async def test_below_a_node_everything_is_its_owners(site: Site) -> None:
    root = await site.add("Root", user="enterprise-x")
    made = await site.add("made by the factory", root.id, user="factory-x")
    assert made.owner_name == "enterprise-x"
    assert [title for title, *_ in await site.shown("enterprise-x")] == ["Root", "made by the factory"]


async def test_moves_keep_paths_and_order(site: Site) -> None:
    a, b = await site.add("A"), await site.add("B")
    inner = await site.add("Inner", a.id)
    leaf = await site.add("leaf", inner.id)
    for title in ("x", "y"):
        await site.add(title, b.id)
    await site.move(inner.id, b.id, 1)
    assert [title for title, *_ in await site.shown()] == ["A", "B", "x", "Inner", "leaf", "y"]
    async with site.database.reading() as session:
        paths = {node.id: node.path for node in await session.scalars(select(Project))}
    assert paths[leaf.id] == f"/{b.id}/{inner.id}/{leaf.id}/"
    await site.move(inner.id, None, 0)
    assert [title for title, *_ in await site.shown()] == ["Inner", "leaf", "A", "B", "x", "y"]
    await site.move(b.id, None, 0)
    assert [title for title, *_ in await site.shown()] == ["B", "x", "y", "Inner", "leaf", "A"]


async def test_moves_that_are_refused(site: Site) -> None:
    a = await site.add("A")
    inner = await site.add("Inner", a.id)
    leaf = await site.add("leaf", inner.id)
    with pytest.raises(ParameterError) as refused:
        await site.move(a.id, inner.id)
    assert reason(refused) == "project.circle"
    with pytest.raises(ParameterError) as refused:
        await site.move(inner.id, leaf.id)
    assert reason(refused) == "project.no_group"
    deep = await site.add("D1")
    for level in range(2, 7):
        deep = await site.add(f"D{level}", deep.id)
    with pytest.raises(Conflict) as too_deep:
        await site.move(a.id, deep.id)
    assert reason(too_deep) == "project.too_deep"
    await site.move(inner.id, deep.id)
    with pytest.raises(ParameterError):
        await site.add("x", leaf.id)


async def test_into_another_owners_tree(site: Site) -> None:
    """It becomes his, unless he would not see what is in it."""
    his = await site.add("His", user="enterprise-x")
    node = await site.add("node")
    number = await site.gateway("of the factory", "factory-x")
    await site.assign(node.id, number)
    with pytest.raises(Conflict) as refused:
        await site.move(node.id, his.id)
    assert (reason(refused), refused.value.arguments) == ("project.strange_devices", {"devices": 1})
    await site.assign(None, number)
    assert (await site.move(node.id, his.id)).owner_name == "enterprise-x"
    assert (await site.move(node.id, None)).owner_name == "enterprise-x"


async def test_deletion_says_what_it_holds_and_moves_it(site: Site) -> None:
    user = site.users["factory-x"]
    group, other = await site.add("Group"), await site.add("Other")
    east, west = await site.add("east", group.id), await site.add("west", group.id)
    number = await site.gateway("d", "factory-x")
    await site.assign(east.id, number)
    for node, held in ((group, {"nodes": 2, "devices": 0}), (east, {"nodes": 0, "devices": 1})):
        with pytest.raises(Conflict) as refused:
            await site.projects.delete(user, node.id, None)
        assert (reason(refused), refused.value.arguments) == ("project.not_empty", held)
    with pytest.raises(ParameterError):
        await site.projects.delete(user, east.id, other.id)  # a group takes no gateways
    with pytest.raises(ParameterError):
        await site.projects.delete(user, group.id, west.id)  # a project takes no nodes
    with pytest.raises(ParameterError, match="move_to"):
        await site.projects.delete(user, east.id, east.id)
    with pytest.raises(NotFound):
        await site.projects.delete(user, east.id, 999)
    await site.projects.delete(user, east.id, west.id)
    assert await site.places() == {"d": west.id}
    await site.projects.delete(user, group.id, other.id)
    assert await site.shown() == [("Other", None, 1, 0, 0), ("west", other.id, 1, 0, 0)]
    await site.projects.delete(user, other.id, 0)
    await site.projects.delete(user, west.id, 0)
    assert (await site.shown(), await site.places()) == ([], {"d": None})


async def test_a_group_is_not_emptied_into_itself(site: Site) -> None:
    group = await site.add("Group")
    inner = await site.add("Inner", group.id)
    with pytest.raises(ParameterError):
        await site.projects.delete(site.users["factory-x"], group.id, inner.id)
    assert len(await site.shown()) == 2


async def test_limits(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_OF_OWNER", 2)
    monkeypatch.setattr(module, "MAX_LISTED", 2)
    for title in ("a", "b"):
        await site.add(title)
    with pytest.raises(Conflict, match="2 projects"):
        await site.add("c")
    await site.add("c", user="factory-y")
    tree = await site.projects.tree(site.users["platform-x"])
    assert (len(tree.nodes), tree.truncated) == (2, True)
    assert not (await site.projects.tree(site.users["factory-x"])).truncated


@given(st.lists(st.integers(0, 9), unique=True, max_size=8), st.integers(0, 9), st.integers(0, 12))
@settings(max_examples=50, deadline=None)
def test_a_moved_node_is_once_among_its_siblings(siblings: list[int], moved: int, place: int) -> None:
    order = placed(siblings, moved, place)
    assert sorted(order) == sorted({*siblings, moved})
    assert [one for one in order if one != moved] == [one for one in siblings if one != moved]


def test_a_node_whose_parent_is_not_seen_stands_at_the_top() -> None:
    def node(number: int, parent: int | None, path: str) -> Any:
        return Project(id=number, parent_id=parent, path=path, place=0)

    nodes = [node(3, 2, "/1/2/3/"), node(2, 1, "/1/2/")]
    assert [one.id for one in ordered(nodes)] == [2, 3]
    assert rolled_up(nodes, {3: Tally(2, 1, 1)})[2] == Tally(2, 1, 1)
