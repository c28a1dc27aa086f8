"""10,000 gateways of two factories: a scoped list costs a fixed number of questions."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import event, insert

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import Device, DeviceShare

MANY = 10_000
FACTORY = Scope(1, "/1/")


@pytest.fixture
async def devices(database_url: str) -> AsyncIterator[DeviceService]:
    database = Database(database_url)

    async def changed(device_id: int) -> None:
        """Nobody watches."""

    async with database.session() as session:
        people = [(1, "/1/"), (2, "/2/"), (3, "/3/")] + [(n, f"/{n % 2 + 1}/{n}/") for n in range(10, 1010)]
        rows = [
            {
                "id": n,
                "user_name": f"u{n}",
                "password_hash": "",
                "user_type": 3,
                "path": path,
                "created_ms": 1,
            }
            for n, path in people
        ]
        await session.execute(insert(User), rows)
        gateways = [
            {
                "id": n,
                "gateway_id": f"gw-{n:05}",
                "title": f"Gateway {n}",
                "owner_id": people[3 + n % 1000][0],
                "secret_hash": "",
                "created_ms": 1,
            }
            for n in range(1, MANY + 1)
        ]
        await session.execute(insert(Device), gateways)
        shares = [{"device_id": n, "user_id": 3, "role": "visitor", "created_ms": 1} for n in range(1, 51)]
        await session.execute(insert(DeviceShare), shares)
        await session.commit()
    yield DeviceService(database, PresenceService(database, changed), lambda gateway: None)  # type: ignore[arg-type, return-value]
    await database.close()


async def test_a_scoped_list_of_many(devices: DeviceService) -> None:
    asked: list[str] = []
    engine = devices._database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda c, cursor, text, *rest: asked.append(text))
    counts = []
    for limit in (10, 100):
        asked.clear()
        page = await devices.page(FACTORY, DeviceFilter(), 1, limit, "")
        assert (page.total, len(page.rows)) == (MANY // 2, limit)
        counts.append(len([text for text in asked if text.lstrip().startswith("SELECT")]))
    assert counts[0] == counts[1] <= 7
    await sees_his_own(devices)
    await asks_for_a_place(devices)


async def sees_his_own(devices: DeviceService) -> None:
    for scope, total in ((Scope.system(), MANY), (FACTORY, MANY // 2), (Scope(3, "/3/"), 50)):
        for page, sort in ((1, ""), (40, "-gateway_id")):
            found = await devices.page(scope, DeviceFilter(), page, 100, sort)
            assert found.total == total


async def asks_for_a_place(devices: DeviceService) -> None:
    """/1/ is not above /10/, and a user without a place in the tree sees nothing."""
    assert (await devices.page(Scope(10, "/1/10/"), DeviceFilter(), 1, 1, "")).total == MANY // 1000
    assert (await devices.page(Scope(1, ""), DeviceFilter(), 1, 1, "")).total == 0
    assert (await devices.page(Scope(9999, "/9999/"), DeviceFilter(), 1, 1, "")).total == 0
