"""Serial numbers without a gateway behind them are bounded for a user and for his tenant."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from cloud.core.scope import Scope
from cloud.domains.devices import claim_limits
from cloud.domains.devices.claim_limits import OTHERS, SELLERS, ClaimLimits, limits_of, refuse_too_many
from cloud.domains.devices.forms import DeviceFields
from cloud.domains.devices.registry import Registry
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService
from cloud.domains.inventory.models import Device
from cloud.errors import Busy, CloudError, Conflict

from ...conftest import ADMIN, DomainServices

PASSWORD = "correct!horse1"


def test_who_sells_holds_more() -> None:
    assert [limits_of(kind) for kind in (1, 2)] == [SELLERS] * 2
    assert [limits_of(kind) for kind in (3, 4, 5, 6)] == [OTHERS] * 4


@pytest.mark.parametrize(
    ("held", "fresh", "more", "reason"),
    [
        (9, 4, 1, ""),
        (10, 0, 1, "device.too_many_unconnected"),
        (0, 0, 11, "device.too_many_unconnected"),
        (5, 5, 1, "device.too_many_new"),
    ],
)
def test_the_bounds(held: int, fresh: int, more: int, reason: str) -> None:
    try:
        refuse_too_many(ClaimLimits(10, 5), held, fresh, more)
    except CloudError as error:
        assert error.reason == reason
    else:
        assert reason == ""


class Tenants:
    """A factory with two enterprises below it."""

    def __init__(self, services: DomainServices) -> None:
        self.services = services
        self.users = IdentityService(services.database)

    async def user(self, name: str, kind: int, parent: str = "") -> CurrentUser:
        number = await self.users.add_user(name, PASSWORD, kind, parent)
        async with self.services.database.reading() as session:
            path = (await session.scalars(select(User.path).where(User.id == number))).one()
        return CurrentUser(number, name, kind, frozenset(), "", Scope(number, path))

    async def add(self, user: CurrentUser, *names: str) -> None:
        async with self.services.database.session() as session:
            registry = Registry(session, user, clock=self.services.clock)
            if len(names) == 1:
                await registry.add(names[0], "secret", DeviceFields())
            else:
                fields = dict.fromkeys(names, DeviceFields())
                await registry.add_all(fields, dict.fromkeys(names, "secret"))
            await session.commit()


@pytest.fixture
def tenants(services: DomainServices, monkeypatch: pytest.MonkeyPatch) -> Tenants:
    monkeypatch.setattr(claim_limits, "SELLERS", ClaimLimits(6, 5))
    monkeypatch.setattr(claim_limits, "OTHERS", ClaimLimits(4, 3))
    return Tenants(services)


async def test_a_user_holds_so_many_that_never_connected(tenants: Tenants) -> None:
    maker = await tenants.user("maker", 1)
    plant = await tenants.user("plant", 3, "maker")
    await tenants.add(plant, "gw-1", "gw-2", "gw-3")
    with pytest.raises(Busy) as busy:
        await tenants.add(plant, "gw-4")
    assert (busy.value.reason, busy.value.arguments) == ("device.too_many_new", {"most": 3})
    tenants.services.clock.pass_s(3601)
    await tenants.add(plant, "gw-4")
    with pytest.raises(Conflict) as full:
        await tenants.add(plant, "gw-5")
    assert full.value.reason == "device.too_many_unconnected"
    async with tenants.services.database.session() as session:  # one has connected: it counts no more
        await session.execute(update(Device).where(Device.gateway_id == "gw-1").values(boot="b"))
        await session.commit()
    await tenants.add(plant, "gw-5")
    await tenants.add(maker, "gw-6")


async def test_a_tenant_is_not_more_users(tenants: Tenants) -> None:
    """Whoever makes users below himself does not multiply what he may hold."""
    await tenants.user("maker", 1)
    for number in range(2):
        plant = await tenants.user(f"plant-{number}", 3, "maker")
        await tenants.add(plant, *(f"gw-{number}{n}" for n in range(2 + number)))
    late = await tenants.user("plant-3", 3, "maker")
    with pytest.raises(Busy):
        await tenants.add(late, "gw-9")
    other = await tenants.user("other", 3)
    await tenants.add(other, "gw-9")


async def test_nobody_bounds_the_platform_and_it_releases(tenants: Tenants) -> None:
    plant = await tenants.user("plant", 3)
    await tenants.add(plant, "gw-1", "gw-2", "gw-3")
    await tenants.add(ADMIN, *(f"own-{number}" for number in range(20)))
    async with tenants.services.database.session() as session:
        device = (await session.scalars(select(Device).where(Device.gateway_id == "gw-1"))).one()
        await Registry(session, ADMIN, clock=tenants.services.clock).remove(device)
        await session.commit()
    owner = await tenants.user("owner", 3)
    await tenants.add(owner, "gw-1")


def test_how_many_are_held() -> None:
    assert (limits_of(1), limits_of(3)) == (ClaimLimits(10_000, 10_000), ClaimLimits(500, 200))
    assert claim_limits.HOUR_MS == 60 * 60 * 1000
