"""A rule over what is stored: the alarms that there would have been."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from cloud.domains.inventory.models import DataPoint, OnOfflineLog
from cloud.domains.triggers import backtest
from cloud.domains.triggers.schemas import BacktestBody, BacktestRow
from cloud.errors import Busy, NotFound, ParameterError
from cloud.timeseries.base import SeriesColumn

from .conftest import GUEST, PLANT, Scene

T0 = 1_789_000_000_000


def body(scene: Scene, *conditions: dict[str, Any], minutes: int = 60, **rule: Any) -> BacktestBody:
    words = {"title": "too hot", "conditions": conditions or [scene.above(90)], **rule}
    return BacktestBody.model_validate({"rule": words, "start_ms": T0, "end_ms": T0 + minutes * 60_000})


async def stored(scene: Scene, values: list[float | None], point: int = 0, step_s: int = 10) -> None:
    times = [T0 + 1000 * step_s * at for at in range(len(values))]
    qualities = [0 if value is not None else 5 for value in values]
    await scene.series.write([SeriesColumn(scene.points[point], times, values, qualities)])


def seconds(found: BacktestRow) -> list[tuple[int, int | None]]:
    return [
        (
            (one.raised_ms - T0) // 1000,
            None if one.cleared_ms is None else (one.cleared_ms - T0) // 1000,
        )
        for one in found.episodes
    ]


async def test_alarms_with_their_times_and_values(scene: Scene) -> None:
    await stored(scene, [80, 95, 80, 80, 91, 92, 93, 80, 99])
    found = await scene.trials.backtest(PLANT, body(scene))
    assert seconds(found) == [(10, 20), (40, 70), (80, None)]
    assert [one.value for one in found.episodes] == [95, 91, 99]
    assert (found.count, found.short, found.samples) == (3, 1, 9)
    assert found.upto_ms == T0 + 3_600_000
    assert found.raised_ms == (10 + 30) * 1000 + (3_600_000 - 80_000)


async def test_a_delay_and_a_deadband_make_it_quiet(scene: Scene) -> None:
    await stored(scene, [89, 91, 89, 91, 89, 91, 91, 91, 80])
    assert (await scene.trials.backtest(PLANT, body(scene))).count == 3
    quiet = await scene.trials.backtest(PLANT, body(scene, scene.above(90, deadband=2), delay_s=15))
    assert seconds(quiet) == [(25, 80)]


async def test_points_of_several_gateways_by_time(scene: Scene) -> None:
    await stored(scene, [95, 95, 80, 95], step_s=10)
    await stored(scene, [10, 60, 60, 60], point=2, step_s=15)
    conditions = scene.above(90), scene.above(50, point=2)
    found = await scene.trials.backtest(PLANT, body(scene, *conditions, logic=2))
    assert seconds(found) == [(15, 20), (30, None)]


async def test_silent_slaves_by_the_log(scene: Scene) -> None:
    device, slave = scene.devices[1], scene.slaves[-1]
    async with scene.database.session() as session:
        for begin_s, end_s in ((-50, 30), (100, 160), (3000, None)):
            end_ms = None if end_s is None else T0 + end_s * 1000
            session.add(
                OnOfflineLog(
                    device_id=device,
                    slave_id=slave,
                    offline_ms=T0 + begin_s * 1000,
                    online_ms=end_ms,
                    reason="x",
                )
            )
        await session.commit()
    found = await scene.trials.backtest(PLANT, body(scene, {"type": 5, "slave_id": slave}))
    assert seconds(found) == [(0, 30), (100, 160), (3000, None)]


async def test_it_reads_page_by_page(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.domains.triggers.stored.PAGE_SAMPLES", 3)
    await stored(scene, [80, 95] * 10)
    found = await scene.trials.backtest(PLANT, body(scene))
    assert (found.count, found.samples) == (10, 20)


async def test_too_much_ends_where_it_is(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backtest, "PATIENCE_S", -1.0)
    monkeypatch.setattr(backtest, "ROWS_AT_ONCE", 5)
    await stored(scene, [80, 95] * 10)
    found = await scene.trials.backtest(PLANT, body(scene))
    assert (found.samples, found.upto_ms) == (5, T0 + 40_000)


async def test_only_what_is_seen_and_says_something(scene: Scene) -> None:
    with pytest.raises(NotFound):
        await scene.trials.backtest(GUEST, body(scene))
    with pytest.raises(ParameterError, match="end_ms"):
        await scene.trials.backtest(PLANT, body(scene, minutes=-1))
    with pytest.raises(ParameterError, match="clear"):
        await scene.trials.backtest(PLANT, body(scene, scene.above(90, clear=95)))


async def test_one_at_a_time(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.domains.triggers.trying.TRY_WAIT_S", 0.01)
    async with scene.trials._trying:
        with pytest.raises(Busy):
            await scene.trials.backtest(PLANT, body(scene))


async def test_how_everything_is_at_the_end(scene: Scene) -> None:
    """By the same engine: within the deadband it still holds."""
    await stored(scene, [80, 95, 88])
    conditions = (scene.above(90, deadband=5), scene.above(90, point=1))
    one = await scene.trials.backtest(PLANT, body(scene, *conditions, logic=1))
    assert (one.holds, [(each.is_true, each.value, each.t_ms) for each in one.at_end]) == (
        True, [(True, 88, T0 + 20_000), (False, None, None)],
    )  # fmt: skip
    both = await scene.trials.backtest(PLANT, body(scene, *conditions, logic=2))
    assert not both.holds
    waiting = await scene.trials.backtest(PLANT, body(scene, *conditions, logic=1, delay_s=86_400))
    assert (waiting.count, waiting.holds) == (0, True)
    cleared = await scene.trials.backtest(PLANT, body(scene, scene.above(90), off_delay_s=86_400))
    assert (cleared.count, cleared.holds) == (1, False)


async def test_a_value_that_stands_since_before_counts(scene: Scene) -> None:
    await scene.series.write([SeriesColumn(scene.points[0], [T0 - 60_000], [95.0], [0])])
    found = await scene.trials.backtest(PLANT, body(scene))
    assert (seconds(found), found.holds, found.at_end[0].t_ms) == ([(0, None)], True, T0 - 60_000)


async def covered(scene: Scene, found: BacktestRow) -> list[tuple[float, int]]:
    return [(round(row.covered, 3), row.samples) for row in found.coverage]


async def test_it_says_how_much_it_had(scene: Scene) -> None:
    """Every reading of the point is stored, each second: a sample counts for 8 s."""
    nothing = await scene.trials.backtest(PLANT, body(scene, minutes=1))
    assert (await covered(scene, nothing), nothing.level) == ([(0.0, 0)], "raw")
    assert nothing.coverage[0].from_ms is None
    await stored(scene, [80, 80, None, 80], step_s=6)
    found = await scene.trials.backtest(PLANT, body(scene, minutes=1))
    assert await covered(scene, found) == [(round((12 + 8) / 60, 3), 4)]
    assert found.coverage[0].from_ms == T0
    both = await scene.trials.backtest(
        PLANT, body(scene, scene.above(90), scene.above(90, point=1), minutes=1)
    )
    assert [row.covered > 0 for row in both.coverage] == [True, False]
    assert [row.dsid for row in both.coverage] == scene.points[:2]


async def test_what_is_stored_on_change_holds_while_gateway_and_slave_are_there(scene: Scene) -> None:
    async with scene.database.session() as session:
        await session.execute(update(DataPoint).values(record=2))
        for slave, begin_s, end_s in ((None, 10, 20), (scene.slaves[0], 15, 30), (None, 50, None)):
            session.add(
                OnOfflineLog(
                    device_id=scene.devices[0],
                    slave_id=slave,
                    offline_ms=T0 + begin_s * 1000,
                    online_ms=None if end_s is None else T0 + end_s * 1000,
                    reason="x",
                )
            )
        await session.commit()
    await scene.series.write([SeriesColumn(scene.points[0], [T0 - 60_000], [95.0], [0])])
    found = await scene.trials.backtest(PLANT, body(scene, minutes=1))
    assert (await covered(scene, found), found.count) == ([(0.5, 0)], 1)


async def test_time_of_which_only_rollups_are_left_is_named(scene: Scene) -> None:
    day_ms = 86_400_000
    begin = T0 // day_ms * day_ms
    times = [begin + day_ms // 2, begin + day_ms * 3 // 2]
    await scene.series.write([SeriesColumn(scene.points[0], times, [95.0, 80.0], [0, 0])])
    rule = {"title": "too hot", "conditions": [scene.above(90)]}
    asked = BacktestBody.model_validate({"rule": rule, "start_ms": begin, "end_ms": begin + 2 * day_ms})
    assert [row.rolled_up for row in (await scene.trials.backtest(PLANT, asked)).coverage] == [False]
    await scene.series.drain()
    await scene.series.delete_before(scene.points[0], begin + day_ms)
    found = await scene.trials.backtest(PLANT, asked)
    assert ([row.rolled_up for row in found.coverage], found.count) == ([True], 0)
