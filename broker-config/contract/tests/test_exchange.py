"""What a rule sends of what its source says, in simulated time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_contract.exchange import (
    MIN_INTERVAL_MS,
    RETRY_MS,
    Flow,
    FlowState,
    RunningRule,
    closes_circle,
    converted,
    takes,
)
from edge_contract.model import Quality, Sort, Value, sort_of

GOOD = int(Quality.GOOD)


def rule(
    number: int = 1, source: int = 10, *, ratio: float = 1, bias: float = 0, every_ms: int = 0
) -> RunningRule:
    return RunningRule(number, source, 100 + number, ratio, bias, every_ms)


def due(flowing: Flow[RunningRule], now_ms: int) -> list[tuple[int, Value]]:
    """What goes now, by the number of the rule."""
    return [(one.id, flowing.begin(one, now_ms)) for one in flowing.ready(now_ms)]


def flow(*rules: RunningRule) -> Flow[RunningRule]:
    made: Flow[RunningRule] = Flow()
    made.replace(rules)
    return made


def test_a_rule_begins_with_nothing_to_send() -> None:
    assert FlowState() == FlowState(waits=None, waiting=False, sent=None, sent_ms=None, missed=False)
    assert due(flow(rule()), 0) == []


def test_each_change_goes_once() -> None:
    flowing = flow(rule())
    flowing.take(10, 1, GOOD)
    assert [value for _, value in due(flowing, 0)] == [1]
    assert due(flowing, 10_000) == []
    flowing.take(10, 1, GOOD)
    assert due(flowing, 20_000) == []
    flowing.take(10, 2, GOOD)
    assert [value for _, value in due(flowing, 30_000)] == [2]
    flowing.take(10, 2.0, GOOD)  # another type is another value
    assert [type(value) for _, value in due(flowing, 40_000)] == [float]


def test_the_newest_of_what_waits_goes_when_it_is_time() -> None:
    flowing = flow(rule(every_ms=5000))
    flowing.take(10, 1, GOOD)
    assert len(due(flowing, 0)) == 1
    flowing.take(10, 2, GOOD)
    flowing.take(10, 3, GOOD)
    assert due(flowing, 4999) == []
    assert [value for _, value in due(flowing, 5000)] == [3]


def test_at_most_one_a_second() -> None:
    flowing = flow(rule())
    flowing.take(10, 1, GOOD)
    due(flowing, 0)
    flowing.take(10, 2, GOOD)
    assert due(flowing, 999) == []
    assert len(due(flowing, 1000)) == 1


def test_what_did_not_arrive_goes_again_after_a_minute_unless_something_newer_did() -> None:
    flowing = flow(rule())
    flowing.take(10, 1, GOOD)
    due(flowing, 0)
    flowing.miss(rule())
    assert due(flowing, 59_999) == []
    assert [value for _, value in due(flowing, 60_000)] == [1]
    flowing.miss(rule())
    flowing.take(10, 2, GOOD)
    assert [value for _, value in due(flowing, 120_000)] == [2]
    assert due(flowing, 300_000) == []


@pytest.mark.parametrize(
    ("every_ms", "missed", "rest_ms"),
    [(0, False, 1000), (5000, False, 5000), (0, True, 60_000), (5000, True, 60_000), (90_000, True, 90_000)],
)
def test_the_rest_between_two_values_is_the_longer_of_the_rules_and_what_always_holds(
    every_ms: int, missed: bool, rest_ms: int
) -> None:
    flowing = flow(rule(every_ms=every_ms))
    flowing.take(10, 1, GOOD)
    due(flowing, 7)
    if missed:
        flowing.miss(rule(every_ms=every_ms))
    flowing.take(10, 2, GOOD)
    assert due(flowing, 7 + rest_ms - 1) == []
    assert [value for _, value in due(flowing, 7 + rest_ms)] == [2]


def test_a_rule_that_is_gone_misses_nothing() -> None:
    flowing = flow(rule())
    flowing.take(10, 1, GOOD)
    due(flowing, 0)
    flowing.miss(rule(2))
    flowing.miss(rule(ratio=2))
    assert due(flowing, 60_000) == []


@pytest.mark.parametrize(("value", "quality"), [(None, GOOD), (1, int(Quality.OUT_OF_RANGE))])
def test_only_good_values_go(value: Value, quality: int) -> None:
    flowing = flow(rule())
    flowing.take(10, value, quality)
    assert due(flowing, 0) == []


def test_several_rules_of_one_source_and_other_sources() -> None:
    flowing = flow(rule(1), rule(2), rule(3, 11))
    flowing.take(10, 5, GOOD)
    assert [found for found, _ in due(flowing, 0)] == [1, 2]


def test_what_did_not_change_goes_on_and_what_changed_begins_anew() -> None:
    flowing = flow(rule(1), rule(2))
    flowing.take(10, 5, GOOD)
    due(flowing, 0)
    flowing.replace([rule(1), rule(2, ratio=2)])
    flowing.take(10, 5, GOOD)
    assert [found for found, _ in due(flowing, 1000)] == [2]
    flowing.replace([])
    assert (flowing.states, dict(flowing.of_source)) == ({}, {})


@pytest.mark.parametrize(
    ("ratio", "bias", "value", "target", "sent"),
    [
        (1, 0, "on", "text", "on"),
        (1, 0, 1, "text", None),
        (1, 0, True, "switch", True),
        (1, 0, False, "switch", False),
        (1, 0, 1, "switch", None),
        (1, 0, 0.0, "switch", None),
        (1, 0, "on", "switch", None),
        (1, 0, True, "number", 1),
        (2, 1, True, "number", 3),
        (2, 0.5, 3, "number", 6.5),
        (1, 0, "3", "number", None),
        (0.1, 0, "3", "number", None),
        (1e308, 0, 1e10, "number", None),
        (1, 0, 2**60, "number", 2**60),
        (1, 5, 2, "number", 7),
        (2, 0, 2, "number", 4),
        (0, 0, 2, "number", 0),
        (1, 1, 2, "number", 3),
        (1, -1, 2, "number", 1),
        (3, 0, 2, "number", 6),
    ],
)
def test_converted(ratio: float, bias: float, value: Value, target: Sort, sent: Value) -> None:
    found = converted(rule(ratio=ratio, bias=bias), value, target)
    assert (found, type(found)) == (sent, type(sent))


@pytest.mark.parametrize(
    ("edges", "closes"),
    [
        ([], False),
        ([(2, 1)], True),
        ([(2, 3), (3, 1)], True),
        ([(1, 3), (2, 4)], False),
        ([(2, 3), (3, 2)], False),
        ([(2, 3), (2, 1)], True),
        ([(2, 3), (2, 4), (3, 5), (4, 5), (5, 1)], True),
    ],
)
def test_circles(edges: list[tuple[int, int]], closes: bool) -> None:
    assert closes_circle(edges, 1, 2) is closes
    assert closes_circle(edges, 5, 5)


@pytest.mark.parametrize(
    ("source", "target", "source_sort", "taken"),
    [
        ("num", "number", "number", True),
        ("swh", "number", "switch", True),
        ("str", "number", "text", False),
        ("str", "text", "text", True),
        ("num", "text", "number", False),
        ("swh", "switch", "switch", True),
        ("num", "switch", "number", False),
        ("cal", "switch", "number", True),
        ("cal", "text", "number", False),
    ],
)
def test_what_may_feed_what(source: str, target: Sort, source_sort: Sort, taken: bool) -> None:
    assert takes(source, target, source_sort) is taken


def test_who_has_sent_nothing_for_the_longest_time_goes_first() -> None:
    flowing = flow(rule(1), rule(2), rule(3))
    for now_ms, first in ((-9000, 2), (-7000, 1)):
        flowing.take(10, now_ms, GOOD)
        flowing.begin(rule(first), now_ms)
    flowing.take(10, 0, GOOD)
    assert [one.id for one in flowing.ready(0)] == [3, 2, 1]


def test_a_rule_goes_on_where_somebody_else_was() -> None:
    flowing = flow(rule(1), rule(2), rule(3))
    flowing.resume(1, 5, 0, missed=False)
    flowing.resume(2, 5, 0, missed=True)
    flowing.resume(9, 5, 0, missed=True)
    flowing.take(10, 5, GOOD)
    assert due(flowing, MIN_INTERVAL_MS - 1) == [(3, 5)]
    assert due(flowing, MIN_INTERVAL_MS) == []
    assert due(flowing, RETRY_MS) == [(2, 5)]
    assert set(flowing.states) == {1, 2, 3}


def test_what_did_not_arrive_elsewhere_goes_again_without_another_value() -> None:
    flowing = flow(rule())
    flowing.resume(1, 5, 0, missed=True)
    assert due(flowing, RETRY_MS) == [(1, 5)]


STEPS = st.lists(
    st.tuples(
        st.integers(0, 3000), st.sampled_from([1, 2, 2.0, True, None]), st.sampled_from([0, 5]), st.booleans()
    ),
    max_size=40,
)


@pytest.mark.clause("C-183")
@given(STEPS, st.sampled_from([0, 1500, 5000]))
def test_whatever_comes(steps: list[tuple[int, Value, int, bool]], every_ms: int) -> None:
    """Never faster than it may, never what is not the newest good value, never twice what has arrived."""
    flowing, now_ms = flow(rule(every_ms=every_ms)), 0
    newest: Value = None
    sent: list[tuple[int, Value]] = []
    has_arrived = True
    for passed_ms, value, quality, arrives in steps:
        now_ms += passed_ms
        flowing.take(10, value, quality)
        if value is not None and quality == GOOD:
            newest = value
        for _, given_value in due(flowing, now_ms):
            rest_ms = max(every_ms, MIN_INTERVAL_MS if has_arrived else RETRY_MS)
            assert not sent or now_ms - sent[-1][0] >= rest_ms
            assert repr(given_value) == repr(newest)
            assert not sent or not has_arrived or repr(given_value) != repr(sent[-1][1])
            sent.append((now_ms, given_value))
            has_arrived = arrives
            if not arrives:
                flowing.miss(rule(every_ms=every_ms))
    if newest is not None:
        end_ms = now_ms + max(every_ms, RETRY_MS)
        due(flowing, end_ms)
        assert repr(flowing.states[1].sent) == repr(newest)


@given(
    st.floats(-1e12, 1e12), st.floats(-1e12, 1e12),
    st.one_of(st.integers(), st.floats(), st.booleans(), st.text()),
    st.sampled_from(["number", "switch", "text"]),
)  # fmt: skip
def test_what_is_written_is_of_the_targets_sort(
    ratio: float, bias: float, value: Value, target: Sort
) -> None:
    result = converted(rule(ratio=ratio, bias=bias), value, target)
    kinds: dict[str, tuple[type, ...]] = {"number": (int, float), "switch": (bool,), "text": (str,)}
    assert result is None or (
        isinstance(result, kinds[target]) and isinstance(result, bool) is (target == "switch")
    )


@pytest.mark.parametrize(
    ("kind", "data_type", "sort"),
    [
        ("swh", "uint16", "switch"), ("num", "bool", "switch"), ("str", "string", "text"),
        ("loc", "var", "text"), ("num", "float", "number"), ("cal", "var", "number"),
    ],
)  # fmt: skip
def test_what_the_values_of_a_point_are(kind: str, data_type: str, sort: Sort) -> None:
    assert sort_of(kind, data_type) == sort
