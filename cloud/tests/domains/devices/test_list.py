"""Filters and sorts of the list of gateways, on both databases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select

from cloud.core.scope import Scope
from cloud.domains.devices.filters import NO_PROJECT, DeviceFilter, PlaceFilter
from cloud.domains.devices.positions import PositionService
from cloud.domains.devices.schemas import DeviceRow
from cloud.domains.devices.states import FILTERS, STATUSES
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device, DeviceShare, SlaveDevice
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project
from cloud.link.models import LinkStream

from ...conftest import GATEWAY, SYSTEM, DomainServices, catalog, hello
from ..tenants import tree

DIGIT = {"offline": 0, "online": 1, "alarm": 2, "partly": 4, "silent": 5}
"""Of a status on the map."""


@dataclass
class Filled:
    """Domain services with gateways, and users."""

    services: DomainServices
    users: dict[str, CurrentUser]


@pytest.fixture
async def filled(services: DomainServices) -> Filled:
    """Three gateways of factory x beside the platform's: in a project, below it, and in none."""
    users = await tree(services.database)
    factory = users["factory-x"].id
    async with services.database.session() as session:
        for number, path, kind in ((1, "/1/", "group"), (2, "/1/2/", "project"), (11, "/11/", "project")):
            session.add(
                Project(id=number, path=path, kind=kind, title=f"P{number}", owner_id=factory, created_ms=0)
            )
        session.add(Product(id=1, code="P-1", title="Boilers", owner_id=factory, created_ms=0))
        await session.flush()
        plain: dict[str, Any] = {"secret_hash": "", "created_ms": 0, "owner_id": factory}
        session.add_all(
            [
                Device(gateway_id="a", title="Pump 100%_1", project_id=2, model="M1", expire_ms=500, **plain),
                Device(gateway_id="b", title="Fan", project_id=11, product_id=1, imei="86000", **plain),
                Device(  # shared with a person, not in a project
                    gateway_id="c", title="Mill", iccid="8986", address="Harbour 5", protocol=3,
                    gateway_type=1, binder_title="Cooler", **plain,
                ),
            ]
        )  # fmt: skip
        await session.flush()
        session.add(DeviceShare(device_id=4, user_id=users["person-x"].id, role="visitor", created_ms=0))
        await session.commit()
    return Filled(services, users)


FOUND: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "abcg"),
    ({"search": "100%_1"}, "a"),
    ({"search": " FAN "}, "b"),
    ({"search": "8600"}, "b"),
    ({"search": "8986"}, "c"),
    ({"search": "harbour"}, "c"),
    ({"search": "cooler"}, "c"),
    ({"project_id": 1}, "a"),
    ({"project_id": 11}, "b"),
    ({"project_id": 99}, ""),
    ({"project_id": NO_PROJECT}, "cg"),
    ({"product_id": 1}, "b"),
    ({"protocol": 3}, "c"),
    ({"model": "M1"}, "a"),
    ({"gateway_type": 1}, "c"),
    ({"expires_before_ms": 501}, "a"),
    ({"expires_before_ms": 500}, ""),
    ({"bound": True}, "c"),
    ({"bound": False}, "abg"),
    ({"bound": False, "protocol": 1, "search": "fan"}, "b"),
)
"""Filter, and the first letters of the serial numbers that it leaves."""


async def test_a_filter_finds_what_it_says(filled: Filled) -> None:
    for wanted, found in FOUND:
        rows = await page(filled, SYSTEM, "gateway_id", **wanted)
        assert "".join(row.gateway_id[0] for row in rows) == found, wanted


async def test_the_map_counts_what_the_list_counts(filled: Filled) -> None:
    """For every status and every filter that both have; what has no place is counted beside the map."""
    await filled.services.presence.hello(GATEWAY, hello())
    async with filled.services.database.session() as session:
        devices = {each.gateway_id: each for each in await session.scalars(select(Device))}
        devices["a"].reason = "link_lost"
        devices["b"].disabled, devices["b"].reason = True, "disabled"
        devices["a"].longitude = devices["a"].latitude = devices["c"].longitude = devices["c"].latitude = 9.0
        await session.commit()
    places = PositionService(filled.services.database)
    seen: dict[str, int] = {}
    filters: list[dict[str, Any]] = [{}, {"search": "8986"}, {"search": "harbour"}, {"project_id": 1}]
    filters += [{"project_id": NO_PROJECT}, {"product_id": 1}]
    for more in filters:
        for status in ("", *FILTERS):
            wanted = {**more, "status": status}
            listed = (await filled.services.devices.page(SYSTEM, DeviceFilter(**wanted), 1, 20, "")).total
            found = await places.positions(SYSTEM, PlaceFilter(**wanted))
            assert found.total + found.placeless == listed, wanted
            assert len(found.id) == found.total, wanted
            if not more:
                seen[status] = listed
    assert seen == {
        "": 4, "online": 1, "partly": 0, "silent": 0, "alarm": 0, "offline": 3,
        "away": 1, "never_connected": 1, "disabled": 1, "asleep": 0,
    }  # fmt: skip


async def test_numbers_in_titles_sort_by_value_across_pages(filled: Filled) -> None:
    titles = [f"泵 {number}" for number in (10, 9, 101, 2, 30)]
    devices = filled.services.devices
    async with filled.services.database.session() as session:
        for number, title in enumerate(titles):
            session.add(Device(gateway_id=f"n{number}", title=title, secret_hash="", created_ms=0))
        await session.commit()
    async with filled.services.database.session() as session:
        (renamed,) = await session.scalars(select(Device).where(Device.gateway_id == "n2"))
        renamed.title = "泵 1"
        await session.commit()
    for sort, found in (("device_title", [1, 2, 9, 10, 30]), ("-device_title", [30, 10, 9, 2, 1])):
        pages = [await devices.page(SYSTEM, DeviceFilter(search="泵"), page, 2, sort) for page in (1, 2, 3)]
        assert [row.device_title for page in pages for row in page.rows] == [f"泵 {n}" for n in found]


async def test_status_is_of_the_link_of_slaves_and_of_alarms(filled: Filled) -> None:
    """One of several slaves that is silent is no alarm, and no alarm is shown while none is open."""
    await filled.services.presence.hello(GATEWAY, hello())
    await filled.services.catalogs.apply(GATEWAY, catalog("pressure"))
    await _has_status(filled, "online")  # its slave was not heard yet
    async with filled.services.database.session(beside=True) as session:
        device = (await session.scalars(select(Device).where(Device.gateway_id == GATEWAY))).one()
        words: dict[str, Any] = {"title": "", "protocol": "s7", "port": "lan", "address": ""}
        for name, reason in (("second", "ok"), ("third", "disabled"), ("fourth", "port_lent")):
            session.add(
                SlaveDevice(device_id=device.id, name=name, reason=reason, online=name == "second", **words)
            )
        await session.commit()
        await _has_status(filled, "online")
        slaves = {row.name: row for row in await session.scalars(select(SlaveDevice))}
        slaves["boiler"].reason = "no_answer"
        await session.commit()
        row = await _has_status(filled, "partly")
        assert (row.presence.code, row.presence.arguments["count"]) == ("slave_silent", 1)
        slaves["second"].online, slaves["second"].reason = False, "bad_frame"
        await session.commit()
        row = await _has_status(filled, "silent")
        assert (row.presence.code, row.presence.arguments["count"]) == ("no_slave_answers", 2)
        device.open_alarms = 3
        await session.commit()
        row = await _has_status(filled, "alarm")
        assert (row.presence.code, row.presence.arguments) == ("alarm_open", {"count": 3, "silent": 2})


async def _has_status(filled: Filled, wanted: str) -> DeviceRow:
    """The one gateway that is online is found under this status alone, in lists and on the map."""
    places = PositionService(filled.services.database)
    for status in STATUSES:
        rows = await page(filled, SYSTEM, status=status)
        assert [row.status for row in rows] == [status] * (
            3 if status == "offline" else int(status == wanted)
        )
        located = await places.page(SYSTEM, PlaceFilter(status=status), 1, 10)
        assert [row.device_id for row in located.rows] == [row.id for row in rows] or status == "offline"
    (found,) = await page(filled, SYSTEM, status=wanted)
    assert (await places.location(SYSTEM, found.id)).status == DIGIT[wanted]
    return found


async def test_what_is_not_known_comes_last_whatever_the_direction(filled: Filled) -> None:
    for sort in ("expire_ms", "-expire_ms"):
        assert (await page(filled, SYSTEM, sort))[0].gateway_id == "a"


async def test_samples_count_as_data_and_nothing_else_does(filled: Filled) -> None:
    nothing = {"contiguous_upto": 0, "above": "[]", "max_seq": 0, "received": 0, "duplicates": 0}
    async with filled.services.database.session() as session:
        for gateway, stream, t_ms in (("b", "old", 5), ("b", "new", 9), ("c", "one", 7)):
            session.add(LinkStream(gateway=gateway, stream=stream, last_ms=t_ms, **nothing))
        await session.commit()
    await filled.services.presence.hello(GATEWAY, hello())
    for sort, found in (("data_ms", "cbga"), ("-data_ms", "bcag")):
        rows = await page(filled, SYSTEM, sort)
        assert "".join(row.gateway_id[0] for row in rows) == found
        assert {row.gateway_id[0]: row.data_ms for row in rows} == {"b": 9, "c": 7, "a": None, "g": None}


async def test_titles_of_projects_that_a_reader_does_not_see_are_none(filled: Filled) -> None:
    (person,) = await page(filled, filled.users["person-x"].scope)
    assert (person.gateway_id, person.project_id, person.writes) == ("c", None, False)
    factory = {row.gateway_id: row for row in await page(filled, filled.users["factory-x"].scope)}
    assert (factory["b"].project_title, factory["b"].product_title) == ("P11", "Boilers")
    assert (factory["a"].project_title, factory["c"].writes) == ("P2", True)
    visit = await page(filled, filled.users["enterprise-x"].scope, search="fan")
    assert visit == []


async def page(filled: Filled, scope: Scope, sort: str = "", **wanted: Any) -> list[DeviceRow]:
    return (await filled.services.devices.page(scope, DeviceFilter(**wanted), 1, 20, sort)).rows
