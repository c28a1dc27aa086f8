"""Alarms: what holds for random rules and samples, and an independent model."""

from __future__ import annotations

from itertools import pairwise

import msgspec
from hypothesis import given
from hypothesis import strategies as st

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
from edge_contract.alarms.state import EngineState
from edge_contract.model import Value

from .alarm_scenes import END_S, Sample, Shown, fed, rows, rule, shown

LEVELS = st.integers(0, 10)
SIGNALS = st.integers(1, 3)


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    op = draw(st.sampled_from(Operator))
    low = draw(LEVELS)
    deadband = float(draw(st.integers(0, 3)))
    if op not in (Operator.IN_RANGE, Operator.OUT_OF_RANGE):
        return Comparison(signal=draw(SIGNALS), op=op, threshold=float(low), deadband=deadband)
    high = low + draw(st.integers(0, 6))
    deadband = min(deadband, (high - low) // 2) if op is Operator.OUT_OF_RANGE else deadband
    return Comparison(
        signal=draw(SIGNALS), op=op, threshold=Limits(low=low, high=high), deadband=float(deadband)
    )


CONDITIONS = st.one_of(
    comparisons(),
    st.builds(
        Unchanged,
        signal=SIGNALS,
        duration_s=st.integers(1, 20).map(float),
        deadband=st.integers(0, 2).map(float),
    ),
    st.builds(SingleChange, signal=SIGNALS, magnitude=st.integers(1, 8).map(float)),
    st.builds(
        Trend,
        signal=SIGNALS,
        direction=st.sampled_from(Direction),
        count=st.integers(2, 4),
        magnitude=st.integers(0, 4).map(float),
    ),
    st.builds(NotConnected, signal=SIGNALS),
    st.builds(Script, signal=SIGNALS),
)
DELAYS = st.sampled_from([0.0, 0.0, 3.0, 7.0])


@st.composite
def rule_sets(draw: st.DrawFn) -> list[Rule]:
    return [
        Rule(
            id=number,
            conditions=draw(st.lists(CONDITIONS, min_size=1, max_size=3)),
            logic=draw(st.sampled_from(Logic)),
            interval_s=draw(st.sampled_from([0, 0, 0, 5])),
            on_delay_s=draw(DELAYS),
            off_delay_s=draw(DELAYS),
            again_s=draw(st.sampled_from([0, 0, 10])),
        )
        for number in range(1, draw(st.integers(2, 4)))
    ]


VALUES = st.one_of(LEVELS.map(float), LEVELS, st.booleans(), st.none(), st.sampled_from(["a", "b"]))
SAMPLES = st.lists(st.tuples(st.integers(1, 60), SIGNALS, VALUES), max_size=40).map(
    lambda samples: sorted({(t_s, signal): (t_s, signal, value) for t_s, signal, value in samples}.values(),
                           key=lambda sample: sample[:2])
)  # fmt: skip


@given(rule_sets(), SAMPLES)
def test_an_alarm_is_raised_once_and_ends_once(rules: list[Rule], samples: list[Sample]) -> None:
    found = fed(Engine(rules), samples)
    assert [each.t_ms for each in found] == sorted(each.t_ms for each in found)
    for made in rules:
        kinds = [each.kind for each in found if each.rule == made.id]
        assert kinds[:1] in ([], [TransitionKind.RAISED])
        for before, after in pairwise(kinds):
            assert (before is TransitionKind.CLEARED) is (after is TransitionKind.RAISED)


@given(rule_sets(), SAMPLES, st.lists(st.integers(0, 80_000), max_size=20))
def test_when_time_goes_on_changes_nothing(
    rules: list[Rule], samples: list[Sample], looks: list[int]
) -> None:
    engine = Engine(rules)
    found: list[Transition] = []
    for row in rows(samples):
        for look in sorted(looks):
            if look < row[0]:
                found += engine.advance(look)
        found += engine.feed(*row)
    found += engine.advance(END_S * 1000)
    assert found == fed(Engine(rules), samples)


@given(rule_sets(), SAMPLES, st.sets(st.integers(0, 40)))
def test_a_restart_anywhere_changes_nothing(
    rules: list[Rule], samples: list[Sample], restarts: set[int]
) -> None:
    engine = Engine(rules)
    found: list[Transition] = []
    for place, row in enumerate(rows(samples)):
        if place in restarts:
            kept = msgspec.json.decode(msgspec.json.encode(engine.state()), type=EngineState)
            engine = Engine(rules, kept)
        found += engine.feed(*row)
    found += engine.advance(END_S * 1000)
    assert found == fed(Engine(rules), samples)


@given(rule_sets(), SAMPLES, st.lists(st.tuples(st.integers(0, 40), st.integers(1, 60), SIGNALS, VALUES)))
def test_late_samples_in_any_order_change_nothing(
    rules: list[Rule], samples: list[Sample], late: list[tuple[int, int, int, Value]]
) -> None:
    """Behind each row come samples that are not newer than the last ones of their signals."""
    engine = Engine(rules)
    newest: dict[int | str, int] = {}
    found: list[Transition] = []
    for place, row in enumerate(rows(samples)):
        found += engine.feed(*row)
        newest |= dict.fromkeys(row[1], row[0])
        for after, t_s, signal, value in late:
            if after == place and t_s * 1000 <= newest.get(signal, 0):
                assert engine.feed(t_s * 1000, [signal], [value]) == []
    found += engine.advance(END_S * 1000)
    assert found == fed(Engine(rules), samples)


@given(comparisons(), st.integers(0, 4), st.integers(0, 4), st.lists(LEVELS, min_size=1, max_size=60))
def test_a_comparison_with_delays_is_what_an_independent_model_says(
    condition: Comparison, on_s: int, off_s: int, values: list[int]
) -> None:
    """The model goes second by second, with the comparison written out."""
    made = rule(condition, on_delay_s=float(on_s), off_delay_s=float(off_s))
    samples = [(t_s, condition.signal, value) for t_s, value in enumerate(values, 1)]
    found = shown(fed(Engine([made]), samples, len(values)))
    assert found == model(condition, on_s, off_s, values)


def model(condition: Comparison, on_s: int, off_s: int, values: list[int]) -> list[Shown]:
    wanted: list[Shown] = []
    holds = is_raised = False
    since = 0
    for t_s, value in enumerate(values, 1):
        for before_sample in (True, False):
            if not before_sample:
                now_holds = compare(condition, value, condition.deadband if holds else 0.0)
                if now_holds is not holds:
                    holds, since = now_holds, t_s
            if holds and not is_raised and t_s - since >= on_s:
                is_raised = True
                wanted.append(("raised", t_s))
            elif is_raised and not holds and t_s - since >= off_s:
                is_raised = False
                wanted.append(("cleared", t_s))
    return wanted


def compare(condition: Comparison, value: int, slack: float) -> bool:
    threshold = condition.threshold
    low, high = (threshold.low, threshold.high) if isinstance(threshold, Limits) else (threshold, threshold)
    return {
        Operator.GREATER: value > low - slack,
        Operator.GREATER_OR_EQUAL: value >= low - slack,
        Operator.LESS: value < low + slack,
        Operator.LESS_OR_EQUAL: value <= low + slack,
        Operator.EQUAL: abs(value - low) <= slack,
        Operator.IN_RANGE: low - slack <= value <= high + slack,
        Operator.OUT_OF_RANGE: value < low + slack or value > high - slack,
    }[condition.op]
