"""Ranges of batch numbers are sets of numbers, written in as few ranges as possible."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from edge_contract.ranges import Range, join, overlap, size, without

NUMBERS = st.sets(st.integers(1, 40), max_size=25)
RANGES = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 6)).map(lambda pair: (pair[0], sum(pair))))


def numbers(ranges: list[Range]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


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
