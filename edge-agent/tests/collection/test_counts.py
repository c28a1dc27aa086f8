"""Counts and gaps of one record, and records of an absence, added up by hand."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.collection.counts import Counts, absence
from edge_agent.model import Reads
from edge_contract.collection import CollectionRecord, Missed
from edge_contract.limits import COLLECTION_GAPS, COLLECTION_POINTS, COLLECTION_SPAN_MS

HOUR_MS = 3_600_000


class Site:
    """Two slaves; the wall clock is 1000 s ahead."""

    def __init__(self, *disabled: str) -> None:
        self.counts = Counts(["a", "b"], disabled)

    def missed(self, from_s: float, to_s: float, reason: str = Missed.NO_ANSWER, **more: Any) -> None:
        """Two reads of a are missing."""
        fields = {"slave": "a", "grid": 0, "slots": 1, "expected": 2, "good": 0, "missed": 2, **more}
        self.counts.add(Reads(from_s=from_s, to_s=to_s, reason=reason, **fields))

    def record(self) -> CollectionRecord:
        return self.counts.record(5, 10, 20, lambda seconds: round((seconds + 1000) * 1000))

    def gaps(self) -> list[tuple[float, float, int]]:
        """From and to in seconds, and reads that are missing."""
        return [
            (round(gap.from_ms / 1000 - 1000, 3), round(gap.to_ms / 1000 - 1000, 3), gap.missed)
            for gap in self.record().gaps
        ]


def test_reads_of_every_slave() -> None:
    site = Site()
    site.missed(0.0, 10.0)
    site.missed(10.0, 20.0, Missed.LATE, good=3, expected=5)
    site.missed(20.0, 30.0, Missed.LATE, good=7, expected=9)
    record = site.record()
    assert (record.seq, record.from_ms, record.to_ms) == (5, 10, 20)
    assert [(one.name, one.expected, one.good, one.missed) for one in record.slaves] == [
        ("a", 16, 10, {Missed.NO_ANSWER: 2, Missed.LATE: 4}),
        ("b", 0, 0, {}),
    ]


def test_gaps_that_touch_are_one() -> None:
    site = Site()
    site.missed(0.0, 10.0)
    site.missed(10.001, 20.0)
    assert site.gaps() == [(0.0, 20.0, 4)], "a millisecond is of rounding"
    site.missed(20.002, 30.0)
    site.missed(-5.0, -0.001)
    assert site.gaps() == [(-5.0, 20.0, 6), (20.002, 30.0, 2)]
    site.missed(-10.0, -5.002)
    assert site.gaps() == [(-5.0, 20.0, 6), (20.002, 30.0, 2), (-10.0, -5.002, 2)]
    assert site.counts.gaps == 3


def test_gaps_of_another_reason_slave_or_person_are_others() -> None:
    site = Site()
    for more in ({}, {"slave": "b"}, {"by": "ann"}, {"reason": Missed.LATE}, {"points": ("p",), "slots": 0}):
        site.missed(0.0, 10.0, **more)  # type: ignore[arg-type]
    assert site.gaps() == [(0.0, 10.0, 2)] * 5
    assert [(gap.slave, gap.by, gap.points) for gap in site.record().gaps] == [
        ("a", "", []), ("b", "", []), ("a", "ann", []), ("a", "", []), ("a", "", ["p"]),
    ]  # fmt: skip


@pytest.mark.parametrize("reason", [Missed.FROZEN, Missed.CLOCK_NOT_SET])
def test_what_befalls_all_slaves_is_one_gap_of_the_gateway(reason: Missed) -> None:
    site = Site()
    for slave in ("a", "b"):
        site.missed(0.0, 10.0, reason, slave=slave, by="ann", points=("p",))
    (gap,) = site.record().gaps
    assert (gap.slave, gap.by, gap.points, gap.missed) == (None, "", [], 4)


@pytest.mark.parametrize(("count", "named"), [(20, True), (21, False)])
def test_a_gap_names_up_to_twenty_points(count: int, named: bool) -> None:
    site = Site()
    names = tuple(f"p{n}" for n in range(count))
    site.missed(0.0, 10.0, slots=0, points=names)
    assert site.record().gaps[0].points == (list(names) if named else [])


def test_more_gaps_than_a_record_holds_are_counted() -> None:
    for disabled in ((), ("c", "d")):
        site = Site(*disabled)
        most = COLLECTION_GAPS - len(disabled)
        for number in range(most + 3):
            site.missed(number * 10.0, number * 10.0 + 1)
        site.missed(1.0, 2.0)
        record = site.record()
        assert site.counts.gaps == most
        assert (len(record.gaps), record.more_gaps) == (COLLECTION_GAPS, 3)
        assert (record.gaps[0].missed, record.gaps[-1].slave) == (4, disabled[-1] if disabled else "a")


def test_slaves_that_are_not_read_have_a_gap_of_the_record() -> None:
    (gap,) = Site("c").record().gaps
    assert (gap.slave, gap.from_ms, gap.to_ms, gap.reason) == ("c", 10, 20, Missed.DISABLED)


def test_a_gap_before_the_clock_began_begins_with_it_and_a_long_name_is_cut() -> None:
    site = Site()
    site.missed(-2000.0, -1500.0, by="x" * 201)
    (gap,) = site.record().gaps
    assert (gap.from_ms, gap.to_ms, gap.by) == (0, 0, "x" * 200)


def test_points_that_fared_worse_than_their_slave() -> None:
    """Of ten periods, one is missing as a whole; p is missing in three more, q in one."""
    site = Site()
    site.counts.add(Reads("a", 1, 0.0, 80.0, 8, 16, 12))
    site.missed(0.0, 10.0, grid=1, slots=1)
    site.counts.add(Reads("a", 1, 0.0, 10.0, 1, 2, 0))
    for number in range(3):
        points = ("p", "q") if number == 1 else ("p",)
        site.missed(number, number + 1, Missed.DEVICE_ERROR, grid=1, slots=0, expected=0, points=points)
    assert [(one.point, one.expected, one.good) for one in site.record().points] == [
        ("p", 10, 6),
        ("q", 10, 8),
    ]


def test_the_worst_points_are_named_and_none_has_less_than_nothing() -> None:
    site = Site()
    site.counts.add(Reads("b", 0, 0.0, 10.0, 1, 200, 0))
    for number in range(COLLECTION_POINTS + 1):
        site.missed(0.0, 1.0, Missed.DEVICE_ERROR, slave="b", slots=0, points=(f"p{number:03}",))
    site.missed(0.0, 1.0, Missed.DEVICE_ERROR, slave="b", slots=0, points=("p000",))
    points = site.record().points
    assert len(points) == COLLECTION_POINTS
    assert (points[0].point, {one.good for one in points}) == ("p000", {0})


def test_an_absence_is_a_record_of_each_span_with_what_should_have_been_read() -> None:
    from_ms = 1_790_000_000_000
    to_ms = from_ms + COLLECTION_SPAN_MS + HOUR_MS // 2
    first, last = absence(7, from_ms, to_ms, {"a": 100.0, "b": 0.0}, Missed.NOT_RUNNING)
    hours = COLLECTION_SPAN_MS // HOUR_MS
    assert (first.seq, first.from_ms, first.to_ms) == (7, from_ms, from_ms + COLLECTION_SPAN_MS)
    assert (last.seq, last.from_ms, last.to_ms) == (8, first.to_ms, to_ms)
    for record, expected in ((first, 100 * hours), (last, 50)):
        assert [(one.name, one.expected, one.good, one.missed) for one in record.slaves] == [
            ("a", expected, 0, {Missed.NOT_RUNNING: expected}),
            ("b", 0, 0, {}),
        ]
        (gap,) = record.gaps
        assert (gap.slave, gap.from_ms, gap.to_ms, gap.missed) == (
            None,
            record.from_ms,
            record.to_ms,
            expected,
        )


def test_a_very_long_absence_is_told_in_its_newest_part() -> None:
    to_ms = 1_790_000_000_000
    records = absence(1, 0, to_ms, {"a": 1.0}, Missed.NOT_RUNNING)
    assert len(records) == 8
    assert (records[0].from_ms, records[-1].to_ms) == (to_ms - 8 * COLLECTION_SPAN_MS, to_ms)
    assert absence(1, to_ms, to_ms, {"a": 1.0}, Missed.NOT_RUNNING) == []
    (hour,) = absence(1, to_ms - 3_600_000, to_ms, {"a": 3_600_000.0}, Missed.NOT_RUNNING)
    assert hour.slaves[0].expected == 3_600_000
