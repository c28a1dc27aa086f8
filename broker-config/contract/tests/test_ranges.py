"""Ranges and intervals are sets of numbers, written in as few of them as possible."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from edge_contract.ranges import (
    Intervals,
    Range,
    buckets_of,
    clip,
    coarsen,
    covers,
    cut_out,
    gaps_between,
    join,
    overlap,
    size,
    union,
    widen,
    without,
)

NUMBERS = st.sets(st.integers(1, 40), max_size=25)
RANGES = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 6)).map(lambda pair: (pair[0], sum(pair))))
PARTS = st.lists(st.tuples(st.integers(-20, 40), st.integers(1, 6)).map(lambda pair: (pair[0], sum(pair))))
INTERVALS = PARTS.map(union)
TIME = st.integers(-25, 50)


def numbers(ranges: list[Range]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


def times(intervals: Intervals) -> set[int]:
    assert all(low < high for low, high in intervals)
    assert list(intervals) == sorted(intervals)
    return {t for low, high in intervals for t in range(low, high)}


@given(RANGES)
def test_joined_ranges_hold_the_same_numbers_and_do_not_touch(ranges: list[Range]) -> None:
    joined = join(ranges)
    assert numbers(joined) == numbers(ranges)
    assert all(low[1] + 1 < high[0] for low, high in pairwise(joined))


@given(NUMBERS, NUMBERS)
def test_ranges_are_sets(left: set[int], right: set[int]) -> None:
    these, others = (join((number, number) for number in side) for side in (left, right))
    assert numbers(overlap(these, others)) == left & right
    assert numbers(without(these, others)) == left - right
    assert size(these) == len(left)
    for found in (overlap(these, others), without(these, others)):
        assert all(low[1] < high[0] for low, high in pairwise(found))


@given(PARTS, PARTS)
def test_a_union_of_intervals_holds_both_and_nothing_of_it_touches(
    one: list[Range], other: list[Range]
) -> None:
    both = union(one, other)
    assert times(both) == {t for low, high in one + other for t in range(low, high)}
    assert all(low[1] < high[0] for low, high in pairwise(both))


def test_a_range_reaches_the_next_number_and_an_interval_the_next_start() -> None:
    assert join([(1, 2), (3, 4)]) == [(1, 4)]
    assert union([(1, 2), (3, 4)]) == ((1, 2), (3, 4))
    assert union([(1, 3), (3, 4)]) == ((1, 4),)


@given(INTERVALS, TIME, TIME)
def test_intervals_are_cut_as_sets(intervals: Intervals, low: int, high: int) -> None:
    here = set(range(low, high))
    assert times(clip(intervals, low, high)) == times(intervals) & here
    assert times(cut_out(intervals, low, high)) == times(intervals) - here
    if low <= high:
        assert times(gaps_between(intervals, low, high)) == here - times(intervals)


@given(INTERVALS, INTERVALS)
def test_intervals_cover_what_they_hold(intervals: Intervals, wanted: Intervals) -> None:
    assert covers(intervals, wanted) == (times(wanted) <= times(intervals))


@given(INTERVALS, st.integers(1, 4))
def test_fewer_intervals_hold_at_least_as_much_and_fill_the_narrowest_gaps(
    intervals: Intervals, max_intervals: int
) -> None:
    fewer = coarsen(intervals, max_intervals)
    assert len(fewer) == min(max_intervals, len(intervals))
    assert covers(fewer, intervals)
    assert union(fewer) == fewer
    left = [high[0] - low[1] for low, high in pairwise(fewer)]
    assert sorted(left) == sorted(high[0] - low[1] for low, high in pairwise(intervals))[-len(left) or 99 :]


@given(st.lists(TIME, max_size=9), TIME, st.integers(1, 7), INTERVALS)
def test_buckets_of_a_width(some: list[int], before: int, width: int, intervals: Intervals) -> None:
    older = {t // width for t in some if t < before}
    cut = {t for bucket in older for t in range(bucket * width, (bucket + 1) * width) if t < before}
    assert times(buckets_of(some, before, width)) == cut
    touched = {t // width for t in times(intervals)}
    wide = {t for bucket in touched for t in range(bucket * width, (bucket + 1) * width)}
    assert times(widen(intervals, width)) == wide
