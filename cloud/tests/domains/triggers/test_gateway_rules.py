"""Rules that gateways evaluate: handed over with what is known, recorded once, taken back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, update

from cloud.domains.alarms.schemas import MaintenanceBody, RuleSuppressBody
from cloud.domains.inventory.models import Device
from edge_contract.edge_rules import RuleEvent, RuleEventKind, RuleEvents, RuleProblem, Rules, RulesReport

from .conftest import KEEPER, PLANT, Scene

STREAM = "00000000000000aa"
RAISED, CLEARED, LINKAGE = RuleEventKind.RAISED, RuleEventKind.CLEARED, RuleEventKind.LINKAGE


async def takes(scene: Scene, gateway: str = "gw-a", *, can: bool = True) -> None:
    await scene.delivery.connected(gateway, can)
    if can:
        await scene.delivery.reported(gateway, RulesReport())


async def confirmed(scene: Scene, *problems: RuleProblem) -> Rules:
    """The gateway has taken what was sent last."""
    await scene.delivery.deliver()
    gateway, rules = scene.sent[-1]
    await scene.delivery.reported(gateway, RulesReport(hash=rules.hash, problems=list(problems)))
    return rules


def event(scene: Scene, seq: int, kind: RuleEventKind, rule: int, raised_ms: int, **others: Any) -> RuleEvent:
    t_ms = others.pop("t_ms", raised_ms)
    return RuleEvent(
        seq=seq, kind=kind, rule=rule, version=1, t_ms=t_ms, raised_ms=raised_ms, since_ms=raised_ms, **others
    )


async def tell(scene: Scene, *events: RuleEvent, gateway: str = "gw-a", stream: str = STREAM) -> None:
    await scene.gateway_events.record(gateway, RuleEvents(stream=stream, events=list(events)))


async def homes(scene: Scene, trigger: int) -> list[str]:
    return [rule.home.value for rule in (await scene.triggers.trigger(PLANT, trigger)).rules]


@pytest.mark.clause("C-160")
async def test_a_gateway_that_cannot_gets_no_rules(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene, can=False)
    await scene.delivery.deliver()
    assert scene.sent == []
    assert await homes(scene, made.id) == ["cloud"]


@pytest.mark.clause("C-161", "C-162")
async def test_a_rule_is_evaluated_here_until_its_gateway_has_confirmed_it(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    ((gateway, rules),) = scene.sent
    assert gateway == "gw-a"
    assert [condition.signal for condition in rules.rules[0].rule.conditions] == ["boiler/temperature"]
    assert await homes(scene, made.id) == ["gateway_pending"]
    await confirmed(scene)
    assert await homes(scene, made.id) == ["gateway"]
    await scene.value(95)
    assert await scene.kinds() == [], "its gateway says so"
    await scene.delivery.deliver()
    assert len(scene.sent) == 1, "equal rules are not sent again"


@pytest.mark.clause("C-163")
async def test_what_nobody_confirms_goes_on_here_with_what_came(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await scene.value(80)
    await takes(scene)
    await scene.value(95)
    assert await scene.kinds() == []
    scene.clock.pass_s(16)
    await scene.delivery.deliver()
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95)]
    assert await homes(scene, made.id) == ["gateway_pending"]


@pytest.mark.clause("C-163")
async def test_an_alarm_that_stands_goes_along_and_ends_once(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await scene.value(95)
    raised_ms = scene.clock()
    await takes(scene)
    rules = await confirmed(scene)
    assert rules.state is not None
    assert [state.raised_ms for state in rules.state.rules] == [raised_ms]
    assert [signal.signal for signal in rules.state.signals] == ["boiler/temperature"]
    await scene.evaluator.record()
    assert await scene.kinds() == [(1, 95)], "it did not end by going"
    row = (await scene.triggers.trigger(PLANT, made.id)).rules[0]
    assert row.state is not None
    assert row.state.raised_ms == raised_ms
    over_ms = raised_ms + 60_000
    await tell(scene, event(scene, 1, CLEARED, made.rules[0].id, raised_ms, t_ms=over_ms, value=80.0))
    assert await scene.kinds() == [(1, 95), (0, 80.0)]
    assert (await scene.events())[0].recovered_ms == over_ms


@pytest.mark.clause("C-165", "C-166")
async def test_events_are_recorded_once_with_their_own_times(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    await confirmed(scene)
    rule, raised_ms = made.rules[0].id, scene.clock() - 3_600_000
    events = [
        event(scene, 1, RAISED, rule, raised_ms, value=95.0),
        event(scene, 2, CLEARED, rule, raised_ms, t_ms=raised_ms + 5000, value=80.0),
    ]
    await tell(scene, events[0])
    await tell(scene, *events)
    await tell(scene, *events)
    raised, over = await scene.events()
    assert (raised.at, raised.value, raised.title) == (raised_ms, 95.0, "too hot")
    assert raised.recovered_ms == over.at == raised_ms + 5000
    await tell(scene, event(scene, 1, RAISED, rule, raised_ms + 9000), stream="00000000000000bb")
    assert len(await scene.events()) == 3, "another store begins anew"


async def test_a_gateway_speaks_of_its_own_rules_alone(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    await takes(scene, "gw-b")
    await confirmed(scene)
    rule, raised_ms = made.rules[0].id, scene.clock()
    await tell(scene, event(scene, 1, RAISED, rule, raised_ms), gateway="gw-b")
    assert await scene.kinds() == []
    await tell(scene, event(scene, 1, RAISED, rule, raised_ms, value=95.0))
    await tell(scene, event(scene, 2, CLEARED, rule, raised_ms), gateway="gw-b")
    assert await scene.kinds() == [(1, 95.0)]


async def test_an_alarm_of_a_rule_that_is_gone_ends_and_raises_no_more(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    await confirmed(scene)
    rule, raised_ms = made.rules[0].id, scene.clock()
    await tell(scene, event(scene, 1, RAISED, rule, raised_ms, value=95.0))
    await scene.triggers.delete(PLANT, made.id)
    await scene.delivery.deliver()
    assert scene.sent[-1][1].rules == []
    ended = event(
        scene, 2, RuleEventKind.ENDED, rule, raised_ms, t_ms=raised_ms + 1, cause="rule_changed", value=95.0
    )
    await tell(scene, ended, event(scene, 3, RAISED, rule, raised_ms + 5))
    assert [(each.alarm_type, each.cause) for each in await scene.events()] == [(1, ""), (0, "rule_changed")]


async def test_an_alarm_of_a_rule_that_is_switched_off_ends_while_its_gateway_is_away(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    await confirmed(scene)
    rule, raised_ms = made.rules[0].id, scene.clock()
    await tell(scene, event(scene, 1, RAISED, rule, raised_ms, value=95.0))
    async with scene.database.session() as session:
        await session.execute(update(Device).values(online=False))
        await session.commit()
    await scene.triggers.enable(PLANT, made.id, False)
    await scene.delivery.deliver()
    assert [(each.alarm_type, each.cause) for each in await scene.events()] == [(1, ""), (0, "rule_changed")]
    await tell(scene, event(scene, 2, CLEARED, rule, raised_ms, t_ms=raised_ms + 5))
    assert len(await scene.events()) == 2


@pytest.mark.clause("C-163")
async def test_a_gateway_that_cannot_any_more_gives_its_alarm_back(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    await confirmed(scene)
    raised_ms = scene.clock()
    await tell(scene, event(scene, 1, RAISED, made.rules[0].id, raised_ms, value=95.0))
    await takes(scene, can=False)
    await scene.delivery.deliver()
    assert await homes(scene, made.id) == ["cloud"]
    await scene.value(96)
    assert await scene.kinds() == [(1, 95.0)], "not raised again"
    await scene.value(80)
    assert await scene.kinds() == [(1, 95.0), (0, 80)]


async def test_what_a_gateway_does_not_evaluate_is_evaluated_here(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    await confirmed(scene, RuleProblem(rule=made.rules[0].id, code="no_such_point"))
    assert await homes(scene, made.id) == ["cloud"]
    await scene.value(95)
    assert await scene.kinds() == [(1, 95)]


@pytest.mark.clause("C-167")
async def test_a_linkage_goes_along_and_comes_back_as_done(scene: Scene) -> None:
    preset = await scene.preset(40.0)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await takes(scene)
    rules = await confirmed(scene)
    (linkage,) = rules.rules[0].linkages
    assert [(write.slave, write.point, write.value) for write in linkage.writes] == [
        ("boiler", "setpoint", 40.0)
    ]
    at_ms = scene.clock()
    done = event(scene, 1, LINKAGE, made.rules[0].id, at_ms, on="raised", preset=preset)
    refused = event(scene, 2, LINKAGE, made.rules[0].id, at_ms, on="raised", preset=preset, code="mismatch")
    await tell(scene, done, refused)
    runs = (await scene.triggers.linkage_runs(PLANT, made.id, 1, 10)).rows
    assert [(run.at_gateway, run.is_due, run.problem) for run in runs] == [
        (True, False, "mismatch"), (True, False, ""),
    ]  # fmt: skip


@pytest.mark.parametrize("what", ["maintenance", "out_of_service"])
async def test_what_keeps_linkages_from_acting_does_so_at_the_gateway(scene: Scene, what: str) -> None:
    preset = await scene.preset(40.0)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await takes(scene)
    with_linkage = await confirmed(scene)
    if what == "maintenance":
        body = MaintenanceBody(duration_s=3600, reason="new pump")
        ends = (await scene.suppressions.maintain(KEEPER, scene.devices[0], body)).until_ms
    else:
        await scene.rule_suppressions.suppress(
            PLANT, made.id, made.rules[0].id, RuleSuppressBody(kind=what, duration_s=3600, reason="broken")
        )
        ends = scene.clock() + 3_600_000
    without = await confirmed(scene)
    assert [rule.linkages for rule in without.rules] == [[]]
    assert without.rules[0].rule == with_linkage.rules[0].rule, "its alarm goes on"
    scene.clock.pass_s((ends - scene.clock()) / 1000 + 1)
    assert (await confirmed(scene)).hash == with_linkage.hash


async def test_linkages_come_to_rest_whoever_else_reports(scene: Scene) -> None:
    preset = await scene.preset(40.0)
    await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await takes(scene)
    await confirmed(scene)
    await takes(scene, "gw-b")
    await scene.delivery.deliver()
    await scene.suppressions.maintain(
        KEEPER, scene.devices[0], MaintenanceBody(duration_s=3600, reason="new pump")
    )
    await scene.delivery.reported("gw-b", RulesReport())
    await scene.delivery.deliver()
    gateway, rules = scene.sent[-1]
    assert (gateway, [rule.linkages for rule in rules.rules]) == ("gw-a", [[]])


async def test_a_linkage_to_another_gateway_keeps_its_rule_here(scene: Scene) -> None:
    preset = await scene.preset(40.0, device=1)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await takes(scene)
    await scene.delivery.deliver()
    assert scene.sent == []
    assert await homes(scene, made.id) == ["cloud"]


async def test_who_may_not_write_any_more_does_not_write_there(scene: Scene) -> None:
    preset = await scene.preset(40.0)
    await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await takes(scene)
    await confirmed(scene)
    scene.now = None
    scene.clock.pass_s(61)
    await scene.evaluator.look()
    await scene.delivery.deliver()
    assert scene.sent[-1][1].rules == []
    assert scene.sent[-1][1].returned == [1], "its alarm goes on here"


async def test_a_rule_over_several_gateways_comes_back(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    await confirmed(scene)
    both = scene.body(scene.above(90), scene.above(90, point=2), id=made.rules[0].id)
    await scene.triggers.change(PLANT, made.id, both)
    assert await homes(scene, made.id) == ["cloud"]
    await confirmed(scene)
    await scene.value(95, point=2)
    assert await scene.kinds() == [(1, 95)]


async def test_an_offline_gateway_gets_them_when_it_is_back(scene: Scene) -> None:
    await takes(scene)
    async with scene.database.session() as session:
        await session.execute(update(Device).values(online=False))
        await session.commit()
    await scene.make(scene.above(90))
    await scene.delivery.deliver()
    assert scene.sent == []
    async with scene.database.session() as session:
        await session.execute(update(Device).values(online=True))
        await session.commit()
    await takes(scene)
    assert len(scene.sent) == 1


async def test_a_restarted_cloud_knows_who_evaluates_what(scene: Scene) -> None:
    made = await scene.make(scene.above(90))
    await takes(scene)
    await confirmed(scene)
    scene.restart()
    await scene.evaluator.refresh()
    await scene.value(95)
    assert await scene.kinds() == []
    await scene.delivery.deliver()
    assert scene.sent == []
    assert await homes(scene, made.id) == ["gateway"]


@pytest.mark.clause("C-167")
async def test_a_rest_at_the_gateway_is_one_entry_with_how_many_were_left_out(scene: Scene) -> None:
    preset = await scene.preset(10)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await takes(scene)
    await confirmed(scene)
    began_ms = scene.clock()
    for seq, left_out in ((1, 1), (2, 230)):
        limited = event(
            scene, seq, LINKAGE, made.rules[0].id, began_ms,
            on="raised", preset=preset, code="linkage_limited", left_out=left_out,
        )  # fmt: skip
        await tell(scene, limited)
    (run,) = (await scene.triggers.linkage_runs(PLANT, made.id, 1, 20)).rows
    assert (run.problem, run.left_out, run.at_gateway) == ("linkage_limited", 230, True)
    assert (await scene.triggers.trigger(PLANT, made.id)).problem == "linkage_limited"


async def test_how_often_a_rule_wrote_goes_along(scene: Scene) -> None:
    await scene.make(scene.above(90), linkage=[{"preset_id": await scene.preset(10)}])
    await scene.value(95)
    await takes(scene)
    rules = await confirmed(scene)
    assert rules.state is not None
    assert [len(each.times_ms) for each in rules.state.linkages.rules] == [1]


async def test_reports_of_one_gateway_that_wait_hold_one_connection(scene: Scene) -> None:
    """It sends one again that was not answered in time, while the one before still waits to write."""
    made = await scene.make(scene.above(90))
    await takes(scene)
    await confirmed(scene)
    raised = event(scene, 1, RAISED, made.rules[0].id, scene.clock(), value=95.0)
    async with scene.database.session(beside=True) as writer:
        await writer.execute(update(Device).values(online=True))
        reports = [asyncio.create_task(tell(scene, raised)) for _ in range(20)]
        await asyncio.sleep(0.2)
        async with asyncio.timeout(2), scene.database.reading() as session:
            await session.execute(select(Device.id))
        await writer.commit()
    await asyncio.gather(*reports)
    assert await scene.kinds() == [(1, 95.0)]
