"""Records of collection made into hours, without a store: clamps, spreading, bounds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.link import collection_hours
from cloud.link.collection_hours import (
    HOUR_MS,
    MAX_COUNT,
    POINTS_NAMED,
    SLAVES_NAMED,
    Detail,
    Hour,
    SlaveDetail,
    clamped,
    hours_of,
    pack,
    reason_of,
    total_of,
    unpack,
    worst,
)
from edge_contract.collection import CollectionRecord, PointReads, ReadGap, SlaveReads

T0 = 1_790_000_000_000 - 1_790_000_000_000 % HOUR_MS


def record(from_ms: int, to_ms: int, *slaves: SlaveReads, **more: Any) -> CollectionRecord:
    return CollectionRecord(seq=1, from_ms=T0 + from_ms, to_ms=T0 + to_ms, slaves=list(slaves), **more)


def reads(name: str, expected: int, good: int, **missed: int) -> SlaveReads:
    return SlaveReads(name=name, expected=expected, good=good, missed=missed)


def slaves_of(detail: Detail) -> dict[str, tuple[int, dict[str, int]]]:
    return {name: (slave.good, slave.missed) for name, slave in detail.slaves.items()}


def test_bounds_and_beginnings() -> None:
    assert (MAX_COUNT, SLAVES_NAMED, POINTS_NAMED) == (2**48, 1000, 1000)
    assert (collection_hours.MAX_GAPS, collection_hours.MAX_READS_PER_MS) == (1000, 2000)
    assert (SlaveDetail().good, SlaveDetail().expected) == (0, 0)
    assert (Hour().covered_ms, Hour().good, Hour().expected) == (0, 0, 0)


def test_a_code_of_a_newer_gateway_is_another_reason() -> None:
    assert reason_of("no_answer") == "no_answer"
    assert reason_of("of_tomorrow") == "other"
    assert reason_of("not_reported") == "other", "only the cloud says so"


@pytest.mark.parametrize(
    ("counts", "good", "missed"),
    [
        (reads("a", 10, 10), 10, {}),
        (reads("a", 10, 12), 10, {}),
        (reads("a", 10, 7, no_answer=3), 7, {"no_answer": 3}),
        (reads("a", 10, 7, no_answer=5), 7, {"no_answer": 3}),
        (reads("a", 10, 7, no_answer=1), 7, {"no_answer": 1, "other": 2}),
        (reads("a", 10, 7, no_answer=2, late=5), 7, {"no_answer": 2, "late": 1}),
        (reads("a", 10, 7, newer=1), 7, {"other": 3}),
        (reads("a", 10, 7, newer=1, newest=2), 7, {"other": 3}),
        (reads("a", 10, 7, no_answer=0), 7, {"other": 3}),
        (reads("a", 2001, 2000), 2000, {}),
        (reads("a", 2001, 0, no_answer=2001), 0, {"no_answer": 2000}),
    ],
)
def test_one_slave_of_a_millisecond(counts: SlaveReads, good: int, missed: dict[str, int]) -> None:
    [(name, found)] = clamped(record(0, 1, counts)).items()
    assert (name, found.good, found.missed, found.expected) == (
        "a",
        good,
        missed,
        good + sum(missed.values()),
    )


def test_what_can_be_read_is_shared_by_the_slaves_in_their_order() -> None:
    found = clamped(record(0, 1, reads("a", 1500, 1500), reads("b", 1000, 1000), reads("c", 5, 5)))
    assert {name: slave.good for name, slave in found.items()} == {"a": 1500, "b": 500, "c": 0}
    twice = clamped(record(0, 1, reads("a", 3, 2, late=1), reads("a", 4, 2, late=2)))
    assert (twice["a"].good, twice["a"].missed) == (4, {"late": 3})


def test_a_record_over_an_hours_end_is_spread_by_time() -> None:
    points = [PointReads(slave="a", point="p", expected=100, good=90)]
    counts = reads("a", 101, 100, late=1)
    found = hours_of(record(HOUR_MS - 15_000, HOUR_MS + 45_000, counts, points=points), 0, 2**53)
    assert list(found) == [T0, T0 + HOUR_MS]
    first, second = found.values()
    assert (first.covered_ms, second.covered_ms) == (15_000, 45_000)
    assert (first.good, second.good) == (25, 75)
    assert (dict(first.missed), dict(second.missed)) == ({}, {"late": 1})
    assert (first.expected, second.expected) == (25, 76)
    assert slaves_of(first.detail) == {"a": (25, {})}
    assert slaves_of(second.detail) == {"a": (75, {"late": 1})}
    assert first.detail.points == {"a": {"p": (25, 23)}}
    assert second.detail.points == {"a": {"p": (75, 67)}}


def gap(slave: str | None, from_ms: int, to_ms: int, missed: int, reason: str = "no_answer") -> ReadGap:
    return ReadGap(slave=slave, from_ms=T0 + from_ms, to_ms=T0 + to_ms, reason=reason, missed=missed)


def spread(*slaves: SlaveReads, gaps: list[ReadGap], **more: Any) -> tuple[Hour, Hour]:
    """The two hours of a record from 15 s before to 45 s after a full hour."""
    found = hours_of(record(HOUR_MS - 15_000, HOUR_MS + 45_000, *slaves, gaps=gaps, **more), 0, 2**53)
    first, second = found.values()
    return first, second


def test_missing_reads_are_in_the_hour_of_their_gap() -> None:
    named = [gap("a", HOUR_MS + 20_000, HOUR_MS + 45_000, 50), gap("b", HOUR_MS - 5000, HOUR_MS + 5000, 10)]
    first, second = spread(reads("a", 120, 70, no_answer=50), reads("b", 60, 50, no_answer=10), gaps=named)
    assert slaves_of(first.detail) == {"a": (30, {}), "b": (10, {"no_answer": 5})}
    assert slaves_of(second.detail) == {"a": (40, {"no_answer": 50}), "b": (40, {"no_answer": 5})}
    assert (dict(first.missed), dict(second.missed)) == ({"no_answer": 5}, {"no_answer": 55})


def test_only_what_no_gap_names_is_shared_out() -> None:
    named = [gap("a", HOUR_MS + 20_000, HOUR_MS + 30_000, 10), gap("c", 0, HOUR_MS, 7)]
    first, second = spread(reads("a", 120, 70, no_answer=30, late=20), gaps=named)
    assert slaves_of(first.detail)["a"] == (20, {"no_answer": 5, "late": 5})
    assert slaves_of(second.detail)["a"] == (50, {"no_answer": 25, "late": 15})


def test_gaps_of_the_gateway_are_those_of_its_slaves() -> None:
    wide = [
        gap(None, HOUR_MS - 10_000, HOUR_MS, 30, "frozen"),
        gap("a", HOUR_MS, HOUR_MS + 5000, 5, "frozen"),
    ]
    first, second = spread(reads("a", 60, 45, frozen=15), reads("b", 120, 100, frozen=20), gaps=wide)
    assert slaves_of(first.detail) == {"a": (5, {"frozen": 10}), "b": (10, {"frozen": 20})}
    assert slaves_of(second.detail) == {"a": (40, {"frozen": 5}), "b": (90, {})}


def test_missing_reads_of_a_point_are_in_its_gaps() -> None:
    mine = ReadGap(
        slave="a", points=["p"], from_ms=T0 + HOUR_MS + 1000, to_ms=T0 + HOUR_MS + 11_000,
        reason="out_of_range", missed=10,
    )  # fmt: skip
    points = [PointReads(slave="a", point=name, expected=60, good=50) for name in ("p", "q")]
    first, second = spread(gaps=[mine], points=points)
    assert first.detail.points == {"a": {"p": (15, 15), "q": (15, 13)}}
    assert second.detail.points == {"a": {"p": (45, 35), "q": (45, 37)}}


def test_a_gap_at_the_end_counts_there_and_an_hour_lacks_no_more_than_is_due() -> None:
    before = gap("a", HOUR_MS - 20_000, HOUR_MS - 15_000, 3)
    first, second = spread(reads("a", 60, 57, no_answer=3), gaps=[before])
    assert slaves_of(first.detail)["a"] == (12, {"no_answer": 3})
    first, second = spread(
        reads("a", 60, 57, no_answer=3), gaps=[gap("a", HOUR_MS + 45_000, HOUR_MS + 46_000, 3)]
    )
    assert slaves_of(second.detail)["a"] == (42, {"no_answer": 3})
    lumps = gap("a", HOUR_MS - 15_000, HOUR_MS, 20)
    first, second = spread(reads("a", 60, 40, no_answer=20), gaps=[lumps])
    assert slaves_of(first.detail)["a"] == (0, {"no_answer": 20})
    assert slaves_of(second.detail)["a"] == (40, {})


names = st.sampled_from(["a", "b"])
codes = st.sampled_from(["no_answer", "late", "frozen", "newer"])
small = st.integers(0, 300)
times = st.integers(-10_000, 3 * HOUR_MS + 10_000)


@given(
    st.lists(st.tuples(names, small, small, st.dictionaries(codes, small)), max_size=4),
    st.lists(st.tuples(st.none() | names, times, times, small, codes), max_size=8),
    st.integers(0, HOUR_MS),
    st.integers(1, 3 * HOUR_MS),
)
def test_hours_add_up_to_the_record(
    slaves: list[tuple[str, int, int, dict[str, int]]],
    gaps: list[tuple[str | None, int, int, int, str]],
    from_ms: int,
    span_ms: int,
) -> None:
    told = record(
        from_ms, from_ms + span_ms,
        *(reads(name, expected, good, **missed) for name, expected, good, missed in slaves),
        gaps=[gap(name, max(low, 0), max(high, 0), missed, code) for name, low, high, missed, code in gaps],
        points=[
            PointReads(slave=name, point="p", expected=expected, good=min(good, expected))
            for name, expected, good, _ in slaves[:1]
        ],
    )  # fmt: skip
    found = hours_of(told, 0, 2**53).values()
    total = total_of([hour.detail for hour in found])
    assert slaves_of(total) == slaves_of(Detail(clamped(told)))
    assert all(hour.good >= 0 and min(hour.missed.values(), default=1) > 0 for hour in found)
    assert sum(hour.good for hour in found) == sum(one.good for one in clamped(told).values())
    for point in told.points:
        assert total.points[point.slave]["p"] == (point.expected, point.good)


def test_a_record_of_one_hour_is_not_spread() -> None:
    [(start, hour)] = hours_of(record(0, HOUR_MS, reads("a", 7, 5), reads("b", 3, 3)), 0, 2**53).items()
    assert (start, hour.covered_ms, hour.good, dict(hour.missed)) == (T0, HOUR_MS, 8, {"other": 2})


def test_a_point_has_no_more_good_reads_than_expected_ones() -> None:
    points = [PointReads(slave="a", point="p", expected=5, good=9)]
    [hour] = hours_of(record(0, 1000, points=points), 0, 2**53).values()
    assert hour.detail.points == {"a": {"p": (5, 5)}}


def test_hours_outside_the_bounds_are_left_out() -> None:
    long = record(0, 4 * HOUR_MS, reads("a", 8, 8))
    found = hours_of(long, T0 + HOUR_MS, T0 + 3 * HOUR_MS)
    assert [(start - T0) // HOUR_MS for start in found] == [1, 2]
    assert [(start - T0) // HOUR_MS for start in hours_of(long, T0 + 1, T0 + 3 * HOUR_MS + 1)] == [1, 2, 3]
    assert [hour.good for hour in found.values()] == [2, 2]


def test_counts_end_at_their_bound() -> None:
    slave = SlaveDetail(MAX_COUNT - 1, {"late": MAX_COUNT - 2})
    slave.add(SlaveDetail(1, {"late": 1, "other": 4}))
    assert (slave.good, slave.missed) == (MAX_COUNT, {"late": MAX_COUNT - 1, "other": 4})
    slave.add(SlaveDetail(1, {"late": 5}))
    assert (slave.good, slave.missed) == (MAX_COUNT, {"late": MAX_COUNT, "other": 4})
    detail = Detail({}, {"a": {"p": (MAX_COUNT - 1, MAX_COUNT - 2)}})
    detail.add(Detail({}, {"a": {"p": (2, 1)}}))
    assert detail.points == {"a": {"p": (MAX_COUNT, MAX_COUNT - 1)}}
    detail.add(Detail({}, {"a": {"p": (2, 5)}}))
    assert detail.points == {"a": {"p": (MAX_COUNT, MAX_COUNT)}}


def test_an_hour_names_so_many_slaves_and_points() -> None:
    detail = Detail({}, {})
    many = {str(number): SlaveDetail(1, {}) for number in range(SLAVES_NAMED + 5)}
    points = {
        "a": {str(number): (2, 1) for number in range(POINTS_NAMED - 1)},
        "b": {"x": (1, 1), "y": (1, 1)},
    }
    for _ in range(2):
        detail.add(Detail(many, points))
    assert list(detail.slaves) == [str(number) for number in range(SLAVES_NAMED)]
    assert {slave.good for slave in detail.slaves.values()} == {2}
    assert len(detail.points["a"]) == POINTS_NAMED - 1
    assert detail.points["b"] == {"x": (2, 2)}
    assert detail.points["a"]["0"] == (4, 2)


def test_a_total_is_of_all_of_them() -> None:
    one = Detail({"a": SlaveDetail(3, {"late": 1})}, {"a": {"p": (4, 3)}})
    two = Detail(
        {"a": SlaveDetail(5, {"late": 2}), "b": SlaveDetail(1, {})}, {"a": {"p": (7, 5), "q": (1, 0)}}
    )
    total = total_of([one, two])
    assert slaves_of(total) == {"a": (8, {"late": 3}), "b": (1, {})}
    assert total.points == {"a": {"p": (11, 8), "q": (1, 0)}}
    assert slaves_of(one) == {"a": (3, {"late": 1})}
    assert unpack(pack(total)) == total
    assert unpack(b"") == Detail({}, {})


def test_the_worst_points_come_first() -> None:
    points = {"b": {"x": (10, 5), "y": (0, 0)}, "a": {"z": (4, 2), "w": (10, 9)}}
    assert list(worst(points)) == [("b", "y", 0, 0), ("a", "z", 4, 2), ("b", "x", 10, 5), ("a", "w", 10, 9)]
