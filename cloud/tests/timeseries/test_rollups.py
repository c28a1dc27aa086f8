"""Summaries against the samples that they are of, and the widths of a chart."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.timeseries.plan import RAW, RollupExtent, Segment, planned, snapped, widest
from cloud.timeseries.rollups import (
    NOTHING,
    Rollup,
    added,
    combine,
    drawn,
    joined,
    replaced,
    replaced_between,
    summarise,
)

SAMPLES = st.dictionaries(st.integers(-50, 400), st.integers(-5, 5), max_size=40)
Told = dict[int, tuple[Any, ...]]


def rollup(samples: dict[int, int], width: int = 10, origin: int = 3) -> Rollup:
    times = sorted(samples)
    values = np.array([samples[t] for t in times], np.float64)
    return summarise(np.array(times, np.int64), values, origin, width)


def told(made: Rollup) -> Told:
    """By start: count, sum, and value with time of first, lowest, highest and last sample."""
    assert list(made.start_ms) == sorted(made.start_ms)
    columns = zip(made.start_ms, made.count, made.times.T, made.values.T, strict=True)
    return {
        int(start): (int(count), float(values[4]), *zip(map(float, values[:4]), map(int, times), strict=True))
        for start, count, times, values in columns
    }


def by_hand(samples: dict[int, int], width: int = 10, origin: int = 3) -> Told:
    buckets: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for t in sorted(samples):
        buckets[(t - origin) // width * width + origin].append((samples[t], t))
    return {
        start: (
            len(inside), sum(v for v, _ in inside), inside[0], min(inside),
            min(inside, key=lambda one: (-one[0], one[1])), inside[-1],
        )
        for start, inside in buckets.items()
    }  # fmt: skip


@given(SAMPLES)
def test_buckets_of_samples(samples: dict[int, int]) -> None:
    assert told(rollup(samples)) == by_hand(samples)


@given(SAMPLES)
def test_wider_buckets_of_finer_ones(samples: dict[int, int]) -> None:
    assert told(combine(rollup(samples), 3, 30)) == by_hand(samples, 30)
    assert told(combine(rollup(samples), 3, 10)) == by_hand(samples)


@settings(max_examples=200)
@given(SAMPLES, st.data())
def test_buckets_of_samples_that_come_in_two_parts(samples: dict[int, int], data: st.DataObject) -> None:
    some = data.draw(st.sets(st.sampled_from(sorted(samples))) if samples else st.just(set[int]()))
    parts = [{t: v for t, v in samples.items() if (t in some) is side} for side in (True, False)]
    assert told(added(*map(rollup, parts))) == by_hand(samples)


def test_of_equal_extremes_the_earliest_stands_whichever_part_it_is_in() -> None:
    for parts in (({3: 1, 5: 9}, {4: 1, 6: 9}), ({4: 1, 6: 9}, {3: 1, 5: 9})):
        (bucket,) = told(added(*map(rollup, parts))).values()
        assert bucket == (4, 20.0, (1.0, 3), (1.0, 3), (9.0, 5), (9.0, 6))


def test_buckets_in_place_of_others() -> None:
    old, new = rollup({3: 1, 13: 2, 23: 3}), rollup({14: 7, 34: 8})
    assert {start: one[1] for start, one in told(replaced(old, np.array([13, 23]), new)).items()} == {
        3: 1, 13: 7, 33: 8,
    }  # fmt: skip
    assert list(told(replaced_between(old, 13, 23, rollup({14: 7})))) == [3, 13, 23]
    assert told(replaced_between(old, 13, 23, rollup({14: 7})))[13][1] == 7
    assert list(told(replaced_between(old, 13, 24, NOTHING))) == [3]
    assert list(told(old.between(3, 23))) == [3, 13]
    assert len(joined([])) == len(NOTHING) == 0
    assert joined([old]) is old and told(joined([old, rollup({33: 4})])) == by_hand(
        {3: 1, 13: 2, 23: 3, 33: 4}
    )


def test_what_is_drawn_of_a_bucket_lies_within_the_range_and_once() -> None:
    made = rollup({3: 5, 4: 1, 5: 9, 6: 2, 13: 7, 23: 4, 24: 4})

    def points(start: int, end: int) -> list[tuple[int, float]]:
        series = drawn(made, start, end, 10)
        return list(zip(map(int, series.t_ms), map(float, series.value), strict=True))

    everything = [(3, 5.0), (4, 1.0), (5, 9.0), (6, 2.0), (13, 7.0), (23, 4.0), (24, 4.0)]
    assert points(0, 100) == points(3, 25) == everything
    assert points(4, 24) == everything[1:-1]
    assert points(7, 13) == []


MIN = 60_000
HOUR, DAY = 60 * MIN, 1440 * MIN


@pytest.mark.parametrize(
    ("origin", "width", "level"),
    [
        (0, MIN, 0), (0, 15 * MIN, 1), (0, 14 * MIN, 0), (0, HOUR, 2), (0, DAY, 3), (0, 7 * DAY, 3),
        (HOUR, DAY, 2), (15 * MIN, HOUR, 1), (1, MIN, RAW), (0, MIN - 1, RAW), (0, MIN + 1, RAW),
    ],
)  # fmt: skip
def test_the_widest_level_that_divides_both(origin: int, width: int, level: int) -> None:
    assert widest(origin, width) == level


@pytest.mark.parametrize(
    ("pixel", "width"),
    [
        (47_999, 47_999), (48_000, MIN), (MIN, MIN), (MIN + 1, 2 * MIN), (12 * MIN, 15 * MIN),
        (12 * MIN - 1, 12 * MIN),
        (24 * MIN, 30 * MIN), (24 * MIN - 1, 24 * MIN), (48 * MIN, HOUR), (48 * MIN - 1, 48 * MIN),
        (1152 * MIN, DAY), (1152 * MIN - 1, 20 * HOUR),
    ],
)  # fmt: skip
def test_the_width_of_a_chart_is_one_of_its_levels_when_that_costs_a_fifth(pixel: int, width: int) -> None:
    start = 20_000 * DAY
    assert snapped(start, start + 99 * pixel, 100) == (width, start)
    moved, origin = snapped(start + 12_345, start + 12_345 + 99 * pixel, 100)
    assert (moved, origin) == (width, start + 12_345 if width < MIN else start)


def test_a_chart_of_one_pixel_and_of_nothing() -> None:
    assert snapped(0, 5000, 1) == snapped(0, 5000, 2) == (5000, 0)
    assert snapped(0, 5001, 3) == (2501, 0)


def test_what_is_deleted_comes_from_the_next_coarser_level() -> None:
    known = RollupExtent(100 * DAY, [], [9 * DAY, 7 * DAY, 5 * DAY, 3 * DAY, DAY])
    assert planned(RAW, 0, 10 * DAY, known) == [
        Segment(3, DAY, 3 * DAY), Segment(2, 3 * DAY, 5 * DAY), Segment(1, 5 * DAY, 7 * DAY),
        Segment(0, 7 * DAY, 9 * DAY), Segment(RAW, 9 * DAY, 10 * DAY),
    ]  # fmt: skip
    assert planned(2, 4 * DAY, 6 * DAY, known) == [Segment(2, 4 * DAY, 6 * DAY)]
    assert planned(2, 2 * DAY, 6 * DAY, known) == [Segment(3, 2 * DAY, 3 * DAY), Segment(2, 3 * DAY, 6 * DAY)]
    assert planned(3, 0, 2 * DAY, known) == [Segment(3, DAY, 2 * DAY)]
    assert planned(RAW, 0, DAY, known) == []


def test_what_is_cut_dirty_or_not_made_comes_from_finer_levels() -> None:
    known = RollupExtent(50 * MIN, [(20 * MIN, 20 * MIN + 1)], [0, 0, 0, 0, 0])
    assert planned(1, MIN + 1, 60 * MIN, known) == [
        Segment(RAW, MIN + 1, 2 * MIN), Segment(0, 2 * MIN, 15 * MIN),
        Segment(0, 15 * MIN, 20 * MIN), Segment(RAW, 20 * MIN, 21 * MIN), Segment(0, 21 * MIN, 30 * MIN),
        Segment(1, 30 * MIN, 45 * MIN), Segment(0, 45 * MIN, 50 * MIN), Segment(RAW, 50 * MIN, 60 * MIN),
    ]  # fmt: skip
    assert planned(2, 0, HOUR, RollupExtent(HOUR, [], [0] * 5)) == [Segment(2, 0, HOUR)]
    assert planned(2, 0, HOUR - 1, RollupExtent(HOUR, [], [0] * 5))[0] == Segment(1, 0, 45 * MIN)
