"""Periods and what they brought, counted by hand: their borders, reasons, and what is named."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from edge_agent.bus.reads import Absences, ReadSlots, Why, grids
from edge_agent.config.model import Point
from edge_agent.model import Reads
from edge_agent.points import PointBlock
from edge_contract.collection import Missed

NOW_MS = 1_790_000_000_000
NEVER = (0.0, 0.0)
NAMES = ("a", "b", "c")


def block(names: str) -> PointBlock:
    return PointBlock(
        [msgspec.convert({"slave": "s", "name": each}, Point) for each in names], range(len(names))
    )


def late(start: float, end: float) -> tuple[str, str]:
    return Missed.LATE, ""


class Grid:
    """Three points every ten seconds, from 100 s on."""

    def __init__(self, *, only: bool = True) -> None:
        self.slots = ReadSlots("s", 1, NAMES, 10.0)
        self.slots.only = only
        self.slots.begin(100.0)

    def good(self, names: str, now: float) -> None:
        points = block(names)
        self.slots.arrived(points, points.row([1] * len(names), NOW_MS), now)

    def bad(self, names: str, now: float) -> None:
        """Answered with what is no number."""
        points = block(names)
        self.slots.arrived(points, points.row([float("nan")] * len(names), NOW_MS), now)

    def failed(self, names: str, reason: str, now: float) -> None:
        self.slots.failed(block(names), reason, now)

    def ended(
        self, now: float, why: Why = late, frozen: tuple[float, float] = NEVER, **more: Any
    ) -> list[Any]:
        """From, to, periods, expected, good, missed, reason and points of each."""
        reads = list(self.slots.take_ended(now, why, frozen, **more))
        assert all((one.slave, one.grid) == ("s", 1) for one in reads)
        return [_short(one) for one in reads]


def _short(one: Reads) -> Any:
    counts = (one.from_s, one.to_s, one.slots, one.expected, one.good, one.missed)
    return (*counts, one.reason, "".join(one.points)) if one.missed else counts


def test_a_period_ends_when_the_next_begins() -> None:
    grid = Grid()
    grid.good("abc", 100.0)
    assert grid.ended(109.9) == []
    grid.good("abc", 110.0 - 1e-8)
    assert grid.ended(110.0 - 1e-8) == [(100.0, 110.0, 1, 3, 3, 0)], "what is rounded counts for the next"
    assert grid.ended(119.9) == []
    assert grid.ended(120.0) == [(110.0, 120.0, 1, 3, 3, 0)]


def test_before_the_first_period() -> None:
    slots = ReadSlots("s", 1, NAMES, 10.0)
    assert slots.has_value(5.0) and list(slots.take_ended(5.0, late, NEVER)) == []
    grid = Grid()
    assert grid.slots.has_value(99.9) and grid.ended(99.9) == []


def test_whether_the_period_under_way_has_a_value() -> None:
    grid = Grid()
    assert not grid.slots.has_value(100.0)
    grid.failed("a", Missed.NO_ANSWER, 101.0)
    grid.bad("b", 101.0)
    assert not grid.slots.has_value(102.0)
    grid.good("c", 103.0)
    assert grid.slots.has_value(109.0) and not grid.slots.has_value(110.0)


def test_more_values_than_points_are_no_more_than_all() -> None:
    grid = Grid()
    grid.good("abc", 101.0)
    grid.good("abc", 102.0)
    assert grid.ended(110.0) == [(100.0, 110.0, 1, 3, 3, 0)]


def test_an_answer_that_comes_after_its_period_was_reported_counts_for_the_next() -> None:
    grid = Grid()
    assert grid.ended(120.0) == [(100.0, 120.0, 2, 6, 0, 6, Missed.LATE, "")]
    grid.good("abc", 119.0)
    assert grid.ended(130.0) == [(120.0, 130.0, 1, 3, 3, 0)]
    assert grid.ended(115.0) == [], "a period is reported once"
    assert grid.ended(140.0) == [(130.0, 140.0, 1, 3, 0, 3, Missed.LATE, "")]


def test_a_period_without_a_value_has_the_reason_of_the_last_request() -> None:
    grid = Grid()
    grid.failed("ab", Missed.NO_ANSWER, 101.0)
    grid.failed("c", Missed.BAD_FRAME, 102.0)
    assert grid.ended(110.0) == [(100.0, 110.0, 1, 3, 0, 3, Missed.BAD_FRAME, "")]
    grid.bad("abc", 111.0)
    assert grid.ended(120.0) == [(110.0, 120.0, 1, 3, 0, 3, Missed.OUT_OF_RANGE, "")]


@pytest.mark.parametrize(
    ("reason", "named"), [(Missed.DEVICE_ERROR, "abc"), (Missed.BAD_FRAME, "abc"), (Missed.NO_ANSWER, "")]
)
def test_points_are_named_where_others_of_the_slave_are_read(reason: Missed, named: str) -> None:
    for only in (False, True):
        grid = Grid(only=only)
        grid.failed("abc", reason, 101.0)
        assert grid.ended(110.0) == [(100.0, 110.0, 1, 3, 0, 3, reason, "" if only else named)]
    assert [one.only for one in grids([grid.slots])] == [True]
    assert [one.only for one in grids([grid.slots, Grid().slots])] == [False, False]


def test_missing_points_by_reason() -> None:
    grid = Grid()
    grid.good("a", 101.0)
    grid.failed("b", Missed.DEVICE_ERROR, 102.0)
    grid.bad("c", 103.0)
    assert grid.ended(110.0) == [
        (100.0, 110.0, 1, 3, 1, 0),
        (100.0, 110.0, 0, 0, 0, 1, Missed.DEVICE_ERROR, "b"),
        (100.0, 110.0, 0, 0, 0, 1, Missed.OUT_OF_RANGE, "c"),
    ]


def test_points_that_were_not_asked_for_have_the_reason_of_the_request_that_failed() -> None:
    grid = Grid()
    grid.good("a", 101.0)
    grid.failed("b", Missed.NO_ANSWER, 102.0)
    grid.good("a", 111.0)
    grid.failed("b", Missed.NO_ANSWER, 112.0)
    grid.good("b", 113.0)
    grid.good("a", 121.0)
    assert grid.ended(130.0) == [
        (100.0, 110.0, 1, 3, 1, 0),
        (100.0, 110.0, 0, 0, 0, 2, Missed.NO_ANSWER, "bc"),
        (110.0, 120.0, 1, 3, 2, 0),
        (110.0, 120.0, 0, 0, 0, 1, Missed.NO_ANSWER, "c"),
        (120.0, 130.0, 1, 3, 1, 0),
        (120.0, 130.0, 0, 0, 0, 2, Missed.LATE, "bc"),
    ], "a good value counts also after a failure; without a failure the turn ended"


def test_a_frozen_agent_is_the_reason_of_every_period_that_it_touches() -> None:
    def frozen(*span: float, good: str = "") -> list[str]:
        grid = Grid()
        if good:
            grid.good(good, 110.0)
        grid.failed("b", Missed.NO_ANSWER, 111.0)
        rows = grid.ended(120.0, frozen=(span[0], span[1]))
        return [row[6] for row in rows if row[0] == 110.0 and len(row) > 6]

    for good in ("", "a"):
        assert frozen(110.0, 110.1, good=good) == frozen(119.9, 130.0, good=good) == [Missed.FROZEN]
        assert frozen(109.0, 110.0, good=good) == frozen(120.0, 130.0, good=good) == [Missed.NO_ANSWER]


def test_periods_in_which_nothing_was_tried_while_the_agent_was_frozen() -> None:
    assert Grid().ended(160.0, frozen=(120.0, 140.0)) == [
        (100.0, 120.0, 2, 6, 0, 6, Missed.LATE, ""),
        (120.0, 140.0, 2, 6, 0, 6, Missed.FROZEN, ""),
        (140.0, 160.0, 2, 6, 0, 6, Missed.LATE, ""),
    ]
    assert Grid().ended(160.0, frozen=(119.0, 141.0)) == [
        (100.0, 110.0, 1, 3, 0, 3, Missed.LATE, ""),
        (110.0, 150.0, 4, 12, 0, 12, Missed.FROZEN, ""),
        (150.0, 160.0, 1, 3, 0, 3, Missed.LATE, ""),
    ]
    assert Grid().ended(120.0, frozen=(0.0, 500.0)) == [(100.0, 120.0, 2, 6, 0, 6, Missed.FROZEN, "")]


def test_periods_of_one_reason_are_one() -> None:
    def why(start: float, end: float) -> tuple[str, str]:
        return (Missed.PORT_LOCKED, "ann") if 120 <= start < 140 else (Missed.LATE, "")

    grid = Grid()
    assert grid.ended(150.0, why) == [
        (100.0, 120.0, 2, 6, 0, 6, Missed.LATE, ""),
        (120.0, 140.0, 2, 6, 0, 6, Missed.PORT_LOCKED, ""),
        (140.0, 150.0, 1, 3, 0, 3, Missed.LATE, ""),
    ]
    (locked,) = grid.slots.take_ended(160.0, lambda start, end: (Missed.PORT_LOCKED, "ann"), NEVER)
    assert locked.by == "ann"


def test_what_was_read_between_what_was_not_keeps_its_place() -> None:
    grid = Grid()
    grid.good("abc", 125.0)
    assert [row[:3] for row in grid.ended(150.0)] == [(100.0, 120.0, 2), (120.0, 130.0, 1), (130.0, 150.0, 2)]


def test_at_the_end_the_open_period_counts_if_it_was_read() -> None:
    grid = Grid()
    grid.good("ab", 105.0)
    assert grid.ended(106.0) == []
    assert grid.ended(106.0, final=True) == [
        (100.0, 110.0, 1, 3, 2, 0), (100.0, 110.0, 0, 0, 0, 1, Missed.LATE, "c"),
    ]  # fmt: skip
    grid = Grid()
    grid.failed("abc", Missed.NO_ANSWER, 105.0)
    assert grid.ended(106.0, final=True) == []


def test_an_absence_touches_what_it_overlaps() -> None:
    port = Absences()
    port.begin(100.0, Missed.PORT_DOWN)
    assert port.within(90.0, 100.0) is None
    assert port.within(90.0, 100.1) == (Missed.PORT_DOWN, "")
    port.begin(110.0, Missed.PORT_DOWN)
    port.begin(120.0, Missed.PORT_LOCKED, "ann")
    assert port.within(121.0, 122.0) == (Missed.PORT_LOCKED, "ann"), "locked before down"
    port.end(130.0, Missed.PORT_LOCKED)
    assert port.within(130.0, 131.0) == (Missed.PORT_DOWN, "")
    port.end(140.0)
    assert port.within(140.0, 150.0) is None, "begun twice is ended once"
    port.end(150.0)
    assert port.within(139.9, 150.0) == (Missed.PORT_DOWN, ""), "it ended when it did"
    assert port.within(140.0, 150.0) is None
    port.begin(160.0, Missed.PORT_DOWN)
    assert port.within(159.0, 161.0) == (Missed.PORT_DOWN, "")


def test_why_nothing_was_tried() -> None:
    port, silences = Absences(), Absences()
    why = port.why(Missed.LATE, (50.0, 60.0), silences)
    assert why(40.0, 50.0) == why(60.0, 70.0) == (Missed.LATE, "")
    assert why(49.0, 50.1) == why(59.9, 70.0) == (Missed.NO_ANSWER, ""), "an answer was waited for"
    silences.begin(60.0, Missed.NO_ANSWER)
    assert why(60.0, 70.0) == (Missed.NO_ANSWER, "")
    port.begin(60.0, Missed.PORT_DOWN)
    assert why(60.0, 70.0) == (Missed.PORT_DOWN, "")
