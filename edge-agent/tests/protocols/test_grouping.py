"""Runs of neighbours: nothing is lost, limits hold, there are no more than needed; refused ones are cut."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.protocols.grouping import cut, joined


@dataclass(frozen=True)
class Span:
    start: int
    end: int


def spans(*places: tuple[int, int]) -> list[Span]:
    return [Span(start, end) for start, end in places]


SPANS = st.lists(st.tuples(st.integers(0, 300), st.integers(1, 8)), min_size=1, max_size=60).map(
    lambda rows: spans(*sorted((start, start + size) for start, size in rows))
)


@given(SPANS, st.integers(8, 125), st.integers(0, 50))
def test_limits_hold_and_nothing_is_lost(items: list[Span], max_size: int, gap: int) -> None:
    runs = joined(items, max_size, gap)
    assert [one for run in runs for one in run] == items
    for run in runs:
        assert max(one.end for one in run) - run[0].start <= max_size
        for number, one in enumerate(run[1:], 1):
            assert one.start - max(before.end for before in run[:number]) <= gap
    for run, after in pairwise(runs):
        end = max(one.end for one in run)
        assert after[0].start - end > gap or max(end, after[0].end) - run[0].start > max_size


def test_a_span_longer_than_the_limit_is_a_run_of_its_own() -> None:
    items = spans((0, 2), (2, 40), (40, 42))
    assert joined(items, max_size=10, gap=5) == [(one,) for one in items]


@pytest.mark.parametrize(
    ("run", "parts"),
    [
        ([(0, 2)], []),
        ([(0, 2), (2, 4), (4, 6)], [[(0, 2)], [(2, 4), (4, 6)]]),
        ([(0, 2), (3, 4), (4, 6)], [[(0, 2)], [(3, 4), (4, 6)]]),
        ([(0, 9), (1, 2), (9, 12), (13, 14)], [[(0, 9), (1, 2), (9, 12)], [(13, 14)]]),
    ],
    ids=["one", "halves", "hole", "overlap"],
)
def test_a_refused_run_is_cut(run: list[tuple[int, int]], parts: list[list[tuple[int, int]]]) -> None:
    assert cut(spans(*run)) == [tuple(spans(*part)) for part in parts]
