"""A gateway is named with its bound title in brackets wherever a row refers to it."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from cloud.domains.devices.filters import DeviceFilter, PlaceFilter
from cloud.domains.devices.position_repository import PositionRepository
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.inventory.models import Device

from ...conftest import SYSTEM, DomainServices

CASES = [
    ("Pump", "", "Pump"),
    ("Pump", "Cooler", "Pump (Cooler)"),
    ("Pump", "Pump", "Pump"),
    ("泵", "冷却", "泵 (冷却)"),
]


@pytest.mark.parametrize(("title", "bound", "shown"), CASES)
async def test_rows_and_queries_say_the_same(
    services: DomainServices, title: str, bound: str, shown: str
) -> None:
    async with services.database.session() as session:
        device = Device(
            gateway_id="gw-1", title=title, binder_title=bound, secret_hash="", created_ms=0,
            longitude=121.0, latitude=31.0,
        )  # fmt: skip
        session.add(device)
        await session.commit()
        number = device.id
    async with services.database.reading() as session:
        assert (await session.get_one(Device, number)).display_title == shown
        assert (await session.scalars(select(Device.display_title).where(Device.id == number))).one() == shown
        names = await DeviceRepository(session, SYSTEM).names()
        assert (number, "gw-1", shown) in names
        for words in {title, bound or title, shown}:
            found = DeviceFilter(search=words).conditions(SYSTEM)
            assert number in set(await session.scalars(select(Device.id).where(*found)))
        places = await PositionRepository(session, SYSTEM).places(PlaceFilter(search=shown), 10)
        assert [place.title for place in places] == [shown]
