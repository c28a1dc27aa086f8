"""What a rule sends of what its source says, in simulated time."""

from __future__ import annotations

import pytest

from cloud.domains.devices.values import Sort
from cloud.domains.exchange.flow import Flow, RuleState, RunningRule, closes_circle, converted, takes
from edge_contract.model import Quality, Value

GOOD = int(Quality.GOOD)


def rule(
    number: int = 1, source: int = 10, *, ratio: float = 1, bias: float = 0, every_ms: int = 0
) -> RunningRule:
    return RunningRule(number, source, 100 + number, ratio, bias, every_ms, 1)


def flow(*rules: RunningRule) -> Flow:
    made = Flow()
    made.replace(rules)
    return made


def test_a_rule_begins_with_nothing_to_send() -> None:
    assert RuleState() == RuleState(waits=None, waiting=False, sent=None, sent_ms=None, missed=False)
    assert (rule().target_device, rule().granted) == (0, None)


def test_each_change_goes_once() -> None:
    flowing = flow(rule())
    flowing.take(10, 1, GOOD)
    assert [value for _, value in flowing.due(0)] == [1]
    assert flowing.due(10_000) == []
    flowing.take(10, 1, GOOD)
    assert flowing.due(20_000) == []
    flowing.take(10, 2, GOOD)
    assert [value for _, value in flowing.due(30_000)] == [2]
    flowing.take(10, 2.0, GOOD)  # another type is another value
    assert [type(value) for _, value in flowing.due(40_000)] == [float]


def test_the_newest_of_what_waits_goes_when_it_is_time() -> None:
    flowing = flow(rule(every_ms=5000))
    flowing.take(10, 1, GOOD)
    assert len(flowing.due(0)) == 1
    flowing.take(10, 2, GOOD)
    flowing.take(10, 3, GOOD)
    assert flowing.due(4999) == []
    assert [value for _, value in flowing.due(5000)] == [3]


def test_at_most_one_a_second() -> None:
    flowing = flow(rule())
    flowing.take(10, 1, GOOD)
    flowing.due(0)
    flowing.take(10, 2, GOOD)
    assert flowing.due(999) == []
    assert len(flowing.due(1000)) == 1


def test_what_did_not_arrive_goes_again_after_a_minute_unless_something_newer_did() -> None:
    flowing = flow(rule())
    flowing.take(10, 1, GOOD)
    flowing.due(0)
    flowing.miss(1)
    assert flowing.due(59_999) == []
    assert [value for _, value in flowing.due(60_000)] == [1]
    flowing.miss(1)
    flowing.take(10, 2, GOOD)
    assert [value for _, value in flowing.due(120_000)] == [2]
    assert flowing.due(300_000) == []


@pytest.mark.parametrize(
    ("every_ms", "missed", "rest_ms"),
    [(0, False, 1000), (5000, False, 5000), (0, True, 60_000), (5000, True, 60_000), (90_000, True, 90_000)],
)
def test_the_rest_between_two_values_is_the_longer_of_the_rules_and_what_always_holds(
    every_ms: int, missed: bool, rest_ms: int
) -> None:
    flowing = flow(rule(every_ms=every_ms))
    flowing.take(10, 1, GOOD)
    flowing.due(7)
    if missed:
        flowing.miss(1)
    flowing.take(10, 2, GOOD)
    assert flowing.due(7 + rest_ms - 1) == []
    assert [value for _, value in flowing.due(7 + rest_ms)] == [2]


def test_a_rule_that_is_gone_misses_nothing() -> None:
    flowing = flow(rule())
    flowing.take(10, 1, GOOD)
    flowing.due(0)
    flowing.miss(2)
    assert flowing.due(60_000) == []


@pytest.mark.parametrize(("value", "quality"), [(None, GOOD), (1, int(Quality.OUT_OF_RANGE))])
def test_only_good_values_go(value: Value, quality: int) -> None:
    flowing = flow(rule())
    flowing.take(10, value, quality)
    assert flowing.due(0) == []


def test_several_rules_of_one_source_and_other_sources() -> None:
    flowing = flow(rule(1), rule(2), rule(3, 11))
    flowing.take(10, 5, GOOD)
    assert [found.id for found, _ in flowing.due(0)] == [1, 2]


def test_what_did_not_change_goes_on_and_what_changed_begins_anew() -> None:
    flowing = flow(rule(1), rule(2))
    flowing.take(10, 5, GOOD)
    flowing.due(0)
    flowing.replace([rule(1), rule(2, ratio=2)])
    flowing.take(10, 5, GOOD)
    assert [found.id for found, _ in flowing.due(1000)] == [2]
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
