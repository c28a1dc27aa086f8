"""Adding, copying, editing and removing gateways: the rules, and what goes with one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from cloud.domains.configuration.document import written
from cloud.domains.configuration.drafts import Drafts, NewDraft
from cloud.domains.devices.claims import NEW_DELAY_S
from cloud.domains.devices.forms import DeviceFields
from cloud.domains.devices.registry import Registry
from cloud.domains.devices.registry_service import RegistryService
from cloud.domains.devices.schemas import DeviceBack, DeviceUpdate, NewDeviceBody, ResetStatusBody
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, Device, DeviceShare
from cloud.domains.inventory.product_models import Product
from cloud.domains.inventory.project_models import Project
from cloud.errors import CloudError, Conflict, NoPermission, NotFound, ParameterError, Unavailable
from edge_contract.payloads import Pulse

from ...conftest import BOOT, GATEWAY, STREAM, SYSTEM, DomainServices, catalog, hello
from ..tenants import tree
from .test_positions import located


@dataclass
class Office:
    """The registry around one database."""

    services: DomainServices
    registry: RegistryService
    users: dict[str, CurrentUser]
    taken: list[int] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    async def add(self, name: str, gateway: str, **fields: object) -> int:
        body = NewDeviceBody.model_validate({"gateway_id": gateway, **fields})
        return (await self.registry.create(self.users[name], body)).device.id


@pytest.fixture
async def office(services: DomainServices) -> Office:
    taken: list[int] = []
    gone: list[str] = []

    async def take(device_id: int, user_id: int | None) -> None:
        assert user_id is None
        taken.append(device_id)

    async def forget(gateway: str) -> None:
        gone.append(gateway)
        services.devices.forget(gateway)
        services.catalogs.forget(gateway)
        services.presence.forget(gateway)

    registry = RegistryService(
        services.database,
        services.devices,
        services.presence,
        services._put,
        services._disable,
        take,
        forget,
        clock=services.clock,
    )
    users = await tree(services.database)
    async with services.database.session() as session:
        for number, kind, owner in (
            (1, "group", "factory-x"),
            (2, "project", "factory-x"),
            (3, "project", "person-x"),
            (4, "project", "factory-y"),
        ):
            session.add(
                Project(
                    id=number, path=f"/{number}/", kind=kind, title=f"P{number}",
                    owner_id=users[owner].id, created_ms=0,
                )
            )  # fmt: skip
        session.add(Product(id=1, code="P-1", title="Boilers", owner_id=users["factory-y"].id, created_ms=0))
        await session.commit()
    return Office(services, registry, users, taken, gone)


async def test_a_new_gateway_belongs_to_who_adds_it_and_can_connect(office: Office) -> None:
    body = NewDeviceBody(
        gateway_id="gw-2", device_title="Pump", imei="861234567890123", longitude=120, latitude=30
    )
    made = await office.registry.create(office.users["enterprise-x"], body)
    assert (made.device.device_title, made.device.imei, made.device.longitude) == ("Pump", body.imei, 120)
    assert made.device.access.owner is not None
    assert made.device.access.owner.user_name == "enterprise-x"
    assert (made.device.scan_bind, made.device.offline_clear_data, made.device.offline_alarm_delay_s) == (
        True, True, 10,
    )  # fmt: skip
    assert office.services.broker["gw-2"] == made.secret
    assert await office.services.authenticator.authenticate("gw-2", made.secret) is not None
    platform = await office.registry.create(office.users["platform-x"], NewDeviceBody(gateway_id="gw-3"))
    assert (platform.device.access.owner, platform.device.device_title) == (None, "gw-3")


async def test_a_serial_number_is_there_once_and_a_broker_that_refuses_leaves_nothing(office: Office) -> None:
    with pytest.raises(Conflict):
        await office.add("factory-y", GATEWAY)
    for wrong in ("a/b", "#", "x" * 41):
        with pytest.raises((ParameterError, ValueError)):
            await office.add("factory-y", wrong)
    with pytest.raises(NotFound):  # the broker is told of nothing that is refused
        await office.add("factory-y", "gw-4", project_id=2)
    assert "gw-4" not in office.services.broker
    both = [office.add("factory-y", "gw-4"), office.add("factory-x", "gw-4")]
    first, second = await asyncio.gather(*both, return_exceptions=True)
    assert isinstance(first, int)
    assert isinstance(second, Conflict) and second.reason == "device.claimed"
    office.services.link_down = True
    with pytest.raises(Unavailable):
        await office.add("factory-y", "gw-5")
    assert await office.services.devices.id_of("gw-5") is None


async def test_the_broker_is_told_in_no_transaction_and_forgets_what_was_not_added(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = office.services

    async def slow(gateway: str, secret: str) -> None:
        await services.claims.claim("gw-3", "somebody else's")  # writes: nobody waits
        await services._put(gateway, secret)

    monkeypatch.setattr(office.registry, "_put_gateway", slow)
    await office.add("factory-x", "gw-2")

    async def faster(gateway: str, secret: str) -> None:
        async with services.database.session() as session:
            session.add(Device(gateway_id="gw-4", title="", secret_hash="", created_ms=0))
            await session.commit()
        await services._put(gateway, secret)

    monkeypatch.setattr(office.registry, "_put_gateway", faster)
    with pytest.raises(Conflict):
        await office.add("factory-x", "gw-4")
    assert "gw-4" in services.broker
    monkeypatch.setattr(office.registry, "_put_gateway", services._put)
    monkeypatch.setattr(Registry, "add", _fail)
    with pytest.raises(IntegrityError):
        await office.add("factory-x", "gw-5")
    assert "gw-5" not in services.broker


async def _fail(*_: object, **__: object) -> None:
    raise IntegrityError("", None, Exception())


async def test_nothing_is_deleted_while_the_broker_is_away(office: Office) -> None:
    number = await office.add("factory-x", "gw-2")
    office.services.link_down = True
    with pytest.raises(Unavailable):
        await office.registry.delete(office.users["factory-x"], number)
    assert (office.taken, office.gone) == ([], [])
    office.services.link_down = False

    async def lost(device_id: int, user_id: int | None) -> None:
        office.services.link_down = True

    office.registry._taken = lost
    await office.registry.delete(office.users["factory-x"], number)
    assert (office.gone, await office.services.devices.id_of("gw-2")) == (["gw-2"], None)


async def test_a_copy_has_fields_owner_and_configuration_of_the_first(office: Office) -> None:
    first = await office.add(
        "enterprise-x", "gw-2", device_title="Pump", project_id=None, imei="861234567890123", remark="x\ny"
    )
    document = {"gateway": {"id": "gw-2", "title": "t"}, "ports": [], "slaves": [], "points": []}
    async with office.services.database.session() as session:
        kept = NewDraft(document, written(document, "gw-2"), None)
        await Drafts(session, office.users["enterprise-x"], 1).keep(first, kept)
        await session.commit()
    copy = await office.add("factory-x", "gw-3", copy_of=first, device_title="Pump 2")
    shown = await office.services.devices.detail(SYSTEM, copy)
    assert (shown.device_title, shown.imei, shown.remark) == ("Pump 2", "", "x\ny")
    assert shown.access.owner is not None and shown.access.owner.user_name == "enterprise-x"
    async with office.services.database.reading() as session:
        _, text = await Drafts(session, office.users["factory-x"], 1).newest(copy)
    assert text is not None and '"id":"gw-3"' in text and '"title":"t"' in text
    with pytest.raises(NotFound):
        await office.add("factory-y", "gw-4", copy_of=first)


async def test_a_field_is_changed_cleared_or_refused_whole(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2", longitude=1.5, latitude=2.5, report_interval_s=60)
    change = office.services.devices.change
    user = office.users["enterprise-x"]
    shown = await change(user, number, DeviceFields(longitude=None, latitude=None, report_interval_s=None))
    assert (shown.longitude, shown.positioned_ms, shown.report_interval_s) == (None, None, None)
    shown = await change(user, number, DeviceFields(device_title=None, model="M1"))
    assert (shown.device_title, shown.model) == ("gw-2", "M1")
    wrong: tuple[tuple[DeviceFields, str], ...] = (
        (DeviceFields(longitude=1.0, model="M2"), "longitude"),
        (DeviceFields(device_address="a\nb"), "device_address"),
        (DeviceFields(project_id=1), "project_id"),
    )
    for fields, name in wrong[:2]:
        with pytest.raises(ParameterError) as refused:
            await change(user, number, fields)
        assert refused.value.field == name
    assert (await office.services.devices.detail(SYSTEM, number)).model == "M1"


async def test_a_place_by_hand_is_refused_while_positioning_is_automatic(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2", longitude=1.5, latitude=2.5)
    user, change = office.users["enterprise-x"], office.services.devices.change
    with pytest.raises(ParameterError) as refused:
        await change(user, number, DeviceFields(auto_position=True))
    assert (refused.value.field, refused.value.reason) == ("auto_position", "device.no_location_point")
    with pytest.raises(ParameterError, match="auto_position"):
        await office.add("enterprise-x", "gw-3", auto_position=True)
    await office.services.catalogs.apply("gw-2", located())
    assert (await change(user, number, DeviceFields(auto_position=True))).auto_position
    place = {"longitude": 3.5, "latitude": 4.5}
    with pytest.raises(Conflict):
        await change(user, number, DeviceFields.model_validate(place))
    rows = await office.registry.update(user, DeviceUpdate(ids=[number], fields=DeviceFields(**place)))
    assert [(row.state, row.reason) for row in rows] == [("skipped", "device.auto_position")]
    shown = await change(user, number, DeviceFields(**place, auto_position=False))
    assert (shown.longitude, shown.auto_position) == (3.5, False)


async def test_a_project_is_one_that_the_user_sees_and_whose_owner_sees_the_gateway(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2")
    change, users = office.services.devices.change, office.users
    assert (await change(users["factory-x"], number, DeviceFields(project_id=2))).project_title == "P2"
    tried: tuple[tuple[str, dict[str, int], type[CloudError]], ...] = (
        ("factory-x", {"project_id": 1}, ParameterError),  # a group
        ("factory-x", {"project_id": 3}, ParameterError),  # of a person below, who does not see the gateway
        ("factory-x", {"project_id": 4}, NotFound),  # of another factory
        ("enterprise-x", {"project_id": 3, "product_id": 1}, ParameterError),
        ("factory-x", {"product_id": 1}, NotFound),
        ("enterprise-x", {"expire_ms": 2**52}, NoPermission),
    )
    for name, fields, error in tried:
        with pytest.raises(error):
            await change(users[name], number, DeviceFields.model_validate(fields))
    assert (await change(users["factory-x"], number, DeviceFields(expire_ms=5))).expire_ms == 5
    # whoever does not see the project leaves it as it is
    kept = await change(users["enterprise-x"], number, DeviceFields(model="M"))
    assert (kept.project_id, kept.model) == (None, "M")
    assert (await office.services.devices.detail(SYSTEM, number)).project_id == 2


async def test_several_are_changed_and_who_cannot_be_says_why(office: Office) -> None:
    mine = [await office.add("enterprise-x", f"gw-{n}", model="M1") for n in (2, 3, 4)]
    await office.services.devices.change(office.users["enterprise-x"], mine[1], DeviceFields(model="M2"))
    async with office.services.database.session() as session:
        person = office.users["person-x"].id
        for number, writes in ((mine[0], True), (mine[2], False)):
            session.add(
                DeviceShare(device_id=number, user_id=person, role="owner", writes=writes, created_ms=0)
            )
        await session.commit()
    office.services.changed.clear()
    everything = DeviceUpdate(ids=[*mine, 1, mine[0]], fields=DeviceFields(model="M2", offline_notify=False))
    rows = await office.registry.update(office.users["enterprise-x"], everything)
    assert [(row.id, row.state, row.reason) for row in rows] == [
        (mine[0], "changed", ""),
        (mine[1], "unchanged", ""),
        (mine[2], "changed", ""),
        (1, "skipped", "not_found"),
    ]
    assert office.services.changed == [mine[0], mine[2]]
    shared = DeviceUpdate(ids=mine, fields=DeviceFields(model="M3", scan_bind=False))
    rows = await office.registry.update(office.users["person-x"], shared)
    assert [row.reason for row in rows] == ["device.not_owner", "not_found", "device.shared_read_only"]
    assert (await office.services.devices.detail(SYSTEM, mine[0])).model == "M2"


async def test_a_change_of_several_is_taken_back_where_nobody_changed_more(office: Office) -> None:
    user, change = office.users["factory-x"], office.services.devices.change
    mine = [await office.add("enterprise-x", f"gw-{n}", model=f"M{n}") for n in (2, 3, 4)]
    await change(user, mine[0], DeviceFields(project_id=2, offline_alarm_delay_s=7))
    wanted = DeviceFields(model="M4", offline_alarm_delay_s=60, collect_interval_s=5)
    rows = await office.registry.update(user, DeviceUpdate(ids=mine, fields=wanted))
    assert [row.before for row in rows] == [
        {"model": "M2", "offline_alarm_delay_s": 7, "collect_interval_s": None},
        {"model": "M3", "offline_alarm_delay_s": NEW_DELAY_S, "collect_interval_s": None},
        {"offline_alarm_delay_s": NEW_DELAY_S, "collect_interval_s": None},
    ]
    await change(user, mine[1], DeviceFields(model="somebody's"))
    back = [
        DeviceBack(
            device_id=row.id,
            fields=DeviceFields.model_validate(row.before),
            now=DeviceFields.model_validate({name: getattr(wanted, name) for name in row.before}),
        )
        for row in rows
    ]
    office.services.changed.clear()
    taken = await office.registry.put_back(user, back)
    assert [(row.state, row.reason) for row in taken] == [
        ("changed", ""), ("skipped", "device.changed_since"), ("changed", ""),
    ]  # fmt: skip
    shown = [await office.services.devices.detail(SYSTEM, number) for number in mine]
    assert [(one.model, one.offline_alarm_delay_s, one.collect_interval_s) for one in shown] == [
        ("M2", 7, None), ("somebody's", 60, 5), ("M4", NEW_DELAY_S, None),
    ]  # fmt: skip
    assert office.services.changed == [mine[0], mine[2]]
    with pytest.raises(ParameterError, match="back: each gateway once"):
        await office.registry.put_back(user, [back[0], back[0]])
    assert [row.state for row in await office.registry.put_back(office.users["factory-y"], back)] == [
        "skipped"
    ] * 3


async def test_a_project_that_one_does_not_see_is_not_told_by_a_change(office: Office) -> None:
    number = await office.add("enterprise-x", "gw-2")
    await office.services.devices.change(office.users["factory-x"], number, DeviceFields(project_id=2))
    async with office.services.database.session() as session:
        await session.execute(update(Device).where(Device.id == number).values(product_id=1))  # factory-y's
        await session.commit()
    for guess in (2, 3):
        probe = DeviceBack(device_id=number, fields=DeviceFields(), now=DeviceFields(project_id=guess))
        (row,) = await office.registry.put_back(office.users["enterprise-x"], [probe])
        assert row.reason == "device.changed_since"
    fields = DeviceFields.model_validate({"project_id": None, "product_id": None, "model": "M"})
    (row,) = await office.registry.update(
        office.users["enterprise-x"], DeviceUpdate(ids=[number], fields=fields)
    )
    assert (row.state, row.before, row.is_final) == ("changed", {"model": ""}, True)


async def test_two_changes_of_several_wait_for_each_other(office: Office) -> None:
    user = office.users["factory-x"]
    mine = [await office.add("enterprise-x", f"gw-{n}") for n in range(2, 32)]

    async def put(ids: list[int], model: str) -> list[str]:
        change = DeviceUpdate(ids=ids, fields=DeviceFields(model=model))
        return [row.state for row in await office.registry.update(user, change)]

    states = await asyncio.gather(put(mine, "A"), put(mine[::-1], "B"), put(mine, "C"))
    assert states == [["changed"] * 30] * 3
    models = {(await office.services.devices.detail(SYSTEM, number)).model for number in mine}
    assert len(models) == 1


async def test_what_goes_with_a_gateway_is_counted_and_goes(office: Office) -> None:
    services, users = office.services, office.users
    number = await office.add("enterprise-x", "gw-2")
    await services.catalogs.apply("gw-2", catalog("pressure", "level"))
    first = await services.catalogs.series_of("gw-2", catalog("pressure", "level").hash)
    async with services.database.session() as session:
        share = DeviceShare(
            device_id=number, user_id=users["person-x"].id, role="owner", writes=True, created_ms=0
        )
        session.add(share)
        await session.commit()
    impact = await office.registry.impact(users["factory-x"], number)
    assert (impact.slaves, impact.points, impact.shares, impact.alarms) == (1, 2, 1, 0)
    assert impact.others == 1  # its catalog
    for name, error in (("person-x", NoPermission), ("factory-y", NotFound)):
        with pytest.raises(error):
            await office.registry.delete(users[name], number)
    await office.registry.delete(users["factory-x"], number)
    assert (office.taken, office.gone, "gw-2" in services.broker) == ([number], ["gw-2"], False)
    async with services.database.reading() as session:
        assert (await session.scalars(select(DataPoint.id))).all() == []
    again = await office.add("factory-x", "gw-2")
    await services.catalogs.apply("gw-2", catalog("pressure", "level"))
    second = await services.catalogs.series_of("gw-2", catalog("pressure", "level").hash)
    assert again > number
    assert first is not None and second is not None
    assert not set(first.values()) & set(second.values())  # history of the first is not the second's


async def test_a_reset_forgets_losses_or_takes_a_gateway_for_away_until_it_speaks(office: Office) -> None:
    services, admin = office.services, office.users["platform-x"]
    await services.presence.hello(GATEWAY, hello())
    await services.pulse(lossy())
    assert (await services.devices.row(SYSTEM, 1)).presence.code == "samples_dropped"
    normal = await office.registry.reset(admin, 1, ResetStatusBody(status="normal"))
    assert (normal.status, normal.presence.code) == ("online", "ok")
    services.presence.pulse(GATEWAY, lossy())  # said before, not written yet
    away = await office.registry.reset(admin, 1, ResetStatusBody(status="offline"))
    assert (away.status, away.presence.code) == ("offline", "reset")
    await services.presence.write_pulses()
    assert (await services.devices.row(SYSTEM, 1)).status == "offline"
    await services.pulse(lossy())
    assert (await services.devices.row(SYSTEM, 1)).status == "online"


def lossy() -> Pulse:
    """A pulse of a gateway that lost samples."""
    return Pulse(
        t_ms=1, boot=BOOT, stream=STREAM, next_seq=1, outbox_batches=0, outbox_bytes=0, hours_left=None,
        evicted_batches=0, dropped_samples=3, slaves=[],
    )  # fmt: skip
