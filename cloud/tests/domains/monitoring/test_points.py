"""Points across gateways, as far as the asker sees, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, Device, DeviceShare, SlaveDevice
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project
from cloud.domains.monitoring import service as limits
from cloud.domains.monitoring.schemas import MonitorPoints, PointQuery
from cloud.domains.monitoring.service import MonitoringService
from cloud.domains.telemetry.service import TelemetryService
from cloud.timeseries.base import StoredSample

from ...conftest import DomainServices
from ..tenants import tree


class World:
    """Two gateways of factory x with a point each (1, 2) and a removed one; the second shared, read only."""

    def __init__(
        self, services: DomainServices, users: dict[str, CurrentUser], service: MonitoringService
    ) -> None:
        self.services = services
        self.users = users
        self.service = service

    async def ask(self, user: str, **wanted: Any) -> MonitorPoints:
        return await self.service.points(self.users[user].scope, PointQuery(**wanted))


@pytest.fixture
async def world(services: DomainServices) -> World:
    users = await tree(services.database)
    factory = users["factory-x"].id
    async with services.database.session() as session:
        for number, path in ((1, "/1/"), (2, "/1/2/")):
            session.add(
                Project(id=number, path=path, kind="group", title="P", owner_id=factory, created_ms=0)
            )
        session.add(Product(id=1, code="P-1", title="Boilers", owner_id=factory, created_ms=0))
        await session.flush()
        plain: dict[str, Any] = {"secret_hash": "", "created_ms": 0, "owner_id": factory, "online": True}
        first = Device(gateway_id="a", title="Mill", project_id=2, offline_clear_data=False, **plain)
        second = Device(gateway_id="b", title="Fan", product_id=1, **plain)
        session.add_all([first, second])
        await session.flush()
        kind: dict[str, Any] = {"protocol": "modbus_tcp", "port": "lan", "address": "1"}
        motor = SlaveDevice(device_id=first.id, name="motor", title="Motor", **kind)
        drive = SlaveDevice(device_id=second.id, name="drive", title="Drive", **kind)
        session.add_all([motor, drive])
        await session.flush()
        point: dict[str, Any] = {
            "kind": "num",
            "unit": "",
            "rw": "readonly",
            "data_type": "float",
            "period_ms": 1000,
            "record": 1,
        }
        session.add_all(
            [
                DataPoint(id=1, device_id=first.id, slave_id=motor.id, name="rpm", title="Speed", **point),
                DataPoint(
                    id=2, device_id=second.id, slave_id=drive.id, name="amps", title="Current", **point
                ),
                DataPoint(
                    id=3, device_id=first.id, slave_id=motor.id, name="x", title="Old", removed=True, **point
                ),
            ]
        )
        session.add(
            DeviceShare(device_id=second.id, user_id=users["person-x"].id, role="visitor", created_ms=0)
        )
        await session.commit()
    telemetry = TelemetryService(Newest(), services.devices, nobody)  # type: ignore[arg-type]
    return World(services, users, MonitoringService(services.database, telemetry))


class Newest:
    """A store of one sample."""

    async def latest(self, series: list[int]) -> dict[int, StoredSample]:
        return {1: StoredSample(t_ms=5, value=20.5, quality=0)} if 1 in series else {}


async def nobody(gateway: str, values: list[Any]) -> None:
    """Nobody listens."""


FOUND: tuple[tuple[dict[str, Any], list[int]], ...] = (
    ({}, [2, 1]),
    ({"project_id": 1}, [1]),
    ({"project_id": 0}, [2]),
    ({"product_id": 1}, [2]),
    ({"search": "mill"}, [1]),
    ({"search": "DRIVE"}, [2]),
    ({"search": "rpm"}, [1]),
    ({"search": "%"}, []),
    ({"status": "online"}, [2, 1]),
    ({"status": "offline"}, []),
    ({"status": "away"}, []),
    ({"dsids": (1, 3, 99)}, [1]),
    ({"dsids": (1, 2), "product_id": 1}, [2]),
)


async def test_what_is_found(world: World) -> None:
    for wanted, dsids in FOUND:
        assert [point.dsid for point in (await world.ask("factory-x", **wanted)).points] == dsids, wanted


async def test_numbers_in_titles_of_gateways_sort_by_value(world: World) -> None:
    async with world.services.database.session() as session:
        mill, fan = await session.scalars(
            select(Device).where(Device.gateway_id.in_(("a", "b"))).order_by(Device.gateway_id)
        )
        mill.title, fan.title = "泵 10", "泵 9"
        await session.commit()
    assert [point.dsid for point in (await world.ask("factory-x")).points] == [2, 1]


async def test_one_answer_opens_the_list(world: World) -> None:
    found = await world.ask("factory-x")
    assert [(each.device_title, each.online, each.writes) for each in found.devices] == [
        ("Fan", True, True),
        ("Mill", True, True),
    ]
    assert [(each.dsid, each.t_ms, each.value) for each in found.last] == [(1, 5, 20.5)]
    assert [each.title for each in found.products] == ["Boilers"]
    assert (found.points[1].slave_title, found.total) == ("Motor", 2)
    device = next(each.id for each in found.devices if each.gateway_id == "a")
    assert [each.dsid for each in (await world.ask("factory-x", device_id=device)).points] == [1]


async def test_shared_gateways_and_nothing_of_strangers(world: World) -> None:
    found = await world.ask("person-x")
    assert [(each.dsid) for each in found.points] == [2]
    assert [each.writes for each in found.devices] == [False]
    assert (await world.ask("person-x", dsids=(1,))).points == []
    strange = await world.ask("factory-y")
    assert (strange.points, strange.total, strange.products) == ([], 0, [])


async def test_more_than_can_be_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_POINTS", 1)
    found = await world.ask("factory-x")
    assert (len(found.points), found.total) == (1, 2)
