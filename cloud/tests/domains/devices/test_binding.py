"""Binding gateways by their QR codes."""

from __future__ import annotations

import asyncio

import pytest

from cloud.domains.devices.binding import BindService
from cloud.domains.devices.forms import DeviceFields
from cloud.domains.devices.schemas import BindBody, Bound
from cloud.domains.devices.share_schemas import OwnerBody
from cloud.domains.devices.shares import ShareService
from cloud.errors import NoPermission, NotFound

from ...conftest import DomainServices
from ..tenants import tree


async def test_a_scanned_code_makes_an_owner_then_visitors(services: DomainServices) -> None:
    users, binding = await tree(services.database), BindService(services.database, services.devices)
    admin, factory, other = users["platform-x"], users["factory-x"], users["factory-y"]
    code = (await binding.code(admin, 1)).bind_code
    again = await binding.code(admin, 1)
    assert (again.bind_code, again.role) == (code, "owner")
    body = BindBody(code=code, title="Mine")
    assert (await binding.bind(factory, body)).role == "owner"
    shown = await services.devices.detail(factory.scope, 1)
    assert (shown.binder_devtitle, shown.access.role, shown.writes) == ("Mine", "owner", True)
    with pytest.raises(NotFound):  # with a new owner the code ends
        await binding.bind(other, body)
    made = await binding.code(factory, 1)
    assert made.role == "visitor"
    theirs = BindBody(code=made.bind_code, title="Theirs")
    twice = await asyncio.gather(*[binding.bind(other, theirs) for _ in range(2)], return_exceptions=True)
    assert sorted(type(each).__name__ for each in twice) == ["Bound", "Conflict"]
    assert [each.role for each in twice if isinstance(each, Bound)] == ["visitor"]
    shown = await services.devices.detail(other.scope, 1)
    assert (shown.binder_devtitle, shown.access.role, shown.writes) == ("Mine", "visitor", False)
    with pytest.raises(NoPermission):  # a visitor does not invite others
        await binding.code(other, 1)


async def test_a_code_that_is_wrong_switched_off_or_of_the_owner_before_binds_nothing(
    services: DomainServices,
) -> None:
    users, binding = await tree(services.database), BindService(services.database, services.devices)
    admin, factory, other = users["platform-x"], users["factory-x"], users["factory-y"]
    code = (await binding.code(admin, 1)).bind_code
    with pytest.raises(NotFound):
        await binding.bind(factory, BindBody(code=f"{code}x"))
    await services.devices.change(admin, 1, DeviceFields(scan_bind=False))
    with pytest.raises(NoPermission):
        await binding.bind(factory, BindBody(code=code))
    await services.devices.change(admin, 1, DeviceFields(scan_bind=True))

    async def taken(device_id: int, user_id: int | None) -> None:
        """Nothing is open."""

    async def left(device_id: int) -> None:
        """Nothing is prepared."""

    await ShareService(services.database, taken, left).give(admin, 1, OwnerBody(user_id=factory.id))
    with pytest.raises(NotFound):
        await binding.bind(other, BindBody(code=code))
