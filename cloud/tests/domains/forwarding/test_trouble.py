"""A target that takes nothing is an alarm, on both databases; what is no trouble is none."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from sqlalchemy import select, update

from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.forwarding.service import ForwardingService
from cloud.domains.forwarding.trouble import TARGET_DOWN_S
from cloud.domains.inventory.models import Device
from edge_contract.targets import TargetState

from ...conftest import GATEWAY, SYSTEM, DomainServices
from .targets import Announced, ledgers_of

GATEWAY_AHEAD_MS = 3_600_000
"""How far the gateway's clock is wrong."""


@dataclass
class Scene:
    services: DomainServices
    announced: Announced = field(default_factory=Announced)

    def __post_init__(self) -> None:
        self.ledgers = self.restarted()
        self.since_ms = 0
        self.condition = ""

    def restarted(self) -> ForwardingService:
        return ledgers_of(self.services, self.announced)

    async def say(self, condition: str = "", after_s: float = 0.0, name: str = "bureau") -> None:
        """After so long; without a condition the gateway lists no target."""
        self.services.clock.pass_s(after_s)
        if condition != self.condition:
            self.condition = condition
            self.since_ms = self.services.clock() + GATEWAY_AHEAD_MS
        target = TargetState(name=name, kind="hj212", condition=condition or "off", since_ms=self.since_ms)
        self.ledgers.said(GATEWAY, [target] if condition else [])
        await self.ledgers.write()

    async def alarms(self) -> list[AlarmEvent]:
        async with self.services.database.reading() as session:
            return list(await session.scalars(select(AlarmEvent).order_by(AlarmEvent.id)))

    async def open_alarms(self) -> int:
        async with self.services.database.reading() as session:
            return (await session.get_one(Device, 1)).open_alarms

    async def in_trouble(self) -> list[str]:
        return [one.name for one in (await self.ledgers.page(SYSTEM, "trouble", "", 1, 20)).rows]


@pytest.fixture
def scene(services: DomainServices) -> Scene:
    return Scene(services)


async def test_a_target_that_stays_down_is_an_alarm_until_it_takes_data(scene: Scene) -> None:
    await scene.say("up")
    await scene.say("down", 30)
    began_ms = scene.services.clock()
    await scene.say("down", TARGET_DOWN_S - 1)
    assert (await scene.alarms(), await scene.in_trouble()) == ([], [])
    await scene.say("down", 1)
    [alarm] = await scene.alarms()
    assert (alarm.device_id, alarm.alarm_type, alarm.title, alarm.cause) == (
        1, AlarmType.FAULT, "bureau", "target_down"
    )  # fmt: skip
    assert (alarm.at_ms, alarm.since_ms) == (began_ms, began_ms), "by the clock of the cloud"
    assert await scene.open_alarms() == 1
    assert await scene.in_trouble() == ["bureau"]
    await scene.say("connected", 30)
    await scene.say("connected", 600)
    assert len(await scene.alarms()) == 1 and await scene.in_trouble() == ["bureau"]
    [row] = await scene.ledgers.of_device(SYSTEM, 1)
    assert (row.condition, row.trouble_since_ms) == ("connected", began_ms)
    await scene.say("up", 30)
    alarm, recovery = await scene.alarms()
    assert alarm.recovered_ms == scene.services.clock.now
    assert (recovery.alarm_type, recovery.cause) == (AlarmType.RECOVERY, "")
    assert (await scene.open_alarms(), await scene.in_trouble()) == (0, [])
    assert scene.announced.changes == [("raised", ""), ("over", "")]
    [row] = await scene.ledgers.of_device(SYSTEM, 1)
    assert row.trouble_since_ms == 0
    await scene.say("down")
    await scene.say("down", TARGET_DOWN_S)
    assert [one.alarm_type for one in await scene.alarms()] == [107, 0, 107], "another trouble"


@pytest.mark.parametrize("gone", ["off", ""])
async def test_removing_or_switching_off_ends_it_and_says_so(scene: Scene, gone: str) -> None:
    await scene.say("down")
    await scene.say("down", TARGET_DOWN_S)
    await scene.say(gone, 30)
    alarm, recovery = await scene.alarms()
    assert alarm.recovered_ms is not None
    assert recovery.cause == "target_removed"
    assert (await scene.open_alarms(), await scene.in_trouble()) == (0, [])


async def test_a_connection_that_breaks_again_and_again_is_trouble(scene: Scene) -> None:
    for _ in range(3):
        await scene.say("down", 5)
        await scene.say("connected", 60)
    assert len(await scene.alarms()) == 1


async def test_an_idle_connection_that_the_platform_closes_is_none(scene: Scene) -> None:
    """Nothing was sent, so nothing was not taken."""
    for _ in range(5):
        await scene.say("down", TARGET_DOWN_S)
        await scene.say("connected", 3)
        await scene.say("connected", TARGET_DOWN_S)
    assert await scene.alarms() == []


async def test_what_was_said_before_the_gateway_went_away_begins_nothing(scene: Scene) -> None:
    await scene.say("down")
    scene.services.clock.pass_s(86_400)
    await scene.ledgers.write()
    assert (await scene.alarms(), await scene.in_trouble()) == ([], [])
    await scene.say("up")
    assert await scene.alarms() == []


async def test_an_alarm_stays_while_the_gateway_is_away(scene: Scene) -> None:
    await scene.say("down")
    await scene.say("down", TARGET_DOWN_S)
    scene.services.clock.pass_s(86_400)
    await scene.ledgers.write()
    [alarm] = await scene.alarms()
    assert alarm.recovered_ms is None


async def test_an_end_of_the_process_loses_nothing(scene: Scene) -> None:
    await scene.say("down")
    scene.services.clock.pass_s(TARGET_DOWN_S)
    scene.ledgers.said(GATEWAY, [])  # never written
    scene.ledgers = scene.restarted()
    await scene.say("down")
    assert len(await scene.alarms()) == 1
    scene.ledgers = scene.restarted()
    await scene.say("down", 30)
    assert len(await scene.alarms()) == 1
    scene.ledgers = scene.restarted()
    await scene.say("up", 30)
    assert [one.alarm_type for one in await scene.alarms()] == [107, 0]


async def test_of_a_disabled_gateway_nothing_changes(scene: Scene) -> None:
    await scene.say("down")
    await scene.say("down", TARGET_DOWN_S)
    async with scene.services.database.session() as session:
        await session.execute(update(Device).values(disabled=True))
        await session.commit()
    await scene.say("up", 30)
    assert len(await scene.alarms()) == 1 and await scene.in_trouble() == ["bureau"]


async def test_trouble_is_listed_first(scene: Scene) -> None:
    await scene.say("down", name="z")
    scene.services.clock.pass_s(TARGET_DOWN_S)
    conditions = {"a": "up", "b": "down", "z": "down"}
    targets = [TargetState(name=name, kind="file", condition=word) for name, word in conditions.items()]
    scene.ledgers.said(GATEWAY, targets)
    await scene.ledgers.write()
    assert [one.name for one in (await scene.ledgers.page(SYSTEM, "", "", 1, 20)).rows] == ["z", "b", "a"]
