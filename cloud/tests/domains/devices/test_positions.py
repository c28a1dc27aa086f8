"""Places of gateways: who sees and moves them, and following a location point."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from cloud.domains.devices.filters import PlaceFilter
from cloud.domains.devices.position_schemas import PositionBody
from cloud.domains.devices.positions import PositionFollower, PositionService, parsed
from cloud.domains.inventory.models import Device, SlaveDevice
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project
from cloud.errors import Conflict, NotFound, ParameterError
from cloud.timeseries.base import SeriesColumn
from edge_contract.model import Value
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash

from ...application import token
from ...conftest import ADMIN, GATEWAY, SYSTEM, DomainServices, catalog, hello

EVERYTHING = PlaceFilter()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("116.391187,39.907829", (116.391187, 39.907829)),
        (" -0.1276 , 51.5072 ", (-0.1276, 51.5072)),
        ("0,0", None),
        ("181,0", None),
        ("1,91", None),
        ("nan,1", None),
        ("inf,1", None),
        ("1", None),
        ("1,2,3", None),
        ("east,north", None),
        ("", None),
    ],
)
def test_what_a_location_point_says(text: str, place: tuple[float, float] | None) -> None:
    assert parsed(text) == place


class Places:
    """The services on a database with GATEWAY, which has a location point, dsid 1."""

    def __init__(self, services: DomainServices) -> None:
        self.services = services
        self.told: list[int] = []
        self.service = PositionService(services.database, placed=self.told.append, clock=services.clock)
        self.last: dict[int, tuple[int, Value]] = {}
        self.asked: list[int] = []
        self.follower = PositionFollower(
            services.database, self._newest, placed=self.told.append, clock=services.clock
        )

    async def _newest(self, dsids: Any) -> dict[int, tuple[int, Value]]:
        self.asked += dsids
        return {dsid: self.last[dsid] for dsid in dsids if dsid in self.last}

    async def put(self, **words: Any) -> tuple[float | None, float | None, bool]:
        found = await self.service.put(ADMIN, 1, PositionBody(**words))
        return found.longitude, found.latitude, found.auto

    def file(self, text: Value, dsid: int = 1, t_ms: int | None = None) -> None:
        self.follower.note_values([SeriesColumn(dsid, [t_ms or self.services.clock()], [text], [0])])

    async def place(self) -> tuple[float | None, float | None]:
        found = await self.service.location(SYSTEM, 1)
        return found.longitude, found.latitude


def located() -> Catalog:
    slaves = [SlaveEntry(name="gps", title="GPS", protocol="virtual", port="lan", address="1")]
    point = PointEntry(
        id=1,
        slave="gps",
        name="place",
        title="Place",
        kind="loc",
        rw="readonly",
        data_type="string",
        period_ms=1000,
    )
    return Catalog(hash=catalog_hash(slaves, [point]), t_ms=1, slaves=slaves, points=[point])


@pytest.fixture
async def places(services: DomainServices) -> Places:
    await services.presence.hello(GATEWAY, hello())
    await services.catalogs.apply(GATEWAY, located())
    return Places(services)


async def test_a_place_is_kept_in_wgs84_and_taken_away(places: Places) -> None:
    assert await places.put(longitude=116.397428, latitude=39.90923, crs="GCJ02") == (
        116.391187,
        39.907829,
        False,
    )
    shown = await places.service.positions(SYSTEM, EVERYTHING)
    assert (shown.id, shown.lng, shown.lat, shown.title, shown.total) == (
        [1], [116.391187], [39.907829], ["Test gateway"], 1,
    )  # fmt: skip
    assert await places.put(longitude=None, latitude=None) == (None, None, False)
    gone = await places.service.positions(SYSTEM, EVERYTHING)
    assert (gone.id, gone.total, gone.placeless) == ([], 0, 1)


async def test_no_place_while_it_is_automatic_unless_that_ends(places: Places) -> None:
    assert await places.put(auto=True) == (None, None, True)
    with pytest.raises(Conflict):
        await places.put(longitude=1, latitude=2)
    assert await places.put(longitude=1, latitude=2, auto=False) == (1, 2, False)


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"longitude": 1}, "latitude"),
        ({"latitude": 1, "longitude": None}, "longitude"),
        ({"longitude": 1, "latitude": 2, "auto": True}, "auto"),
        ({"longitude": -180, "latitude": 2, "crs": "BD09"}, "crs"),
    ],
)
async def test_wrong_places(places: Places, words: dict[str, Any], field: str) -> None:
    with pytest.raises(ParameterError) as refused:
        await places.put(**words)
    assert refused.value.field == field


async def test_without_a_location_point_nothing_is_automatic(places: Places) -> None:
    await places.services.claims.claim("gw-plain", "Plain")
    with pytest.raises(ParameterError, match="auto"):
        await places.service.put(ADMIN, 2, PositionBody(auto=True))
    with pytest.raises(NotFound):
        await places.service.put(ADMIN, 99, PositionBody(auto=False))


async def test_a_gateway_is_followed_in_rounds(places: Places) -> None:
    """`follow` is a periodic job; what came between its rounds is one step."""
    places.file("1,1")
    await places.follower.follow()
    assert await places.place() == (None, None)  # not automatic
    places.last[1] = (places.services.clock() - 5_000, "2,2")
    await places.put(auto=True)
    await places.follower.follow()
    assert (await places.place(), places.asked) == ((2, 2), [1])  # what it said last
    places.services.clock.pass_s(10)
    places.file("3,3")
    places.file("no fix")
    assert await places.place() == (2, 2)
    places.services.clock.pass_s(10)
    places.file("4,4")
    places.file("5,5", dsid=7)
    places.file("6,6", t_ms=places.services.clock() - 60_000)  # late
    await places.follower.follow()
    assert await places.place() == (4, 4)
    await places.put(longitude=9, latitude=9, auto=False)
    places.services.clock.pass_s(60)
    places.file("7,7")
    await places.follower.follow()
    assert (await places.place(), places.asked) == ((9, 9), [1])


async def test_a_receiver_that_stands_still_is_taken_up_and_does_not_wander(places: Places) -> None:
    """Its last word may be older than the place that was given by hand; sent on change, it says no other."""
    places.last[1] = (places.services.clock() - 3_600_000, "121.473700,31.230400")
    await places.put(longitude=1, latitude=1)
    await places.put(auto=True)
    await places.follower.follow()
    assert await places.place() == (121.4737, 31.2304)
    said_ms = (await places.service.location(SYSTEM, 1)).positioned_ms
    assert said_ms == places.last[1][0], "how old the place is"
    places.file("121.473740,31.230400")  # 3.8 m
    await places.follower.follow()
    assert await places.place() == (121.4737, 31.2304)
    assert (await places.service.location(SYSTEM, 1)).positioned_ms == places.services.clock()
    places.services.clock.pass_s(10)
    places.file("121.473800,31.230400")
    await places.follower.follow()
    assert await places.place() == (121.4738, 31.2304)


async def test_without_its_location_point_a_gateway_stays_where_it_was_last(places: Places) -> None:
    places.last[1] = (places.services.clock(), "2,2")
    await places.put(auto=True)
    await places.follower.follow()
    await places.services.catalogs.apply(GATEWAY, catalog("pressure"))
    await places.follower.follow()
    found = await places.service.location(SYSTEM, 1)
    assert (found.longitude, found.auto, found.has_location_point) == (2, True, False)
    await places.services.catalogs.apply(GATEWAY, located())
    places.services.clock.pass_s(10)
    await places.follower.follow()
    places.file("3,3")
    await places.follower.follow()
    assert await places.place() == (3, 3)


async def test_open_maps_are_told_of_a_place_by_hand_and_of_the_first_of_a_location_point(
    places: Places,
) -> None:
    await places.put(longitude=1, latitude=2)
    await places.put(longitude=None, latitude=None)
    assert places.told == [1, 1]
    await places.put(auto=True)
    places.file("3,3")
    await places.follower.follow()
    places.services.clock.pass_s(10)
    places.file("3,3")
    await places.follower.follow()
    assert (await places.place(), places.told) == ((3, 3), [1, 1, 1])
    places.services.clock.pass_s(10)
    places.file("4,4")
    await places.follower.follow()
    assert (await places.place(), places.told) == ((4, 4), [1, 1, 1]), "a move waits for the next look"


async def test_filters(places: Places) -> None:
    """Of GATEWAY, online with a slave that is silent, and three more: GIS-capable and never connected, away
    and in a project, without a place.
    """
    async with places.services.database.session() as session:
        await session.execute(update(SlaveDevice).values(reason="no_answer"))
        await session.commit()
    for number, title in enumerate(("Gis", "Below 100%", "Plain"), 2):
        await places.services.claims.claim(f"gw-{number}", title)
    async with places.services.database.session() as session:
        session.add(Product(id=1, code="p", title="P", created_ms=0))
        session.add(Project(id=1, path="/1/", kind="group", title="A", created_ms=0))
        session.add(Project(id=12, path="/12/", kind="group", title="Other", created_ms=0))
        await session.flush()
        session.add(Project(id=2, parent_id=1, path="/1/2/", kind="project", title="B", created_ms=0))
        await session.flush()
        await session.execute(update(Device).values(longitude=Device.id, latitude=1.0))
        await session.execute(update(Device).where(Device.id == 2).values(mst=1000, product_id=1))
        await session.execute(update(Device).where(Device.id == 3).values(project_id=2, reason="link_lost"))
        await session.execute(
            update(Device).where(Device.id == 4).values(gis_show=True, latitude=None, longitude=None)
        )
        await session.commit()

    async def found(**words: Any) -> list[int]:
        return (await places.service.positions(SYSTEM, PlaceFilter(**words))).id

    assert await found() == [1, 2, 3]
    assert (await places.service.positions(SYSTEM, EVERYTHING)).status == "530"
    assert await found(gis=True) == [2]
    assert (
        await found(project_id=1) == await found(project_id=2) == await found(search=" 100%".strip()) == [3]
    )
    assert await found(project_id=0) == [1, 2]
    assert await found(project_id=12) == await found(project_id=99) == []
    assert await found(product_id=1) == [2]
    assert await found(status="silent") == [1]
    assert await found(status="online") == []
    assert await found(status="offline") == [2, 3]
    page = await places.service.page(SYSTEM, EVERYTHING, 1, 2)
    assert (page.total, [(row.device_id, row.status) for row in page.rows]) == (4, [(4, 3), (3, 0)])
    page = await places.service.page(SYSTEM, PlaceFilter(placed=False), 1, 2)
    assert (page.total, [row.has_location_point for row in page.rows]) == (1, [False])
    with pytest.raises(ParameterError, match="status"):
        await found(status="well")


@pytest.mark.parametrize(("mst", "gis_show", "found"), [(999, False, []), (1000, False, [1]), (0, True, [1])])
async def test_gis_devices_have_mst_1000_or_are_shown_in_gis(
    places: Places, mst: int, gis_show: bool, found: list[int]
) -> None:
    async with places.services.database.session() as session:
        await session.execute(update(Device).values(mst=mst, gis_show=gis_show, longitude=1.0, latitude=1.0))
        await session.commit()
    assert (await places.service.positions(SYSTEM, PlaceFilter(gis=True))).id == found


def test_over_http(client: TestClient) -> None:
    headers = {"X-Token": token(client)}
    body = {"longitude": 121.4737, "latitude": 31.2304, "crs": "GCJ02"}
    reply = client.put("/api/v1/device/1/position", json=body, headers=headers)
    assert reply.json()["data"]["longitude"] == 121.469162
    refused = client.put("/api/v1/device/1/position", json={**body, "longitude": 181}, headers=headers)
    assert (refused.status_code, refused.json()["data"]["field"]) == (400, "longitude")
    found = client.get("/api/v1/device/positions", headers=headers).json()["data"]
    assert (found["id"], found["lng"], found["lat"]) == ([1], [121.469162], [31.232329])
    listed = client.get("/api/v1/device/location", headers=headers).json()["data"]
    assert [row["device_id"] for row in listed["rows"]] == [1]
    assert client.get("/api/v1/device/1/position", headers=headers).json()["data"] == listed["rows"][0]
