"""Values become alarms, once, also over kills; a rule that changes or goes ends its alarm."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from cloud.domains.inventory.models import DataPoint, Device
from cloud.domains.triggers.models import EvaluationState
from cloud.timeseries.base import SeriesColumn, StoredSample

from .conftest import PLANT, Scene


async def test_an_alarm_says_what_when_and_why(scene: Scene) -> None:
    made = await scene.make(scene.above(90, deadband=5), delay_s=2, alarm_type=104)
    await scene.value(80)
    await scene.value(91)
    since = scene.clock()
    await scene.value(92, seconds=3)
    (event,) = await scene.events()
    assert (event.at, event.since_ms, event.alarm_type, event.value) == (since + 2000, since, 104, 91)
    assert (event.device_id, event.dsid, event.title) == (scene.devices[0], scene.points[0], "too hot")
    assert (event.rule_id, event.status, event.recovered_ms) == (made.rules[0].id, 0, None)
    assert event.reason is not None
    assert event.reason["condition"]["trigger_threshold"] == 90
    assert (event.reason["trigger_id"], event.reason["version"]) == (made.id, 1)
    state = (await scene.triggers.trigger(PLANT, made.id)).rules[0].state
    assert state is not None
    assert state.raised_ms == since + 2000


async def test_it_ends_with_a_recovery_and_the_gateway_counts_its_open_alarms(scene: Scene) -> None:
    await scene.make(scene.above(90, deadband=5))
    await scene.value(91)
    assert await open_alarms(scene) == 1
    await scene.value(86)
    await scene.value(85)
    assert await scene.kinds() == [(1, 91), (0, 85)]
    assert (await scene.events())[0].recovered_ms == scene.clock()
    assert await open_alarms(scene) == 0
    assert scene.services.changed.count(scene.devices[0]) >= 2


async def open_alarms(scene: Scene) -> int:
    async with scene.database.reading() as session:
        return (await session.get_one(Device, scene.devices[0])).open_alarms


async def test_a_kill_before_the_commit_loses_nothing_and_makes_nothing_twice(scene: Scene) -> None:
    """The values are stored, the process dies before or after it records them; the next one finds them."""
    await scene.make(scene.above(90))
    await scene.value(80)
    for value in (95, 70, 96):
        scene.clock.pass_s(1)
        await scene.series.write([SeriesColumn(scene.points[0], [scene.clock()], [value], [0])])
    scene.restart()
    await scene.evaluator.refresh()
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95), (0, 70), (1, 96)]
    scene.restart()
    await scene.evaluator.refresh()
    await scene.evaluator.record()
    await scene.value(70)
    assert await scene.kinds() == [(1, 95), (0, 70), (1, 96), (0, 70)]


async def test_what_could_not_be_committed_is_found_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.make(scene.above(90))
    await scene.value(80)
    record = scene.recorder.record

    async def failing(*_: object) -> None:
        raise OperationalError("commit", {}, Exception("disk full"))

    monkeypatch.setattr(scene.recorder, "record", failing)
    await scene.value(95)
    monkeypatch.setattr(scene.recorder, "record", record)
    await scene.value(96)
    assert await scene.kinds() == []
    await scene.evaluator.look()
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95)]


async def test_what_was_stored_long_ago_raises_nothing(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(80)
    scene.clock.pass_s(1)
    await scene.series.write([SeriesColumn(scene.points[0], [scene.clock()], [95.0], [0])])
    scene.clock.pass_s(3600)
    scene.restart()
    await scene.evaluator.refresh()
    await scene.evaluator.record()
    assert await scene.kinds() == []


async def test_a_new_rule_begins_with_the_newest_value(scene: Scene) -> None:
    await scene.value(95)
    await scene.make(scene.above(90))
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95)]


async def test_another_threshold_ends_the_alarm_and_another_title_does_not(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await scene.value(95)
    named = scene.body(scene.above(90), id=made.rules[0].id)
    named.rules[0].title = "hot"
    assert (await scene.triggers.change(PLANT, made.id, named)).rules[0].version == 1
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95)]
    changed = scene.body(scene.above(97), id=made.rules[0].id)
    assert (await scene.triggers.change(PLANT, made.id, changed)).rules[0].version == 2
    await scene.evaluator.record()
    events = await scene.events()
    assert [(event.alarm_type, event.cause) for event in events] == [(1, ""), (0, "rule_changed")]
    assert events[0].recovered_ms is not None


@pytest.mark.parametrize("way", ["another limit", "off and on"])
async def test_a_value_that_is_beyond_still_makes_an_alarm_again(scene: Scene, way: str) -> None:
    """Also when no newer value has come: the alarm begins when the rule does."""
    made = await scene.make(scene.above(90))
    await scene.value(95)
    scene.clock.pass_s(5)
    if way == "another limit":
        await scene.triggers.change(PLANT, made.id, scene.body(scene.above(94), id=made.rules[0].id))
    else:
        await scene.triggers.enable(PLANT, made.id, False)
        await scene.evaluator.record()
        await scene.triggers.enable(PLANT, made.id, True)
    await scene.evaluator.record()
    events = await scene.events()
    assert sorted((event.alarm_type, event.recovered_ms is None) for event in events) == [
        (0, True), (1, False), (1, True),
    ]  # fmt: skip
    assert max(event.at for event in events if event.alarm_type == 1) == scene.clock()


@pytest.mark.parametrize("way", ["disable", "delete"])
async def test_a_trigger_that_ends_ends_its_alarms(scene: Scene, way: str) -> None:
    made = await scene.make(scene.above(90))
    await scene.value(95)
    if way == "disable":
        await scene.triggers.enable(PLANT, made.id, False)
    else:
        await scene.triggers.delete(PLANT, made.id)
    await scene.evaluator.record()
    await scene.value(99)
    assert [kind for kind, _ in await scene.kinds()] == [1, 0]
    await scene.evaluator.refresh()
    async with scene.database.reading() as session:
        assert list(await session.scalars(select(EvaluationState))) == []
    assert scene.evaluator.is_idle


async def test_what_another_process_changed_counts_at_the_next_look(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    scene.triggers._changed = nothing_changed
    await scene.triggers.enable(PLANT, made.id, False)
    assert not scene.evaluator.is_idle
    scene.clock.pass_s(1)
    await scene.triggers.enable(PLANT, made.id, False)
    await scene.evaluator.look()
    assert scene.evaluator.is_idle


async def nothing_changed() -> None:
    """As in a process without an evaluator."""


async def test_a_point_that_its_gateway_gave_up_ends_the_rule(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(95)
    async with scene.database.session() as session:
        (await session.get_one(DataPoint, scene.points[0])).removed = True
        await session.commit()
    await scene.evaluator.look()
    assert len(await scene.kinds()) == 1
    scene.clock.pass_s(60)
    await scene.evaluator.look()
    await scene.evaluator.record()
    assert [kind for kind, _ in await scene.kinds()] == [1, 0]


async def test_a_rule_over_two_gateways(scene: Scene) -> None:
    await scene.make(scene.above(90), scene.above(50, point=2), logic=2)
    await scene.value(95)
    await scene.value(60, point=2)
    (event,) = await scene.events()
    assert (event.device_id, event.dsid) == (scene.devices[1], scene.points[2])
    await scene.value(40, point=2)
    assert [kind for kind, _ in await scene.kinds()] == [1, 0]


async def test_a_delay_ends_while_nothing_comes_of_a_gateway_that_is_online(scene: Scene) -> None:
    await scene.make(scene.above(90), delay_s=10)
    await scene.value(95)
    begun = scene.clock()
    scene.clock.pass_s(25)
    await scene.evaluator.advance()
    await scene.evaluator.record()
    assert await scene.kinds() == []
    scene.clock.pass_s(6)
    await scene.evaluator.advance()
    await scene.evaluator.record()
    assert [(event.at, event.since_ms) for event in await scene.events()] == [(begun + 10_000, begun)]


async def test_time_stands_still_for_a_gateway_that_is_offline(scene: Scene) -> None:
    await scene.make(scene.above(90), delay_s=10)
    await scene.value(95)
    async with scene.database.session() as session:
        await session.execute(update(Device).values(online=False))
        await session.commit()
    scene.clock.pass_s(60)
    await scene.evaluator.advance()
    await scene.evaluator.record()
    assert await scene.kinds() == []


async def test_a_silent_slave(scene: Scene) -> None:
    await scene.make({"type": 5, "slave_id": scene.slaves[-1]}, alarm_type=108)
    now = scene.clock()
    scene.evaluator.slave(scene.devices[1], scene.slaves[-1], False, now + 1000)
    await scene.evaluator.record()
    (event,) = await scene.events()
    assert (event.alarm_type, event.slave, event.dsid) == (108, "boiler", None)
    scene.evaluator.slave(scene.devices[1], scene.slaves[-1], True, now + 9000)
    await scene.evaluator.record()
    assert [kind for kind, _ in await scene.kinds()] == [108, 0]


async def test_a_point_that_is_in_no_store_is_evaluated_as_it_comes(scene: Scene) -> None:
    async with scene.database.session() as session:
        (await session.get_one(DataPoint, scene.points[0])).record = 0
        await session.commit()
    await scene.make(scene.above(90))
    column = SeriesColumn(scene.points[0], [scene.clock()], [95], [0])
    scene.evaluator.take(scene.devices[0], [column])
    await scene.evaluator.record()
    assert await scene.kinds() == []
    scene.evaluator.take(scene.devices[0], [column], are_live_only=True)
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95)]


async def test_it_is_announced_again(scene: Scene) -> None:
    await scene.make(scene.above(90), again_s=60)
    await scene.value(95)
    await scene.value(95, seconds=130)
    (event,) = await scene.events()
    assert (event.announced, event.last_ms) == (3, event.at + 120_000)
    assert (await scene.alarms.unread(PLANT)).alarm == 1


async def test_values_of_a_gateway_without_any_point_are_nothing(scene: Scene) -> None:
    await scene.make(scene.above(90))
    scene.evaluator.take(scene.devices[0], [])
    await scene.value(95)
    assert await scene.kinds() == [(1, 95)]


async def test_values_that_come_while_older_ones_are_read_come_after_them(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.make(scene.above(90))
    await scene.value(80)
    scene.clock.pass_s(1)
    await scene.series.write([SeriesColumn(scene.points[0], [scene.clock()], [95.0], [0])])
    scene.restart()
    read = scene.series.samples

    async def while_new_ones_come(*words: Any, **more: Any) -> list[StoredSample]:
        found = await read(*words, **more)
        if found:
            newer = SeriesColumn(scene.points[0], [scene.clock() + 1000], [70.0], [0])
            scene.evaluator.take(scene.devices[0], [newer])
        return found

    monkeypatch.setattr(scene.series, "samples", while_new_ones_come)
    await scene.evaluator.refresh()
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95), (0, 70)]


async def test_a_clock_that_was_ahead_makes_nobody_blind(scene: Scene) -> None:
    """Nine minutes ahead, then set right: the value after it counts, and no alarm is of the future."""
    await scene.make(scene.above(90))
    ahead = SeriesColumn(scene.points[0], [scene.clock() + 540_000], [80.0], [0])
    scene.evaluator.take(scene.devices[0], [ahead])
    await scene.value(95)
    (event,) = await scene.events()
    assert (event.at, event.value) == (scene.clock(), 95)


async def test_a_failed_commit_of_a_group_that_was_replaced_meanwhile_is_found_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.make(scene.above(90))
    await scene.value(80)
    record = scene.recorder.record

    async def failing(*_: object) -> None:
        monkeypatch.setattr(scene.recorder, "record", record)
        await scene.make(scene.above(1000))
        raise OperationalError("commit", {}, Exception("away"))

    monkeypatch.setattr(scene.recorder, "record", failing)
    await scene.value(95)
    await scene.evaluator.look()
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95)]


async def test_who_watches_the_gateways_hears_that_a_trigger_was_switched_off(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await scene.value(95)
    scene.services.changed.clear()
    await scene.triggers.enable(PLANT, made.id, False)
    await scene.evaluator.record()
    assert scene.devices[0] in scene.services.changed


async def test_a_database_that_is_away_ends_nothing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.domains.triggers.evaluator.RETRY_S", 0.01)
    failed, carried = asyncio.Event(), asyncio.Event()

    async def carry_out() -> None:
        if not failed.is_set():
            failed.set()
            raise OperationalError("select", {}, Exception("away"))
        carried.set()

    monkeypatch.setattr(scene.linkages, "carry_out", carry_out)
    await scene.evaluator.refresh()
    running = asyncio.create_task(scene.evaluator.run())
    async with asyncio.timeout(10):
        await carried.wait()
    assert failed.is_set() and not running.done()
    running.cancel()
