"""Which newest values travel, told by hand: what changed, what is watched, and until when."""

from __future__ import annotations

from typing import Any

import msgspec

from edge_agent.config.model import Point
from edge_agent.forwarding.cloud.values import watched_pause_s
from edge_agent.model import PointKey, Quality, Row, Sample
from edge_agent.points.live_values import LiveValues
from edge_contract.limits import EARLIEST_MS

NOW_MS = 1_790_000_000_000
POINTS: dict[int, dict[str, Any]] = {
    1: {},
    2: {"deadband": 0.5},
    3: {"record": 0},
    4: {"record": 0, "deadband": 1.0},
}


class Site:
    """Points 1 and 2 are stored, 3 and 4 are not; 2 and 4 have a deadband."""

    def __init__(self) -> None:
        self.newest: dict[int, Sample] = {}
        points = {
            PointKey("s", f"p{number}"): msgspec.convert({"slave": "s", "name": f"p{number}", **more}, Point)
            for number, more in POINTS.items()
        }
        numbers = {PointKey("s", f"p{number}"): number for number in POINTS}
        self.values = LiveValues(points, numbers, self.newest.get)

    def read(self, number: int, value: Any, *, after_ms: int = 0, quality: Quality = Quality.GOOD) -> None:
        self.newest[number] = Sample(number, NOW_MS + after_ms, value, quality)

    def changes(self, *, everything: bool = False) -> list[Any]:
        return [_short(row) for row in self.values.changes(everything=everything)]

    def watched(self) -> list[Any]:
        return [_short(row) for row in self.values.watched_changes()]


def _short(row: Row) -> Any:
    """Milliseconds after now, values by number, and qualities if one is not good."""
    found = row.t_ms - NOW_MS, dict(zip(row.points, row.values, strict=True))
    return (*found, tuple(row.qualities)) if row.qualities else found


def test_what_is_not_stored_travels_when_it_changes() -> None:
    site = Site()
    assert site.changes() == []
    for number in POINTS:
        site.read(number, 5)
    assert site.changes() == [(0, {3: 5, 4: 5})]
    assert site.changes() == []
    site.read(3, 6, after_ms=10)
    site.read(4, 6, after_ms=10)
    assert site.changes() == [(10, {3: 6})], "within the deadband of 4"
    site.read(4, 6.1, after_ms=20)
    assert site.changes() == [(20, {4: 6.1})]
    site.read(3, 6, after_ms=30, quality=Quality.STALE)
    assert site.changes() == [(30, {3: 6}, (Quality.STALE,))], "another quality is a change"


def test_rows_by_time_and_number() -> None:
    site = Site()
    site.read(4, 1, after_ms=5)
    site.read(3, 2, after_ms=5, quality=Quality.STALE)
    assert site.changes() == [(5, {3: 2, 4: 1}, (Quality.STALE, Quality.GOOD))]
    site.read(4, 9, after_ms=6)
    site.read(3, 9, after_ms=7)
    assert site.changes() == [(6, {4: 9}), (7, {3: 9})]


def test_everything_is_what_was_sent_last_and_what_changed() -> None:
    site = Site()
    site.read(3, 1)
    assert site.changes(everything=True) == [(0, {3: 1})]
    site.read(3, 1, after_ms=50)
    site.read(4, 2, after_ms=60)
    assert site.changes(everything=True) == [(0, {3: 1}), (60, {4: 2})], "each once"


def test_what_was_read_before_the_clock_was_set_does_not_travel() -> None:
    site = Site()
    site.newest[3] = Sample(3, EARLIEST_MS - 1, 1)
    assert site.values.changes() == []
    site.newest[3] = Sample(3, EARLIEST_MS, 1)
    assert [row.t_ms for row in site.values.changes()] == [EARLIEST_MS]


def test_watched_points_are_sent_at_first_and_as_they_change() -> None:
    site = Site()
    for number in POINTS:
        site.read(number, 5)
    site.values.watch([1, 2, 99], 60.0)
    assert site.values.watched(0.0) == 2, "99 is none"
    assert site.watched() == [(0, {1: 5, 2: 5})]
    site.read(2, 5.5, after_ms=10)
    assert site.watched() == []
    site.read(2, 5.6, after_ms=10)
    assert site.watched() == [(10, {2: 5.6})]
    site.values.watch([1, 2], 90.0)
    assert site.watched() == [], "watched as before"
    site.values.watch([2], 90.0)
    site.values.watch([1, 2], 90.0)
    assert site.watched() == [(0, {1: 5})], "newly watched again"


def test_watching_ends_at_its_time() -> None:
    site = Site()
    site.read(1, 5)
    site.values.watch([1], 60.0)
    assert site.watched() == [(0, {1: 5})]
    assert site.values.watched(59.9) == 1
    assert site.values.watched(60.0) == 0
    site.read(1, 6, after_ms=10)
    assert site.watched() == []


def test_a_point_that_is_not_stored_is_not_sent_again_for_being_watched() -> None:
    site = Site()
    site.read(3, 5)
    assert site.changes() == [(0, {3: 5})]
    site.values.watch([3], 60.0)
    assert site.watched() == []
    site.values.watch([], 60.0)
    assert site.changes() == []


def test_a_look_takes_a_tenth_of_the_time_at_least() -> None:
    assert watched_pause_s(1) < watched_pause_s(5000)
