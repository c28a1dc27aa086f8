"""A row rounded at once holds what round() gives for each of its values."""

from __future__ import annotations

from array import array
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.config.model import Point
from edge_agent.points import PointBlock
from edge_agent.points.scale import value_of
from edge_contract.dense import MAX_DECIMALS, Decimals

NOW = 1_790_000_000_000

scales = st.fixed_dictionaries(
    {
        "ratio": st.sampled_from([0.1, 0.01, 1.0, 10.0, -0.1, 1 / 3, 1e-9, 1e9, 0.0]),
        "bias": st.sampled_from([0.0, -4.0, 0.5, 273.15, -0.05, 1e6]),
        "tofixed": st.integers(0, MAX_DECIMALS + 1),
    }
)
halves = st.tuples(st.integers(-5000, 5000), st.integers(0, 6)).map(
    lambda pair: (pair[0] + 0.5) / 10 ** pair[1]
)
raws = st.one_of(
    st.integers(0, 65535),
    st.floats(-1e4, 1e4, width=32),
    halves,
    st.floats(width=32),
    st.sampled_from([0, -0.0]),
)


def points(*fields: dict[str, Any]) -> list[Point]:
    return [
        msgspec.convert({"slave": "s", "name": f"p{n}", "data_type": "float", **own}, Point)
        for n, own in enumerate(fields)
    ]


def spelled(values: Any) -> list[str]:
    return [repr(value) for value in values]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(scales, raws), min_size=1, max_size=8), st.booleans())
def test_as_one_by_one(members: list[tuple[dict[str, Any], Any]], alike: bool) -> None:
    own = points(*[members[0][0] if alike else fields for fields, _ in members])
    raw = [value for _, value in members]
    row = PointBlock(own, range(1, len(own) + 1)).row(raw, NOW)
    assert spelled(row.values) == spelled(map(value_of, own, raw))


@pytest.mark.parametrize("tofixed", range(MAX_DECIMALS + 1))
def test_halves_and_the_numbers_beside_them(tofixed: int) -> None:
    own = points(*[{"ratio": 1.0, "bias": 0.25, "tofixed": tofixed}] * 62)
    block = PointBlock(own, range(1, 63))
    for start in range(-31_000, 31_000, 620):
        raw = [(start + 10 * n + 0.5) / 10**tofixed - 0.25 + (n % 3 - 1) * 1e-15 for n in range(62)]
        row = block.row(raw, NOW)
        assert type(row.values) is Decimals
        assert spelled(row.values) == spelled(map(value_of, own, raw))


def test_the_largest_and_what_is_beyond() -> None:
    own = points({"ratio": 0.5, "tofixed": 0})
    for raw in (2.0**31 - 1, -(2.0**31) + 1, 2.0**31 + 3, 1e30, -1e300):
        assert spelled(PointBlock(own, [1]).row([raw], NOW).values) == spelled([value_of(own[0], raw)])
    assert PointBlock(own, [1]).row([1e30], NOW).good
    assert not PointBlock(own, [1]).row(array("f", [float("nan")]), NOW).good


def test_integers_stay_integers() -> None:
    own = points({"data_type": "uint16", "tofixed": 0}, {"data_type": "uint16", "ratio": 10.0, "tofixed": 1})
    assert spelled(PointBlock(own, [1, 2]).row((7, 8), NOW).values) == ["7", "80"]
    assert spelled(PointBlock(own, [1, 2]).row(array("f", [7, 8]), NOW).values) == ["7.0", "80.0"]


def test_nothing_has_no_sign() -> None:
    own = points({"ratio": 0.1, "tofixed": 1})
    assert spelled(PointBlock(own, [1]).row([-0.4], NOW).values) == ["0.0"]
    assert spelled([value_of(own[0], -0.4)]) == ["0.0"]


def test_raw_measurements_stay_in_their_array() -> None:
    block, raw = PointBlock(points({}, {}), [1, 2]), array("f", [1.5, 3e38])
    assert block.row(raw, NOW).values is raw
    assert block.row(raw, NOW).good
    assert block.row(array("f", [1.5, float("inf")]), NOW).values == [1.5, None]


@pytest.mark.parametrize(
    ("raw", "ratio", "bias", "tofixed"),
    [
        (9503972.031818181, 1.1, 0.0, 2),
        (2603244.4136363636, 1.1, 0.0, 2),
        (26275306.833333336, 3.3, 12345.6, 1),
        (1513075.4075757577, 3.3, -0.05, 2),
        (7022246.254999999, 0.01, 12345.6, 4),
    ],
)
def test_large_numbers_that_lie_beside_a_half(raw: float, ratio: float, bias: float, tofixed: int) -> None:
    """Scaled at once each is below the half, and round() of its value goes up, or the other way round."""
    fields = {"ratio": ratio, "bias": bias, "tofixed": tofixed}
    own = points(fields, fields)
    row = PointBlock(own, [1, 2]).row([raw, 1.0], NOW)
    assert spelled(row.values) == spelled(map(value_of, own, [raw, 1.0]))
