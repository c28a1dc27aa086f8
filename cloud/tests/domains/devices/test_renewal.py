"""A new secret of a gateway: the old one is refused at once, and only an owner renews it."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import update

from cloud.domains.inventory.models import Device, DeviceShare
from cloud.errors import CloudError, Conflict, NoPermission, NotFound, Unavailable
from cloud.link import LinkDown

from .test_registry import Office, office

__all__ = ["office"]

SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""Of tests in which the databases do not differ."""


async def _knows(office: Office, gateway: str, secret: str) -> bool:
    return await office.services.authenticator.authenticate(gateway, secret) is not None


@SQLITE
async def test_the_old_secret_is_refused_and_the_new_one_is_the_brokers(office: Office) -> None:
    users = office.users
    number = await office.add("enterprise-x", "gw-2")
    old = office.services.broker["gw-2"]
    made = await office.registry.renew_secret(users["factory-x"], number)  # above the owner
    assert (made.device.gateway_id, office.services.broker["gw-2"]) == ("gw-2", made.secret)
    assert (await _knows(office, "gw-2", old), await _knows(office, "gw-2", made.secret)) == (False, True)
    again = await office.registry.renew_secret(users["enterprise-x"], number)
    assert not await _knows(office, "gw-2", made.secret)
    assert await _knows(office, "gw-2", again.secret)


@SQLITE
async def test_a_connection_that_came_between_broker_and_row_is_ended(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that asks the cloud lets the old secret in until the row is committed."""
    number = await office.add("enterprise-x", "gw-2")
    old, ends = office.services.broker["gw-2"], []

    async def ended(gateway: str, secret: str) -> None:
        ends.append(await _knows(office, gateway, old))

    monkeypatch.setattr(office.registry, "_put_gateway", ended)
    await office.registry.renew_secret(office.users["enterprise-x"], number)
    assert ends == [True, False]


@SQLITE
async def test_who_has_it_by_a_share_does_not_renew_and_a_disabled_one_stays_out(office: Office) -> None:
    users, services = office.users, office.services
    number = await office.add("enterprise-x", "gw-2")
    shares = (("person-x", "owner", True), ("factory-y", "visitor", False))
    async with services.database.session() as session:
        for name, role, writes in shares:
            share = DeviceShare(
                device_id=number, user_id=users[name].id, role=role, writes=writes, created_ms=0
            )
            session.add(share)
        await session.commit()
    before = dict(services.broker)
    reasons = []
    for name, of, error in (
        ("person-x", number, NoPermission), ("factory-y", number, NoPermission), ("person-x", 1, NotFound),
    ):  # fmt: skip
        with pytest.raises(error) as refused:
            await office.registry.renew_secret(users[name], of)
        assert isinstance(refused.value, CloudError)
        reasons.append(refused.value.reason)
    assert reasons == ["device.not_owner", "device.shared_read_only", "not_found.device"]
    async with services.database.session() as session:
        await session.execute(update(Device).where(Device.id == number).values(disabled=True))
        await session.commit()
    with pytest.raises(Conflict) as disabled:
        await office.registry.renew_secret(users["enterprise-x"], number)
    assert disabled.value.reason == "device.disabled"
    assert services.broker == before


@SQLITE
async def test_a_broker_that_refuses_leaves_the_old_secret_and_one_is_renewed_at_a_time(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = office.users["enterprise-x"]
    number = await office.add("enterprise-x", "gw-2")
    old = office.services.broker["gw-2"]
    office.services.link_down = True
    with pytest.raises(Unavailable):
        await office.registry.renew_secret(user, number)
    assert await _knows(office, "gw-2", old)
    office.services.link_down = False
    asked, answered = asyncio.Event(), asyncio.Event()

    async def slow(gateway: str, secret: str) -> None:
        asked.set()
        await answered.wait()

    monkeypatch.setattr(office.registry, "_put_gateway", slow)
    renewing = asyncio.create_task(office.registry.renew_secret(user, number))
    await asked.wait()
    for meanwhile in (office.registry.delete(user, number), office.registry.renew_secret(user, number)):
        with pytest.raises(Conflict):
            await meanwhile
    answered.set()
    await renewing
    number = await office.add("enterprise-x", "gw-3")
    told: list[str] = []

    async def once(gateway: str, secret: str) -> None:
        if told:
            raise LinkDown("broker is away")
        told.append(secret)

    monkeypatch.setattr(office.registry, "_put_gateway", once)
    made = await office.registry.renew_secret(user, number)  # told once is enough for one with a list
    assert [made.secret] == told


@SQLITE
async def test_a_wrong_secret_is_on_record_once_a_minute_until_there_is_a_new_one(office: Office) -> None:
    services, user = office.services, office.users["enterprise-x"]
    number = await office.add("enterprise-x", "gw-2")

    async def tried_ms() -> object:
        seen = (await services.devices.detail(user.scope, number)).presence
        return seen.arguments["tried_ms"] if seen.code == "wrong_secret" else None

    begin = services.clock.now
    assert not await _knows(office, "gw-2", "another")
    assert await tried_ms() == begin
    services.clock.now = begin + 59_999
    assert not await _knows(office, "gw-2", "another")
    assert await tried_ms() == begin
    services.clock.now = begin + 60_000
    assert not await _knows(office, "gw-2", "another")
    assert await tried_ms() == begin + 60_000
    assert not await _knows(office, "gw-nobody", "another")
    await office.registry.renew_secret(user, number)
    assert await tried_ms() is None


@SQLITE
async def test_a_new_secret_by_the_command_line_leaves_the_title(office: Office) -> None:
    claims, devices, user = office.services.claims, office.services.devices, office.users["enterprise-x"]
    number = await office.add("enterprise-x", "gw-2")
    await claims.claim("gw-2", "Pumps", rotate=True)
    await claims.claim("gw-2", rotate=True)
    assert (await devices.detail(user.scope, number)).device_title == "Pumps"
    await claims.claim("gw-3", owner="enterprise-x")
    assert ("gw-3", "gw-3") in [(name, title) for _, name, title in await devices.names(user.scope)]
