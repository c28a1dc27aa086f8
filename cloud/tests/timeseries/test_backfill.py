"""What comes when the samples of its time are deleted, and clocks that were wrong."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.timeseries.base import SampleBucket, SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries
from cloud.timeseries.metrics import TOO_LATE
from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS

from .conftest import Influxd
from .recomputed import DAY_MS, T0, Known, exact, reference
from .test_influx_rollups import connect
from .test_packed import inside, unpacked

HOUR_MS = 3_600_000
TODAY = T0 + 10 * DAY_MS


def column(times: list[int], value: float = 1.0) -> SeriesColumn:
    return SeriesColumn(1, times, [value] * len(times), [0] * len(times))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedTimeSeries]:
    made = EmbeddedTimeSeries(tmp_path / "ts.db")
    await made.start()
    yield made
    await made.close()


async def hours(store: EmbeddedTimeSeries, day: int) -> list[SampleBucket]:
    return await store.buckets(1, T0 + day * DAY_MS, T0 + (day + 1) * DAY_MS, HOUR_MS)


async def test_a_backlog_older_than_its_samples_are_kept_is_in_every_level(
    store: EmbeddedTimeSeries,
) -> None:
    await store.write([column([TODAY + 1000 * n for n in range(10)])])
    await store.delete_before(1, TODAY - DAY_MS)
    backlog = [T0 + 7 * DAY_MS + 15_000 * n for n in range(5000)]
    before = TOO_LATE.labels("added")._value.get()
    for part in (backlog[:1700], backlog[1700:], backlog[100:200], backlog):  # some is sent again
        await store.write([column(part)])
        await store.drain()
    assert TOO_LATE.labels("added")._value.get() - before == 5000
    assert await store.count(1, T0, TODAY) == 0
    assert [hour.count for hour in await hours(store, 7)] == [240] * 20 + [200]
    for width in ROLLUP_WIDTHS_MS:
        found = await store.buckets(1, T0, TODAY, width)
        assert sum(bucket.count for bucket in found) == 5000
    assert (await store.latest([1]))[1].t_ms == TODAY + 9000


async def test_a_few_late_samples_are_summed_up_at_once(store: EmbeddedTimeSeries) -> None:
    await store.write([column([TODAY])])
    await store.delete_before(1, TODAY)
    await store.write([column([T0 + 5, T0 + 6])])
    async with asyncio.timeout(30):
        while await unpacked(store):
            await store.count(1, T0, TODAY)
    assert [hour.count for hour in await hours(store, 0)] == [2]


async def test_what_a_stop_left_unpacked_is_summed_up_with_the_next_deletion(tmp_path: Path) -> None:
    for reopened in range(2):
        store = EmbeddedTimeSeries(tmp_path / "ts.db")
        await store.start()
        if not reopened:
            await store.write([column([TODAY])])
            await store.delete_before(1, TODAY)
            store._from_ms.clear()  # as if it stopped before it could
            await store.write([column([T0 + 5, T0 + 6])])
        else:
            assert await unpacked(store) == 3
            await store.delete_before(1, TODAY)
            assert [hour.count for hour in await hours(store, 0)] == [2]
        await store.close()


async def test_what_a_stop_left_unpacked_is_summed_up_after_the_start(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    await store.write([column([TODAY])])
    await store.delete_before(1, TODAY)
    store._from_ms.clear()  # as if it stopped before it could
    await store.write([column([T0 + 5, T0 + 6])])
    await store.close()
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    await store.write([SeriesColumn(2, [TODAY], [1.0], [0])])
    async with asyncio.timeout(30):
        while await unpacked(store):
            await store.count(1, T0, TODAY)
    assert [hour.count for hour in await hours(store, 0)] == [2]
    await store.close()


async def test_what_may_have_been_counted_is_refused_and_told(
    store: EmbeddedTimeSeries, caplog: pytest.LogCaptureFixture
) -> None:
    await store.write([column([T0 + 10_000, T0 + 50_000, TODAY], 5.0)])
    await store.delete_before(1, TODAY)
    before = TOO_LATE.labels("refused")._value.get()
    for _ in range(2):
        late = SeriesColumn(1, [T0 + 1, T0 + 30_000, T0 + 59_999], [1.0, 99.0, 7.0], [0] * 3)
        await store.write([late])
        await store.drain()
    (hour,) = await hours(store, 0)
    assert exact(hour) == (4, 1.0, 7.0, 1.0, 7.0)
    assert TOO_LATE.labels("refused")._value.get() - before == 4  # the middle one, and all three again
    assert caplog.text.count("too late") == 1


async def test_the_finest_level_that_is_left_takes_it(store: EmbeddedTimeSeries) -> None:
    times = [T0 + n * HOUR_MS for n in range(24)]
    await store.write([column([*times, TODAY])])
    await store.delete_before(1, TODAY)
    await store.delete_before(1, TODAY, ROLLUP_WIDTHS_MS[0])
    await store.write([column([T0 + 90 * 60_000, T0 + DAY_MS])])
    await store.drain()
    assert [hour.count for hour in await hours(store, 0)] == [1, 2, *[1] * 22]
    assert (
        await inside(store, f"SELECT count(*) FROM level WHERE width_ms = 60000 AND page < {TODAY // DAY_MS}")
        == 0
    )
    for width in ROLLUP_WIDTHS_MS:
        await store.delete_before(1, TODAY, width)
    await store.write([column([T0 + 5 * DAY_MS])])
    await store.drain()
    assert await store.buckets(1, T0, TODAY, DAY_MS) == []


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), parts=st.integers(1, 6))
def test_a_backlog_in_its_order_gives_what_its_samples_give(seed: int, parts: int) -> None:
    """Beside what was there before it, in whatever pieces, each sent twice."""
    asyncio.run(_in_its_order(random.Random(seed), parts))


async def _in_its_order(rng: random.Random, parts: int) -> None:
    with TemporaryDirectory() as folder:
        store = EmbeddedTimeSeries(Path(folder) / "ts.db", chunk=16)
        await store.start()
        outage = sorted(rng.sample(range(2 * DAY_MS), 2))
        known: Known = {
            T0 + t_ms: (float(rng.randint(-9, 9)), 0)
            for t_ms in rng.sample(range(2 * DAY_MS), 200) + rng.sample(range(600_000), 60)
        }
        late = sorted(t for t in known if outage[0] <= t - T0 < outage[1])
        first = [t for t in sorted(known) if t not in set(late)] + [TODAY]
        known[TODAY] = (0.0, 0)

        def of(times: list[int]) -> SeriesColumn:
            return SeriesColumn(1, times, [known[t][0] for t in times], [0] * len(times))

        await store.write([of(first)])
        await store.delete_before(1, TODAY)
        # its first and last minute hold what came in time on one side only
        for number in range(parts):
            piece = late[number * len(late) // parts : (number + 1) * len(late) // parts]
            for _ in range(2):
                await store.write([of(piece)])
                await store.drain()
        if outage[0] // 60_000 != outage[1] // 60_000:
            for width in ROLLUP_WIDTHS_MS:
                got = {b.start_ms: exact(b) for b in await store.buckets(1, T0, TODAY, width)}
                assert got == reference(known, T0, TODAY, T0, width)
        await store.close()


async def test_kept_longer_what_comes_is_kept(store: EmbeddedTimeSeries) -> None:
    old = [T0 + n * HOUR_MS for n in range(240)]
    await store.write([column([*old, TODAY])])
    await store.delete_before(1, TODAY - DAY_MS)
    for from_ms, taken in ((TODAY - 5 * DAY_MS, 10), (0, 20)):
        await store.delete_before(1, from_ms)
        late = [max(T0, from_ms) + HOUR_MS // 2 + n * HOUR_MS for n in range(10)]
        for _ in range(2):
            await store.write([column(late)])
            await store.drain()
        assert await store.count(1, T0, TODAY - DAY_MS) == taken
        assert [s.t_ms for s in await store.samples(1, T0, TODAY - DAY_MS, 10)] == late
    days = await store.buckets(1, T0, TODAY, DAY_MS)
    assert [day.count for day in days] == [34, 24, 24, 24, 24, 34, 24, 24, 24, 24]
    await store.delete_before(1, TODAY)
    assert await store.buckets(1, T0, TODAY, DAY_MS) == days


@pytest.mark.parametrize("levels", [(), ROLLUP_WIDTHS_MS])
async def test_after_a_clock_that_was_ahead_what_comes_is_kept(
    tmp_path: Path, levels: tuple[int, ...]
) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=20)
    await store.start()
    await store.write([column([TODAY + n for n in range(100)])])
    for width in (0, *levels):
        await store.delete_before(1, TODAY + 100 * DAY_MS, width)
    assert await store.count(1, T0, TODAY + DAY_MS) == 0
    await store.close()
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=20)
    await store.start()
    tomorrow = [TODAY + DAY_MS + n for n in range(100)]
    await store.write([column(tomorrow)])
    await store.drain()
    assert await store.count(1, T0, TODAY + 2 * DAY_MS) == 100
    for width in (0, *levels):
        await store.delete_before(1, TODAY, width)
    await store.write([column([TODAY + HOUR_MS + n for n in range(50)])])  # of the day that was lost
    await store.drain()
    assert await store.count(1, T0, TODAY + 2 * DAY_MS) == 150
    assert sum(day.count for day in await store.buckets(1, T0, TODAY + 9 * DAY_MS, DAY_MS)) == (
        100 if levels else 250
    )
    await store.close()


async def test_a_file_whose_limit_lies_in_the_future_is_put_right(tmp_path: Path) -> None:
    """As versions wrote it that took any clock's word."""
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=2)
    await store.start()
    await store.write([column([TODAY + n for n in range(50)])])
    await store.delete_before(1, TODAY)
    await store._writer.run(
        lambda c: c.execute("UPDATE kept SET from_ms = ? RETURNING 1", (TODAY + 70 * DAY_MS,)).fetchall()
    )
    await store.delete_before(1, TODAY - 30 * DAY_MS)
    await store.write([column([TODAY + DAY_MS + n for n in range(50)])])
    await store.drain()
    assert await store.count(1, TODAY, TODAY + 2 * DAY_MS) == 100
    assert (await store.envelope(1, TODAY + DAY_MS, TODAY + 2 * DAY_MS, 100)).width_ms == 0
    await store.close()


async def test_influxdb_keeps_what_comes_after_a_clock_that_was_ahead(
    influxd: Influxd, caplog: pytest.LogCaptureFixture
) -> None:
    store = connect(influxd, "ahead", now_ms=lambda: T0 + 200 * DAY_MS, fold_at=2)
    await store.write([SeriesColumn(1, [T0, T0 + 60_000], [1.0, 2.0], [0, 0])])
    await store.delete_before(1, T0 + 100 * DAY_MS)
    tomorrow = [T0 + DAY_MS + 60_000 * n for n in range(5)]
    await store.write([SeriesColumn(1, tomorrow, [3.0] * 5, [0] * 5)])
    assert await store.count(1, T0, T0 + 9 * DAY_MS) == 0
    assert caplog.text.count("came too late") == 1
    await store.delete_before(1, 0)  # kept for ever from now on
    await store.close()
    store = connect(influxd, "ahead", now_ms=lambda: T0 + 9 * DAY_MS, fold_at=2)
    for _ in range(2):
        await store.write([SeriesColumn(1, tomorrow, [3.0] * 5, [0] * 5)])
        await store.drain()
    assert await store.count(1, T0, T0 + 9 * DAY_MS) == 5
    assert [b.count for b in await store.buckets(1, T0, T0 + 9 * DAY_MS, DAY_MS)] == [2, 5]
    await store.delete_before(1, T0 + 2 * DAY_MS)
    assert [b.count for b in await store.buckets(1, T0, T0 + 9 * DAY_MS, DAY_MS)] == [2, 5]
    await store.close()
