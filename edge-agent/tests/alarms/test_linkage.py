"""What rules have written: once, in time, and told."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED, LINKAGE_WINDOW_MS, MAX_LINKAGE_RUNS
from edge_contract.model import Value
from edge_contract.payloads import Command, CommandResult

from .conftest import Scene, above, writing

pytestmark = pytest.mark.clause("C-167")


async def carried_out(scene: Scene) -> None:
    """Let the linkages run until none waits."""
    task = asyncio.create_task(scene.linkages.run())
    for _ in range(1000):
        if not await scene.store.rules.linkages():
            break
        await asyncio.sleep(0.001)
    task.cancel()
    await asyncio.wait([task])


async def results(scene: Scene) -> list[tuple[str, str, Value, str, str, Value]]:
    """Of the writes of the newest event."""
    return [
        (each.slave, each.point, each.value, each.outcome, each.code, each.read)
        for each in (await scene.events())[-1].results
    ]


async def test_a_linkage_is_written_and_told(scene: Scene) -> None:
    await scene.give(above(90, linkages=[writing(4.0), writing(7.0, on="cleared")]))
    await scene.value(95)
    await carried_out(scene)
    await scene.value(80)
    await carried_out(scene)
    assert scene.writes == [
        ("boiler.pressure", 4.0, "rule 1 (too hot)"), ("boiler.pressure", 7.0, "rule 1 (too hot)"),
    ]  # fmt: skip
    kinds = [(each.kind.value, each.on, each.preset, each.code) for each in await scene.events()]
    assert kinds == [
        ("raised", None, None, ""), ("linkage", "raised", 3, ""),
        ("cleared", None, None, ""), ("linkage", "cleared", 3, ""),
    ]  # fmt: skip
    assert await results(scene) == [("boiler", "pressure", 7.0, "done", "", 6.5)]


async def test_what_the_device_does_not_take_is_told(scene: Scene) -> None:
    scene.answer = "fail"
    await scene.give(above(90, linkages=[writing(4.0)]))
    await scene.value(95)
    await carried_out(scene)
    assert (await scene.events())[-1].code == "mismatch"
    assert await results(scene) == [("boiler", "pressure", 4.0, "failed", "mismatch", 6.5)]


async def test_one_that_was_noted_is_carried_out_after_a_kill(scene: Scene) -> None:
    await scene.give(above(90, linkages=[writing(4.0)]))
    await scene.value(95)
    await scene.kill(off_s=5)
    await carried_out(scene)
    assert len(scene.writes) == 1
    assert (await scene.events())[-1].code == ""


async def test_one_that_was_begun_is_not_begun_again(scene: Scene) -> None:
    await scene.give(above(90, linkages=[writing(4.0)]))
    await scene.value(95)
    begun = asyncio.Event()

    async def stuck(command: Command, who: str) -> CommandResult:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    scene.linkages._execute = stuck
    task = asyncio.create_task(scene.linkages.run())
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])
    await scene.kill()
    await carried_out(scene)
    assert scene.writes == []
    assert (await scene.events())[-1].code == "interrupted"
    assert await results(scene) == [("boiler", "pressure", 4.0, "unknown", "interrupted", None)]


async def test_one_that_is_late_is_not_carried_out(scene: Scene) -> None:
    await scene.give(above(90, linkages=[writing(4.0, expires_s=10)]))
    await scene.value(95)
    await scene.clock.sleep(11)
    await carried_out(scene)
    assert scene.writes == []
    assert (await scene.events())[-1].code == "expired"
    assert await results(scene) == [("boiler", "pressure", 4.0, "failed", "expired", None)]


async def test_an_alarm_of_the_time_without_the_agent_writes_nothing(scene: Scene) -> None:
    """Its delay ended an hour ago; what it answered to may be long over."""
    await scene.give(above(90, on_delay_s=30, linkages=[writing(4.0)]))
    await scene.value(95)
    await scene.stop(off_s=3600)
    await scene.look(1)
    await carried_out(scene)
    assert scene.writes == []
    assert [each.kind.value for each in await scene.events()] == ["raised", "linkage"]


async def test_linkages_that_answer_each_other_come_to_rest_over_restarts(scene: Scene) -> None:
    await scene.give(above(90, linkages=[writing(4.0), writing(7.0, on="cleared")]))
    for at in range(40):
        await scene.value(95 if at % 2 == 0 else 80)
        await carried_out(scene)
        if at == 30:
            await scene.kill()
    assert len(scene.writes) == MAX_LINKAGE_RUNS
    events = await scene.events()
    assert sum(each.kind.value == "raised" for each in events) == 20, "alarms go on"
    (limited,) = [each for each in events if each.code == LINKAGE_LIMITED]
    assert (limited.on, limited.preset, limited.left_out) == ("raised", 3, 1)
    await scene.look(LINKAGE_WINDOW_MS / 1000)
    last = (await scene.events())[-1]
    assert (last.code, last.t_ms, last.left_out) == (LINKAGE_LIMITED, limited.t_ms, 20)
    await scene.value(95)
    await carried_out(scene)
    assert len(scene.writes) == MAX_LINKAGE_RUNS + 1


async def test_a_rest_goes_on_by_the_time_that_passed_when_the_clock_is_set(scene: Scene) -> None:
    await scene.give(above(90, linkages=[writing(4.0)]))
    for at in range(2 * MAX_LINKAGE_RUNS + 2):
        await scene.value(95 if at % 2 == 0 else 80)
        await carried_out(scene)
    scene.clock.wall_ms += 86_400_000
    await scene.look(1)
    await scene.value(95)
    await carried_out(scene)
    assert len(scene.writes) == MAX_LINKAGE_RUNS
    assert len([each for each in await scene.events() if each.code == LINKAGE_LIMITED]) == 1


@pytest.mark.clause("C-165")
async def test_a_report_has_as_many_events_as_fit(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    await scene.give(above(90, linkages=[writing(4.0)]))
    for value in (95, 80, 95):
        await scene.value(value)
        await carried_out(scene)
    events = await scene.events()
    size = len(msgspec.json.encode(events[0])) + len(msgspec.json.encode(events[1]))
    for bound, count in ((size, 2), (size + 1, 2), (1, 1), (2**20, len(events))):
        monkeypatch.setattr("edge_agent.alarms.runner.MAX_EVENTS_BYTES", bound)
        report = await scene.runner.waiting("0" * 16)
        assert report is not None
        assert list(report.events) == events[:count]
