"""No wrong clock deletes anything, and a right one is believed soon."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from cloud.domains.retention.schemas import RetentionBody
from cloud.domains.retention.trusted_clock import AHEAD_S, TrustedClock, confirmed
from cloud.link.models import LinkBatch
from cloud.timeseries.base import SeriesColumn

from ...conftest import ADMIN, Clock
from .test_retention import DAY_MS, Scene, days, scene

__all__ = ["scene"]

AHEAD_DAYS = 100


async def test_a_clock_that_is_ahead_after_a_start_deletes_nothing(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    await scene.service.put(ADMIN, RetentionBody(kept=days(5, 9, 9, 9, 9)))
    await scene.service.apply()
    assert await scene.left() == [5, 5]
    right = scene.services.clock()
    scene.services.clock.pass_s(AHEAD_DAYS * 86_400)
    service = scene.started()
    for _ in range(3):
        await service.apply()
        await scene.hears(right + 10_000)  # the gateways' clocks are right
        scene.pass_s(25)
    assert await scene.left() == [5, 5]
    hours = await scene.store.buckets(scene.dsids[0], 0, 2**50 // 3_600_000 * 3_600_000, 3_600_000)
    assert sum(hour.count for hour in hours) == 216
    assert (await service.all(ADMIN)).clock_ahead_ms // DAY_MS in (AHEAD_DAYS - 1, AHEAD_DAYS)
    assert AHEAD_S._value.get() > 99 * 86_400
    assert caplog.text.count("ahead of what the gateways confirm") == 1
    told = await service.effect(ADMIN, RetentionBody(kept=days(4, 9, 9, 9, 9)))
    assert [loss.before_ms for loss in told.losses] == [right // DAY_MS * DAY_MS - 4 * DAY_MS]
    scene.services.clock.now = right + 75_000
    await service.apply()
    assert (await service.all(ADMIN)).clock_ahead_ms == AHEAD_S._value.get() == 0
    await scene.store.write([SeriesColumn(dsid, [right], [1.0], [0]) for dsid in scene.dsids])
    assert [await scene.store.count(dsid, right, right + 1) for dsid in scene.dsids] == [1, 1]


async def test_a_cloud_that_was_off_for_long_deletes_once_a_gateway_tells_the_time(scene: Scene) -> None:
    await scene.service.put(ADMIN, RetentionBody(kept=days(5, 0, 0, 0, 0)))
    await scene.service.apply()
    scene.services.clock.pass_s(AHEAD_DAYS * 86_400)
    service = scene.started()
    await service.apply()
    assert await scene.left() == [5, 5]
    await scene.hears(scene.services.clock() - 99 * DAY_MS)  # what it could not send meanwhile comes first
    await service.apply()
    assert await scene.left() == [4, 4]
    await scene.hears(scene.services.clock())
    await service.apply()
    assert await scene.left() == [0, 0]
    assert (await service.all(ADMIN)).clock_ahead_ms == 0


async def test_nothing_is_deleted_while_nobody_ever_told_the_time(scene: Scene) -> None:
    async with scene.services.database.session() as session:
        await session.execute(delete(LinkBatch))
        await session.commit()
    await scene.service.put(ADMIN, RetentionBody(kept=days(1, 1, 1, 1, 1)))
    await scene.service.apply()
    assert await scene.left() == [10, 10]
    await scene.hears(scene.services.clock())
    await scene.service.apply()
    assert await scene.left() == [1, 1]


async def test_kept_for_ever_again_what_comes_late_is_kept(scene: Scene) -> None:
    await scene.service.put(ADMIN, RetentionBody(kept=days(1, 1, 1, 1, 1)))
    await scene.service.apply()
    await scene.service.put(ADMIN, RetentionBody(kept=None))
    await scene.service.apply()
    late = scene.services.clock() // DAY_MS * DAY_MS - 5 * DAY_MS
    await scene.store.write([SeriesColumn(dsid, [late], [1.0], [0]) for dsid in scene.dsids])
    await scene.store.drain()
    assert [await scene.store.count(dsid, late, late + 1) for dsid in scene.dsids] == [1, 1]


def test_clocks_that_jump_while_it_runs() -> None:
    clock, ran = Clock(), [0.0]
    start = clock()
    time = TrustedClock(clock, lambda: ran[0])
    assert time.read([]).ms is None
    assert time.read([start]).ms == start
    clock.pass_s(86_400 * AHEAD_DAYS)
    ran[0] += 60
    assert time.read([start]).ms == start + 60_000
    assert time.read([start + 90_000]).ms == start + 90_000  # a gateway tells more
    clock.now = start - 50 * DAY_MS
    assert time.read([start]).ms == clock.now  # behind: less goes
    clock.now = start + 200_000
    assert time.read([start + 190_000]).ms == start + 190_000
    ran[0] += 30
    assert time.read([start]).ms == clock.now


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([], None),
        ([5], None),  # of a clock that was never set
        ([5, 2_000_000_000_000], 2_000_000_000_000),
        ([1_790_000_000_000, 2_000_000_000_000], 1_790_000_000_000),
        ([1_790_000_000_000, 1_790_000_000_007, 2_000_000_000_000], 1_790_000_000_007),
        ([1_590_000_000_000, 1_790_000_000_000, 1_790_000_000_007], 1_790_000_000_000),
    ],
)
def test_one_gateway_decides_nothing(told: list[int], expected: int | None) -> None:
    assert confirmed(told) == expected
