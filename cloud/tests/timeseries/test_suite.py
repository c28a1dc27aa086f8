"""One suite for every version of the time series."""

from __future__ import annotations

import math
import random

import pytest

from cloud.timeseries.base import SeriesColumn, StoredSample, TimeSeries
from cloud.timeseries.plan import RAW, snapped, widest
from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS
from edge_contract.model import Quality, Value

T0 = 1_790_000_000_123

VALUES: list[Value] = [
    0.1,
    5.0,
    -5.0,
    1.7976931348623157e308,
    5e-324,
    -0.0,
    5,
    0,
    -7,
    2**53,
    2**53 + 1,
    -(2**63),
    2**64 - 1,
    True,
    False,
    None,
    "",
    "plain",
    'say "hi"',
    "back\\slash\\",
    "line\nbreak",
    "\\n is no line break",
    "comma, equals= space",
    "中文 ⚡ 😀",
    "'); DROP TABLE sample; --",
    "7",
    "tab\there",
]


def column(
    series: int, values: list[Value], start: int = T0, step: int = 1000, quality: int = 0
) -> SeriesColumn:
    return SeriesColumn(
        series, [start + i * step for i in range(len(values))], values, [quality] * len(values)
    )


def alike(got: Value, sent: Value) -> bool:
    return type(got) is type(sent) and got == sent


async def test_values_come_back_with_their_types(store: TimeSeries) -> None:
    await store.write([column(1, VALUES)])
    got = await store.samples(1, T0, T0 + 10**9, 1000)
    assert [sample.t_ms for sample in got] == [T0 + i * 1000 for i in range(len(VALUES))]
    assert [pair for pair in zip([s.value for s in got], VALUES, strict=True) if not alike(*pair)] == []


async def test_not_a_number_is_stored_as_none_out_of_range(store: TimeSeries) -> None:
    values: list[Value] = [math.nan, math.inf, -math.inf, 10**400]
    await store.write([column(1, values), column(2, values, quality=Quality.STALE)])
    assert {(s.value, s.quality) for s in await store.samples(1, 0, T0 * 2, 10)} == {
        (None, Quality.OUT_OF_RANGE)
    }
    assert {(s.value, s.quality) for s in await store.samples(2, 0, T0 * 2, 10)} == {(None, Quality.STALE)}


async def test_writing_twice_changes_nothing(store: TimeSeries) -> None:
    columns = [column(1, [1.0, 2.0, 3.0]), column(2, ["a", None, True])]
    for _ in range(3):
        await store.write(columns)
    assert await store.count(1, 0, T0 * 2) == 3
    assert [s.value for s in await store.samples(2, 0, T0 * 2, 10)] == ["a", None, True]


async def test_last_write_wins_across_types(store: TimeSeries) -> None:
    """A sample that is corrected reads as the correction, whatever the type was before."""
    for value in ("text", 1.5, True, 2**60, 7, None, "again", 2.5):
        await store.write([column(1, [value])])
        assert alike((await store.latest([1]))[1].value, value)
        (only,) = await store.samples(1, T0, T0 + 1, 10)
        assert alike(only.value, value)
    assert len(await store.buckets(1, T0, T0 + 10, 10)) == 1


async def test_order_limit_and_bounds(store: TimeSeries) -> None:
    times = [T0 + i * 10 for i in range(100)]
    shuffled = random.Random(1).sample(times, 100)
    await store.write([SeriesColumn(1, shuffled, [float(t) for t in shuffled], [0] * 100)])
    assert [s.t_ms for s in await store.samples(1, times[0], times[-1], 1000)] == times[
        :-1
    ]  # end is exclusive
    assert [s.t_ms for s in await store.samples(1, times[3], times[50], 5)] == times[3:8]
    newest = await store.samples(1, times[0], times[50], 5, newest_first=True)
    assert [s.t_ms for s in newest] == times[49:44:-1]
    assert await store.samples(1, 0, T0 * 2, 0) == []
    assert await store.samples(99, 0, T0 * 2, 5) == []
    assert await store.count(1, times[10], times[20]) == 10
    assert await store.count(99, 0, T0 * 2) == 0


async def test_latest_is_the_newest_by_time_not_by_arrival(store: TimeSeries) -> None:
    await store.write([column(1, [1.0], T0 + 1000), column(2, ["x"], T0)])
    await store.write([column(1, [2.0], T0)])  # late data
    await store.write([column(3, [None], T0, quality=Quality.DEVICE_OFFLINE)])
    assert await store.latest([1, 2, 3, 4]) == {
        1: StoredSample(T0 + 1000, 1.0, 0),
        2: StoredSample(T0, "x", 0),
        3: StoredSample(T0, None, Quality.DEVICE_OFFLINE),
    }
    assert await store.latest([]) == {}


async def test_latest_of_many_series(store: TimeSeries) -> None:
    wanted = list(range(1, 1001))
    await store.write([column(series, [float(series)]) for series in wanted])
    got = await store.latest(wanted)
    assert {series: sample.value for series, sample in got.items()} == {
        series: float(series) for series in wanted
    }


async def test_times_before_1970(store: TimeSeries) -> None:
    await store.write([column(1, [1.0, 2.0], -1500)])
    assert [s.t_ms for s in await store.samples(1, -2000, 0, 10)] == [-1500, -500]
    assert [b.start_ms for b in await store.buckets(1, -2000, 0, 1000)] == [-2000, -1000]


@pytest.mark.parametrize(("start", "width"), [(T0, 60_000), (T0 - 777, 1), (T0 + 12_345, 7_777), (T0, 10**9)])
async def test_buckets_equal_a_reference(store: TimeSeries, start: int, width: int) -> None:
    rng = random.Random(width)
    values: list[Value] = []
    qualities: list[int] = []
    for _ in range(1500):
        values.append(
            rng.choice([rng.uniform(-1e3, 1e3), rng.randint(-9, 9), rng.random() < 0.5, "text", None, 2**60])
        )
        qualities.append(rng.choice([0, 0, 0, 5]))
    times = sorted(rng.sample(range(T0, T0 + 600_000), 1500))
    await store.write([SeriesColumn(1, times, values, qualities)])
    end = T0 + 555_555
    want: dict[int, list[float]] = {}
    for t, value, quality in zip(times, values, qualities, strict=True):
        if start <= t < end and quality == 0 and isinstance(value, float | int):
            want.setdefault(start + (t - start) // width * width, []).append(float(value))
    got = await store.buckets(1, start, end, width)
    assert [b.start_ms for b in got] == sorted(want)
    for bucket in got:
        ref = want[bucket.start_ms]
        exact = (bucket.count, bucket.min, bucket.max, bucket.first, bucket.last)
        assert exact == (len(ref), min(ref), max(ref), ref[0], ref[-1])
        assert bucket.mean == pytest.approx(
            math.fsum(ref) / len(ref), rel=1e-9, abs=1e-9 * max(map(abs, ref))
        )


async def test_a_write_of_many_parts(store: TimeSeries) -> None:
    await store.write([column(series, [float(i) for i in range(240)], step=1) for series in range(1, 51)])
    assert [await store.count(series, 0, T0 * 2) for series in (1, 25, 50)] == [240, 240, 240]


async def test_a_store_that_nothing_was_written_to_is_empty(store: TimeSeries) -> None:
    """A cloud asks at its start, before the first sample, whether the store answers."""
    assert await store.latest([1]) == {}
    assert await store.samples(1, 0, 2**50, 10) == []
    assert await store.count(1, 0, 2**50) == 0
    assert await store.buckets(1, 0, 10_000, 1000) == []


@pytest.mark.parametrize("count", [90, 5000, 30_000])
async def test_an_envelope_loses_no_extreme(store: TimeSeries, count: int) -> None:
    rng = random.Random(count)
    values = [rng.gauss(0, 1) for _ in range(count)]
    values[count // 3], values[count // 2] = 99.0, -99.0
    await store.write([column(1, list(values), step=1000), column(2, ["text"] * 5)])
    end = T0 + count * 1000
    for start, stop in ((T0, end), (T0 + 12_345, end - 999)):
        got = await store.envelope(1, start, stop, 100)
        assert len(got.t_ms) == len(got.value) <= 4 * 100
        assert (max(got.value), min(got.value)) == (99.0, -99.0)
        assert got.count == await store.count(1, start, stop)
        assert (got.width_ms == 0) == (count == 90)
        times = got.t_ms.tolist()
        assert times == sorted(times)
        slack = 0 if got.is_exact else got.width_ms
        assert abs(times[int(got.value.argmax())] - (T0 + count // 3 * 1000)) <= slack
        if got.is_exact:
            assert all(values[(t - T0) // 1000] == v for t, v in zip(times, got.value, strict=True))
        low, high = start + (stop - start) // 4, start + (stop - start) // 2
        part = await store.envelope(1, low, high, 100)
        assert low <= part.t_ms[0] <= part.t_ms[-1] < high
    assert len((await store.envelope(3, T0, end, 100)).t_ms) == 0
    assert all(math.isnan(value) for value in (await store.envelope(2, T0, end, 100)).value)


async def test_what_is_old_is_deleted_by_days(store: TimeSeries) -> None:
    day_ms = 86_400_000
    await store.write([column(1, [1.0, 2.0, 3.0], 20_000 * day_ms - 1, step=1), column(2, [5.0], 1000)])
    await store.delete_before(1, 20_000 * day_ms + 5000)
    assert [sample.value for sample in await store.samples(1, 0, T0 * 2, 10)] == [2.0, 3.0]
    assert await store.count(1, 0, T0 * 2) == 2
    assert (await store.latest([1]))[1].value == 3.0
    await store.delete_before(1, 20_001 * day_ms)
    assert await store.latest([1]) == {}
    assert await store.count(2, 0, T0) == 1


async def test_who_has_something_as_old_is_told(store: TimeSeries) -> None:
    day_ms, start = 86_400_000, 20_000 * 86_400_000
    await store.write([column(1, [1.0, 2.0], start - 1, step=day_ms), column(2, [5.0], start)])
    for width_ms in (0, *ROLLUP_WIDTHS_MS):
        assert await store.older([1, 2, 3], start + 5, width_ms) == {1}
        assert await store.older([1, 2, 3], start + day_ms, width_ms) == {1, 2}
    await store.delete_before(1, start)
    assert await store.older([1, 2], start) == set()
    assert await store.older([1, 2], start, ROLLUP_WIDTHS_MS[0]) == {1}, "its minutes are there"
    assert await store.older([1, 2], start, ROLLUP_WIDTHS_MS[2]) == {1}, "in a page that goes beyond"
    await store.delete_before(1, start, ROLLUP_WIDTHS_MS[2])
    assert await store.older([1, 2], start, ROLLUP_WIDTHS_MS[2]) == set()
    assert await store.older([], start) == set()


async def test_what_is_deleted_stays_deleted_and_its_levels_stand_for_it(store: TimeSeries) -> None:
    day_ms, start, step = 86_400_000, 20_000 * 86_400_000, 60_000
    times = [start + step * n for n in range(3 * 1440)]
    await store.write([SeriesColumn(1, times, [float(n % 100) for n in range(len(times))], [0] * len(times))])
    await store.delete_before(1, start + 2 * day_ms + 5)
    for _ in range(2):
        await store.write([SeriesColumn(1, [start], [1e9], [0])])  # as a sample that is sent again
        assert await store.count(1, start, start + 3 * day_ms) == 1440
        assert (await store.samples(1, start, start + 3 * day_ms, 1))[0].t_ms == start + 2 * day_ms
        hours = await store.buckets(1, start, start + 3 * day_ms, 3_600_000)
        assert [hour.count for hour in hours] == [60] * 72
        assert max(hour.max for hour in hours) == 99.0
        fine = await store.envelope(1, start, start + 3 * day_ms, 4000)
        assert (fine.count, max(fine.value)) == (3 * 1440, 99.0)
    await store.delete_before(1, start + day_ms, ROLLUP_WIDTHS_MS[2])
    hours = await store.buckets(1, start, start + 3 * day_ms, 3_600_000)
    assert [(hour.start_ms, hour.count) for hour in hours][:2] == [(start, 1440), (start + day_ms, 60)]


async def test_the_levels_know_every_sample_of_a_series_that_ended_long_ago(store: TimeSeries) -> None:
    day_ms, start = 86_400_000, 20_000 * 86_400_000
    await store.write([SeriesColumn(1, [start, start + 60_000], [1.0, 2.0], [0, 0])])
    await store.delete_before(1, start + 9 * day_ms)
    assert await store.latest([1]) == {}
    (day,) = await store.buckets(1, start, start + day_ms, day_ms)
    assert (day.count, day.min, day.max, day.first, day.last) == (2, 1.0, 2.0, 1.0, 2.0)


async def test_nothing_is_left_of_a_series_that_is_deleted_whole(store: TimeSeries) -> None:
    """As those of a deleted gateway are: samples first, then each level."""
    await store.write([column(1, [1.0, 2.0, 3.0]), column(2, [5.0])])
    for width_ms in (0, *ROLLUP_WIDTHS_MS):
        await store.delete_before(1, 7_258_118_400_000, width_ms)
    assert await store.buckets(1, T0 - T0 % 86_400_000, T0 * 2, 86_400_000) == []
    assert await store.count(1, 0, T0 * 2) == 0
    assert await store.count(2, 0, T0 * 2) == 1


MINUTE = 60_000


@pytest.mark.parametrize(
    ("length", "pixels", "width"),
    [
        (47_999 * 99, 100, 47_999),  # a minute would cost more than a fifth: no rollup
        (48_000 * 99, 100, MINUTE),
        (60_000 * 99, 100, MINUTE),
        (60_001 * 99, 100, 2 * MINUTE),
        (100_000 * 99, 100, 2 * MINUTE),
        (12 * MINUTE * 99, 100, 15 * MINUTE),  # a quarter wider is a fifth of the pixels
        (12 * MINUTE * 99 - 99, 100, 12 * MINUTE),
        (48 * MINUTE * 99, 100, 60 * MINUTE),
        (48 * MINUTE * 99 - 99, 100, 48 * MINUTE),
        (1152 * MINUTE * 99, 100, 1440 * MINUTE),
        (1152 * MINUTE * 99 - 99, 100, 1200 * MINUTE),
        (1440 * MINUTE * 99, 100, 1440 * MINUTE),
        (1000, 1, 1000),
        (1001, 3, 501),
    ],
)  # fmt: skip
def test_the_width_of_a_bucket_costs_at_most_a_fifth_of_the_pixels(
    length: int, pixels: int, width: int
) -> None:
    start = 1440 * MINUTE * 20_000 + 7 * MINUTE + 1
    found, origin = snapped(start, start + length, pixels)
    assert found == width
    assert origin == start if width < MINUTE else start - width <= origin < start


def test_buckets_of_a_chart_begin_at_their_level() -> None:
    day = 1440 * MINUTE * 20_000
    start = day + 7 * MINUTE + 1
    origins = [snapped(start, start + width * MINUTE * 99, 100)[1] for width in (1, 12, 48, 1440)]
    assert origins == [day + 7 * MINUTE, day, day, day]
    assert [widest(day, width * MINUTE) for width in (1, 15, 30, 60, 1440, 2880)] == [0, 1, 1, 2, 3, 3]
    assert [widest(day + shift, 1440 * MINUTE) for shift in (1, MINUTE, 15 * MINUTE, 60 * MINUTE)] == [
        RAW,
        0,
        1,
        2,
    ]
    assert widest(day, MINUTE - 1) == RAW == -1
