"""Presets that alarms have carried out: once, in time, with somebody's rights."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloud.domains.triggers.models import LinkageRun
from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED, LINKAGE_WINDOW_MS, MAX_LINKAGE_RUNS

from .conftest import PLANT, Scene


async def test_a_preset_is_carried_out_once(scene: Scene) -> None:
    preset = await scene.preset(10)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    await scene.value(95)
    await scene.evaluator.record()
    assert [(gateway, command.value) for gateway, command in scene.services.sent] == [("gw-a", 10)]
    (run,) = (await scene.triggers.linkage_runs(PLANT, made.id, 1, 20)).rows
    assert (run.is_due, run.problem, run.kind) == (False, "", "raised")
    assert run.command_id is not None


async def test_another_one_when_it_is_over_and_no_alarm_at_all(scene: Scene) -> None:
    on, over = await scene.preset(10), await scene.preset(20)
    linkage = [{"preset_id": on}, {"preset_id": over, "on": "cleared"}]
    await scene.make(scene.above(90), linkage=linkage, alarm_notify=False)
    await scene.value(95)
    await scene.value(80)
    assert [command.value for _, command in scene.services.sent] == [10, 20]
    assert await scene.events() == []


async def test_all_that_are_due_are_carried_out_at_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloud.domains.triggers.linkage.MAX_AT_ONCE", 2)
    presets = [await scene.preset(value) for value in range(1, 6)]
    await scene.make(scene.above(90), linkage=[{"preset_id": preset} for preset in presets])
    await scene.value(95)
    assert [command.value for _, command in scene.services.sent] == [1, 2, 3, 4, 5]


async def test_a_deleted_trigger_leaves_its_numbers_to_nobody(scene: Scene) -> None:
    """A command is requested under the number of its run: a second one of that number would send nothing."""
    for value in (1, 2):
        linkage = [{"preset_id": await scene.preset(value)}]
        made = await scene.make(scene.above(90), linkage=linkage)
        await scene.value(95)
        await scene.triggers.delete(PLANT, made.id)
        await scene.value(80)
    assert [command.value for _, command in scene.services.sent] == [1, 2]


async def test_what_the_cloud_was_away_for_is_not_made_up(scene: Scene) -> None:
    preset = await scene.preset(10)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    async with scene.database.session() as session:
        session.add(
            LinkageRun(
                trigger_id=made.id,
                rule_id=1,
                kind="raised",
                preset_id=preset,
                at_ms=scene.clock(),
                noted_ms=scene.clock(),
                is_due=True,
            )
        )
        await session.commit()
    scene.clock.pass_s(61)
    await scene.evaluator.record()
    assert scene.services.sent == []
    assert (await scene.triggers.linkage_runs(PLANT, made.id, 1, 20)).rows[0].problem == "too_late"


@pytest.mark.parametrize("problem", ["no_user", "no_right"])
async def test_with_the_rights_of_who_saved_it(scene: Scene, problem: str) -> None:
    preset = await scene.preset(10)
    made = await scene.make(scene.above(90), linkage=[{"preset_id": preset}])
    scene.now = None if problem == "no_user" else replace(PLANT, permissions=frozenset())
    await scene.value(95)
    assert scene.services.sent == []
    assert (await scene.triggers.linkage_runs(PLANT, made.id, 1, 20)).rows[0].problem == problem


async def test_linkages_that_answer_each_other_come_to_rest_and_say_so(scene: Scene) -> None:
    low, high = await scene.preset(1), await scene.preset(2)
    linkage = [{"preset_id": low}, {"preset_id": high, "on": "cleared"}]
    made = await scene.make(scene.above(90), linkage=linkage)
    for at in range(40):
        await scene.value(95 if at % 2 == 0 else 80)
        if at == 30:
            scene.restart()
            await scene.evaluator.refresh()
    assert len(scene.services.sent) == MAX_LINKAGE_RUNS
    assert len(await scene.events()) == 40, "alarms go on"
    (limited, *others) = (await scene.triggers.linkage_runs(PLANT, made.id, 1, 100)).rows
    assert (limited.problem, limited.left_out, limited.is_due) == (LINKAGE_LIMITED, 1, False)
    assert [run.problem for run in others] == [""] * MAX_LINKAGE_RUNS
    assert (await scene.triggers.trigger(PLANT, made.id)).problem == LINKAGE_LIMITED
    scene.clock.pass_s(LINKAGE_WINDOW_MS / 1000)
    await scene.evaluator.advance()
    await scene.evaluator.record()
    assert (await scene.triggers.linkage_runs(PLANT, made.id, 1, 1)).rows[0].left_out == 20
    row = await scene.triggers.trigger(PLANT, made.id)
    assert row.problem == ""
    assert row.rest is not None
    assert (row.rest.is_over, row.rest.left_out) == (True, 20)
    await scene.value(95)
    assert len(scene.services.sent) == MAX_LINKAGE_RUNS + 1


async def test_rules_share_what_they_may_write_to_one_point(scene: Scene) -> None:
    """Of what the evaluator knows of their presets."""
    linkage = [{"preset_id": await scene.preset(1)}]
    await scene.make(scene.above(90), linkage=linkage, alarm_notify=False)
    await scene.make(scene.above(91), linkage=linkage, alarm_notify=False)
    for at in range(2 * MAX_LINKAGE_RUNS):
        await scene.value(95 if at % 2 == 0 else 80)
    assert len(scene.services.sent) == MAX_LINKAGE_RUNS


@pytest.mark.parametrize(
    ("watched", "linked", "problem"),
    [(1, True, "may_loop"), (0, True, ""), (1, False, "")],
    ids=["its own point", "another point", "writes nothing"],
)
async def test_a_linkage_that_writes_what_a_rule_watches_is_named(
    scene: Scene, watched: int, linked: bool, problem: str
) -> None:
    linkage = [{"preset_id": await scene.preset(1)}] if linked else []
    made = await scene.make(scene.above(90, watched), linkage=linkage)
    assert made.problem == problem
    assert [each.title for each in made.loops] == (["too hot"] if problem else [])


async def test_so_is_one_that_writes_what_another_rule_of_his_watches(scene: Scene) -> None:
    await scene.make(scene.above(90, 1), title="setpoint too high")
    made = await scene.make(scene.above(90), linkage=[{"preset_id": await scene.preset(1)}])
    assert made.problem == "may_loop"
    assert [(each.dsid, each.title) for each in made.loops] == [(scene.points[1], "setpoint too high")]
