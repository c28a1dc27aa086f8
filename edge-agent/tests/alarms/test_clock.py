"""Rules while the gateway's clock is set forward, back, or not at all."""

from __future__ import annotations

import pytest

from edge_contract.alarms.rule import Unchanged

from .conftest import BEGIN_MS, HOT, Scene, above, of

pytestmark = pytest.mark.clause("C-168")


@pytest.mark.parametrize("by_ms", [3_600_000, -3_600_000])
async def test_a_delay_goes_on_by_the_time_that_passed(scene: Scene, by_ms: int) -> None:
    await scene.give(above(90, on_delay_s=10))
    await scene.value(95)
    scene.clock.wall_ms += by_ms
    await scene.value(96, seconds=5)
    assert await scene.shown() == []
    await scene.look(7)
    (raised,) = await scene.events()
    assert (raised.t_ms, raised.since_ms) == (BEGIN_MS + by_ms + 11_000, BEGIN_MS + by_ms + 1000)


async def test_a_clock_that_is_put_back_blinds_nothing_and_ends_what_was_raised(scene: Scene) -> None:
    await scene.give(above(90))
    await scene.value(95)
    scene.clock.wall_ms -= 3_600_000
    await scene.value(80)
    raised, cleared = await scene.events()
    assert (cleared.kind.value, cleared.raised_ms) == ("cleared", raised.raised_ms)


async def test_without_a_set_clock_events_wait_and_get_their_times(scene: Scene) -> None:
    scene.clock.wall_ms = 1000
    await scene.kill()
    await scene.give(above(90))
    await scene.value(95)
    await scene.value(80)
    await scene.value(96)
    assert await scene.runner.waiting("0" * 16) is None, "their times are worth nothing yet"
    scene.clock.wall_ms = BEGIN_MS
    await scene.value(80)
    report = await scene.runner.waiting("0" * 16)
    assert report is not None
    assert [(each.kind.value, each.t_ms - BEGIN_MS, each.uncertain) for each in report.events] == [
        ("raised", 1000, True), ("cleared", 2000, True), ("raised", 3000, True), ("cleared", 4000, False),
    ]  # fmt: skip
    assert report.events[3].raised_ms == report.events[2].t_ms, "it is named as it was told"


async def test_a_start_with_an_unset_clock_goes_on_where_it_was(scene: Scene) -> None:
    await scene.give(of(Unchanged(signal=HOT, duration_s=100.0)))
    await scene.value(10)
    await scene.look(50)
    scene.clock.wall_ms = 1000
    await scene.stop()
    await scene.look(52)
    scene.clock.wall_ms = BEGIN_MS
    await scene.look(1)
    report = await scene.runner.waiting("0" * 16)
    assert report is not None
    assert [each.kind.value for each in report.events] == ["raised"]
