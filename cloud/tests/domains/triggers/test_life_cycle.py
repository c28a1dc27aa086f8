"""Alarms of rules along their life cycle: latched, acknowledged, shelved, in maintenance, folded."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.alarms.schemas import (
    AcknowledgeBody,
    AlarmQuery,
    HandleBody,
    MaintenanceBody,
    RuleSuppressBody,
    SuppressBody,
)
from cloud.domains.alarms.suppression_repository import STABLE_MS
from cloud.domains.inventory.models import Device
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from edge_contract.payloads import State as LinkState

from ...conftest import BOOT, hello
from .conftest import GATEWAYS, GUEST, KEEPER, PLANT, Scene

HOUR_S = 3600


async def record(scene: Scene, number: int) -> list[tuple[str, str, str]]:
    """What happened to an event, its state afterwards, and who did it."""
    changes = (await scene.alarms.detail(PLANT, number)).changes
    return [(each.what.value, each.after.value, each.user_name) for each in changes]


async def state(scene: Scene, number: int) -> str:
    return (await scene.alarms.detail(PLANT, number)).alarm.state.value


async def open_alarms(scene: Scene) -> int:
    async with scene.database.reading() as session:
        return (await session.get_one(Device, scene.devices[0])).open_alarms


async def shelve(scene: Scene, *numbers: int, seconds: int = HOUR_S, kind: str = "shelved") -> Any:
    body = SuppressBody.model_validate(
        {"ids": list(numbers), "kind": kind, "duration_s": seconds, "reason": "pump is being repaired"}
    )
    return await scene.suppressions.suppress(PLANT, body)


async def active(scene: Scene, **words: Any) -> list[int]:
    page = await scene.alarms.page(PLANT, AlarmQuery(view="active", **words), 1, 100)
    assert page.total == len(page.rows)
    return [row.id for row in page.rows]


def news(scene: Scene) -> list[int]:
    """What browsers were told of with a tone."""
    return [each["id"] for each in scene.told if each["type"] == "alarm" and each["event"] == "new"]


async def test_a_latched_alarm_stands_until_it_is_acknowledged(scene: Scene) -> None:
    await scene.make(scene.above(90), latched=True)
    await scene.value(91)
    (event,) = await scene.events()
    assert (event.state, event.latched) == ("unacknowledged", True)
    await scene.value(80)
    assert (await state(scene, event.id), await active(scene), await open_alarms(scene)) == (
        "latched", [event.id], 1,
    )  # fmt: skip
    body = AcknowledgeBody(ids=[event.id], note=" seen ")
    assert (await scene.alarms.acknowledge(PLANT, body)).done == [event.id]
    assert (await state(scene, event.id), await active(scene), await open_alarms(scene)) == ("normal", [], 0)
    assert await record(scene, event.id) == [
        ("raised", "unacknowledged", ""),
        ("cleared", "latched", ""),
        ("acknowledged", "normal", "plant"),
    ]
    with pytest.raises(Conflict) as refused:
        await scene.alarms.acknowledge(PLANT, body)
    assert refused.value.reason == "alarm.acknowledged"


async def test_acknowledging_is_not_handling(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(91)
    (event,) = await scene.events()
    await scene.alarms.acknowledge(PLANT, AcknowledgeBody(ids=[event.id]))
    (row,) = (await scene.alarms.page(PLANT, AlarmQuery(view="unhandled"), 1, 10)).rows
    assert (row.state, row.status, row.acked_name, row.acked_ms) == (
        "acknowledged", 0, "plant", scene.clock(),
    )  # fmt: skip
    await scene.value(80)
    assert await state(scene, event.id) == "normal"


async def test_who_handles_has_acknowledged(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(91)
    (event,) = await scene.events()
    await scene.alarms.handle(PLANT, event.id, HandleBody(status=1, note="reset"))
    assert [what for what, _, _ in await record(scene, event.id)] == ["raised", "acknowledged", "handled"]
    assert await state(scene, event.id) == "acknowledged"


async def test_of_many_those_that_cannot_be_acknowledged_are_skipped(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(91)
    await scene.value(80)
    alarm, recovery = await scene.events()
    outcome = await scene.alarms.acknowledge(PLANT, AcknowledgeBody(ids=[recovery.id, alarm.id, 999_999]))
    assert (outcome.done, outcome.skipped) == ([alarm.id], [recovery.id, 999_999])
    with pytest.raises(NotFound):
        await scene.alarms.acknowledge(GUEST, AcknowledgeBody(ids=[alarm.id]))


async def test_what_is_shelved_is_recorded_and_not_announced(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await scene.value(91)
    (first,) = await scene.events()
    assert (await shelve(scene, first.id)).done == [first.id]
    assert (await state(scene, first.id), await open_alarms(scene), await active(scene)) == (
        "shelved", 0, [],
    )  # fmt: skip
    await scene.value(80)
    scene.told.clear()
    await scene.value(92)
    await scene.value(80)
    assert news(scene) == []
    assert [event.state for event in await scene.events()] == ["normal"] * 4
    assert (await scene.alarms.unread(PLANT)).alarm == 0
    (row,) = (await scene.suppressions.page(PLANT, "shelved", None, 1, 10)).rows
    assert (row.rule_id, row.title, row.user_name) == (made.rules[0].id, "too hot", "plant")
    assert (row.reason, row.until_ms - row.begin_ms) == ("pump is being repaired", HOUR_S * 1000)
    assert (await scene.reports.counts(PLANT)).suppressions == {"shelved": 1}
    assert (await scene.suppressions.page(GUEST, "", None, 1, 10)).rows == []


async def test_a_shelf_ends_by_itself_and_what_stands_is_announced_then(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(91)
    (event,) = await scene.events()
    await shelve(scene, event.id, seconds=600)
    scene.told.clear()
    scene.clock.pass_s(599)
    await scene.suppressions.look()
    assert (await state(scene, event.id), news(scene)) == ("shelved", [])
    scene.clock.pass_s(1)
    await scene.suppressions.look()
    assert (await state(scene, event.id), news(scene)) == ("unacknowledged", [event.id])
    assert (await open_alarms(scene), (await scene.suppressions.page(PLANT, "", None, 1, 10)).total) == (1, 0)
    await scene.suppressions.look()
    assert news(scene) == [event.id]
    assert await record(scene, event.id) == [
        ("raised", "unacknowledged", ""),
        ("shelved", "shelved", "plant"),
        ("restored", "unacknowledged", ""),
    ]


async def test_who_has_acknowledged_is_not_told_again_when_the_shelf_ends(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(91)
    (event,) = await scene.events()
    await scene.alarms.acknowledge(PLANT, AcknowledgeBody(ids=[event.id]))
    await shelve(scene, event.id)
    scene.told.clear()
    (row,) = (await scene.suppressions.page(PLANT, "", None, 1, 10)).rows
    assert row.alarms == 1
    with pytest.raises(NotFound):
        await scene.suppressions.end(GUEST, row.id)
    await scene.suppressions.end(PLANT, row.id)
    assert (await state(scene, event.id), news(scene)) == ("acknowledged", [])
    with pytest.raises(NotFound):
        await scene.suppressions.end(PLANT, row.id)


async def test_a_shelf_is_of_a_rule_at_one_gateway(scene: Scene) -> None:
    await scene.make(scene.above(90), scene.above(50, 2))
    await scene.value(91)
    (event,) = await scene.events()
    await shelve(scene, event.id)
    await scene.value(80)
    scene.told.clear()
    await scene.value(60, 2)
    event = (await scene.events())[-1]
    assert (event.device_id, event.state, news(scene)) == (scene.devices[1], "unacknowledged", [event.id])


async def test_times_are_bounded(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(91)
    (event,) = await scene.events()
    with pytest.raises(ParameterError) as refused:
        await shelve(scene, event.id, seconds=7 * 86_400 + 1)
    assert refused.value.field == "duration_s"
    await shelve(scene, event.id, seconds=31 * 86_400, kind="out_of_service")
    assert await state(scene, event.id) == "out_of_service"


async def test_linkages_act_when_shelved_and_rest_in_maintenance_and_out_of_service(scene: Scene) -> None:
    preset = await scene.preset(40)
    made = await scene.make(scene.above(90), linkage=[{"on": "raised", "preset_id": preset}])

    async def runs() -> list[str]:
        page = await scene.triggers.linkage_runs(PLANT, made.id, 1, 10)
        return [run.problem for run in page.rows][::-1]

    rule = made.rules[0].id
    assert rule is not None
    body = RuleSuppressBody(duration_s=600, reason="calibration")
    await scene.rule_suppressions.suppress(PLANT, made.id, rule, body)
    await scene.value(91)
    assert await runs() == [""]
    out = RuleSuppressBody(kind="out_of_service", duration_s=600, reason="sensor gone")
    await scene.rule_suppressions.suppress(PLANT, made.id, rule, out)
    await scene.value(80)
    await scene.value(91)
    assert await runs() == ["", "suppressed"]
    assert (await scene.events())[-1].state == "out_of_service"
    scene.clock.pass_s(600)
    await scene.suppressions.look()
    await scene.suppressions.maintain(
        KEEPER, scene.devices[0], MaintenanceBody(duration_s=600, reason="works")
    )
    await scene.value(80)
    await scene.value(91)
    assert await runs() == ["", "suppressed", "suppressed"]
    with pytest.raises(NotFound):
        await scene.rule_suppressions.suppress(GUEST, made.id, rule, body)
    with pytest.raises(NotFound):
        await scene.rule_suppressions.suppress(PLANT, made.id, rule + 1, body)


async def test_maintenance_keeps_a_gateway_quiet_and_ends_by_itself(scene: Scene) -> None:
    await scene.make(scene.above(90))
    await scene.value(91)
    (event,) = await scene.events()
    body = MaintenanceBody(duration_s=600, reason="works")
    with pytest.raises(NotFound):
        await scene.suppressions.maintain(GUEST, scene.devices[0], body)
    row = await scene.suppressions.maintain(KEEPER, scene.devices[0], body)
    assert (await state(scene, event.id), await open_alarms(scene)) == ("suppressed", 0)
    with pytest.raises(NoPermission):
        await scene.suppressions.end(PLANT, row.id)
    scene.told.clear()
    scene.clock.pass_s(600)
    await scene.suppressions.look()
    assert (await state(scene, event.id), news(scene), await open_alarms(scene)) == (
        "unacknowledged", [event.id], 1,
    )  # fmt: skip


async def test_maintenance_that_ends_just_after_the_gateway_came_back_ends_at_once(scene: Scene) -> None:
    """Only what began while it was away waits until its slaves answer again."""
    await go(scene)
    scene.clock.pass_s(5)
    await scene.presence.hello(GATEWAYS[0], hello())
    await scene.make(scene.above(90))
    await scene.value(91)
    (event,) = await scene.events()
    body = MaintenanceBody(duration_s=600, reason="works")
    row = await scene.suppressions.maintain(KEEPER, scene.devices[0], body)
    await scene.suppressions.end(KEEPER, row.id)
    assert await state(scene, event.id) == "unacknowledged"


async def test_who_gets_a_gateway_gets_nothing_that_is_kept_quiet(scene: Scene) -> None:
    await scene.suppressions.maintain(
        KEEPER, scene.devices[0], MaintenanceBody(duration_s=600, reason="mine")
    )
    await scene.suppressions.owner_left(scene.devices[0])
    assert (await scene.suppressions.page(PLANT, "", None, 1, 10)).rows == []


async def notify(scene: Scene, *, delay_s: int = 0) -> None:
    async with scene.database.session() as session:
        device = await session.get_one(Device, scene.devices[0])
        device.offline_notify, device.offline_alarm_delay_s = True, delay_s
        await session.commit()


async def go(scene: Scene) -> None:
    await scene.presence.state(GATEWAYS[0], LinkState(online=False, boot=BOOT, t_ms=1))


async def silent(scene: Scene) -> None:
    """A slave of the first gateway does not answer."""
    scene.evaluator.slave(scene.devices[0], scene.slaves[0], False, scene.clock())
    await scene.evaluator.record()


async def test_an_outage_alarm_absorbs_silent_slaves_and_gives_back_what_still_stands(scene: Scene) -> None:
    await notify(scene)
    await scene.make({"type": 5, "slave_id": scene.slaves[0]})
    await go(scene)
    scene.clock.pass_s(5)
    scene.told.clear()
    await silent(scene)
    assert news(scene) == []
    outage, child = await scene.events()
    assert (outage.alarm_type, child.parent_id) == (4, outage.id)
    assert await active(scene, folded=True) == [outage.id]
    assert await active(scene, parent_id=outage.id) == [child.id]
    (row,) = (await scene.alarms.page(PLANT, AlarmQuery(view="active", folded=True), 1, 10)).rows
    assert (row.children, await open_alarms(scene)) == (1, 1)
    assert (await scene.reports.counts(PLANT)).active == 1
    scene.clock.pass_s(60)
    await scene.presence.hello(GATEWAYS[0], hello())
    scene.told.clear()
    await scene.suppressions.look()
    scene.clock.pass_s(STABLE_MS / 1000)
    await scene.suppressions.look()
    assert (news(scene), await active(scene, folded=True), await open_alarms(scene)) == (
        [child.id], [child.id], 1,
    )  # fmt: skip
    assert [what for what, _, _ in await record(scene, child.id)] == ["raised", "unfolded"]


async def test_an_outage_that_is_noted_late_absorbs_what_began_in_it(scene: Scene) -> None:
    await notify(scene, delay_s=60)
    await scene.make({"type": 5, "slave_id": scene.slaves[0]})
    await go(scene)
    scene.clock.pass_s(5)
    await silent(scene)
    (child,) = await scene.events()
    assert child.state == "suppressed"  # its gateway is offline, and nothing says so yet
    scene.clock.pass_s(60)
    await scene.presence.hello(GATEWAYS[0], hello())
    outage = next(event for event in await scene.events() if event.alarm_type == 4)
    child = next(event for event in await scene.events() if event.slave is not None)
    assert child.parent_id == outage.id


async def test_a_rule_whose_gateway_is_offline_is_suppressed_until_it_is_back(scene: Scene) -> None:
    await scene.make({"type": 5, "slave_id": scene.slaves[0]})
    await go(scene)
    scene.clock.pass_s(5)
    await silent(scene)
    (event,) = await scene.events()
    assert (event.state, event.parent_id) == ("suppressed", None)
    await scene.suppressions.look()
    assert await state(scene, event.id) == "suppressed"
    await scene.presence.hello(GATEWAYS[0], hello())
    scene.told.clear()
    await scene.suppressions.look()
    assert await state(scene, event.id) == "suppressed"
    scene.clock.pass_s(STABLE_MS / 1000)
    await scene.suppressions.look()
    assert (await state(scene, event.id), news(scene)) == ("unacknowledged", [event.id])


async def test_repeats_are_one_row_with_a_count(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    for value in (91, 80, 92, 80, 93):
        await scene.value(value)
    page = await scene.alarms.groups(PLANT, AlarmQuery(), 1, 1)
    recoveries = await scene.alarms.groups(PLANT, AlarmQuery(), 2, 1)
    (group,) = page.rows
    assert (page.total, group.count, group.unacknowledged, group.rule_id) == (2, 3, 3, made.rules[0].id)
    assert (group.newest.value, group.first_ms) == (93, (await scene.events())[0].at)
    assert (recoveries.rows[0].alarm_type, recoveries.rows[0].count) == (0, 2)
    assert (await scene.alarms.groups(GUEST, AlarmQuery(), 1, 10)).total == 0


async def test_a_flood_is_more_than_ten_new_ones_in_ten_minutes(scene: Scene) -> None:
    await scene.make(scene.above(90))
    for _ in range(10):
        await scene.value(91)
        await scene.value(80)
    counts = await scene.reports.counts(PLANT)
    assert (counts.new, counts.flood, counts.states) == (10, False, {"returned": 10})
    await scene.value(91)
    counts = await scene.reports.counts(PLANT)
    assert (counts.new, counts.flood, counts.levels, counts.unhandled) == (11, True, {"danger": 1}, 11)
    assert (await scene.reports.counts(GUEST)).flood is False
    scene.clock.pass_s(600)
    assert (await scene.reports.counts(PLANT)).new == 0


async def test_the_report_says_what_stands_what_is_noisy_and_what_nobody_saw(scene: Scene) -> None:
    await scene.make(scene.above(90))
    for value in (91, 80, 92):
        await scene.value(value)
    assert (await scene.reports.report(PLANT)).stale_total == 0
    scene.clock.pass_s(24 * HOUR_S + 1)
    report = await scene.reports.report(PLANT)
    first, _, last = await scene.events()
    assert [row.id for row in report.stale] == [last.id]
    assert [row.id for row in report.never_acknowledged] == [last.id, first.id]
    assert [(row.count, row.title, row.dsid) for row in report.noisy] == [(2, "too hot", scene.points[0])]
    nothing = await scene.reports.report(GUEST)
    assert (nothing.stale, nothing.never_acknowledged_total, nothing.noisy) == ([], 0, [])
    scene.clock.pass_s(7 * 24 * HOUR_S)
    assert (await scene.reports.report(PLANT)).noisy == []
