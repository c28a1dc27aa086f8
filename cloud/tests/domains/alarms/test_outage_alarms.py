"""Alarms of gateways that go and come, on both databases with a simulated clock."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.schemas import AlarmQuery, AlarmRow
from cloud.domains.inventory.models import OnOfflineLog

from ...conftest import ADMIN
from .conftest import Scene


async def events(scene: Scene) -> list[AlarmRow]:
    return (await scene.alarms.page(ADMIN, AlarmQuery(), 1, 100)).rows


def kinds(told: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Of alarms their type code, of comings and goings their status."""
    return [(each["type"], each["alarm_type" if each["type"] == "alarm" else "status"]) for each in told]


async def test_alarm_and_recovery_of_a_gateway_whose_setting_is_on(scene: Scene) -> None:
    await scene.notify()
    await scene.come()
    went = scene.clock()
    await scene.go()
    (alarm,) = await events(scene)
    assert (alarm.alarm_type, alarm.shown, alarm.status) == (4, "warning", 0)
    assert (alarm.at, alarm.since_ms, alarm.recovered_ms, alarm.cause) == (went, went, None, "link_lost")
    scene.clock.pass_s(60)
    await scene.come()
    recovery, alarm = await events(scene)
    assert (recovery.alarm_type, recovery.shown, recovery.status) == (0, "success", 1)
    assert (recovery.at, recovery.since_ms, alarm.recovered_ms) == (went + 60_000, went, went + 60_000)
    assert kinds(scene.told) == [("onoff", 0), ("alarm", 4), ("onoff", 1), ("alarm", 0)]
    assert {each["did"] for each in scene.told} == {1}
    assert [each["id"] for each in scene.told if each["type"] == "alarm"] == [alarm.id, recovery.id]


async def test_no_alarm_when_the_setting_is_off(scene: Scene) -> None:
    await scene.come()
    await scene.go()
    await scene.come()
    assert await events(scene) == []
    assert kinds(scene.told) == [("onoff", 0), ("onoff", 1)]


async def test_after_the_delay_and_not_before(scene: Scene) -> None:
    await scene.notify(delay_s=300)
    await scene.come()
    went = scene.clock()
    await scene.go()
    scene.clock.pass_s(299)
    await scene.services.outages.find_due()
    assert await events(scene) == []
    scene.clock.pass_s(6)
    await scene.services.outages.find_due()
    (alarm,) = await events(scene)
    assert (alarm.at, alarm.since_ms) == (went + 300_000, went)


async def test_back_within_the_delay_makes_none(scene: Scene) -> None:
    await scene.notify(delay_s=300)
    await scene.come()
    await scene.go()
    scene.clock.pass_s(299)
    await scene.come()
    assert (await events(scene), scene.told) == ([], [])


async def test_an_absence_that_nobody_looked_at_in_time_makes_both(scene: Scene) -> None:
    await scene.notify(delay_s=10)
    await scene.come()
    await scene.go()
    scene.clock.pass_s(60)
    await scene.come()
    assert [event.alarm_type for event in await events(scene)] == [0, 4]


async def test_a_restart_makes_nothing_twice(scene: Scene) -> None:
    await scene.notify(delay_s=10)
    await scene.come()
    await scene.go()
    scene.clock.pass_s(11)
    for _ in range(3):
        scene.restart()
        await scene.services.outages.find_due()
    assert [event.alarm_type for event in await events(scene)] == [4]
    scene.restart()
    await scene.come()
    scene.restart()
    await scene.come()
    assert [event.alarm_type for event in await events(scene)] == [0, 4]
    scene.clock.pass_s(100)
    await scene.go()
    scene.clock.pass_s(11)
    await scene.services.outages.find_due()
    assert [event.alarm_type for event in await events(scene)] == [4, 0, 4]


async def test_log_and_alarm_are_there_both_or_neither(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    await scene.notify()
    await scene.come()

    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr(AlarmRepository, "add_once", fail)
        with pytest.raises(RuntimeError):
            await scene.go()
    async with scene.database.reading() as session:
        assert await session.get(OnOfflineLog, 1) is None
    assert (await events(scene), scene.told) == ([], [])
    await scene.go()
    assert len(await events(scene)) == 1


async def test_an_entry_whose_number_is_given_again_makes_its_alarm(scene: Scene) -> None:
    await scene.notify()
    for _ in range(2):
        await scene.come()
        scene.clock.pass_s(5)
        await scene.go()
        scene.clock.pass_s(5)
        await scene.come()
        async with scene.database.session() as session:
            for entry in (await session.execute(OnOfflineLog.__table__.select())).all():
                await session.delete(await session.get_one(OnOfflineLog, entry.id))
            await session.commit()
    assert [event.alarm_type for event in await events(scene)] == [0, 4, 0, 4]


async def test_no_recovery_of_an_alarm_that_was_deleted(scene: Scene) -> None:
    await scene.notify()
    await scene.come()
    await scene.go()
    await scene.alarms.delete(ADMIN, (await events(scene))[0].id)
    scene.clock.pass_s(5)
    await scene.come()
    assert await events(scene) == []


async def test_the_same_origin_gives_one_event(scene: Scene) -> None:
    await scene.alarm(origin="x")
    with pytest.raises(Exception, match=r"(?i)unique"):
        await scene.alarm(origin="x")
    await scene.alarm(origin=None)
    await scene.alarm(origin=None)


async def test_old_events_go(scene: Scene) -> None:
    await scene.alarm(at_ms=1)
    kept = await scene.alarm()
    await scene.alarms.forget_old(scene.clock())
    assert [event.id for event in await events(scene)] == [kept]
