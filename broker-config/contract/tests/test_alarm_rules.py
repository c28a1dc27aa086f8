"""What a rule may say: each fault is named; JSON is its form."""

from __future__ import annotations

import json
from math import inf

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_contract.alarms.regions import above, around, below, gaps, regions
from edge_contract.alarms.rule import Comparison, Limits, Operator, Rule

ONE = {"type": 1, "signal": 5, "op": 1, "threshold": 90}


def read(*conditions: object, **others: object) -> Rule:
    return msgspec.json.decode(json.dumps({"id": 1, "conditions": conditions, **others}).encode(), type=Rule)


def test_each_type_of_condition_is_read_and_written() -> None:
    given_ = [
        ONE,
        {"type": 1, "signal": 5, "op": 7, "threshold": {"low": 1.0, "high": 2.0}, "deadband": 0.5},
        {"type": 2, "signal": 5, "duration_s": 60.0},
        {"type": 3, "signal": 5, "magnitude": 2.5},
        {"type": 4, "signal": 5, "direction": "down", "count": 4},
        {"type": 5, "signal": "slave:3"},
        {"type": 6, "signal": "script:3"},
    ]
    made = read(*given_, logic=2)
    assert json.loads(msgspec.json.encode(made))["conditions"] == given_


@pytest.mark.parametrize(
    ("condition", "rule"),
    [
        (ONE | {"threshold": {"low": 1, "high": 2}}, "threshold: one number"),
        (ONE | {"op": 6}, "threshold: low and high"),
        (ONE | {"op": 8}, "op"),
        (ONE | {"op": 6, "threshold": {"low": 3, "high": 2}}, "low: at most high"),
        (ONE | {"deadband": -1}, "deadband"),
        (ONE | {"deadband": 1, "clear": 80}, "clear: instead of a deadband"),
        (ONE | {"clear": 91}, "clear: at most the threshold"),
        (ONE | {"op": 4, "clear": 89}, "clear: at least the threshold"),
        (ONE | {"op": 5, "clear": 89}, "clear: a deadband for this comparison"),
        (ONE | {"op": 6, "threshold": {"low": 1, "high": 5}, "clear": 3}, "clear: low and high"),
        (
            ONE | {"op": 6, "threshold": {"low": 1, "high": 5}, "clear": {"low": 2, "high": 6}},
            "clear: around the threshold",
        ),
        (
            ONE | {"op": 7, "threshold": {"low": 1, "high": 5}, "clear": {"low": 0, "high": 4}},
            "clear: within the threshold",
        ),
        (
            ONE | {"op": 7, "threshold": {"low": 1, "high": 5}, "deadband": 2.1},
            "deadband: at most half of the range",
        ),
        ({"type": 2, "signal": 5, "duration_s": 0}, "duration_s"),
        ({"type": 3, "signal": 5, "magnitude": 0}, "magnitude"),
        ({"type": 4, "signal": 5, "direction": "up", "count": 1}, "count"),
        ({"type": 5, "signal": ""}, "signal"),
        ({"type": 7, "signal": 5}, "type"),
    ],
)
def test_a_fault_is_named(condition: dict[str, object], rule: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=rule.split(":")[0]) as raised:
        read(condition)
    assert "conditions[0]" in str(raised.value)
    if ":" in rule:
        assert rule in str(raised.value)


@pytest.mark.parametrize("conditions", [[], [ONE] * 51])
def test_a_rule_has_1_to_50_conditions(conditions: list[object]) -> None:
    with pytest.raises(msgspec.ValidationError, match="conditions"):
        read(*conditions)


@pytest.mark.parametrize("value", [inf, -inf, float("nan")])
def test_thresholds_are_finite(value: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        Comparison(signal=1, op=Operator.LESS, threshold=value)
    with pytest.raises(ValueError, match="low, high"):
        Limits(low=value, high=1)


@given(
    st.sampled_from(Operator), st.integers(-5, 5), st.integers(0, 8), st.integers(0, 4), st.floats(-20, 20)
)
def test_regions_and_gaps_are_everything_and_apart(
    op: Operator, low: int, width: int, deadband: int, value: float
) -> None:
    threshold = Limits(low=low, high=low + width) if op in (6, 7) else float(low)
    if op is Operator.OUT_OF_RANGE:
        deadband = min(deadband, width // 2)
    begins, stays = regions(Comparison(signal=1, op=op, threshold=threshold, deadband=float(deadband)))
    for region in (begins, stays):
        assert (around(region, value) is None) is (around(gaps(region), value) is not None)
        for inner, outer in zip(region, gaps(region), strict=False):
            assert inner[0] <= inner[1]
            assert outer[0] <= outer[1]
    assert around(begins, value) is None or around(stays, value) is not None
    for edge in (low, low + width, below(low), above(low + width)):
        assert (around(begins, edge) is None) is (around(gaps(begins), edge) is not None)
