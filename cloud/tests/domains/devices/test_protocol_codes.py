"""Protocol codes that nothing serves are kept by gateways that have one, and given to no other."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from cloud.domains.devices.forms import DeviceFields
from cloud.domains.inventory.models import Device
from cloud.errors import ParameterError

from .test_registry import Office, office

__all__ = ["office"]


async def test_a_protocol_that_nothing_serves_is_kept_and_not_given(office: Office) -> None:
    number = await office.add("factory-x", "gw-5", protocol=3)
    async with office.services.database.session() as session:
        await session.execute(update(Device).where(Device.id == number).values(protocol=2))
        await session.commit()
    user = office.users["factory-x"]
    device = await office.services.devices.change(user, number, DeviceFields(protocol=2, device_title="Kept"))
    assert (device.protocol, device.device_title) == (2, "Kept")
    refused = [
        office.services.devices.change(user, number, DeviceFields(protocol=7)),
        office.add("factory-x", "gw-6", protocol=2),
        office.add("factory-x", "gw-6", copy_of=number),
    ]
    for act in refused:
        with pytest.raises(ParameterError) as error:
            await act
        assert (error.value.field, error.value.rule) == ("protocol", "1 or 3")
        assert error.value.reason == "device.protocol_not_served"
    await office.services.devices.change(user, number, DeviceFields(protocol=1))
