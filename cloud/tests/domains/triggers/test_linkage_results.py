"""What the linkages of an alarm did is in the command log, and at the alarm."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cloud.domains.commands.schemas import CommandStatus, PresetBody
from cloud.domains.inventory.models import DeviceShare
from cloud.domains.triggers.linkage import Linkages
from cloud.domains.triggers.linkage_schemas import AlarmLinkage
from cloud.errors import NotFound
from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED, LINKAGE_WINDOW_MS, MAX_LINKAGE_RUNS
from edge_contract.edge_rules import RuleEventKind, RuleWriteResult
from edge_contract.payloads import CommandResult

from .conftest import GUEST, PLANT, Scene
from .test_gateway_rules import RAISED, confirmed, event, takes, tell

LINKAGE = RuleEventKind.LINKAGE


async def log_of(scene: Scene, device: int = 0) -> list[CommandStatus]:
    """The command log, the newest first."""
    return (await scene.services.commands.page(PLANT.scope, scene.devices[device], 1, 100)).rows


async def of_newest(scene: Scene, user: Any = PLANT) -> list[AlarmLinkage]:
    """Of the newest alarm."""
    alarm = [each for each in await scene.events() if each.alarm_type != 0][-1]
    return await scene.results.of_alarm(user, alarm.id)


def said(linkage: AlarmLinkage) -> list[tuple[Any, ...]]:
    return [
        (write.ds_title, write.value, write.state.value, write.code, write.result_value)
        for write in linkage.writes
    ]


async def test_what_the_cloud_wrote_is_in_the_log_and_at_the_alarm(scene: Scene) -> None:
    preset = await scene.preset(10)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await scene.value(95)
    (linkage,) = await of_newest(scene)
    assert (linkage.on, linkage.preset_title, linkage.state.value) == ("raised", "set 10", "done")
    assert said(linkage) == [("setpoint", 10, "waiting", "", None)]
    ((_, command),) = scene.services.sent
    result = CommandResult(id=command.id, state="fail", t_ms=scene.clock(), value=9.0, code="mismatch")
    await scene.services.commands.result("gw-a", result)
    (linkage,) = await of_newest(scene)
    assert said(linkage) == [("setpoint", 10, "failed", "mismatch", 9.0)]
    assert linkage.writes[0].at_ms == scene.clock()
    (row,) = await log_of(scene)
    assert row.origin is not None
    assert (row.origin.kind, row.origin.id, row.origin.title) == ("trigger", made.id, "boiler")
    assert (row.id, row.user) == (linkage.writes[0].command_id, "plant")


@pytest.mark.clause("C-166", "C-167")
async def test_what_a_gateway_wrote_is_in_the_log_and_at_the_alarm(scene: Scene) -> None:
    preset = await scene.preset(10)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await takes(scene)
    await confirmed(scene)
    rule, raised_ms = made.rules[0].id, scene.clock() - 3_600_000
    results = [
        RuleWriteResult(slave="boiler", point="setpoint", value=10.0, read=10.0, t_ms=raised_ms + 150),
        RuleWriteResult(
            slave="boiler", point="setpoint", value=11.0, t_ms=raised_ms + 400, code="no_answer",
            outcome="unknown",
        ),
        RuleWriteResult(
            slave="boiler", point="setpoint", value=12.0, t_ms=raised_ms + 500, code="read_only",
            outcome="failed",
        ),
    ]  # fmt: skip
    events = [
        event(scene, 1, RAISED, rule, raised_ms, value=95.0),
        event(
            scene, 2, LINKAGE, rule, raised_ms, t_ms=raised_ms + 500, on="raised", preset=preset,
            code="no_answer", results=results,
        ),
    ]  # fmt: skip
    for _ in range(2):
        await tell(scene, *events)
    (linkage,) = await of_newest(scene)
    assert (linkage.at_gateway, linkage.at_ms, linkage.problem) == (True, raised_ms + 500, "no_answer")
    assert said(linkage) == [
        ("setpoint", 10.0, "done", "", 10.0),
        ("setpoint", 11.0, "unknown", "no_answer", None),
        ("setpoint", 12.0, "failed", "read_only", None),
    ]
    rows = await log_of(scene)
    assert [(row.value, row.status, row.outcome, row.created_ms - raised_ms) for row in rows] == [
        (12.0, "fail", "failed", 500), (11.0, "fail", "unknown", 400), (10.0, "resp", "done", 150),
    ]  # fmt: skip
    assert {row.origin.title for row in rows if row.origin} == {"boiler"}
    assert {row.batch_id for row in rows} == {rows[0].batch_id} != {None}
    (run,) = (await scene.triggers.linkage_runs(PLANT, made.id, 1, 20)).rows
    assert run.command_id == rows[-1].id


@pytest.mark.parametrize(
    ("code", "states"),
    [("", ["done"]), ("mismatch", ["unknown"]), ("expired", ["refused"])],
    ids=["all done", "one was not", "none was"],
)
async def test_of_a_gateway_that_tells_no_single_results_its_word_stands(
    scene: Scene, code: str, states: list[str]
) -> None:
    preset = await scene.preset(10)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await takes(scene)
    await confirmed(scene)
    rule, raised_ms = made.rules[0].id, scene.clock()
    await tell(scene, event(scene, 1, RAISED, rule, raised_ms, value=95.0))
    (linkage,) = await of_newest(scene)
    assert (linkage.state.value, said(linkage)[0][2]) == ("unreported", "unreported")
    await tell(scene, event(scene, 2, LINKAGE, rule, raised_ms, on="raised", preset=preset, code=code))
    (linkage,) = await of_newest(scene)
    assert ([each[2] for each in said(linkage)], linkage.problem) == (states, code)
    assert await log_of(scene) == []


async def test_what_was_done_outlasts_its_trigger_with_the_name_of_then(scene: Scene) -> None:
    linkage = [{"preset_id": await scene.preset(10)}]
    made = await scene.make(scene.above(90), linkage=linkage)
    await scene.value(95)
    (before,) = await of_newest(scene)
    assert (before.trigger, said(before)) == ("boiler", [("setpoint", 10, "waiting", "", None)])
    body = scene.body(scene.above(90), linkage=linkage, id=made.rules[0].id)
    await scene.triggers.change(PLANT, made.id, body.model_copy(update={"title": "another name"}))
    await scene.triggers.delete(PLANT, made.id)
    assert await of_newest(scene) == [before]
    assert [row.origin.title for row in await log_of(scene) if row.origin] == ["boiler"]


async def test_so_does_what_a_gateway_did_not_report(scene: Scene) -> None:
    made = await scene.make(scene.above(90), linkage=[{"preset_id": await scene.preset(10)}])
    await takes(scene)
    await confirmed(scene)
    await tell(scene, event(scene, 1, RAISED, made.rules[0].id, scene.clock(), value=95.0))
    await scene.triggers.delete(PLANT, made.id)
    (linkage,) = await of_newest(scene)
    assert (linkage.trigger, linkage.state.value) == ("boiler", "unreported")


async def test_what_is_due_when_its_trigger_is_deleted_is_not_carried_out(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await scene.make(scene.above(90), linkage=[{"preset_id": await scene.preset(10)}])
    with monkeypatch.context() as held:
        held.setattr(Linkages, "carry_out", _later)
        await scene.value(95)
    await scene.triggers.delete(PLANT, made.id)
    await scene.linkages.carry_out()
    (linkage,) = await of_newest(scene)
    assert (linkage.state.value, linkage.problem, scene.services.sent) == ("refused", "deleted", [])


async def _later(_linkages: Linkages) -> None:
    """The process has ended before it could."""


async def test_what_was_refused_says_why(scene: Scene) -> None:
    preset = await scene.preset(10)
    await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    scene.now = replace(PLANT, permissions=frozenset())
    await scene.value(95)
    (linkage,) = await of_newest(scene)
    assert (linkage.state.value, linkage.problem) == ("refused", "no_right")
    assert said(linkage) == [("setpoint", 10, "refused", "no_right", None)]
    scene.clock.pass_s(1)
    body = PresetBody.model_validate({"title": "other", "writes": [{"dsid": scene.points[1], "value": 7}]})
    await scene.services.commands.presets.change(PLANT, scene.devices[0], preset, body)
    (linkage,) = await of_newest(scene)
    assert (linkage.preset_title, said(linkage)) == ("other", []), "nobody knows what it would have written"


async def test_what_the_limit_left_out_is_told_of_each_alarm(scene: Scene) -> None:
    preset = await scene.preset(1)
    await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    for at in range(2 * MAX_LINKAGE_RUNS + 3):
        await scene.value(95 if at % 2 == 0 else 80)
    alarms = [each for each in await scene.events() if each.alarm_type != 0]
    states = [
        (linkage.state.value, linkage.problem, [write.state.value for write in linkage.writes])
        for alarm in alarms
        for linkage in await scene.results.of_alarm(PLANT, alarm.id)
    ]
    assert states[MAX_LINKAGE_RUNS - 1] == ("done", "", ["waiting"])
    assert states[MAX_LINKAGE_RUNS:] == [("left_out", LINKAGE_LIMITED, ["left_out"])] * 2
    scene.clock.pass_s(LINKAGE_WINDOW_MS / 1000)
    await scene.value(80)
    await scene.value(95)
    (linkage,) = await of_newest(scene)
    assert linkage.state.value == "done", "the rest is over"


async def test_its_end_has_linkages_of_its_own(scene: Scene) -> None:
    on, over = await scene.preset(10), await scene.preset(20)
    linkage = [{"preset_id": over, "on": "cleared"}, {"preset_id": on}]
    made = await scene.make(scene.above(90), linkage=linkage)
    await scene.value(95)
    assert [each.on for each in await of_newest(scene)] == ["raised"]
    await scene.value(80)
    assert [(each.on, said(each)[0][1]) for each in await of_newest(scene)] == [
        ("raised", 10),
        ("cleared", 20),
    ]
    await scene.value(95)
    await scene.triggers.enable(PLANT, made.id, False)
    assert [each.on for each in await of_newest(scene)] == ["raised"], "it did not end by its values"


async def test_writes_to_gateways_that_one_does_not_see_are_only_counted(scene: Scene) -> None:
    await scene.make(scene.above(90), linkage=[{"preset_id": await scene.preset(10, device=1)}])
    await scene.value(95)
    with pytest.raises(NotFound):
        await of_newest(scene, GUEST)
    async with scene.database.session() as session:
        session.add(
            DeviceShare(
                device_id=scene.devices[0], user_id=GUEST.id, role="visitor", writes=False, created_ms=1
            )
        )
        await session.commit()
    (linkage,) = await of_newest(scene, GUEST)
    assert (linkage.preset_title, linkage.writes, linkage.hidden) == ("", [], 1)
    (linkage,) = await of_newest(scene)
    assert (len(linkage.writes), linkage.hidden) == (1, 0)
    assert await scene.results.of_alarm(PLANT, (await scene.events())[0].id) == [linkage]


async def test_only_so_many_writes_are_named(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.domains.triggers.linkage_results.MAX_WRITES", 2)
    writes = [{"dsid": scene.points[1], "value": value} for value in (1, 2, 3)]
    body = PresetBody.model_validate({"title": "three", "writes": writes})
    preset = (await scene.services.commands.presets.add(PLANT, scene.devices[0], body)).id
    await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await scene.value(95)
    (linkage,) = await of_newest(scene)
    assert ([write.value for write in linkage.writes], linkage.more) == ([1, 2], 1)
