"""Tasks of one gateway: who runs them while they move, who may have them there, and what is noted of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from cloud.core.gateway_work import HomeKind
from cloud.domains.commands.schemas import PresetBody
from cloud.domains.inventory.models import DataPoint, Device
from cloud.domains.tasks.schemas import CalendarBody, RunBody, RunStatus, TaskRow
from edge_contract.edge_tasks import (
    EdgeTaskRun,
    EdgeTasks,
    TaskProblem,
    TaskReport,
    TaskState,
    TaskWriteResult,
    tasks_hash,
)
from edge_contract.payloads import CommandState

from .conftest import PLANT, Scene

GATEWAY = "gw-a"
ID = "a1" * 8
PASSWORD = "geheim1"
EIGHT = "2026-11-27T08:00"


class Within:
    """The first gateway of the scene runs tasks."""

    def __init__(self, scene: Scene, names: dict[int, tuple[str, str]]) -> None:
        self.scene = scene
        self.names = names

    @property
    def given(self) -> list[EdgeTasks]:
        return [tasks for gateway, tasks in self.scene.documents if gateway == GATEWAY]

    async def report(self, *runs: EdgeTaskRun, tasks: EdgeTasks | None = None, **more: object) -> None:
        """Of what the gateway was given last, unless other tasks are named."""
        held = tasks or (self.given[-1] if self.given else None)
        digest = None if held is None else held.hash
        report = TaskReport(id=ID, hash=digest, results=list(runs), **more)  # type: ignore[arg-type]
        await self.scene.delivery.reported(GATEWAY, report)

    async def pass_s(self, seconds: float) -> None:
        self.scene.clock.pass_s(seconds)
        await self.step()

    async def at(self, text: str) -> None:
        self.scene.at(text)
        await self.step()

    async def step(self) -> None:
        await self.scene.delivery.deliver()
        await self.scene.runner.run()

    async def home(self, number: int) -> tuple[HomeKind, str]:
        row = await self.row(number)
        return row.home, row.home_reason

    async def row(self, number: int) -> TaskRow:
        rows = (await self.scene.tasks.page(PLANT, 1, 100, "", None, None)).rows
        return next(row for row in rows if row.id == number)

    def run(self, task: TaskRow, text: str, **more: object) -> EdgeTaskRun:
        """As the gateway made it at this time, unless more says otherwise."""
        slave, point = self.names[self.scene.points[0]]
        t_ms = self.scene.ms(text)
        done = TaskWriteResult(slave=slave, point=point, value=5, read=5, t_ms=t_ms + 300)
        facts: dict[str, object] = {"version": 1, "results": [done], **more}
        times = {"planned_ms": t_ms, "begun_ms": t_ms + 100, "ended_ms": t_ms + 400}
        return EdgeTaskRun(seq=1, task=task.id, **times, **facts)  # type: ignore[arg-type]


@pytest.fixture
async def within(scene: Scene) -> Within:
    await scene.delivery.connected(GATEWAY, True)
    places = await scene.services.devices.target(PLANT.scope, scene.points[0])
    return Within(scene, {scene.points[0]: (places.slave, places.point)})


@pytest.mark.clause("C-170", "C-171", "C-177")
async def test_a_task_moves_when_its_gateway_has_confirmed_it_and_rests_meanwhile(within: Within) -> None:
    scene = within.scene
    task = await scene.make(schedule={"late_min": 5})
    (tasks,) = within.given
    (document,) = tasks.tasks
    assert (document.id, document.version, tasks.hash) == (task.id, 1, tasks_hash(tasks.tasks))
    assert (document.schedule.times, document.schedule.late_min, document.writes[0].value) == (
        ["08:00"],
        5,
        5,
    )
    assert [state.after_ms for state in tasks.states] == [scene.ms("2026-11-27T07:59:30")]
    assert await within.home(task.id) == (HomeKind.MOVING, "")
    await within.report()
    assert await within.home(task.id) == (HomeKind.GATEWAY, "")
    await within.at("2026-11-27T08:00:01")
    await within.pass_s(120)
    assert (scene.written, len(within.given)) == ([], 1)
    assert (await within.row(task.id)).next_ms == scene.ms("2026-11-28T08:00"), "lists go on"


@pytest.mark.clause("C-177")
async def test_without_an_answer_the_cloud_goes_on_after_15_s_and_asks_again(within: Within) -> None:
    scene = within.scene
    scene.at("2026-11-27T07:59:55")
    task = await scene.make()
    await within.pass_s(14.9)
    assert scene.written == []
    await within.pass_s(0.1)
    assert await within.home(task.id) == (HomeKind.CLOUD, "unconfirmed")
    assert scene.written == [("gw-a", 5)], "a run of the time in which it rested is not lost"
    gateway, command = scene.services.sent[0]
    await scene.answer(command, gateway, CommandState.RESP, value=5)
    await within.pass_s(60)
    assert len(within.given) == 2
    assert within.given[1].states[0].after_ms > scene.ms(EIGHT), "the gateway does not make it again"
    await within.report()
    assert await within.home(task.id) == (HomeKind.GATEWAY, "")


@pytest.mark.clause("C-177")
async def test_a_task_goes_on_where_its_gateway_stopped(within: Within) -> None:
    scene = within.scene
    task = await scene.make(schedule={"late_min": 60})
    await within.report()
    await within.at("2026-11-27T08:00:05")
    other = {"kind": "write", "dsid": scene.points[1], "value": 7}
    both = scene.body(
        {"kind": "write", "dsid": scene.points[0], "value": 5}, other, schedule={"late_min": 60}
    )
    await scene.tasks.change(PLANT, task.id, both)
    assert (within.given[-1].tasks, await within.home(task.id)) == ([], (HomeKind.MOVING, ""))
    state = TaskState(task=task.id, after_ms=scene.ms("2026-11-27T08:00:01"))
    await within.report(within.run(task, EIGHT), states=[state])
    assert await within.home(task.id) == (HomeKind.CLOUD, "two_gateways")
    await within.pass_s(1)
    assert scene.written == [], "its gateway has made this run"
    await within.at("2026-11-28T08:00")
    assert sorted(scene.written) == [("gw-a", 5), ("gw-b", 7)]
    assert [(run.planned_ms, run.status) for run in await scene.runs(task)][1:] == [
        (scene.ms(EIGHT), RunStatus.DONE)
    ]


@pytest.mark.clause("C-177")
async def test_a_gateway_that_is_away_keeps_the_past_and_holds_nothing_up(within: Within) -> None:
    scene = within.scene
    task = await scene.make(schedule={"late_min": 60})
    await within.report()
    async with scene.database.session() as session:
        (await session.get_one(Device, scene.devices[0])).online = False
        await session.commit()
    await within.at("2026-11-27T08:00:05")
    scene.now = None
    await within.pass_s(60)
    await within.pass_s(15)
    assert await within.home(task.id) == (HomeKind.CLOUD, "no_user")
    await within.pass_s(1)
    assert await scene.runs(task) == [], "what the gateway may have done is not done again"
    await within.report(within.run(task, EIGHT), tasks=EdgeTasks(hash="0" * 64))
    assert [run.status for run in await scene.runs(task)] == [RunStatus.DONE], "and is not lost"


async def test_a_run_that_goes_on_holds_the_task_here(within: Within) -> None:
    scene = within.scene
    await scene.delivery.connected(GATEWAY, False)
    task = await scene.make()
    assert await within.home(task.id) == (HomeKind.CLOUD, "unsupported")
    await within.at(EIGHT)
    await scene.delivery.connected(GATEWAY, True)
    await within.step()
    assert (await within.home(task.id), within.given) == ((HomeKind.CLOUD, "run_open"), [])
    gateway, command = scene.services.sent[0]
    await scene.answer(command, gateway, CommandState.RESP, value=5)
    await within.pass_s(2)
    assert await within.home(task.id) == (HomeKind.MOVING, "")


async def test_what_a_gateway_does_not_run_stays_here_with_the_reason(within: Within) -> None:
    scene = within.scene
    command = await scene.make({"kind": "command", "device_id": scene.devices[0], "command": "refresh"})
    two = await scene.make({"kind": "formula", "source_dsid": scene.points[1], "dsid": scene.points[0]})
    other = await scene.make({"kind": "write", "dsid": scene.points[1], "value": 1})
    off = await scene.make(enabled=False)
    reasons = [await within.home(each.id) for each in (command, two, other, off)]
    assert reasons == [
        (HomeKind.CLOUD, "gateway_command"), (HomeKind.CLOUD, "two_gateways"),
        (HomeKind.CLOUD, "unsupported"), (HomeKind.CLOUD, ""),
    ]  # fmt: skip
    assert within.given == []


async def test_presets_and_calendars_go_along_as_they_are_now(within: Within) -> None:
    scene = within.scene
    preset = await scene.preset(1, 2)
    days = await scene.calendars.create(PLANT, CalendarBody(title="2026"))
    await scene.make(
        {"kind": "write", "dsid": scene.points[0], "value": 5}, {"kind": "preset", "preset_id": preset},
        calendar_id=days.id,
    )  # fmt: skip
    (document,) = within.given[-1].tasks
    assert [(write.step, write.value) for write in document.writes] == [(0, 5), (1, 1), (1, 2)]
    await within.report()
    await scene.calendars.change(PLANT, days.id, CalendarBody(title="2026", off=["2026-12-25"]))
    assert within.given[-1].tasks[0].schedule.off == ["2026-12-25"]
    await within.report()
    body = PresetBody.model_validate({"title": "other", "writes": [{"dsid": scene.points[0], "value": 3}]})
    await scene.services.commands.presets.change(PLANT, scene.devices[0], preset, body)
    await within.pass_s(60)
    assert [write.value for write in within.given[-1].tasks[0].writes] == [5, 3]


@pytest.mark.parametrize(
    ("now", "reason"), [(None, "no_user"), (replace(PLANT, permissions=frozenset()), "no_right")]
)
async def test_rights_are_looked_at_each_minute(within: Within, now: object, reason: str) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report()
    scene.now = now  # type: ignore[assignment]
    await within.pass_s(59)
    assert await within.home(task.id) == (HomeKind.GATEWAY, "")
    await within.pass_s(1)
    assert within.given[-1].tasks == []
    await within.report()
    assert await within.home(task.id) == (HomeKind.CLOUD, reason)


async def test_a_gateway_with_an_access_password_has_tasks_that_were_granted(within: Within) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report()
    await scene.services.devices.access_passwords.put(PLANT, scene.devices[0], PASSWORD, "")
    await within.pass_s(60)
    await within.report()
    assert await within.home(task.id) == (HomeKind.CLOUD, "access_password")
    given = replace(PLANT, given={scene.devices[0]: PASSWORD})
    await scene.tasks.change(given, task.id, scene.body())
    await within.report()
    assert await within.home(task.id) == (HomeKind.GATEWAY, "")


async def test_a_task_that_the_gateway_cannot_run_comes_back_and_is_not_sent_again(within: Within) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report(problems=[TaskProblem(task=task.id, code="no_such_point")])
    assert within.given[-1].tasks == []
    await within.report()
    assert await within.home(task.id) == (HomeKind.CLOUD, "no_such_point")
    await within.pass_s(120)
    assert len(within.given) == 2
    await scene.tasks.change(PLANT, task.id, scene.body(title="Other"))
    assert len(within.given) == 3, "a changed one may be another matter"


async def test_a_changed_task_stays_at_its_gateway_and_one_that_is_off_leaves_it(within: Within) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report()
    await scene.tasks.change(PLANT, task.id, scene.body(title="Other"))
    assert await within.home(task.id) == (HomeKind.GATEWAY, "")
    assert [(each.version, each.title) for each in within.given[-1].tasks] == [(2, "Other")]
    await within.report()
    await scene.tasks.enable(PLANT, task.id, False)
    assert within.given[-1].tasks == []
    await within.report()
    await scene.tasks.enable(PLANT, task.id, True)
    await within.report()
    assert await within.home(task.id) == (HomeKind.GATEWAY, "")
    await scene.tasks.delete(PLANT, task.id)
    assert within.given[-1].tasks == []


async def test_a_cloud_that_starts_again_leaves_tasks_where_they_are(within: Within) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report()
    scene.restart()
    await within.at("2026-11-27T08:00:01")
    assert (scene.written, await within.home(task.id)) == ([], (HomeKind.GATEWAY, ""))
    await scene.delivery.connected(GATEWAY, True)
    await scene.delivery.reported(GATEWAY, TaskReport(id=ID))
    assert len(within.given) == 2, "a gateway that has lost its store gets them again"
    assert within.given[1].states[0].after_ms >= scene.ms("2026-11-27T08:00:01"), "and repeats nothing"


@pytest.mark.clause("C-175")
async def test_a_run_is_noted_once_in_the_log_and_in_the_command_log(within: Within) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report()
    for _ in range(2):
        await within.report(within.run(task, EIGHT, missed=2))
    (run,) = await scene.runs(task)
    assert (run.status, run.planned_ms, run.missed, run.user_name) == (
        RunStatus.DONE,
        scene.ms(EIGHT),
        2,
        "plant",
    )
    (step,) = run.steps
    assert (step.kind, step.dsid, step.value, step.read, step.done) == ("write", scene.points[0], 5, 5, 1)
    (row,) = (await scene.services.commands.page(PLANT.scope, None, 1, 10)).rows
    assert (row.id, row.value, row.status, row.user, row.sent_ms) == (
        step.command_id,
        5,
        "resp",
        "plant",
        None,
    )
    assert row.origin is not None
    assert (row.origin.kind, row.origin.id, row.address) == ("task", task.id, f"task {task.id}")
    assert (await within.row(task.id)).last == run


async def test_what_went_wrong_at_the_gateway_stands_in_the_log(within: Within) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report()
    (slave, point), t_ms = within.names[scene.points[0]], scene.ms(EIGHT)

    def of(outcome: str, code: str) -> list[TaskWriteResult]:
        return [TaskWriteResult(slave=slave, point=point, t_ms=t_ms, outcome=outcome, code=code)]  # type: ignore[arg-type]

    await within.report(
        within.run(task, EIGHT, results=of("failed", "no_value")),
        within.run(task, "2026-11-28T08:00", results=of("unknown", "interrupted"), code="interrupted"),
        within.run(task, "2026-11-29T08:00", results=[], code="missed", missed=3),
    )
    missed, unknown, failed = await scene.runs(task)
    assert (missed.status, missed.problem, missed.missed, missed.steps) == (RunStatus.FAILED, "missed", 3, [])
    assert (unknown.status, unknown.problem, unknown.steps[0].code) == (
        RunStatus.UNKNOWN, "interrupted", "interrupted",
    )  # fmt: skip
    assert (failed.status, failed.steps[0].problem, failed.steps[0].command_id) == (
        RunStatus.FAILED, "no_value", None,
    )  # fmt: skip
    assert (await scene.services.commands.page(PLANT.scope, None, 1, 10)).total == 1


async def test_a_gateway_says_nothing_of_tasks_that_are_not_its_own(within: Within) -> None:
    scene = within.scene
    foreign = await scene.make({"kind": "write", "dsid": scene.points[1], "value": 1})
    gone = foreign.model_copy(update={"id": 99})
    await within.report(within.run(foreign, EIGHT), within.run(gone, EIGHT))
    assert await scene.runs(foreign) == []
    assert (await scene.services.commands.page(PLANT.scope, None, 1, 10)).total == 0


async def test_runs_that_a_gateway_lost_are_told_with_the_task(within: Within) -> None:
    task = await within.scene.make({"kind": "write", "dsid": within.scene.points[0], "value": 1})
    await within.report()
    assert (await within.row(task.id)).lost_runs == 0
    await within.report(dropped=7)
    assert (await within.row(task.id)).lost_runs == 7
    await within.report(dropped=9)
    assert (await within.row(task.id)).lost_runs == 9


async def test_now_is_carried_out_by_the_cloud_wherever_a_task_runs(within: Within) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report()
    await scene.tasks.run_now(PLANT, task.id, RunBody())
    await within.step()
    assert scene.written == [("gw-a", 5)]


async def test_a_broker_that_is_away_stops_no_task(within: Within) -> None:
    scene = within.scene
    scene.services.link_down = True
    task = await scene.make()
    assert (await within.home(task.id), within.given) == ((HomeKind.CLOUD, "unconfirmed"), [])
    scene.services.link_down = False
    await within.pass_s(15)
    assert await within.home(task.id) == (HomeKind.MOVING, "")


async def test_points_that_are_gone_keep_the_task_here(within: Within) -> None:
    scene = within.scene
    task = await scene.make()
    await within.report()
    async with scene.database.session() as session:
        point = (await session.scalars(select(DataPoint).where(DataPoint.id == scene.points[0]))).one()
        point.removed = True
        await session.commit()
    await within.pass_s(60)
    await within.report()
    assert await within.home(task.id) == (HomeKind.CLOUD, "no_right")
