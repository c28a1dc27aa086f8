"""One value in both directions."""

from __future__ import annotations

import math
import struct
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from edge_agent.config.model import Point
from edge_agent.errors import BadValue
from edge_agent.model import Quality
from edge_agent.points import PointBlock, raw_of, same_value, value_of


def point(**fields: Any) -> Point:
    return msgspec.convert({"slave": "s", "name": "p", **fields}, Point)


@pytest.mark.parametrize(
    ("fields", "raw", "value"),
    [
        ({}, 7, 7),
        ({"ratio": 0.1}, 7, 0.7000000000000001),
        ({"ratio": 0.1, "tofixed": 1}, 7, 0.7),
        ({"ratio": 10.0, "bias": 5.0}, 7, 75),
        ({"bias": -40.0}, 100, 60),
        ({"data_type": "float"}, math.nan, None),
        ({"data_type": "float"}, math.inf, None),
        ({"data_type": "double", "ratio": 1e300}, 1e300, None),
        ({}, None, None),
        ({"min": 0.0, "max": 5.0}, 7, 7),
        ({"type": "str", "data_type": "string"}, "VFD", "VFD"),
        ({"type": "swh"}, 0, False),
        ({"type": "swh"}, 2, True),
        ({"type": "swh", "on_value": 1, "off_value": 2}, 2, False),
        ({"type": "swh", "on_value": 1, "off_value": 2}, 3, None),
        ({"type": "swh", "on_value": 0}, 0, True),
        ({"type": "swh", "on_value": 0}, 1, False),
        ({"type": "swh", "off_value": 85}, 170, True),
        ({"type": "cal"}, True, True),
        ({"type": "cal"}, 1, 1),
    ],
)
def test_raw_to_value(fields: dict[str, Any], raw: Any, value: Any) -> None:
    found = value_of(point(**fields), raw)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("fields", "value", "raw"),
    [
        ({"ratio": 0.1}, 12.3, 123),
        ({"ratio": 0.1, "bias": 1.0}, 12.3, 113),
        ({"data_type": "float", "ratio": 2.0}, 5.0, 2.5),
        ({"ratio": 1 / 3, "tofixed": 1}, 12.3, 37),
        ({"ratio": 0.1, "tofixed": 0}, 12.3, 123),
        ({"ratio": 0.1}, 0.1 + 0.2, 3),
        ({"data_type": "int16"}, -1, -1),
        ({"data_type": "uint64"}, 2**64 - 1, 2**64 - 1),
        ({"type": "swh"}, True, 1),
        ({"type": "swh", "on_value": 85.0, "off_value": 170}, True, 85),
        ({"type": "swh", "on_value": 85, "off_value": 170}, False, 170),
        ({"type": "swh", "on_value": 0, "off_value": 1}, True, 0),
        ({"type": "swh", "on_value": 0, "off_value": 1}, False, 1),
        ({"type": "swh", "on_value": 0}, False, 1),
        ({"type": "swh", "off_value": 1}, True, 0),
        ({"type": "swh", "on_value": 170}, False, 0),
        ({"type": "str", "data_type": "string"}, "VFD", "VFD"),
    ],
)
def test_value_to_raw(fields: dict[str, Any], value: Any, raw: Any) -> None:
    found = raw_of(point(**fields), value)
    assert (found, type(found)) == (raw, type(raw))


@pytest.mark.parametrize(
    ("fields", "value", "words"),
    [
        ({}, 65536, "outside uint16"),
        ({}, -0.6, "outside uint16"),
        ({"min": 1.0}, 0, "at least 1.0"),
        ({"max": 1.0}, 2, "at most 1.0"),
        ({}, "5", "finite number"),
        ({}, True, "finite number"),
        ({}, None, "finite number"),
        ({}, math.nan, "finite number"),
        ({}, 85.5, "must be a multiple of 1; 85.5 would become 86"),
        ({"tofixed": 0}, 85.5, "must be a multiple of 1"),
        ({"tofixed": 1}, 12.7, "must be a multiple of 1; 12.7 would become 13"),
        ({"ratio": 0.1}, 12.34, "must be a multiple of 0.1"),
        ({"ratio": 10.0, "bias": 3.0}, 25, "must be a multiple of 10, counted from 3"),
        ({"type": "swh"}, 2, "true or false"),
        ({"type": "swh"}, "on", "true or false"),
        ({"type": "swh"}, 1, "true or false"),
        ({"type": "swh"}, 0, "true or false"),
        ({"type": "swh"}, 0.0, "true or false"),
        ({"type": "swh"}, None, "true or false"),
        ({"type": "swh", "on_value": 170, "off_value": 85}, 170, "true or false"),
        ({"selector": {"0": "Stop", "2": "Run"}}, 1, r"must be one of 0 \(Stop\), 2 \(Run\)"),
        ({"type": "str", "data_type": "string"}, 5, "text"),
    ],
)
def test_what_cannot_be_written(fields: dict[str, Any], value: Any, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        raw_of(point(**fields), value)


LEVELS = st.one_of(st.none(), st.integers(0, 3), st.sampled_from([85, 170, 85.0]))


@pytest.mark.clause("C-120")
@given(LEVELS, LEVELS, st.booleans())
def test_what_a_button_says_is_what_is_read_back(on: Any, off: Any, position: bool) -> None:
    assume(on is None or on != off)
    switch = point(type="swh", on_value=on, off_value=off)
    assert value_of(switch, raw_of(switch, position)) is position


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 65535),
    st.sampled_from([0.1, 0.01, 1.0, 10.0, -0.5, 1 / 3]),
    st.sampled_from([0.0, -40.0, 7.25]),
)
def test_an_integer_survives_the_round_trip(raw: int, ratio: float, bias: float) -> None:
    scaled = point(ratio=ratio, bias=bias)
    value = value_of(scaled, raw)
    assert raw_of(scaled, value) == raw
    assert same_value(scaled, value, value_of(scaled, raw_of(scaled, value)))


@settings(max_examples=80, deadline=None)
@given(st.floats(-1e6, 1e6), st.sampled_from([None, 0, 2]))
def test_a_float_read_back_through_float32_is_the_same(value: float, tofixed: int | None) -> None:
    held = point(data_type="float", ratio=0.1, bias=3.0, tofixed=tofixed)
    raw = struct.unpack(">f", struct.pack(">f", raw_of(held, value)))[0]
    assert same_value(held, value, value_of(held, raw))


@pytest.mark.parametrize(
    ("fields", "wanted", "read", "same"),
    [
        ({"ratio": 0.1}, 12.34, 12.3, True),
        ({"ratio": 0.1}, 12.34, 12.5, False),
        ({}, 5, 6, False),
        ({"data_type": "float"}, 1.5, 1.5001, False),
        ({"data_type": "float"}, 0.0, 1e-3, False),
        ({"type": "swh"}, True, 1, True),
        ({"type": "swh"}, True, False, False),
        ({}, 5, None, False),
        ({"type": "str"}, "a", "a", True),
        ({"type": "str"}, "a", "b", False),
        ({"data_type": "double", "tofixed": 1}, 1.0, 1.04, True),
        ({"data_type": "double", "tofixed": 1}, 1.0, 1.06, False),
    ],
)
def test_same_value(fields: dict[str, Any], wanted: Any, read: Any, same: bool) -> None:
    assert same_value(point(**fields), wanted, read) is same


@pytest.mark.parametrize(
    ("data_type", "low", "high"),
    [
        ("uint8", 0, 255),
        ("int8", -128, 127),
        ("uint16", 0, 65_535),
        ("int16", -32_768, 32_767),
        ("uint32", 0, 2**32 - 1),
        ("int32", -(2**31), 2**31 - 1),
        ("uint64", 0, 2**64 - 1),
        ("int64", -(2**63), 2**63 - 1),
        ("var", 0, 2**64 - 1),
    ],
)
def test_a_type_of_the_device_holds_its_range(data_type: str, low: int, high: int) -> None:
    for value in (low, high):
        assert raw_of(point(data_type=data_type), value) == value
    for value in (low - 1, high + 1):
        with pytest.raises(BadValue, match=f"outside {data_type}"):
            raw_of(point(data_type=data_type), value)


def test_a_selector_takes_its_values_only() -> None:
    one = Point(slave="s", name="mode", rw="readwrite", ratio=0.5, selector={"0": "Stop", "1.5": "Run"})
    assert raw_of(one, 1.5) == 3
    assert raw_of(one, 0) == 0
    with pytest.raises(BadValue, match=r"mode: must be one of 0 \(Stop\), 1\.5 \(Run\)"):
        raw_of(one, 1)


@pytest.mark.parametrize("data_type", ["uint16", "int64", "float", "double", "var"])
@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 10**400, -(10**400)])
def test_what_no_device_can_hold_is_refused(data_type: Any, value: float) -> None:
    one = Point(slave="s", name="p", rw="readwrite", data_type=data_type, ratio=0.1)
    with pytest.raises(BadValue, match="p: "):
        raw_of(one, value)


def test_a_float_of_the_device_has_an_end() -> None:
    one = Point(slave="s", name="p", rw="readwrite", data_type="float")
    assert raw_of(one, 3.4e38) == 3.4e38
    with pytest.raises(BadValue, match="too large for the device"):
        raw_of(one, 3.5e38)


@pytest.mark.parametrize(
    ("raw", "ratio"), [(10**400, 1.0), (10**300, 1e100), (9 * 10**18, 1e308), (1e308, 10.0)]
)
def test_what_leaves_the_numbers_is_no_value(raw: float, ratio: float) -> None:
    one = Point(slave="s", name="p", data_type="double", ratio=ratio)
    assert value_of(one, raw) is None
    row = PointBlock([one], [1]).row([raw], 1_790_000_000_000)
    assert (row.values[0], row.qualities) == (None, [Quality.OUT_OF_RANGE])


@pytest.mark.parametrize(
    ("fields", "wanted", "near", "far"),
    [
        ({}, 7, [7, 7.5], [7.51, 8]),
        ({"ratio": 0.1, "tofixed": 1}, 12.3, [12.3, 12.4], [12.41]),
        ({"ratio": -10.0}, 50, [45, 55], [44.9, 55.1]),
        ({"data_type": "float"}, 1000.0, [1000.0, 1000.0001], [1000.0002]),
        ({"data_type": "float", "bias": 3000.0}, 1000.0, [1000.0004], [1000.0006]),
        ({"data_type": "float", "tofixed": 2}, 1.5, [1.505], [1.506]),
        ({"data_type": "float", "tofixed": 0}, 1.0, [1.5], [1.51]),
        ({"data_type": "double"}, 1.0, [1.0 + 2**-52], [1.0 + 2**-50]),
    ],
)
def test_a_value_read_back_is_the_one_written_within_what_the_device_holds(
    fields: dict[str, Any], wanted: float, near: list[float], far: list[float]
) -> None:
    """Half a step of an integer, a step of a float, and half of the last digit that is shown."""
    own = point(**fields)
    assert [same_value(own, wanted, read) for read in near] == [True] * len(near)
    assert [same_value(own, wanted, read) for read in far] == [False] * len(far)


@pytest.mark.parametrize(
    ("fields", "wanted", "read", "same"),
    [
        ({}, None, None, False), ({}, 1, None, False), ({}, None, 1, False),
        ({"type": "str", "data_type": "string"}, "a", "a", True),
        ({"type": "str", "data_type": "string"}, "a", "b", False),
        ({}, 1, "1", False),
        ({"type": "swh"}, True, 2, True), ({"type": "swh"}, False, 0, True),
        ({"type": "swh"}, True, 0, False),
    ],
)  # fmt: skip
def test_nothing_is_never_what_was_written(
    fields: dict[str, Any], wanted: Any, read: Any, same: bool
) -> None:
    assert same_value(point(**fields), wanted, read) is same


def test_a_place_is_the_text_of_its_position() -> None:
    own = point(type="loc", data_type="float", ratio=0.01)
    assert value_of(own, "3125,12150") == "121.500000,31.250000"
    assert value_of(own, None) is None and value_of(own, "x") is None
