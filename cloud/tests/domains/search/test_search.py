"""What the palette finds, as far as the asker sees it and may open it, on both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from starlette.testclient import TestClient

from cloud.db import CASEFOLD
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, Device, DeviceShare, SlaveDevice
from cloud.domains.inventory.project_models import Project
from cloud.domains.search.comparing import begins, contains, equals
from cloud.domains.search.schemas import SearchResults
from cloud.domains.search.service import KINDS, SearchService

from ...application import token
from ...conftest import DomainServices
from ..tenants import tree

POINT: dict[str, Any] = {
    "kind": "num", "unit": "MPa", "rw": "readonly", "data_type": "float", "period_ms": 1000, "record": 1,
}  # fmt: skip


class World:
    """Pump 2 and pump 10 of factory x with a slave and a point each; the second shared with person x."""

    def __init__(self, services: DomainServices, users: dict[str, CurrentUser]) -> None:
        self.services = services
        self.users = {name: replace(user, permissions=frozenset(CODES)) for name, user in users.items()}
        self.service = SearchService(services.database)

    async def find(self, text: str, user: str = "factory-x", limit: int = 5) -> SearchResults:
        return await self.service.find(self.users[user], text, limit)


@pytest.fixture
async def world(services: DomainServices) -> World:
    users = await tree(services.database)
    factory = users["factory-x"].id
    async with services.database.session() as session:
        session.add(Project(id=1, path="/1/", kind="group", title="锅炉房", owner_id=factory, created_ms=0))
        own: dict[str, Any] = {"secret_hash": "", "created_ms": 0, "owner_id": factory, "online": True}
        ten = Device(gateway_id="PL-10", title="Pump 10", **own)
        two = Device(gateway_id="PL-02", title="Pump 2", binder_title="My pump 100%", **own)
        session.add_all([ten, two])
        await session.flush()
        kind: dict[str, Any] = {"protocol": "modbus_tcp", "port": "lan", "address": "1"}
        for device in (ten, two):
            boiler = SlaveDevice(device_id=device.id, name="boiler_a", title="锅炉", **kind)
            gone = SlaveDevice(device_id=device.id, name="boiler_x", title="锅炉旧", removed=True, **kind)
            session.add_all([boiler, gone])
            await session.flush()
            steam = {"device_id": device.id, "slave_id": boiler.id}
            session.add(DataPoint(name="steam_p", title="蒸汽压力", **steam, **POINT))
            session.add(DataPoint(name="old_p", title="蒸汽旧", removed=True, **steam, **POINT))
        session.add(DeviceShare(device_id=ten.id, user_id=users["person-x"].id, role="visitor", created_ms=0))
        await session.commit()
    return World(services, users)


def titles(found: SearchResults) -> dict[str, list[str]]:
    """What was found by kind, without kinds of which nothing was."""
    kinds = {
        "devices": [each.title for each in found.devices],
        "slaves": [f"{each.device_title}/{each.title}" for each in found.slaves],
        "points": [f"{each.device_title}/{each.slave_title}/{each.title}" for each in found.points],
        "projects": [each.title for each in found.projects],
        "users": [each.user_name for each in found.users],
    }
    return {kind: names for kind, names in kinds.items() if names}


PUMPS = ["Pump 2", "Pump 10"]
FOUND: tuple[tuple[str, dict[str, list[str]]], ...] = (
    ("pump", {"devices": PUMPS}),
    ("PUMP 2", {"devices": ["Pump 2"]}),
    ("pl-1", {"devices": ["Pump 10"]}),
    ("my pump", {"devices": ["Pump 2"]}),
    ("100%", {"devices": ["Pump 2"]}),
    ("%", {"devices": ["Pump 2"]}),
    ("_a", {"slaves": ["Pump 10/锅炉", "Pump 2/锅炉"]}),
    ("锅炉", {"slaves": ["Pump 10/锅炉", "Pump 2/锅炉"], "projects": ["锅炉房"]}),
    ("蒸汽", {"points": ["Pump 10/锅炉/蒸汽压力", "Pump 2/锅炉/蒸汽压力"]}),
    ("pl-02 压力", {"points": ["Pump 2/锅炉/蒸汽压力"]}),
    ("锅炉 steam", {"points": ["Pump 10/锅炉/蒸汽压力", "Pump 2/锅炉/蒸汽压力"]}),
    ("旧", {}),
    ("   ", {}),
    ("factory-x", {"users": ["factory-x"]}),
)  # fmt: skip


async def test_what_is_found(world: World) -> None:
    for text, expected in FOUND:
        assert titles(await world.find(text)) == expected, text


async def test_case_does_not_count_in_any_alphabet(world: World) -> None:
    async with world.services.database.session() as session:
        for number, title in enumerate(("Ärgerlich Насос", "насос ÄRG", "Старый Насос 50%", "НАСОС")):
            session.add(Device(gateway_id=f"d{number}", title=title, secret_hash="", created_ms=0))
        await session.commit()
    pump = ["НАСОС", "насос ÄRG", "Ärgerlich Насос", "Старый Насос 50%"]
    for text in ("насос", "Насос", "НАСОС"):
        found = [each.title for each in (await world.find(text, "platform-x")).devices]
        assert (found[:2], sorted(found)) == (pump[:2], sorted(pump)), text
    for text, expected in (
        ("ärger", ["Ärgerlich Насос"]),
        ("ÄRGER pl", []),
        ("ärg НАС", ["насос ÄRG", "Ärgerlich Насос"]),
        ("насос 50%", ["Старый Насос 50%"]),
        ("насос_", []),
        ("на%с", []),
        ("на/с", []),
    ):
        found = [each.title for each in (await world.find(text, "platform-x")).devices]
        assert sorted(found) == sorted(expected), text


@pytest.mark.parametrize(
    ("word", "costs_more"), [("Pump", False), ("蒸汽", False), ("°", False), ("ä", True)]
)
def test_only_letters_with_a_case_beyond_z_cost_more(word: str, costs_more: bool) -> None:
    for compare in (contains, begins, equals):
        asked = compare(Device.title, word)
        assert (CASEFOLD in str(asked.compile(dialect=sqlite.dialect()))) is costs_more
        assert CASEFOLD not in str(asked.compile(dialect=postgresql.dialect()))


async def test_what_begins_with_the_text_comes_first(world: World) -> None:
    async with world.services.database.session() as session:
        session.add(Device(gateway_id="a", title="A big fan", secret_hash="", created_ms=0))
        session.add(Device(gateway_id="b", title="Fan 1", secret_hash="", created_ms=0))
        session.add(Device(gateway_id="c", title="fan", secret_hash="", created_ms=0))
        await session.commit()
    found = await world.find("fan", "platform-x")
    assert [each.title for each in found.devices] == ["fan", "Fan 1", "A big fan"]


async def test_others_are_told_of_and_left_out(world: World) -> None:
    found = await world.find("pump", limit=1)
    assert (titles(found), found.more) == ({"devices": ["Pump 2"]}, ["devices"])
    assert (await world.find("pump", limit=2)).more == []


async def test_what_is_shared_and_nothing_of_strangers(world: World) -> None:
    for text, kind in (("pump", "devices"), ("锅炉", "slaves"), ("蒸汽", "points")):
        own = titles(await world.find(text, "person-x"))
        assert list(own) == [kind] and len(own[kind]) == 1, text
    for text, _ in FOUND:
        assert titles(await world.find(text, "factory-y")) == {}, text


@pytest.mark.parametrize("kind", KINDS)
async def test_no_kind_without_its_permission(world: World, kind: str) -> None:
    words = {"devices": "pump", "slaves": "锅炉", "points": "蒸汽", "projects": "锅炉", "users": "factory"}
    asker = world.users["factory-x"]
    less = replace(asker, permissions=asker.permissions - {KINDS[kind]})
    assert getattr(await world.service.find(asker, words[kind], 5), kind)
    assert not getattr(await world.service.find(less, words[kind], 5), kind)


async def test_a_fixed_number_of_questions(world: World) -> None:
    asked: list[str] = []
    engine = world.services.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda c, cursor, text, *rest: asked.append(text))
    await world.find("a b c d e f g h i j k")
    assert len([text for text in asked if text.lstrip().startswith("SELECT")]) <= len(KINDS) + 1


@pytest.mark.parametrize("query", ["", "q=" + "a" * 101, "q=a&limit=0", "q=a&limit=11", "q=a%00b"])
def test_bounds_of_the_question(client: TestClient, query: str) -> None:
    reply = client.get(f"/api/v1/search?{query}", headers={"X-Token": token(client)})
    assert reply.json()["code"] == 10002


def test_nobody_is_answered_without_a_session(client: TestClient) -> None:
    assert client.get("/api/v1/search?q=a").status_code == 401
