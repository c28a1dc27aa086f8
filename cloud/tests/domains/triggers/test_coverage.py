"""Known parts of a time, against a reading second by second."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.triggers.coverage import Coverage, joined

SPAN = 60
MOMENTS = st.integers(0, SPAN)
SAMPLES = st.dictionaries(MOMENTS, st.booleans(), max_size=10)
ABSENCES = st.lists(st.tuples(MOMENTS, st.integers(1, 20)).map(lambda each: (each[0], sum(each))), max_size=5)


@given(samples=SAMPLES, hold=st.integers(1, 30), before=st.none() | st.integers(-40, -1))
def test_each_reading_speaks_for_itself(samples: dict[int, bool], hold: int, before: int | None) -> None:
    coverage = Coverage(0, hold)
    times = dict(sorted(samples.items()))
    if before is not None:
        coverage.before(before)
        times = {before: True, **times}
    for at, is_good in sorted(samples.items()):
        coverage.note(at, is_good=is_good)
    known = {
        second
        for at, until in pairwise([*times, SPAN])
        if times[at]
        for second in range(max(at, 0), min(until, at + hold))
    }
    assert coverage.share(SPAN) == len(known) / SPAN
    assert coverage.known_ms == min(known, default=None)


@given(samples=SAMPLES, absences=ABSENCES)
def test_a_value_holds_until_somebody_is_away(
    samples: dict[int, bool], absences: list[tuple[int, int]]
) -> None:
    coverage = Coverage(0, None, joined(absences))
    for at, is_good in sorted(samples.items()):
        coverage.note(at, is_good=is_good)
    away = {
        second
        for begin, end in joined(absences)
        if not any(begin < at < end for at in samples)
        for second in range(begin, end)
    }
    known = {
        second
        for at, until in pairwise([*sorted(samples), SPAN])
        if samples[at]
        for second in range(at, until)
    }
    assert coverage.share(SPAN) == len(known - away) / SPAN
    assert coverage.known_ms == min(known - away, default=None)
