"""A rule to a gateway with an access password writes when its user gave it, and that one still holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from cloud.domains.inventory.models import Device
from cloud.errors import NoPermission

from .test_exchange import PLANT, Scene, scene

FIXTURES = (scene,)
PASSWORD = "geheim1"


async def test_a_rule_keeps_that_the_password_was_given(scene: Scene) -> None:
    passwords = scene.services.devices.access_passwords
    async with scene.services.database.reading() as session:
        target = (await session.scalars(select(Device.id).where(Device.gateway_id == "gw-b"))).one()
    await passwords.put(PLANT, target, PASSWORD, "")
    with pytest.raises(NoPermission) as error:
        await scene.exchange.create(PLANT, scene.body())
    assert (error.value.reason, error.value.arguments) == (
        "access_password.needed",
        {"device_id": target, "device": "gw-b"},
    )
    made = await scene.exchange.create(replace(PLANT, given={target: PASSWORD}), scene.body())
    assert (made.granted_user, made.granted_ms) == ("plant", scene.services.clock.now)
    await scene.value(20)
    assert await scene.only() == ("send", "", 20)
    scene.services.clock.pass_s(5)
    await passwords.put(PLANT, target, PASSWORD + "2", "")
    await scene.value(30)
    assert (await scene.only())[1:] == ("access_password", 30)
    assert len(scene.services.sent) == 1
    again = replace(PLANT, given={target: PASSWORD + "2"})
    await scene.exchange.change(again, made.id, scene.body())
    scene.services.clock.pass_s(5)
    await scene.value(40)
    assert [command.value for _, command in scene.services.sent] == [20, 40]
    await passwords.put(PLANT, target, None, "")
    scene.services.clock.pass_s(5)
    await scene.value(50)
    assert len(scene.services.sent) == 3


async def test_a_rule_from_before_the_password_stops(scene: Scene) -> None:
    await scene.exchange.create(PLANT, scene.body())
    async with scene.services.database.reading() as session:
        target = (await session.scalars(select(Device.id).where(Device.gateway_id == "gw-b"))).one()
    await scene.services.devices.access_passwords.put(PLANT, target, PASSWORD, "")
    await scene.value(20)
    assert (await scene.only())[1] == "access_password"
    assert scene.services.sent == []
