"""Shares, rates and what is due, without a store."""

from __future__ import annotations

import pytest

from cloud.domains.completeness.collection import (
    LEAST_COVERED_MS,
    UNREPORTED_AFTER_MS,
    Rate,
    ReadSums,
    by_hour,
    due_ms,
    figure,
    of_gateway,
    of_slaves,
    total,
    with_delay,
)
from cloud.link import HOUR_MS, CollectedHour, MissedReason, Reported
from cloud.link.collection_hours import Detail, SlaveDetail

FIRST = 1000 * HOUR_MS
HALF = HOUR_MS // 2
NOTHING = CollectedHour(0, 0, 0, {})


def hour(covered_ms: int, good: int, missed: int, **slaves: tuple[int, int]) -> CollectedHour:
    """slaves: good and missing reads of each."""
    named = {
        name: SlaveDetail(ours, {"late": theirs} if theirs else {}) for name, (ours, theirs) in slaves.items()
    }
    return CollectedHour(
        covered_ms, good + missed, good, {"late": missed} if missed else {}, Detail(named, {})
    )


def sums_of(sums: ReadSums) -> tuple[int, dict[str, int], int, int]:
    return sums.good, sums.missed, sums.unreported_ms, sums.estimated


def test_the_bounds() -> None:
    assert (UNREPORTED_AFTER_MS, LEAST_COVERED_MS) == (150_000, 300_000)
    assert ReadSums() == ReadSums(good=0, missed={}, unreported_ms=0, estimated=0, unnamed=0)
    assert Rate() == Rate(expected=0, covered_ms=0)


@pytest.mark.parametrize(
    ("low", "high", "now_ms", "due"),
    [
        (0, HOUR_MS, 0, HALF),  # what was reported is due whatever the time
        (0, HOUR_MS, HALF + 150_000, HALF),
        (0, HOUR_MS, HALF + 150_001, HALF + 1),
        (0, HOUR_MS, 9 * HOUR_MS, HOUR_MS),
        (-HOUR_MS, HOUR_MS, 9 * HOUR_MS, HOUR_MS),
        (1000, 5000, 9 * HOUR_MS, 4000),
        (HALF, HOUR_MS, 0, 0),
        (HOUR_MS, 2 * HOUR_MS, 0, 0),
        (-HOUR_MS, 0, 9 * HOUR_MS, 0),
        (-HOUR_MS, 1, 9 * HOUR_MS, 1),
    ],
)
def test_what_records_should_cover(low: int, high: int, now_ms: int, due: int) -> None:
    reported = Reported(FIRST, FIRST + HALF)
    assert due_ms(reported, FIRST + low, FIRST + high, FIRST + now_ms) == due
    assert due_ms(None, FIRST + low, FIRST + high, FIRST + now_ms) == 0
    later = with_delay(reported, 60_000)
    assert due_ms(later, FIRST + low, FIRST + high, FIRST + now_ms + 60_000) == due


def test_a_report_interval_delays_what_is_due() -> None:
    reported = Reported(1, 2, 3)
    assert with_delay(reported, 7) == Reported(1, 2, 7)
    assert with_delay(reported, 0) is reported
    assert with_delay(None, 7) is None


def test_a_rate_is_of_the_newest_hour_that_says_enough() -> None:
    rate = Rate()
    assert rate.of(HOUR_MS) == 0
    rate.learn(10, 0)
    assert (rate.expected, rate.covered_ms) == (0, 0)
    rate.learn(10, 1000)  # better than nothing
    assert rate.of(5500) == 55
    rate.learn(999, LEAST_COVERED_MS - 1)
    assert rate.of(1000) == 10
    rate.learn(300, LEAST_COVERED_MS)
    assert (rate.of(LEAST_COVERED_MS), rate.of(1999)) == (300, 1)


def test_hours_of_which_something_is_known_or_due() -> None:
    reported = Reported(FIRST + HALF, FIRST + 2 * HOUR_MS)
    known = {FIRST: hour(HALF, 5, 0), FIRST + HOUR_MS: hour(HOUR_MS - 7, 9, 0)}

    def found(start: int, end: int, now_ms: int) -> list[tuple[int, int, int]]:
        rows = by_hour(known, reported, FIRST + start, FIRST + end, FIRST + now_ms)
        return [((begin - FIRST) // HOUR_MS, each.good, unreported) for begin, each, unreported in rows]

    assert found(-5 * HOUR_MS, 5 * HOUR_MS, 0) == [(0, 5, 0), (1, 9, 7)]
    assert found(HOUR_MS, 2 * HOUR_MS, 0) == [(1, 9, 7)]
    assert found(0, HOUR_MS, 0) == [(0, 5, 0)]
    now_ms = 3 * HOUR_MS + UNREPORTED_AFTER_MS
    assert found(0, 9 * HOUR_MS, now_ms) == [(0, 5, 0), (1, 9, 7), (2, 0, HOUR_MS)]
    assert list(by_hour(known, None, FIRST, FIRST + HOUR_MS, FIRST)) == []


def test_sums_of_a_gateway_stand_for_what_was_not_reported() -> None:
    spans = [(1, NOTHING, HALF), (2, hour(HOUR_MS, 300, 60), 0), (3, hour(HALF, 10, 0), HALF)]
    found = of_gateway(spans, hour(HOUR_MS, 90, 10))
    assert sums_of(found[1]) == (0, {}, HALF, 50)
    assert sums_of(found[2]) == (300, {"late": 60}, 0, 0)
    assert sums_of(found[3]) == (10, {}, HALF, 10)
    assert sums_of(of_gateway(spans, None)[1]) == (0, {}, HALF, 0)
    assert sums_of(total(found.values())) == (310, {"late": 60}, HOUR_MS, 60)
    assert list(found) == [1, 2, 3]


def test_sums_of_slaves_over_all_hours() -> None:
    earlier = hour(HOUR_MS, 0, 0, a=(80, 20), gone=(50, 0))
    spans = [
        (1, NOTHING, HALF),
        (2, hour(HOUR_MS, 0, 0, a=(170, 30), b=(40, 0)), 0),
        (3, hour(LEAST_COVERED_MS - 1, 0, 0, a=(1, 0)), HALF),
    ]
    found = of_slaves(spans, earlier)
    assert {name: sums_of(sums) for name, sums in found.items()} == {
        "a": (171, {"late": 30}, HOUR_MS, 150),
        "gone": (0, {}, HALF, 25),
        "b": (40, {}, HALF, 20),
    }
    assert of_slaves([(1, NOTHING, HALF)], None) == {}
    [(name, sums)] = of_slaves(
        [(1, hour(LEAST_COVERED_MS, 0, 0, a=(1, 0)), 0), (2, NOTHING, 0)], earlier
    ).items()
    assert (name, sums_of(sums)) == ("a", (1, {}, 0, 0))


@pytest.mark.parametrize(
    ("sums", "percent", "expected", "missed"),
    [
        (ReadSums(), None, 0, 0),
        (ReadSums(good=3), 100, 3, 0),
        (ReadSums(good=99_999, missed={"late": 1}), 99.999, 100_000, 1),
        (ReadSums(good=999_999, missed={"late": 1}), 99.999, 1_000_000, 1),
        (ReadSums(good=1, missed={"late": 0}, estimated=1), 50, 2, 1),
        (ReadSums(good=1, unnamed=3), 25, 4, 3),
        (ReadSums(missed={"late": 2}), 0, 2, 2),
    ],
)
def test_a_share(sums: ReadSums, percent: float | None, expected: int, missed: int) -> None:
    found = figure(sums, Reported(FIRST, FIRST + HOUR_MS), FIRST, FIRST + HOUR_MS)
    assert (found.percent, found.expected, found.missed, found.good) == (percent, expected, missed, sums.good)
    named = {MissedReason.NOT_REPORTED: 1} if sums.estimated else {}
    assert found.reasons == {
        **{MissedReason(code): count for code, count in sums.missed.items() if count},
        **named,
    }
    assert (found.no_figure is None) is bool(expected)


@pytest.mark.parametrize(
    ("first", "start", "end", "since", "why"),
    [
        (5, 0, 10, 5, "nothing_expected"),
        (0, 0, 10, None, "nothing_expected"),
        (1, 0, 10, 1, "nothing_expected"),
        (9, 0, 10, 9, "nothing_expected"),
        (10, 0, 10, None, "not_yet"),
        (11, 0, 10, None, "not_yet"),
        (-1, 0, 10, None, "nothing_expected"),
    ],
)
def test_since_when_a_gateway_reports(first: int, start: int, end: int, since: int | None, why: str) -> None:
    found = figure(ReadSums(), Reported(first, 100), start, end)
    assert (found.since_ms, found.no_figure) == (since, why)
    assert figure(ReadSums(unreported_ms=1), Reported(0, 100), 0, 10).no_figure == "not_reported"
    assert figure(ReadSums(unreported_ms=1), None, 0, 10).no_figure == "never_reported"
    assert figure(ReadSums(), None, 0, 10).since_ms is None
