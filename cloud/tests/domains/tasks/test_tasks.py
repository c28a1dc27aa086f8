"""Timed tasks: run once each, with the rights of then, and say what came of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from cloud.core.scope import Scope
from cloud.domains.inventory.models import Device
from cloud.domains.tasks.models import TaskRun
from cloud.domains.tasks.schemas import CalendarBody, PreviewQuery, RunBody, RunStatus
from cloud.domains.telemetry.schemas import LastValue
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from edge_contract.payloads import CommandState, Outcome, State

from ...conftest import BOOT
from .conftest import GUEST, PLANT, ZONE, Scene

ONE_RUN = [("gw-a", 5)]


async def test_a_run_writes_at_its_time_and_says_what_came_of_it(scene: Scene) -> None:
    task = await scene.make()
    assert task.next_ms == scene.ms("2026-11-27T08:00")
    await scene.runner.run()
    assert scene.written == []
    scene.at("2026-11-27T08:00:00")
    for _ in range(3):
        await scene.runner.run()
    assert scene.written == ONE_RUN
    (run,) = await scene.runs(task)
    assert (run.status, run.planned_ms, run.steps[0].value) == (RunStatus.PENDING, task.next_ms, 5)
    (gateway, command) = scene.services.sent[0]
    await scene.answer(command, gateway, CommandState.RESP, value=5)
    (run,) = await scene.runs(task)
    assert (run.status, run.steps[0].done, run.steps[0].read) == (RunStatus.DONE, 1, 5)
    (status,) = (await scene.services.commands.page(PLANT.scope, None, 1, 10)).rows
    assert (status.user, status.address) == ("plant", f"task {task.id}")
    assert status.origin is not None
    assert (status.origin.kind, status.origin.title) == ("task", "Start")
    (row,) = (await scene.tasks.page(PLANT, 1, 10, "", None, None)).rows
    assert row.next_ms == scene.ms("2026-11-28T08:00")
    assert row.last == run


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"state": CommandState.FAIL, "code": "out_of_range"}, RunStatus.FAILED, "out_of_range"),
        (
            {"state": CommandState.FAIL, "code": "timeout", "outcome": Outcome.UNKNOWN},
            RunStatus.UNKNOWN,
            "timeout",
        ),
    ],
)
async def test_a_failure_is_told_apart_from_what_nobody_knows(
    scene: Scene, fields: dict[str, object], status: RunStatus, code: str
) -> None:
    task = await scene.make()
    scene.at("2026-11-27T08:00")
    await scene.runner.run()
    gateway, command = scene.services.sent[0]
    await scene.answer(command, gateway, **fields)  # type: ignore[arg-type]
    (run,) = await scene.runs(task)
    assert (run.status, run.steps[0].code) == (status, code)


async def test_a_gateway_that_is_away_is_a_failure(scene: Scene) -> None:
    task = await scene.make()
    await scene.services.presence.state("gw-a", State(online=False, boot=BOOT, t_ms=1))
    scene.at("2026-11-27T08:00")
    await scene.runner.run()
    await scene.runner.follow()
    (run,) = await scene.runs(task)
    assert (run.status, run.steps[0].code) == (RunStatus.FAILED, "offline")


async def test_two_processes_and_a_restart_make_one_run(scene: Scene) -> None:
    task = await scene.make()
    scene.at("2026-11-27T08:00")
    await asyncio.gather(scene.process().run(), scene.process().run())
    await scene.process().run()
    assert scene.written == ONE_RUN
    assert len(await scene.runs(task)) == 1


async def test_a_process_that_died_while_it_requested_goes_on_with_the_same_values(scene: Scene) -> None:
    """As if nothing of the end of the run had been stored: its commands went already."""
    first, second = scene.points
    scene.values[first] = value_of(first, 10, scene)
    formula = {"kind": "formula", "source_dsid": first, "dsid": second, "ratio": 2, "bias": 1}
    task = await scene.make(formula)
    scene.at("2026-11-27T08:00")
    await scene.runner.run()
    async with scene.database.session() as session:
        await session.execute(update(TaskRun).values(is_due=True, status=RunStatus.PENDING))
        await session.commit()
    scene.values[first] = value_of(first, 99, scene)
    await scene.process().run()
    assert scene.written == [("gw-b", 21)]
    assert (await scene.runs(task))[0].steps[0].command_id is not None


async def test_what_was_noted_and_not_requested_for_a_minute_does_not_begin(scene: Scene) -> None:
    task = await scene.make()
    scene.at("2026-11-27T08:00")
    await scene.runner._note_due()
    scene.clock.pass_s(61)
    await scene.process().run()
    assert scene.written == []
    (run,) = await scene.runs(task)
    assert (run.status, run.problem) == (RunStatus.FAILED, "too_late")


@pytest.mark.parametrize("late_min", [0, 60])
async def test_what_the_cloud_was_away_for(scene: Scene, late_min: int) -> None:
    task = await scene.make(schedule={"late_min": late_min, "times": ["08:00", "08:30"]})
    scene.at("2026-11-27T09:00")
    await scene.process().run()
    (run,) = await scene.runs(task)
    if late_min:
        assert (scene.written, run.problem, run.missed) == (ONE_RUN, "", 1)
    else:
        assert (scene.written, run.problem, run.missed) == ([], "missed", 2)
        assert run.status is RunStatus.FAILED


@pytest.mark.parametrize("problem", ["no_user", "no_right"])
async def test_with_the_rights_of_who_saved_it(scene: Scene, problem: str) -> None:
    task = await scene.make()
    scene.now = None if problem == "no_user" else replace(PLANT, permissions=frozenset())
    scene.at("2026-11-27T08:00")
    await scene.runner.run()
    assert scene.written == []
    assert [run.problem for run in await scene.runs(task)] == [problem]


async def test_who_sees_the_gateway_no_more_writes_nothing(scene: Scene) -> None:
    task = await scene.make()
    scene.now = GUEST
    scene.at("2026-11-27T08:00")
    await scene.runner.run()
    assert scene.written == []
    (run,) = await scene.runs(task)
    assert (run.status, run.steps[0].problem) == (RunStatus.FAILED, "no_right")


async def test_each_kind_of_action(scene: Scene) -> None:
    first, second = scene.points
    scene.values[first] = value_of(first, 10, scene)
    task = await scene.make(
        {"kind": "preset", "preset_id": await scene.preset(1, 2)},
        {"kind": "formula", "source_dsid": first, "dsid": second, "ratio": 0.5},
        {"kind": "command", "device_id": scene.devices[1], "command": "refresh"},
    )
    assert [point.dsid for point in task.points] == [first, second]
    scene.at("2026-11-27T08:00")
    await scene.runner.run()
    assert scene.written == [("gw-a", 1), ("gw-a", 2), ("gw-b", 5.0), ("gw-b", "refresh")]
    for gateway, command in list(scene.services.sent):
        await scene.answer(command, gateway, CommandState.RESP)
    (run,) = await scene.runs(task)
    assert (run.status, [step.done for step in run.steps]) == (RunStatus.DONE, [2, 1, 1])


def value_of(dsid: int, value: object, scene: Scene, **fields: object) -> LastValue:
    facts = {"dsid": dsid, "t_ms": scene.clock(), "value": value, "quality": 0, "received_ms": 0, **fields}
    return LastValue.model_validate(facts)


@pytest.mark.parametrize(
    ("fields", "problem"), [({"stale": True}, "no_value"), ({"quality": 2}, "no_value"), ({}, "not_fitting")]
)
async def test_a_value_that_does_not_serve_writes_nothing(
    scene: Scene, fields: dict[str, object], problem: str
) -> None:
    first, second = scene.points
    value = "text" if problem == "not_fitting" else 10
    scene.values[first] = value_of(first, value, scene, **fields)
    task = await scene.make({"kind": "formula", "source_dsid": first, "dsid": second})
    scene.at("2026-11-27T08:00")
    await scene.runner.run()
    assert scene.written == []
    assert (await scene.runs(task))[0].steps[0].problem == problem


async def test_now_is_once_for_each_press(scene: Scene) -> None:
    task = await scene.make(enabled=False)
    press = RunBody(request_id="press-0001")
    first = await scene.tasks.run_now(PLANT, task.id, press)
    assert (await scene.tasks.run_now(PLANT, task.id, press)).id == first.id
    with pytest.raises(Conflict):
        await scene.tasks.run_now(PLANT, task.id, RunBody())
    await scene.runner.run()
    assert scene.written == ONE_RUN
    assert (await scene.tasks.run_now(PLANT, task.id, press)).id == first.id
    await scene.runner.run()
    assert scene.written == ONE_RUN
    assert (await scene.runs(task))[0].planned_ms is None


async def test_what_is_switched_off_is_not_made_up(scene: Scene) -> None:
    task = await scene.make(schedule={"late_min": 600})
    await scene.tasks.enable(PLANT, task.id, False)
    scene.at("2026-11-27T09:00")
    await scene.runner.run()
    row = await scene.tasks.enable(PLANT, task.id, True)
    await scene.runner.run()
    assert scene.written == []
    assert row.next_ms == scene.ms("2026-11-28T08:00")


async def test_a_holiday_calendar_moves_the_next_run_and_stays_while_it_is_used(scene: Scene) -> None:
    days = await scene.calendars.create(PLANT, CalendarBody(title="2026"))
    task = await scene.make(calendar_id=days.id)
    await scene.calendars.change(PLANT, days.id, CalendarBody(title="2026", off=["2026-11-27"]))
    (row,) = (await scene.tasks.page(PLANT, 1, 10, "", None, None)).rows
    assert (row.next_ms, row.calendar_title) == (scene.ms("2026-11-28T08:00"), "2026")
    query = PreviewQuery(kind="daily", zone=ZONE, times=["08:00"], calendar_id=days.id)
    runs = await scene.tasks.preview(PLANT, query)
    assert (len(runs), runs[0]) == (10, scene.ms("2026-11-28T08:00"))
    with pytest.raises(Conflict):
        await scene.calendars.delete(PLANT, days.id)
    await scene.tasks.delete(PLANT, task.id)
    await scene.calendars.delete(PLANT, days.id)
    assert (await scene.calendars.page(PLANT, 1, 10, "")).total == 0
    with pytest.raises(ParameterError) as error:
        await scene.calendars.create(PLANT, CalendarBody(title="x", on=["2026-02-30"]))
    assert error.value.field == "on"


async def test_what_one_does_not_see_is_not_there(scene: Scene) -> None:
    task = await scene.make()
    days = await scene.calendars.create(PLANT, CalendarBody(title="2026"))
    assert (await scene.tasks.page(GUEST, 1, 10, "", None, None)).total == 0
    for refused in (
        scene.tasks.delete(GUEST, task.id),
        scene.tasks.log(GUEST, task.id, 1, 10),
        scene.tasks.run_now(GUEST, task.id, RunBody()),
        scene.tasks.change(GUEST, task.id, scene.body()),
        scene.tasks.create(GUEST, scene.body()),
        scene.calendars.change(GUEST, days.id, CalendarBody(title="x")),
    ):
        with pytest.raises(NotFound):
            await refused


async def test_an_editor_that_was_overtaken_and_what_one_may_not(scene: Scene) -> None:
    task = await scene.make()
    await scene.tasks.change(PLANT, task.id, scene.body(title="Other"), task.changed_ms)
    with pytest.raises(Conflict) as error:
        await scene.tasks.change(PLANT, task.id, scene.body(), task.changed_ms)
    assert error.value.reason == "task.moved"
    reboot = {"kind": "command", "device_id": scene.devices[0], "command": "reboot"}
    with pytest.raises(NoPermission):
        await scene.make(reboot)
    with pytest.raises(NoPermission):
        await scene.tasks.create(replace(PLANT, permissions=frozenset()), scene.body())
    with pytest.raises(ParameterError) as wrong:
        await scene.make({"kind": "write", "dsid": scene.points[0], "value": "text"})
    assert wrong.value.field == "actions.0.value"
    with pytest.raises(ParameterError) as unknown:
        await scene.make(schedule={"zone": "Mars/Olympus"})
    assert unknown.value.field == "schedule.zone"


async def test_an_access_password_is_given_when_a_task_is_saved(scene: Scene) -> None:
    passwords = scene.services.devices.access_passwords
    await passwords.put(PLANT, scene.devices[0], "geheim1", "")
    with pytest.raises(NoPermission):
        await scene.make()
    given = replace(PLANT, given={scene.devices[0]: "geheim1"})
    await scene.tasks.create(given, scene.body())
    scene.at("2026-11-27T08:00")
    await scene.runner.run()
    assert scene.written == ONE_RUN
    await passwords.put(PLANT, scene.devices[0], "geheim2", "")
    scene.at("2026-11-28T08:00")
    await scene.runner.run()
    assert scene.written == ONE_RUN


async def test_a_gateway_that_leaves_its_owner_or_is_gone_takes_its_tasks_along(scene: Scene) -> None:
    await scene.make()
    left = await scene.make({"kind": "write", "dsid": scene.points[1], "value": 1})
    await scene.tasks.owner_left(scene.devices[0])
    assert [row.id for row in (await scene.tasks.page(PLANT, 1, 10, "", None, None)).rows] == [left.id]
    async with scene.database.session() as session:
        gone = (await session.scalars(select(Device).where(Device.id == scene.devices[1]))).one()
        await session.delete(gone)
        await session.commit()
    assert (await scene.tasks.page(PLANT, 1, 10, "", None, None)).total == 0
    await scene.runner.forget_old(scene.clock())
    assert (await scene.tasks.page(replace(PLANT, scope=Scope.system()), 1, 10, "", None, None)).total == 0
