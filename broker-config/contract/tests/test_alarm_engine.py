"""Alarms: each condition by hand."""

from __future__ import annotations

import pytest

from edge_contract.alarms.engine import Engine
from edge_contract.alarms.evaluation import Transition, TransitionKind
from edge_contract.alarms.rule import (
    Comparison,
    Direction,
    Limits,
    Logic,
    NotConnected,
    Operator,
    Rule,
    Script,
    SingleChange,
    Trend,
    Unchanged,
)

from .alarm_scenes import Sample, Shown, fed, rule, shown

HIGH = Comparison(signal=1, op=Operator.GREATER, threshold=90.0)

BY_HAND: dict[str, tuple[Rule, list[Sample], list[Shown]]] = {
    "beyond the threshold until it is not": (
        rule(HIGH),
        [(1, 1, 90), (2, 1, 90.1), (3, 1, 95), (4, 1, 90)],
        [("raised", 2), ("cleared", 4)],
    ),
    "until it is back by the deadband": (
        rule(Comparison(signal=1, op=Operator.GREATER, threshold=90.0, deadband=5.0)),
        [(1, 1, 91), (2, 1, 86), (3, 1, 89), (4, 1, 85)],
        [("raised", 1), ("cleared", 4)],
    ),
    "until it is beyond where it clears": (
        rule(Comparison(signal=1, op=Operator.LESS_OR_EQUAL, threshold=10.0, clear=12.0)),
        [(1, 1, 10), (2, 1, 12), (3, 1, 12.1), (4, 1, 11)],
        [("raised", 1), ("cleared", 3)],
    ),
    "from one side of a range to the other": (
        rule(Comparison(signal=1, op=Operator.OUT_OF_RANGE, threshold=Limits(low=10, high=90), deadband=2.0)),
        [(1, 1, 90), (2, 1, 91), (3, 1, 5), (4, 1, 11), (5, 1, 12)],
        [("raised", 2), ("cleared", 5)],
    ),
    "a switch that is on": (
        rule(Comparison(signal=1, op=Operator.EQUAL, threshold=1.0)),
        [(1, 1, False), (2, 1, True), (3, 1, False)],
        [("raised", 2), ("cleared", 3)],
    ),
    "too short for the delay, then long enough": (
        rule(HIGH, on_delay_s=5.0),
        [(1, 1, 91), (5, 1, 80), (10, 1, 91), (30, 1, 91)],
        [("raised", 15)],
    ),
    "a delay ends before the sample of the same time": (
        rule(HIGH, on_delay_s=5.0),
        [(1, 1, 91), (6, 1, 80)],
        [("raised", 6), ("cleared", 6)],
    ),
    "over when it was normal long enough": (
        rule(HIGH, off_delay_s=10.0),
        [(1, 1, 91), (2, 1, 80), (8, 1, 91), (20, 1, 80)],
        [("raised", 1), ("cleared", 30)],
    ),
    "again while it lasts": (
        rule(HIGH, again_s=100),
        [(1, 1, 91), (250, 1, 80)],
        [("raised", 1), ("again", 101), ("again", 201), ("cleared", 250)],
    ),
    "a value that is missing changes nothing": (
        rule(HIGH),
        [(1, 1, 91), (2, 1, None), (3, 1, 91), (4, 1, None), (5, 1, 80), (6, 1, None)],
        [("raised", 1), ("cleared", 5)],
    ),
    "a text changes nothing": (rule(HIGH), [(1, 1, "91"), (2, 1, 91), (3, 1, "x")], [("raised", 2)]),
    "all conditions": (
        rule(HIGH, Comparison(signal=2, op=Operator.LESS, threshold=10.0), logic=Logic.ALL),
        [(1, 1, 91), (2, 2, 9), (3, 1, 80)],
        [("raised", 2), ("cleared", 3)],
    ),
    "any condition": (
        rule(HIGH, Comparison(signal=2, op=Operator.LESS, threshold=10.0)),
        [(1, 2, 9), (2, 1, 91), (3, 2, 20), (4, 1, 80)],
        [("raised", 1), ("cleared", 4)],
    ),
    "two that change at once are no alarm between": (
        rule(HIGH, Comparison(signal=2, op=Operator.GREATER, threshold=90.0)),
        [(1, 1, 91), (1, 2, 80), (2, 1, 80), (2, 2, 91), (3, 2, 80)],
        [("raised", 1), ("cleared", 3)],
    ),
    "unchanged": (
        rule(Unchanged(signal=1, duration_s=10.0)),
        [(1, 1, 5), (8, 1, 5), (9, 1, 6), (12, 1, 6), (30, 1, 7)],
        [("raised", 19), ("cleared", 30), ("raised", 40)],
    ),
    "unchanged within the deadband of what it was": (
        rule(Unchanged(signal=1, duration_s=10.0, deadband=1.0)),
        [(1, 1, 5), (5, 1, 6), (9, 1, 4), (12, 1, 6.5)],
        [("raised", 11), ("cleared", 12), ("raised", 22)],
    ),
    "an unchanged text": (
        rule(Unchanged(signal=1, duration_s=10.0)),
        [(1, 1, "run"), (5, 1, "run"), (12, 1, "stop")],
        [("raised", 11), ("cleared", 12), ("raised", 22)],
    ),
    "an unchanged number of many digits": (
        rule(Unchanged(signal=1, duration_s=10.0)),
        [(1, 1, 2**53 + 1), (5, 1, 2**53 + 1), (12, 1, 2**53)],
        [("raised", 11), ("cleared", 12), ("raised", 22)],
    ),
    "time without values does not count as unchanged": (
        rule(Unchanged(signal=1, duration_s=10.0)),
        [(1, 1, 5), (8, 1, None), (20, 1, 5), (25, 1, 5), (40, 1, None)],
        [("raised", 30), ("cleared", 40)],
    ),
    "a jump": (
        rule(SingleChange(signal=1, magnitude=10.0)),
        [(1, 1, 5), (2, 1, 14), (3, 1, 24), (4, 1, 34), (5, 1, 35), (6, 1, 20)],
        [("raised", 3), ("cleared", 5), ("raised", 6)],
    ),
    "a jump over a gap is none": (
        rule(SingleChange(signal=1, magnitude=10.0)),
        [(1, 1, 5), (2, 1, None), (3, 1, 24)],
        [],
    ),
    "a rise": (
        rule(Trend(signal=1, direction=Direction.UP, count=3)),
        [(1, 1, 5), (2, 1, 6), (3, 1, 6), (4, 1, 7), (5, 1, 8), (6, 1, 8), (7, 1, 7)],
        [("raised", 5), ("cleared", 7)],
    ),
    "a fall that goes far enough": (
        rule(Trend(signal=1, direction=Direction.DOWN, count=2, magnitude=10.0)),
        [(1, 1, 50), (2, 1, 48), (3, 1, 45), (4, 1, 40), (5, 1, 41)],
        [("raised", 4), ("cleared", 5)],
    ),
    "a rise that a gap ends": (
        rule(Trend(signal=1, direction=Direction.UP, count=2)),
        [(1, 1, 5), (2, 1, 6), (3, 1, None), (4, 1, 7), (5, 1, 8), (6, 1, 9)],
        [("raised", 6)],
    ),
    "a slave that is gone": (
        rule(NotConnected(signal="slave:4"), on_delay_s=60.0),
        [(1, "slave:4", True), (2, "slave:4", False), (70, "slave:4", True)],
        [("raised", 62), ("cleared", 70)],
    ),
    "what a script says": (
        rule(Script(signal="script:1")),
        [(1, "script:1", False), (2, "script:1", True), (3, "script:1", False)],
        [("raised", 2), ("cleared", 3)],
    ),
    "a timer looks at its times only": (
        rule(HIGH, interval_s=60),
        [(1, 1, 80), (70, 1, 91), (80, 1, 80), (130, 1, 91), (200, 1, 91), (245, 1, 80)],
        [("raised", 180), ("cleared", 300)],
    ),
    "a timer's jump is between its times": (
        rule(SingleChange(signal=1, magnitude=10.0), interval_s=60),
        [(1, 1, 80), (20, 1, 95), (70, 1, 86), (130, 1, 97)],
        [("raised", 180), ("cleared", 240)],
    ),
    "a timer's value that does not change": (
        rule(Unchanged(signal=1, duration_s=90.0), interval_s=60),
        [(1, 1, 80), (30, 1, 5), (130, 1, 5), (200, 1, 6)],
        [("raised", 180), ("cleared", 240), ("raised", 360)],
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    made, samples, wanted = BY_HAND[name]
    assert shown(fed(Engine([made]), samples)) == wanted


def test_a_transition_says_since_when_and_which_condition() -> None:
    made = Rule(
        id=7,
        version=3,
        conditions=[HIGH, Comparison(signal=2, op=Operator.LESS, threshold=10.0)],
        logic=Logic.ALL,
        on_delay_s=5.0,
        off_delay_s=2.0,
    )
    found = fed(Engine([made]), [(1, 1, 91), (2, 2, 9.5), (20, 1, 88.5)])
    assert found == [
        Transition(7, 3, TransitionKind.RAISED, 7000, 7000, 2000, 1, 9.5),
        Transition(7, 3, TransitionKind.CLEARED, 22_000, 7000, 20_000, 0, 88.5),
    ]


def test_a_sample_that_is_not_newer_changes_nothing() -> None:
    engine = Engine([rule(HIGH)])
    assert engine.feed(5000, [1], [80.0]) == []
    assert engine.feed(4000, [1], [95.0]) == []
    assert engine.feed(5000, [1], [95.0]) == []
    assert shown(engine.feed(5001, [1], [95.0])) == [("raised", 5.001)]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_changes_nothing(value: float) -> None:
    engine = Engine([rule(Comparison(signal=1, op=Operator.OUT_OF_RANGE, threshold=Limits(low=10, high=90)))])
    assert engine.feed(1000, [1], [value]) == []
    assert shown(engine.feed(2000, [1], [95.0])) == [("raised", 2)]
    assert engine.feed(3000, [1], [value]) == []


def test_an_alarm_of_another_version_is_dropped() -> None:
    engine = Engine([rule(HIGH)])
    fed(engine, [(1, 1, 91)])
    changed = Engine([rule(HIGH, version=2)], engine.state())
    assert [(each.id, each.raised_ms) for each in changed.dropped] == [(1, 1000)]
    assert [each.id for each in Engine([], engine.state()).dropped] == [1]
    assert Engine([rule(HIGH)], engine.state()).dropped == []


def test_a_new_rule_makes_no_alarm_of_before() -> None:
    engine = Engine([rule(HIGH)], begins_ms=60_000)
    assert shown(engine.feed(1000, [1], [95.0])) == [("raised", 60)]
    going_on = Engine([rule(HIGH)], engine.state(), begins_ms=90_000)
    assert shown(going_on.feed(61_000, [1], [80.0])) == [("cleared", 61)]


def test_a_rule_that_is_added_knows_how_everything_is() -> None:
    """Not so the rules that go on: nothing has changed for them."""
    jump = Rule(id=1, conditions=[SingleChange(signal=1, magnitude=10.0)])
    engine = Engine([jump])
    fed(engine, [(1, 1, 50), (2, 1, 95)], 2)
    added = [
        Rule(id=2, conditions=[HIGH]),
        Rule(id=3, conditions=[Unchanged(signal=1, duration_s=100.0)]),
        Rule(id=4, conditions=[HIGH], interval_s=60),
    ]
    going_on = Engine([jump, *added], engine.state(), begins_ms=10_000)
    assert going_on.new_signals == {1}
    begun = going_on.begin({1: (2000, 95), 9: (1, 1)})
    assert [(each.rule, each.t_ms) for each in begun] == [(2, 10_000)]
    assert going_on.new_signals == set()
    assert [(each.rule, each.t_ms) for each in going_on.advance(200_000)] == [(4, 60_000), (3, 102_000)]
    assert [each.rule for each in going_on.feed(200_001, [1], [94.0])] == [1, 3]


def test_a_timer_costs_nothing_while_nothing_comes() -> None:
    """A gateway that was away for a year: the times that it missed are not gone through."""
    engine = Engine([rule(SingleChange(signal=1, magnitude=1.0), interval_s=1)])
    engine.feed(1000, [1], [5.0])
    engine.advance(365 * 86_400_000)
    assert engine.state().rules[0].tick_ms is None
