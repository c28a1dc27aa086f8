"""Timed tasks that run at the gateway, in simulated time, on both stores."""

from __future__ import annotations

import asyncio

import pytest

from edge_agent.errors import StoreFull
from edge_agent.model import Quality
from edge_agent.store import memory_tasks
from edge_agent.store import tasks as sqlite_tasks
from edge_agent.tasks.runner import MAX_RUNNING
from edge_contract.edge_tasks import EdgeTask, EdgeTasks, TaskSource, TaskWrite, tasks_hash
from edge_contract.errors import PayloadError
from edge_contract.limits import MAX_TASK_RUNS
from edge_contract.payloads import Outcome
from edge_contract.tasks.schedule import Schedule, TaskKind

from .conftest import SPEED, ZONE, Scene, daily, ms, until

ONE_WRITE = [("pump.speed", 5)]


@pytest.mark.clause("C-171", "C-178")
async def test_a_run_is_made_at_its_time_and_told_with_each_write(scene: Scene) -> None:
    digest = await scene.give(daily())
    await scene.at("2026-11-27T07:59:59")
    assert scene.writes == []
    for _ in range(3):
        await scene.at("2026-11-27T08:00:01")
    assert scene.writes == ONE_WRITE
    (run,) = scene.runs()
    assert (run.task, run.version, run.planned_ms, run.missed, run.code) == (
        1,
        1,
        ms("2026-11-27T08:00"),
        0,
        "",
    )
    (result,) = run.results
    assert (result.value, result.read, result.outcome, result.code, result.step) == (5, 5, "done", "", 0)
    assert scene.report().hash == digest
    (row,) = scene.runner.rows()
    assert (row.title, row.next_ms, row.last) == ("task 1", ms("2026-11-28T08:00"), run)


async def test_what_sources_say_counts_as_it_is_when_the_run_begins(scene: Scene) -> None:
    formula = TaskSource(slave="meter", point="level", ratio=2, bias=1)
    plain = TaskSource(slave="meter", point="open")
    writes = [
        TaskWrite(slave="pump", point="speed", source=formula),
        TaskWrite(slave="pump", point="run", source=plain, step=1),
        TaskWrite(slave="valve", point="lift", source=TaskSource(slave="valve", point="lift"), step=2),
    ]
    await scene.give(daily(writes=writes))
    scene.value("meter.level", 10)
    scene.value("meter.open", True)
    scene.value("valve.lift", 3, Quality.DEVICE_OFFLINE)
    await scene.at("2026-11-27T08:00")
    assert scene.writes == [("pump.speed", 21), ("pump.run", True)]
    (run,) = scene.runs()
    assert [(each.step, each.outcome, each.code) for each in run.results] == [
        (0, "done", ""), (1, "done", ""), (2, "failed", "no_value"),
    ]  # fmt: skip
    scene.value("meter.level", "text")
    await scene.at("2026-11-28T08:00")
    assert scene.runs()[1].results[0].code == "not_fitting"


async def test_tasks_that_this_configuration_cannot_run_are_named(scene: Scene) -> None:
    def write(target: str, source: str = "", **fields: float) -> list[TaskWrite]:
        slave, point = target.split(".")
        if not source:
            return [SPEED, TaskWrite(slave=slave, point=point, value=1)]
        of, name = source.split(".")
        return [TaskWrite(slave=slave, point=point, source=TaskSource(slave=of, point=name, **fields))]

    await scene.give(
        daily(1), daily(2, writes=write("gone.x")), daily(3, writes=write("pump.gone")),
        daily(4, writes=write("meter.level")), daily(5, writes=write("pump.speed", "pump.secret")),
        daily(6, writes=write("pump.run", "meter.open", ratio=2)),
        daily(7, writes=write("pump.run", "meter.open")),
    )  # fmt: skip
    problems = {each.task: (each.code, each.detail) for each in scene.report().problems}
    assert problems == {
        2: ("no_such_slave", "gone"), 3: ("no_such_point", "pump.gone"), 4: ("read_only", "meter.level"),
        5: ("write_only", "pump.secret"), 6: ("unfit", "pump.run"),
    }  # fmt: skip
    await scene.at("2026-11-27T08:00")
    assert ("pump.speed", 5) in scene.writes
    assert [run.task for run in scene.runs()] == [1, 7]
    assert [row.problem for row in scene.runner.rows()][:2] == ["", "no_such_slave"]


@pytest.mark.clause("C-171")
async def test_tasks_that_are_not_those_of_their_hash_are_refused(scene: Scene) -> None:
    with pytest.raises(PayloadError, match="hash"):
        await scene.runner.take(EdgeTasks(hash=tasks_hash([]), tasks=[daily()]))
    assert scene.report().hash is None


@pytest.mark.clause("C-172")
@pytest.mark.parametrize(("late_min", "made"), [(0, False), (60, True)])
async def test_runs_of_the_time_without_the_agent_go_by_the_policy(
    scene: Scene, late_min: int, made: bool
) -> None:
    await scene.give(daily(1, "08:00", "08:30", late_min=late_min))
    scene.clock.show("2026-11-27T09:00")
    await scene.start()
    await scene.look()
    (run,) = scene.runs()
    if made:
        assert (scene.writes, run.planned_ms, run.missed) == (ONE_WRITE, ms("2026-11-27T08:30"), 1)
    else:
        assert (scene.writes, run.code, run.missed, run.results) == ([], "missed", 2, [])
    await scene.look()
    assert len(scene.runs()) == 1
    assert scene.runner.rows()[0].last == run


@pytest.mark.clause("C-173")
async def test_a_kill_between_the_decision_and_the_write_is_unknown_and_not_made_again(scene: Scene) -> None:
    scene.hold["pump"] = asyncio.Event()
    digest = await scene.give(daily(late_min=60))
    await scene.at("2026-11-27T08:00")
    await until(lambda: len(scene.writes) == 1)
    assert scene.runs() == [], "nothing is told of a run that goes on"
    await scene.start()
    scene.clock.show("2026-11-27T08:05")
    await scene.runner.look()
    assert scene.writes == ONE_WRITE
    (run,) = scene.runs()
    (result,) = run.results
    assert (run.code, result.outcome, result.code) == ("interrupted", "unknown", "interrupted")
    assert (run.planned_ms, scene.report().hash) == (ms("2026-11-27T08:00"), digest)


@pytest.mark.clause("C-173")
async def test_a_stop_in_the_middle_of_a_run_is_told_at_the_next_start(scene: Scene) -> None:
    scene.hold["pump"] = asyncio.Event()
    await scene.give(daily())
    running = asyncio.create_task(scene.runner.run())
    await scene.at("2026-11-27T08:00")
    running.cancel()
    await asyncio.wait({running})
    await scene.runner.finish()
    await scene.start()
    assert [run.code for run in scene.runs()] == ["interrupted"]


@pytest.mark.clause("C-173")
async def test_what_cannot_be_noted_is_not_written(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    await scene.give(daily())

    async def refuse(*_: object) -> list[int]:
        raise StoreFull("no space")

    with monkeypatch.context() as patched:
        patched.setattr(scene.store.tasks, "begin", refuse)
        scene.clock.show("2026-11-27T08:00")
        with pytest.raises(StoreFull):
            await scene.runner.look()
    assert (scene.writes, scene.runs()) == ([], [])
    await scene.at("2026-11-27T08:00:30")
    assert scene.writes == ONE_WRITE


@pytest.mark.clause("C-174")
async def test_a_clock_that_is_set_back_repeats_nothing(scene: Scene) -> None:
    await scene.give(daily(1, "08:00", "10:00", late_min=1440))
    await scene.at("2026-11-27T08:00")
    await scene.at("2026-11-27T07:59")
    await scene.at("2026-11-27T08:00")
    await scene.at("2026-11-24T08:00")
    await scene.at("2026-11-24T10:00")
    assert scene.planned() == [(ms("2026-11-27T08:00"), 0)]
    await scene.at("2026-11-27T10:00")
    assert scene.planned()[1:] == [(ms("2026-11-27T10:00"), 0)]


@pytest.mark.clause("C-174")
async def test_a_clock_that_is_set_forward_makes_the_newest_alone(scene: Scene) -> None:
    schedule = Schedule(kind=TaskKind.CYCLIC, zone=ZONE, interval_min=10, late_min=10)
    await scene.give(EdgeTask(id=1, version=1, schedule=schedule, writes=[SPEED]))
    await scene.at("2026-11-27T08:00")
    await scene.at("2026-11-27T10:05")
    assert scene.planned() == [(ms("2026-11-27T08:00"), 0), (ms("2026-11-27T10:00"), 11)]
    assert len(scene.writes) == 2


@pytest.mark.clause("C-174")
async def test_a_clock_that_was_years_ahead_holds_nothing_up_once_it_is_right(scene: Scene) -> None:
    await scene.give(daily())
    await scene.at("2026-11-27T08:00")
    await scene.at("2037-05-01T08:00")
    assert len(scene.writes) == 2
    await scene.at("2026-11-27T08:01")
    assert len(scene.writes) == 2
    await scene.start()
    await scene.at("2026-11-28T08:00")
    assert len(scene.writes) == 3
    await scene.at("2037-05-01T08:00:30")
    assert len(scene.writes) == 3


@pytest.mark.clause("C-174")
async def test_while_the_clock_is_not_set_nothing_is_made(scene: Scene) -> None:
    scene.clock.wall_ms = 0
    await scene.give(daily(late_min=30))
    await scene.look()
    assert scene.runner.rows()[0].next_ms is None
    await scene.at("1970-01-02T08:00")
    assert scene.runs() == []
    await scene.at("2026-11-27T08:20")
    assert (scene.writes, scene.planned()) == (ONE_WRITE, [(ms("2026-11-27T08:00"), 0)])


@pytest.mark.parametrize(
    ("day", "runs"),
    [
        ("2026-03-29", ["2026-03-29T03:00"]),  # the clocks go from 02:00 to 03:00
        ("2026-10-25", ["2026-10-25T02:30"]),  # and from 03:00 back to 02:00
    ],
)
async def test_a_day_without_or_with_twice_the_time_has_one_run(
    scene: Scene, day: str, runs: list[str]
) -> None:
    scene.clock.show(f"{day}T00:00")
    await scene.give(daily(1, "02:30", late_min=5), after=f"{day}T00:00")
    for _ in range(6 * 60):
        await scene.clock.sleep(60)
        await scene.look()
    assert scene.planned() == [(ms(each), 0) for each in runs]


async def test_holidays_are_known_without_the_cloud(scene: Scene) -> None:
    await scene.give(daily(off=["2026-11-27"], weekdays=[5], on=["2026-11-28"]))
    await scene.at("2026-11-27T08:00")
    assert scene.writes == []
    await scene.at("2026-11-28T08:00")
    assert scene.planned() == [(ms("2026-11-28T08:00"), 0)]


@pytest.mark.clause("C-177")
async def test_a_task_begins_where_the_cloud_was_and_says_where_it_stopped(scene: Scene) -> None:
    scene.clock.show("2026-11-27T08:00:05")
    await scene.give(daily(late_min=60), after="2026-11-27T08:00:01")
    await scene.look()
    assert scene.writes == [], "the cloud has made it"
    await scene.at("2026-11-28T08:00")
    assert len(scene.writes) == 1
    await scene.give()
    (state,) = scene.report().states
    assert (state.task, state.after_ms) == (1, ms("2026-11-28T08:00"))
    await scene.start()
    assert scene.report().states == [state], "also after a restart"
    assert [run.task for run in scene.runs()] == [1], "and what it did is told"


@pytest.mark.clause("C-177")
async def test_tasks_are_confirmed_when_runs_of_those_before_have_ended(scene: Scene) -> None:
    before = await scene.give(daily())
    assert scene.report().hash == before
    scene.hold["pump"] = asyncio.Event()
    await scene.at("2026-11-27T08:00")
    after = await scene.give(daily(2))
    assert scene.report().hash == before
    scene.hold.pop("pump").set()
    await scene.ends()
    assert scene.report().hash == after
    assert scene.runner.changed.is_set()


async def test_a_changed_task_does_not_repeat_what_it_did_before(scene: Scene) -> None:
    await scene.give(daily())
    await scene.at("2026-11-27T08:00:05")
    changed = daily(writes=[TaskWrite(slave="pump", point="speed", value=6)], late_min=60)
    await scene.give(changed, after="2026-11-27T07:59:59")
    await scene.at("2026-11-27T08:00:10")
    assert scene.writes == ONE_WRITE


@pytest.mark.clause("C-178")
async def test_a_slave_that_does_not_answer_keeps_the_others_from_nothing(scene: Scene) -> None:
    writes = [
        SPEED,
        TaskWrite(slave="pump", point="other", value=6),
        TaskWrite(slave="valve", point="lift", value=7),
    ]
    await scene.give(daily(writes=writes))
    scene.hold["pump"] = asyncio.Event()
    await scene.at("2026-11-27T08:00")
    await until(lambda: len(scene.writes) == 2)
    assert scene.writes == [("pump.speed", 5), ("valve.lift", 7)]
    scene.hold.pop("pump").set()
    await scene.ends()
    assert scene.writes[2:] == [("pump.other", 6)]
    (run,) = scene.runs()
    assert [each.point for each in run.results] == ["speed", "other", "lift"]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (("fail", "no_answer", Outcome.UNKNOWN), "unknown"),
        (("fail", "mismatch", Outcome.FAILED), "failed"),
        (("error", "", Outcome.FAILED), "failed"),
    ],
)
async def test_what_went_wrong_is_told(scene: Scene, answer: tuple[str, str, Outcome], outcome: str) -> None:
    scene.answer = answer
    await scene.give(daily())
    await scene.at("2026-11-27T08:00")
    (result,) = scene.runs()[0].results
    assert (result.outcome, result.code) == (outcome, answer[1] or "failed")


@pytest.mark.clause("C-175")
async def test_runs_wait_until_the_cloud_holds_them_and_come_in_their_order(scene: Scene) -> None:
    schedule = Schedule(kind=TaskKind.CYCLIC, zone=ZONE, interval_min=1)
    await scene.give(EdgeTask(id=1, version=1, schedule=schedule, writes=[SPEED]))
    for _ in range(MAX_TASK_RUNS + 2):
        await scene.clock.sleep(60)
        await scene.look()
    report = scene.report()
    assert [run.seq for run in report.results] == list(range(1, MAX_TASK_RUNS + 1))
    scene.runner.acknowledged(report)
    await scene.runner._forget()
    assert [run.seq for run in scene.runs()] == [MAX_TASK_RUNS + 1, MAX_TASK_RUNS + 2]
    scene.runner.acknowledged(scene.report())
    await scene.runner._forget()
    await scene.start()
    assert scene.runs() == []
    last = scene.runner.rows()[0].last
    assert last is not None
    assert last.seq == MAX_TASK_RUNS + 2, "the newest stays for the gateway's page"


@pytest.mark.clause("C-175")
async def test_of_too_many_that_wait_the_oldest_go_and_are_counted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (memory_tasks, sqlite_tasks):
        monkeypatch.setattr(module, "MAX_WAITING_RUNS", 3)
    schedule = Schedule(kind=TaskKind.CYCLIC, zone=ZONE, interval_min=1)
    await scene.give(EdgeTask(id=1, version=1, schedule=schedule, writes=[SPEED]))
    for _ in range(5):
        await scene.clock.sleep(60)
        await scene.look()
    assert [run.seq for run in scene.runs()] == [3, 4, 5]
    assert scene.report().dropped == 2


async def test_only_so_many_runs_go_on_at_a_time(scene: Scene) -> None:
    await scene.give(*(daily(number) for number in range(1, MAX_RUNNING + 3)))
    scene.hold["pump"] = asyncio.Event()
    scene.clock.show("2026-11-27T08:00")
    await scene.runner.look()
    await until(lambda: len(scene.writes) == MAX_RUNNING)
    await scene.runner.look()
    assert len(scene.runner._running) == MAX_RUNNING
    scene.hold.pop("pump").set()
    await scene.ends()
    await scene.look()
    assert len(scene.writes) == MAX_RUNNING + 2


@pytest.mark.clause("C-170")
async def test_a_cloud_that_runs_them_itself_ends_them(scene: Scene) -> None:
    await scene.give(daily())
    await scene.runner.withdraw()
    await scene.at("2026-11-27T08:00")
    assert (scene.writes, scene.report().hash, scene.runner.rows()) == ([], tasks_hash([]), [])


async def test_the_loop_looks_and_forgets(scene: Scene) -> None:
    await scene.give(daily())
    scene.clock.show("2026-11-27T08:00")
    running = asyncio.create_task(scene.runner.run())
    await until(lambda: bool(scene.runs()))
    scene.runner.acknowledged(scene.report())
    await until(lambda: not scene.runner._acknowledged)
    running.cancel()
    await asyncio.wait({running})
    assert (len(scene.writes), await scene.store.tasks.waiting(1)) == (1, [])
