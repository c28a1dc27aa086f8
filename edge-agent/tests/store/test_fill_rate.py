"""Hours until the outbox is full, from what was observed in the last ten minutes."""

from __future__ import annotations

import pytest

from edge_agent.store.fill_rate import FillRate


def observed(*seen: tuple[float, int]) -> FillRate:
    rate = FillRate()
    for now_s, used in seen:
        rate.observe(now_s, used)
    return rate


def test_nothing_is_known_at_first() -> None:
    assert FillRate().hours_left(1e6, 5, 10) is None


@pytest.mark.parametrize(
    ("now_s", "used", "capacity", "hours"),
    [
        (699.9, 160, 1000, None),  # too early to say
        (700.0, 160, 1000, 840 * 600 / 60 / 3600),
        (700.0, 101, 461, 60.0),
        (700.0, 100, 1000, None),  # it does not fill
        (700.0, 99, 1000, None),
        (700.0, 160, 160, 0.0),
        (700.0, 160, 150, 0.0),
        (1300.0, 160, 1000, 840 * 1200 / 60 / 3600),
    ],
)
def test_by_what_grew_since_the_oldest_note(now_s: float, used: int, capacity: int, hours: float) -> None:
    assert observed((100.0, 100)).hours_left(now_s, used, capacity) == pytest.approx(hours)


def test_a_note_each_ten_seconds() -> None:
    rate = observed((0.0, 100), (9.9, 500), (10.0, 200), (19.9, 700))
    assert list(rate._seen) == [(0.0, 100), (10.0, 200)]


def test_ten_minutes_lie_between_the_oldest_note_and_the_newest() -> None:
    rate = observed(*((10.0 * step, step) for step in range(100)))
    assert (rate._seen[0], rate._seen[-1]) == ((390.0, 39), (990.0, 99))
    assert rate.hours_left(990.0, 99, 699) == pytest.approx(600 * 600 / 60 / 3600)
