"""Claims, catalogs and lists, on both databases."""

from __future__ import annotations

import msgspec
import pytest

from cloud.domains.devices.filters import DeviceFilter
from cloud.errors import Conflict, NotFound, ParameterError
from cloud.link import LinkDown, StreamState
from edge_contract.payloads import catalog_hash

from ..conftest import GATEWAY, SYSTEM, DomainServices, catalog, hello


async def test_secret_is_shown_once_and_checked(services: DomainServices) -> None:
    secret = await services.claims.claim("gw-2", "Second")
    principal = await services.authenticator.authenticate("gw-2", secret)
    assert principal is not None and principal.name == "gw-2"
    assert await services.authenticator.authenticate("gw-2", "wrong") is None
    assert await services.authenticator.authenticate(GATEWAY, secret) is None
    assert await services.authenticator.authenticate("gw-2\0", secret) is None
    with pytest.raises(Conflict):
        await services.claims.claim("gw-2", "Second")
    rotated = await services.claims.claim("gw-2", "Second", rotate=True)
    assert await services.authenticator.authenticate("gw-2", secret) is None
    assert await services.authenticator.authenticate("gw-2", rotated) is not None
    assert services.broker["gw-2"] == rotated


@pytest.mark.parametrize(
    ("gateway", "title", "field"), [("a/b", "x", "gateway"), ("#", "x", "gateway"), ("gw-3", "a\nb", "title")]
)
async def test_wrong_claim_names_the_field(
    services: DomainServices, gateway: str, title: str, field: str
) -> None:
    with pytest.raises(ParameterError) as error:
        await services.claims.claim(gateway, title)
    assert error.value.field == field


async def test_broker_that_is_away_leaves_no_half_claim(services: DomainServices) -> None:
    services.link_down = True
    with pytest.raises(LinkDown):
        await services.claims.claim("gw-4", "Fourth")
    assert await services.devices.id_of("gw-4") is None


async def test_others_write_while_the_broker_is_told_and_it_forgets_what_was_not_claimed(
    services: DomainServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(gateway: str, secret: str) -> None:
        monkeypatch.setattr(services.claims, "_put_gateway", services._put)
        await services.claims.claim("gw-5")  # writes: nobody waits
        await services._put(gateway, secret)

    async def faster(gateway: str, secret: str) -> None:
        await services._put(gateway, secret)
        monkeypatch.setattr(services.claims, "_write", failing)

    async def failing(*_: object, **__: object) -> None:
        raise RuntimeError

    with pytest.raises(NotFound):  # the broker is told of nothing that is refused
        await services.claims.claim("gw-3", owner="nobody")
    assert "gw-3" not in services.broker
    monkeypatch.setattr(services.claims, "_put_gateway", slow)
    await services.claims.claim("gw-4")
    assert {"gw-4", "gw-5"} <= services.broker.keys()
    monkeypatch.setattr(services.claims, "_put_gateway", faster)
    with pytest.raises(RuntimeError):
        await services.claims.claim("gw-6")
    assert "gw-6" not in services.broker

    async def silent(*_: object, **__: object) -> None:
        services.link_down = True
        raise RuntimeError

    monkeypatch.setattr(services.claims, "_write", silent)
    monkeypatch.setattr(services.claims, "_put_gateway", services._put)
    with pytest.raises(RuntimeError):  # what went wrong first, and not that the broker does not hear of it
        await services.claims.claim("gw-7")


async def test_catalog_makes_points_and_keeps_their_numbers(services: DomainServices) -> None:
    first = catalog("pressure", "level", "pump")
    await services.catalogs.apply(GATEWAY, first)
    sources = await services.devices.sources(SYSTEM, 1)
    assert [source.ds_name for source in sources] == ["pressure", "level", "pump"]
    numbers = {source.ds_name: source.dsid for source in sources}
    assert await services.catalogs.series_of(GATEWAY, first.hash) == {
        1: numbers["pressure"],
        2: numbers["level"],
        3: numbers["pump"],
    }
    second = catalog("level", "flow")
    await services.catalogs.apply(GATEWAY, second)
    assert [source.ds_name for source in await services.devices.sources(SYSTEM, 1)] == ["level", "flow"]
    mapped = await services.catalogs.series_of(GATEWAY, second.hash)
    assert mapped is not None and mapped[1] == numbers["level"]
    with pytest.raises(NotFound):
        await services.devices.target(SYSTEM, numbers["pressure"])
    await services.catalogs.apply(GATEWAY, first)
    assert {s.ds_name: s.dsid for s in await services.devices.sources(SYSTEM, 1)} == numbers


@pytest.mark.clause("C-152")
async def test_numbers_of_points_in_the_catalog_of_a_connected_gateway(services: DomainServices) -> None:
    running = catalog("pressure", "level", "pump")
    await services.catalogs.apply(GATEWAY, running)
    dsids = [source.dsid for source in await services.devices.sources(SYSTEM, 1)]
    wanted = [dsids[2], dsids[0], 999_999]
    assert await services.catalogs.numbers_of(wanted) == {}  # it is offline
    await services.presence.hello(GATEWAY, hello(running.hash))
    assert await services.catalogs.numbers_of(wanted) == {GATEWAY: (running.hash, [1, 3])}
    assert await services.catalogs.numbers_of([]) == {}


async def test_catalog_with_another_content_than_its_hash_is_refused(
    services: DomainServices, caplog: pytest.LogCaptureFixture
) -> None:
    forged = msgspec.structs.replace(catalog("pressure"), hash="00" * 8)
    for _ in range(3):
        await services.catalogs.apply(GATEWAY, forged)
    assert caplog.text.count("hash: must be the hash of its content") == 1
    assert await services.devices.sources(SYSTEM, 1) == []
    assert await services.catalogs.series_of(GATEWAY, forged.hash) is None


async def test_catalog_that_no_column_could_take_is_made_to_fit(services: DomainServices) -> None:
    plain = catalog("pressure", "level")
    twice = msgspec.structs.replace(plain.points[0], id=9)
    odd = msgspec.structs.replace(plain.points[1], title="Lev\0el", unit="\0")
    points = [plain.points[0], odd, twice]
    wanted = msgspec.structs.replace(plain, points=points, hash=catalog_hash(plain.slaves, points))
    await services.catalogs.apply(GATEWAY, wanted)
    assert [source.ds_title for source in await services.devices.sources(SYSTEM, 1)] == ["pressure", "Level"]
    assert set(await services.catalogs.series_of(GATEWAY, wanted.hash) or ()) == {1, 2}


async def test_a_gateway_that_is_enabled_again_needs_no_new_secret(services: DomainServices) -> None:
    secret = await services.claims.claim("gw-2", "Second")
    await services.claims.disable("gw-2")
    assert await services.authenticator.authenticate("gw-2", secret) is None
    assert not (await services.presence.hello("gw-2", hello())).accepted
    await services.claims.enable("gw-2")
    assert await services.authenticator.authenticate("gw-2", secret) is not None
    row = next(
        row for row in (await services.devices.page(SYSTEM, DeviceFilter(), 1, 20, "")).rows if row.id == 2
    )
    assert "disabled" not in row.model_dump_json()
    assert (await services.presence.hello("gw-2", hello())).accepted
    with pytest.raises(NotFound):
        await services.claims.enable("gw-never")


async def test_unknown_catalog_is_asked_for_only_until_it_came(services: DomainServices) -> None:
    wanted = catalog("pressure")
    assert (await services.presence.hello(GATEWAY, hello(wanted.hash))).need_catalog
    await services.catalogs.apply(GATEWAY, wanted)
    assert not (await services.presence.hello(GATEWAY, hello(wanted.hash))).need_catalog


async def test_list_pages_and_sorts(services: DomainServices) -> None:
    for number in range(25):
        await services.claims.claim(f"gw-{number:03}", f"Pump {number}")
    page = await services.devices.page(SYSTEM, DeviceFilter(), 2, 20, "")
    assert (page.total, len(page.rows)) == (26, 6)
    newest = await services.devices.page(SYSTEM, DeviceFilter(), 1, 20, "-gateway_id")
    assert newest.rows[0].gateway_id == GATEWAY
    for field, wanted, sort in (("status", DeviceFilter(status="x"), ""), ("sort", DeviceFilter(), "x")):
        with pytest.raises(ParameterError) as error:
            await services.devices.page(SYSTEM, wanted, 1, 20, sort)
        assert error.value.field == field


async def test_detail_shows_the_evidence_of_the_link(services: DomainServices) -> None:
    services.streams = [StreamState("aa" * 8, 97, 2, 100, 1, [(4, 4), (9, 10)])]
    detail = await services.devices.detail(SYSTEM, 1)
    assert (detail.received_batches, detail.duplicate_batches, detail.missing_batches) == (97, 2, 3)
    with pytest.raises(NotFound):
        await services.devices.detail(SYSTEM, 99)
