"""Hours, local days and shares: pure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.completeness.buckets import DAY_MS, HOUR_MS, Missing, bounds, by_reason, percent, spread

DAY0 = 20_000 * DAY_MS


def test_bounds_cover_the_period() -> None:
    assert bounds(DAY0 + 1, DAY0 + HOUR_MS, HOUR_MS) == [DAY0, DAY0 + HOUR_MS]
    assert bounds(DAY0, DAY0 + HOUR_MS + 1, HOUR_MS) == [DAY0, DAY0 + HOUR_MS, DAY0 + 2 * HOUR_MS]
    china = bounds(DAY0, DAY0 + DAY_MS, DAY_MS, 8 * HOUR_MS)
    assert china == [DAY0 - 8 * HOUR_MS, DAY0 + 16 * HOUR_MS, DAY0 + 40 * HOUR_MS]


def test_a_gap_is_spread_over_its_time() -> None:
    edges = [0, 100, 200, 300]
    assert spread(Missing(10, 50, 150, "held"), edges) == [5, 5, 0]
    assert spread(Missing(10, -100, 100, "held"), edges) == [5, 0, 0]
    assert spread(Missing(3, 120, 120, "held"), edges) == [0, 3, 0]
    assert spread(Missing(3, 120, 121, "held"), edges) == [0, 3, 0]
    assert spread(Missing(3, 100, 100, "held"), edges) == [0, 3, 0], "a bucket's beginning is its own"
    assert (
        spread(Missing(3, 300, 300, "held"), edges) == spread(Missing(3, -1, -1, "held"), edges) == [0, 0, 0]
    )
    assert spread(Missing(6, 250, 400, "held"), edges) == [0, 0, 2], "what lies behind is left out"
    gaps = [Missing(2, 0, 100, "held"), Missing(1, 10, 10, "damaged"), Missing(4, 100, 300, "held")]
    assert by_reason(gaps, edges) == [{"held": 2, "damaged": 1}, {"held": 2}, {"held": 2}]


@given(st.integers(0, 10**6), st.integers(0, 900), st.integers(0, 99))
def test_no_batch_is_lost_in_spreading(count: int, start: int, length: int) -> None:
    assert sum(spread(Missing(count, start, start + length, "held"), list(range(0, 1001, 50)))) == count


@pytest.mark.parametrize(
    ("received", "missing", "share"),
    [(0, 0, None), (5, 0, 100.0), (0, 5, 0.0), (999_999, 1, 99.999), (10**9, 1, 99.999), (2, 1, 66.666)],
)
def test_never_rounded_up(received: int, missing: int, share: float | None) -> None:
    assert percent(received, missing) == share


def test_hours_and_days_in_milliseconds() -> None:
    assert bounds(0, 3_600_001, HOUR_MS) == [0, 3_600_000, 7_200_000]
    assert bounds(0, 86_400_001, DAY_MS) == [0, 86_400_000, 172_800_000]
