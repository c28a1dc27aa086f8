"""Aggregates equal a plain computation, however the samples are cut into batches and wherever it restarts."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from edge_agent.forwarding.aggregation import Aggregate, Aggregation
from edge_agent.model import Quality, Sample

PERIOD_MS = 10_000
GRACE_MS = 3000
BASE_MS = 1_700_000_000_000 // PERIOD_MS * PERIOD_MS

Drawn = tuple[int, int, object, int]
"""Step in ms, point, value, quality."""

VALUES = st.one_of(st.integers(-100, 100), st.booleans(), st.none(), st.just("text"))
SAMPLES = st.lists(
    st.tuples(st.integers(0, 4000), st.integers(1, 3), VALUES, st.sampled_from([0, 0, 0, 5])), max_size=60
)
CUTS = st.lists(st.integers(1, 7), min_size=60, max_size=60)


def in_time(drawn: list[Drawn]) -> list[Sample]:
    """Times rise by the drawn steps, but for a disorder of less than the grace."""
    samples, t_ms = [], BASE_MS
    for step, point, value, quality in drawn:
        t_ms += step
        samples.append(Sample(point, t_ms - step % 7 * 400, value, Quality(quality)))  # type: ignore[arg-type]
    return [*samples, Sample(9, t_ms + 10 * PERIOD_MS, 1)]


def batches_of(samples: list[Sample], cuts: list[int]) -> list[tuple[int, list[Sample]]]:
    result: list[tuple[int, list[Sample]]] = []
    for size in [*cuts, len(samples)]:
        if samples:
            result.append((len(result) + 1, samples[:size]))
            samples = samples[size:]
    return result


def plain(samples: list[Sample]) -> list[Aggregate]:
    """Of every period but the last, which has only the sample that ends the others."""
    result = []
    for begin in sorted({sample.t_ms - sample.t_ms % PERIOD_MS for sample in samples[:-1]}):
        for point in (1, 2, 3):
            mine = [s for s in samples if s.point == point and begin <= s.t_ms < begin + PERIOD_MS]
            if not mine:
                continue
            good = [s for s in mine if s.quality is Quality.GOOD]
            numbers = [s for s in good if isinstance(s.value, bool | int | float)]
            by_time = sorted(numbers, key=lambda s: s.t_ms)
            values = [float(s.value) for s in numbers]  # type: ignore[arg-type]
            first_ms = by_time[0].t_ms if by_time else 0
            row = (
                (
                    float(next(s.value for s in numbers if s.t_ms == first_ms)),  # type: ignore[arg-type]
                    float(by_time[-1].value),  # type: ignore[arg-type]
                    min(values),
                    max(values),
                    sum(values) / len(values),
                    math.fsum(values),
                )
                if values
                else (None,) * 6
            )
            result.append(Aggregate(point, begin, begin + PERIOD_MS, *row, len(mine), len(good)))
    return result


@given(SAMPLES, CUTS)
def test_rows_equal_a_plain_computation_for_any_cut(drawn: list[Drawn], cuts: list[int]) -> None:
    samples = in_time(drawn)
    aggregation = Aggregation(PERIOD_MS, grace_ms=GRACE_MS)
    rows = [row for seq, part in batches_of(samples, cuts) for row in aggregation.feed(seq, BASE_MS, part)]
    assert rows == plain(samples)
    assert aggregation.late == 0


@given(SAMPLES, CUTS, st.sets(st.integers(1, 60)))
def test_a_restart_anywhere_changes_nothing(drawn: list[Drawn], cuts: list[int], restarts: set[int]) -> None:
    """State: the end of the periods and the batch from which on the store still has everything."""
    samples = in_time(drawn)
    batches = batches_of(samples, cuts)
    aggregation = Aggregation(PERIOD_MS, grace_ms=GRACE_MS)
    rows: list[Aggregate] = []
    for seq, part in batches:
        rows += aggregation.feed(seq, BASE_MS, part)
        if seq in restarts:
            kept = aggregation.needs_seq(seq)
            aggregation = Aggregation(PERIOD_MS, grace_ms=GRACE_MS, ended_ms=aggregation.ended_ms)
            again = [row for at, old in batches[kept:seq] for row in aggregation.feed(at, BASE_MS, old)]
            assert again == []
    assert rows == plain(samples)


def test_late_samples_are_counted_and_change_nothing() -> None:
    aggregation = Aggregation(PERIOD_MS)
    assert aggregation.feed(1, BASE_MS, [Sample(1, BASE_MS, 5)]) == []
    [row] = aggregation.feed(2, BASE_MS, [Sample(1, BASE_MS + PERIOD_MS, 6)])
    assert (row.mean, row.count) == (5.0, 1)
    assert aggregation.feed(3, BASE_MS, [Sample(1, BASE_MS + 1, 7)]) == []
    assert aggregation.late == 1


def test_an_offset_moves_the_grid() -> None:
    aggregation = Aggregation(3_600_000, offset_ms=900_000)
    begin = aggregation.begin_of(BASE_MS)
    assert begin % 3_600_000 == 900_000
    assert begin <= BASE_MS < begin + 3_600_000


def test_a_clock_that_was_put_back_begins_anew() -> None:
    """A jump into the future must not make everything after it late."""
    aggregation = Aggregation(PERIOD_MS)
    future = BASE_MS + 3 * 86_400_000
    aggregation.feed(1, future, [Sample(1, future, 1)])
    aggregation.feed(2, BASE_MS, [Sample(1, BASE_MS, 2)])
    rows = aggregation.feed(3, BASE_MS, [Sample(1, BASE_MS + PERIOD_MS, 3)])
    assert [(row.from_ms, row.mean) for row in rows] == [(BASE_MS, 2.0)]


def test_a_clock_that_was_put_back_by_up_to_a_day_goes_on() -> None:
    for back_ms, late in ((86_400_000, 1), (86_400_001, 0)):
        aggregation = Aggregation(PERIOD_MS)
        ended = aggregation.begin_of(BASE_MS + 2 * 86_400_000)
        aggregation.feed(1, ended, [Sample(1, ended, 1)])
        assert aggregation.ended_ms == ended
        aggregation.feed(2, ended - back_ms, [Sample(1, ended - back_ms, 2)])
        assert aggregation.late == late


def test_what_an_open_period_needs() -> None:
    aggregation = Aggregation(PERIOD_MS, grace_ms=PERIOD_MS)
    assert aggregation.needs_seq(7) == 7, "nothing is open"
    aggregation.feed(8, BASE_MS, [Sample(1, BASE_MS, 1)])
    aggregation.feed(9, BASE_MS, [Sample(1, BASE_MS + PERIOD_MS, 1)])
    assert aggregation.needs_seq(9) == 7
    assert len(aggregation.feed(10, BASE_MS, [Sample(1, BASE_MS + 2 * PERIOD_MS, 1)])) == 1
    assert aggregation.needs_seq(10) == 8


def test_first_and_last_go_by_their_times_and_only_good_numbers_count() -> None:
    aggregation = Aggregation(PERIOD_MS)
    given = [(30, 3), (10, 1), (10, 9), (20, "text"), (40, None), (30, 5), (50, True)]
    samples = [Sample(1, BASE_MS + after, value) for after, value in given]
    bad = Sample(1, BASE_MS + 60, 100, Quality.STALE)
    [row] = aggregation.feed(1, BASE_MS, [*samples, bad, Sample(1, BASE_MS + PERIOD_MS, 0)])
    assert (row.first, row.last, row.min, row.max, row.sum, row.mean) == (1, 1.0, 1, 9, 19, 3.8)
    assert (row.count, row.good, row.to_ms - row.from_ms) == (8, 7, PERIOD_MS)
