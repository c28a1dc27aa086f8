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
def test_bounded_and_true(samples: list[tuple[int, float | None]], most: int) -> None:
    taken = [StoredSample(POWER, t_ms, value, 0 if value is not None else 5) for t_ms, value in samples]
    envelope = Envelope(0, 10_000, most)
    envelope.take(taken[::2])
    envelope.take(taken[1::2])
    chosen = envelope.chosen()
    assert envelope.samples == len(taken)
    assert len(chosen) <= most
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
