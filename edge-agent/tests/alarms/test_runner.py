"""Rules at the gateway: events with true times, over restarts, other configurations and other rules."""

from __future__ import annotations

import msgspec
import pytest

from edge_agent.model import Quality
from edge_contract.alarms.engine import Engine
from edge_contract.alarms.rule import NotConnected, SingleChange, Unchanged
from edge_contract.edge_rules import Rules, connection_signal, point_signal
from edge_contract.errors import PayloadError

from .conftest import BEGIN_MS, HOT, PRESSURE, TEMPERATURE, Scene, above, of


@pytest.mark.clause("C-164", "C-165")
async def test_events_have_the_times_of_their_samples(scene: Scene) -> None:
    await scene.give(above(90, deadband=5, on_delay_s=2))
    for value in (80, 91, 92, 93, 86, 85):
        await scene.value(value)
    assert await scene.shown() == [("raised", 4), ("cleared", 6)]
    raised, cleared = await scene.events()
    assert (raised.seq, raised.rule, raised.version, raised.value) == (1, 1, 1, 91)
    assert raised.since_ms == BEGIN_MS + 2000
    assert (cleared.seq, cleared.raised_ms, cleared.value) == (2, raised.raised_ms, 85)


@pytest.mark.clause("C-164")
async def test_a_delay_ends_without_a_sample_at_its_moment(scene: Scene) -> None:
    await scene.give(above(90, on_delay_s=5))
    await scene.value(95)
    await scene.look(5.5)
    assert await scene.shown() == []
    await scene.look(1)
    assert await scene.shown() == [("raised", 6)]


@pytest.mark.clause("C-164")
async def test_a_slave_that_does_not_answer(scene: Scene) -> None:
    await scene.give(of(NotConnected(signal=connection_signal("boiler"))))
    for is_connected in (True, False, True):
        scene.connected["boiler"] = is_connected
        await scene.look(1)
    assert await scene.shown() == [("raised", 2), ("cleared", 3)]


@pytest.mark.clause("C-161")
async def test_equal_rules_change_nothing_and_others_end_an_alarm(scene: Scene) -> None:
    await scene.give(above(90))
    await scene.value(95)
    await scene.give(above(90))
    assert await scene.shown() == [("raised", 1)]
    await scene.give(above(97, version=2))
    assert [(event.kind.value, event.cause) for event in await scene.events()][1:] == [
        ("ended", "rule_changed")
    ]
    with pytest.raises(PayloadError, match="hash"):
        await scene.runner.take(Rules(hash="0" * 64, rules=[above(1)]))


@pytest.mark.clause("C-163")
async def test_an_alarm_that_stands_comes_with_its_rule_and_goes_with_it(scene: Scene) -> None:
    """The cloud has raised it; here it is not raised again, and it ends here."""
    rule = above(90)
    elsewhere = Engine([rule.rule], None, BEGIN_MS - 5000)
    elsewhere.feed(BEGIN_MS - 1000, [HOT], [95.0])
    await scene.give(rule, state=elsewhere.state())
    await scene.value(96)
    assert await scene.shown() == []
    await scene.value(80)
    (cleared,) = await scene.events()
    assert (cleared.kind.value, cleared.raised_ms) == ("cleared", BEGIN_MS - 1000)
    await scene.value(95)
    await scene.give(returned=[1])
    assert [kind for kind, _ in await scene.shown()] == ["cleared", "raised"], "it goes on in the cloud"


@pytest.mark.clause("C-163")
async def test_what_came_while_the_rule_was_under_way_counts(scene: Scene) -> None:
    rule = above(90)
    elsewhere = Engine([rule.rule], None, BEGIN_MS - 5000)
    elsewhere.feed(BEGIN_MS, [HOT], [80.0])
    await scene.value(95)
    await scene.give(rule, state=elsewhere.state())
    assert await scene.shown() == [("raised", 1)]


async def test_a_new_rule_begins_with_the_newest_value(scene: Scene) -> None:
    await scene.value(95)
    await scene.look(10)
    await scene.give(above(90))
    (raised,) = await scene.events()
    assert raised.t_ms == scene.clock.now_ms(), "never before it was made"


@pytest.mark.clause("C-162", "C-169")
async def test_a_configuration_without_the_point_ends_its_alarm(scene: Scene) -> None:
    await scene.give(above(90), above(5, rule=2, signal=point_signal("boiler", "pressure")))
    await scene.value(95)
    del scene.numbers[TEMPERATURE]
    await scene.stop()
    await scene.look()
    assert [(event.kind.value, event.cause) for event in await scene.events()] == [
        ("raised", ""), ("ended", "point_removed"),
    ]  # fmt: skip
    (problem,) = scene.runner.report().problems
    assert (problem.rule, problem.code, problem.detail) == (1, "no_such_point", "boiler.temperature")
    await scene.value(6, PRESSURE)
    assert (await scene.events())[-1].rule == 2
    scene.numbers[TEMPERATURE] = 1
    await scene.stop()
    assert scene.runner.report().problems == []
    await scene.value(95)
    assert (await scene.events())[-1].kind.value == "raised"


@pytest.mark.clause("C-161", "C-164")
@pytest.mark.parametrize("at", range(9))
@pytest.mark.parametrize("is_killed", [False, True])
async def test_a_restart_at_any_sample_changes_nothing(scene: Scene, at: int, is_killed: bool) -> None:
    await scene.give(above(90, deadband=5, on_delay_s=2, off_delay_s=1, again_s=3))
    for place, value in enumerate((80, 91, 92, 93, 94, 95, 80, 81, 82)):
        await scene.value(value)
        if place == at:
            await (scene.kill() if is_killed else scene.stop())
    await scene.look(3)
    assert await scene.shown() == [("raised", 4), ("again", 7), ("cleared", 8)]


@pytest.mark.clause("C-164")
async def test_a_restart_keeps_what_jumps_remember(scene: Scene) -> None:
    await scene.give(of(SingleChange(signal=HOT, magnitude=5.0)))
    await scene.value(10)
    await scene.stop()
    await scene.value(20)
    assert await scene.shown() == [("raised", 2)]


@pytest.mark.clause("C-164")
async def test_time_without_the_agent_is_time_without_values(scene: Scene) -> None:
    await scene.give(of(Unchanged(signal=HOT, duration_s=100.0)))
    await scene.value(10)
    await scene.stop(off_s=3600)
    await scene.value(10)
    await scene.look(50)
    assert await scene.shown() == []
    await scene.look(52)
    assert [kind for kind, _ in await scene.shown()] == ["raised"]


async def test_a_value_that_is_missing_neither_raises_nor_ends(scene: Scene) -> None:
    await scene.give(above(90))
    await scene.value(95)
    await scene.value(None, quality=Quality.DEVICE_OFFLINE)
    assert [kind for kind, _ in await scene.shown()] == ["raised"]


async def test_a_state_that_only_moved_on_is_saved_each_ten_seconds(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.give(above(90))
    states: list[bytes] = []
    record = scene.store.rules.record

    async def counted(state: bytes, *others: object) -> list[int]:
        states.append(state)
        return await record(state, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(scene.store.rules, "record", counted)
    for value in range(60):
        await scene.value(value)
    assert 5 <= len(states) <= 7


async def test_what_is_acknowledged_goes_and_numbers_are_never_used_again(scene: Scene) -> None:
    await scene.give(above(90))
    for value in (95, 80, 96):
        await scene.value(value)
    await scene.runner.acknowledged(2)
    assert [event.seq for event in await scene.events()] == [3]
    await scene.stop()
    await scene.runner.acknowledged(3)
    await scene.value(80)
    assert [event.seq for event in await scene.events()] == [4]
    assert [event.seq for event in await scene.store.rules.newest(2)] == [4, 3]


@pytest.mark.clause("C-169")
async def test_beyond_the_bound_the_oldest_go_and_are_counted(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.give(above(90))
    await scene.value(95)
    (event,) = await scene.events()
    size = len(msgspec.json.encode(event))
    for module in ("rules", "memory_rules"):
        monkeypatch.setattr(f"edge_agent.store.{module}.MAX_EVENT_BYTES", 20 * size)
    monkeypatch.setattr("edge_agent.store.rules.FEW", 0)
    for _ in range(20):
        await scene.value(80)
        await scene.value(95)
    waiting = await scene.runner.waiting("0" * 16)
    assert waiting is not None
    assert waiting.events[-1].seq == 41
    assert waiting.dropped == 41 - len(waiting.events) > 15


async def test_a_cloud_that_evaluates_itself_ends_the_rules(scene: Scene) -> None:
    await scene.give(above(90))
    await scene.value(95)
    await scene.runner.withdraw()
    await scene.value(80)
    assert [kind for kind, _ in await scene.shown()] == ["raised"]
    assert scene.runner.open_alarms() == []
