"""What a reading is made of: the range once, nothing that a level does not know, few enough buckets."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.timeseries.plan import RAW, RollupExtent, planned, snapped
from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS
from edge_contract.ranges import cut_out, union

from .recomputed import DAY_MS

DAYS = st.integers(-3, 40).map(lambda day: day * DAY_MS)
EDGES = st.tuples(st.integers(0, 10**10), st.integers(0, 10**9)).map(lambda pair: (pair[0], sum(pair)))
SETS = st.lists(EDGES.filter(lambda edge: edge[0] < edge[1]), max_size=9).map(union)


@settings(max_examples=50, deadline=None)
@given(start=st.integers(0, 10**10), length=st.integers(1, 10**9), until=DAYS, dirty=SETS)
def test_a_plan_covers_the_range_once_and_no_level_what_it_does_not_know(
    start: int, length: int, until: int, dirty: tuple[tuple[int, int], ...]
) -> None:
    for level in range(RAW, len(ROLLUP_WIDTHS_MS)):
        plan = planned(level, start, start + length, RollupExtent(until, dirty, (-(2**62),) * 5))
        edges = [edge for piece in plan for edge in (piece.start_ms, piece.end_ms)]
        assert edges == sorted(edges)
        assert union((piece.start_ms, piece.end_ms) for piece in plan) == ((start, start + length),)
        for piece in plan:
            if piece.level != RAW:
                width = ROLLUP_WIDTHS_MS[piece.level]
                assert piece.start_ms % width == piece.end_ms % width == 0
                assert piece.end_ms <= until
                assert cut_out(dirty, piece.start_ms, piece.end_ms) == dirty


@settings(max_examples=50, deadline=None)
@given(start=st.integers(0, 10**12), length=st.integers(1, 10**12), pixels=st.integers(2, 4000))
def test_the_buckets_of_a_chart_are_no_more_than_its_pixels_and_not_many_fewer(
    start: int, length: int, pixels: int
) -> None:
    width, origin = snapped(start, start + length, pixels)
    wanted = -(-length // (pixels - 1))
    assert origin <= start < origin + width
    assert -(-(start + length - origin) // width) <= pixels
    assert wanted <= width <= (1.25 * wanted if wanted >= 4 * ROLLUP_WIDTHS_MS[0] else 2 * wanted)
    assert wanted < ROLLUP_WIDTHS_MS[0] or (
        width % ROLLUP_WIDTHS_MS[0] == 0 and origin % ROLLUP_WIDTHS_MS[0] == 0
    )
