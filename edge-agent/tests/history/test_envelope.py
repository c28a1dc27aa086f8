"""A chart's values: never too many, no extreme lost, no gap lost."""

from __future__ import annotations

from history_gateway import POWER
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.history.base import StoredSample
from edge_agent.history.envelope import Envelope

VALUES = st.one_of(st.none(), st.booleans(), st.integers(-1000, 1000), st.floats(-1e9, 1e9))
SAMPLES = st.lists(st.tuples(st.integers(0, 10_000), VALUES), max_size=400)


@given(SAMPLES, st.integers(3, 60))
def test_bounded_and_true(samples: list[tuple[int, float | None]], max_samples: int) -> None:
    taken = [StoredSample(POWER, t_ms, value, 0 if value is not None else 5) for t_ms, value in samples]
    envelope = Envelope(0, 10_000, max_samples)
    envelope.take(taken[::2])
    envelope.take(taken[1::2])
    chosen = envelope.chosen()
    assert envelope.samples == len(taken)
    assert len(chosen) <= max_samples
    assert set(chosen) <= set(taken)
    assert [one.t_ms for one in chosen] == sorted(one.t_ms for one in chosen)
    if not envelope.reduced:
        assert sorted(map(repr, chosen)) == sorted(map(repr, taken))
    numbers = [one.value for one in taken if one.value is not None]
    if numbers:
        shown = [one.value for one in chosen if one.value is not None]
        assert (min(shown), max(shown)) == (min(numbers), max(numbers))
    assert (None in [one.value for one in chosen]) == (None in [one.value for one in taken])


def test_texts_stand_for_their_part() -> None:
    envelope = Envelope(0, 999, 30)
    envelope.take(StoredSample(POWER, t_ms, f"state {t_ms // 100}", 0) for t_ms in range(1000))
    assert [one.value for one in envelope.chosen()] == [f"state {number}" for number in range(10)]


def test_parts_are_equal_and_the_first_of_equal_ones_stands_for_them() -> None:
    """Of each part the lowest, the highest and the first without a value."""
    envelope = Envelope(1000, 1099, 6)
    values = [3, 1, 1, 9, 9, None, None, True]
    for start in (1000, 1050):
        envelope.take(
            StoredSample(POWER, start + n, value, 0 if value is not None else 5)
            for n, value in enumerate(values)
        )
    assert envelope.reduced and envelope.samples == 16
    assert [(one.t_ms, one.value) for one in envelope.chosen()] == [
        (1001, 1), (1003, 9), (1005, None), (1051, 1), (1053, 9), (1055, None),
    ]  # fmt: skip
    small = Envelope(1000, 1099, 6)
    small.take(StoredSample(POWER, 1000 + n, n, 0) for n in range(6))
    assert not small.reduced and len(small.chosen()) == 6, "as many as may be shown are all shown"


def test_a_text_stands_for_a_part_without_a_number() -> None:
    envelope = Envelope(0, 99, 3)
    envelope.take(StoredSample(POWER, n, value, 0) for n, value in enumerate(["b", "a", 5, "c", 4]))
    assert [one.value for one in envelope.chosen()] == [5, 4]
