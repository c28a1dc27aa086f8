"""Missing numbers, their reasons and the rows they become: pure."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cloud.link.gap_rules import Gap, GapReason, StreamReport, classify, reconcile
from edge_contract.ranges import Range, join

NUMBERS = st.sets(st.integers(1, 40), max_size=25)
TOLD = StreamReport("aa" * 8, "bb" * 8, 41)


def ranges(numbers: set[int]) -> list[Range]:
    return join((number, number) for number in numbers)


def gap(first: int, last: int, reason: GapReason, number: int = 1, **changes: int) -> Gap:
    return replace(Gap(number, first, last, last - first + 1, reason, 1000), **changes)


def reasons(report: StreamReport, gaps: tuple[Gap, ...] = (), **words: bool) -> list[tuple[int, int, str]]:
    missing = [(5, 9), (20, 24)]
    found = classify(missing, report, gaps, **words)
    return [(first, last, str(reason)) for first, last, reason in found]


def test_reasons() -> None:
    held = replace(TOLD, outbox=10)
    assert reasons(held) == [(5, 9, "held"), (20, 24, "held")]
    assert reasons(replace(held, first_seq=20)) == [(5, 9, "unknown"), (20, 24, "held")]
    assert reasons(replace(held, first_seq=20, evicted_batches=5)) == [(5, 9, "evicted"), (20, 24, "held")]
    assert reasons(replace(held, evicted=((1, 6),), evicted_batches=6)) == [
        (5, 6, "evicted"), (7, 9, "held"), (20, 24, "held")
    ]  # fmt: skip
    empty = replace(TOLD, outbox=0)
    assert reasons(empty) == [(5, 9, "unknown"), (20, 24, "unknown")]
    assert reasons(empty, (gap(5, 9, GapReason.EVICTED),)) == [(5, 9, "evicted"), (20, 24, "unknown")]
    assert reasons(empty, (gap(6, 6, GapReason.DAMAGED),)) == [
        (5, 5, "unknown"), (7, 9, "unknown"), (20, 24, "unknown")
    ]  # fmt: skip
    assert reasons(empty, (gap(5, 7, GapReason.EVICTED),), replaced=True) == [
        (5, 7, "evicted"), (8, 9, "replaced"), (20, 24, "replaced")
    ]  # fmt: skip


def test_a_gateway_that_was_asked_in_vain_does_not_hold_it() -> None:
    asked = (gap(5, 9, GapReason.HELD, requests=3),)
    assert reasons(replace(TOLD, outbox=10), asked) == [(5, 9, "held"), (20, 24, "held")]  # it has enough
    assert reasons(replace(TOLD, outbox=9), asked) == [(5, 9, "unknown"), (20, 24, "held")]
    assert reasons(replace(TOLD, outbox=9), asked, due=False) == [(5, 9, "held"), (20, 24, "held")]
    found = (gap(5, 9, GapReason.UNKNOWN, requests=3),)
    assert reasons(replace(TOLD, outbox=9), found, due=False) == [(5, 9, "unknown"), (20, 24, "held")]


def test_a_row_shrinks_and_is_filled() -> None:
    row = gap(5, 9, GapReason.HELD)
    changed, gone = reconcile([(8, 9, GapReason.HELD)], [row], 2000)
    assert (changed, gone) == ([replace(row, missing=2)], [])
    changed, gone = reconcile([], changed, 3000)
    assert (changed, gone) == ([replace(row, missing=0, filled=True)], [])


def test_a_row_changes_its_reason_or_is_split() -> None:
    row = gap(5, 9, GapReason.HELD, requests=2)
    changed, _ = reconcile([(5, 9, GapReason.EVICTED)], [row], 2000)
    assert changed == [replace(row, reason=GapReason.EVICTED)]
    changed, _ = reconcile([(5, 6, GapReason.EVICTED), (7, 9, GapReason.HELD)], [row], 2000)
    assert [(g.id, g.first, g.last, g.reason, g.detected_ms) for g in changed] == [
        (1, 5, 6, GapReason.EVICTED, 1000), (None, 7, 9, GapReason.HELD, 1000)
    ]  # fmt: skip


def test_damage_has_a_row_of_its_own() -> None:
    rows = [gap(5, 9, GapReason.HELD), gap(7, 7, GapReason.DAMAGED, 2), gap(12, 12, GapReason.HELD, 3)]
    rows.append(gap(12, 12, GapReason.DAMAGED, 4))
    pieces = classify([(5, 9), (12, 12)], replace(TOLD, outbox=9), rows)
    changed, gone = reconcile(pieces, rows, 2000)
    assert [(g.id, g.first, g.last) for g in changed] == [(1, 5, 6), (None, 8, 9)]
    assert gone == [3]


@given(st.lists(st.tuples(NUMBERS, st.sampled_from([0, 50])), min_size=1, max_size=5), NUMBERS)
def test_open_rows_are_what_is_missing(looks: list[tuple[set[int], int]], evicted: set[int]) -> None:
    """Whatever comes and goes between looks, the open rows hold every missing number once."""
    rows: list[Gap] = []
    for missing, outbox in looks:
        report = replace(TOLD, outbox=outbox, evicted=tuple(ranges(evicted)))
        pieces = classify(ranges(missing), report, rows)
        changed, gone = reconcile(pieces, rows, 1)
        kept = {row.id: row for row in rows if row.id not in gone}
        for row in changed:
            number = row.id if row.id is not None else max([*kept, 0], default=0) + 1  # type: ignore[type-var]
            kept[number] = replace(row, id=number)
        rows = [row for row in kept.values() if not row.filled]
        assert sum(row.missing for row in rows) == len(missing)
        for row in rows:
            inside = {n for n in missing if row.first <= n <= row.last}
            assert len(inside) == row.missing > 0
        assert reconcile(pieces, rows, 1) == ([], [])


def test_what_a_hello_does_not_say_is_nothing() -> None:
    report = StreamReport("aa" * 8, "bb" * 8, 41)
    assert (report.first_seq, report.outbox, report.evicted) == (None, None, ())
    assert (report.evicted_batches, report.dropped_samples) == (0, 0)
    new = Gap(None, 5, 9, 5, GapReason.HELD, 1000)
    assert (new.requests, new.filled) == (0, False)


def test_a_gateway_is_asked_three_times_before_it_is_taken_to_have_nothing() -> None:
    for requests, reason in ((0, "held"), (2, "held"), (3, "unknown"), (4, "unknown")):
        asked = (gap(5, 9, GapReason.HELD, requests=requests),)
        assert reasons(replace(TOLD, outbox=9), asked)[0] == (5, 9, reason)


def test_the_first_batch_of_a_gateway_that_does_not_say_where_it_begins_is_held() -> None:
    found = classify([(1, 3)], replace(TOLD, outbox=10), ())
    assert [(first, last, str(reason)) for first, last, reason in found] == [(1, 3, "held")]
    found = classify([(1, 3)], replace(TOLD, outbox=10, first_seq=2), ())
    assert [(first, last, str(reason)) for first, last, reason in found] == [
        (1, 1, "unknown"),
        (2, 3, "held"),
    ]
