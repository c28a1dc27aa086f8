"""Claims, catalogs and lists, on both databases."""

from __future__ import annotations

import msgspec
import pytest

from cloud.domains.devices.filters import DeviceFilter
from cloud.errors import Conflict, NotFound, ParameterError
from cloud.link import LinkDown, StreamState
from edge_contract.payloads import catalog_hash

from ..conftest import GATEWAY, SYSTEM, Rooms, catalog, hello


async def test_secret_is_shown_once_and_checked(rooms: Rooms) -> None:
    secret = await rooms.claims.claim("gw-2", "Second")
    principal = await rooms.authenticator.authenticate("gw-2", secret)
    assert principal is not None and principal.name == "gw-2"
    assert await rooms.authenticator.authenticate("gw-2", "wrong") is None
    assert await rooms.authenticator.authenticate(GATEWAY, secret) is None
    assert await rooms.authenticator.authenticate("gw-2\0", secret) is None
    with pytest.raises(Conflict):
        await rooms.claims.claim("gw-2", "Second")
    rotated = await rooms.claims.claim("gw-2", "Second", rotate=True)
    assert await rooms.authenticator.authenticate("gw-2", secret) is None
    assert await rooms.authenticator.authenticate("gw-2", rotated) is not None
    assert rooms.broker["gw-2"] == rotated


@pytest.mark.parametrize(
    ("gateway", "title", "field"), [("a/b", "x", "gateway"), ("#", "x", "gateway"), ("gw-3", "a\nb", "title")]
)
async def test_wrong_claim_names_the_field(rooms: Rooms, gateway: str, title: str, field: str) -> None:
    with pytest.raises(ParameterError) as error:
        await rooms.claims.claim(gateway, title)
    assert error.value.field == field


async def test_broker_that_is_away_leaves_no_half_claim(rooms: Rooms) -> None:
    rooms.link_down = True
    with pytest.raises(LinkDown):
        await rooms.claims.claim("gw-4", "Fourth")
    assert await rooms.devices.id_of("gw-4") is None


async def test_catalog_makes_points_and_keeps_their_numbers(rooms: Rooms) -> None:
    first = catalog("pressure", "level", "pump")
    await rooms.catalogs.apply(GATEWAY, first)
    sources = await rooms.devices.sources(SYSTEM, 1)
    assert [source.ds_name for source in sources] == ["pressure", "level", "pump"]
    numbers = {source.ds_name: source.dsid for source in sources}
    assert await rooms.catalogs.series_of(GATEWAY, first.hash) == {
        1: numbers["pressure"],
        2: numbers["level"],
        3: numbers["pump"],
    }
    second = catalog("level", "flow")
    await rooms.catalogs.apply(GATEWAY, second)
    assert [source.ds_name for source in await rooms.devices.sources(SYSTEM, 1)] == ["level", "flow"]
    mapped = await rooms.catalogs.series_of(GATEWAY, second.hash)
    assert mapped is not None and mapped[1] == numbers["level"]
    with pytest.raises(NotFound):
        await rooms.devices.target(SYSTEM, numbers["pressure"])
    await rooms.catalogs.apply(GATEWAY, first)
    assert {s.ds_name: s.dsid for s in await rooms.devices.sources(SYSTEM, 1)} == numbers


async def test_catalog_with_another_content_than_its_hash_is_refused(
    rooms: Rooms, caplog: pytest.LogCaptureFixture
) -> None:
    forged = msgspec.structs.replace(catalog("pressure"), hash="00" * 8)
    for _ in range(3):
        await rooms.catalogs.apply(GATEWAY, forged)
    assert caplog.text.count("hash: must be the hash of its content") == 1
    assert await rooms.devices.sources(SYSTEM, 1) == []
    assert await rooms.catalogs.series_of(GATEWAY, forged.hash) is None


async def test_catalog_that_no_column_could_take_is_made_to_fit(rooms: Rooms) -> None:
    plain = catalog("pressure", "level")
    twice = msgspec.structs.replace(plain.points[0], id=9)
    odd = msgspec.structs.replace(plain.points[1], title="Lev\0el", unit="\0")
    points = [plain.points[0], odd, twice]
    wanted = msgspec.structs.replace(plain, points=points, hash=catalog_hash(plain.slaves, points))
    await rooms.catalogs.apply(GATEWAY, wanted)
    assert [source.ds_title for source in await rooms.devices.sources(SYSTEM, 1)] == ["pressure", "Level"]
    assert set(await rooms.catalogs.series_of(GATEWAY, wanted.hash) or ()) == {1, 2}


async def test_a_gateway_that_is_enabled_again_needs_no_new_secret(rooms: Rooms) -> None:
    secret = await rooms.claims.claim("gw-2", "Second")
    await rooms.claims.disable("gw-2")
    assert await rooms.authenticator.authenticate("gw-2", secret) is None
    assert not (await rooms.presence.hello("gw-2", hello())).accepted
    await rooms.claims.enable("gw-2")
    assert await rooms.authenticator.authenticate("gw-2", secret) is not None
    row = next(
        row for row in (await rooms.devices.page(SYSTEM, DeviceFilter(), 1, 20, "")).rows if row.id == 2
    )
    assert "disabled" not in row.model_dump_json()
    assert (await rooms.presence.hello("gw-2", hello())).accepted
    with pytest.raises(NotFound):
        await rooms.claims.enable("gw-never")


async def test_unknown_catalog_is_asked_for_only_until_it_came(rooms: Rooms) -> None:
    wanted = catalog("pressure")
    assert (await rooms.presence.hello(GATEWAY, hello(wanted.hash))).need_catalog
    await rooms.catalogs.apply(GATEWAY, wanted)
    assert not (await rooms.presence.hello(GATEWAY, hello(wanted.hash))).need_catalog


async def test_list_pages_and_sorts(rooms: Rooms) -> None:
    for number in range(25):
        await rooms.claims.claim(f"gw-{number:03}", f"Pump {number}")
    page = await rooms.devices.page(SYSTEM, DeviceFilter(), 2, 20, "")
    assert (page.total, len(page.rows)) == (26, 6)
    newest = await rooms.devices.page(SYSTEM, DeviceFilter(), 1, 20, "-gateway_id")
    assert newest.rows[0].gateway_id == GATEWAY
    for field, wanted, sort in (("status", DeviceFilter(status="x"), ""), ("sort", DeviceFilter(), "x")):
        with pytest.raises(ParameterError) as error:
            await rooms.devices.page(SYSTEM, wanted, 1, 20, sort)
        assert error.value.field == field


async def test_detail_shows_the_evidence_of_the_link(rooms: Rooms) -> None:
    rooms.streams = [StreamState("aa" * 8, 97, 2, 100, 1, [(4, 4), (9, 10)])]
    detail = await rooms.devices.detail(SYSTEM, 1)
    assert (detail.received_batches, detail.duplicate_batches, detail.missing_batches) == (97, 2, 3)
    with pytest.raises(NotFound):
        await rooms.devices.detail(SYSTEM, 99)
