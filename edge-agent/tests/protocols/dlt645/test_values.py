"""Raw values to bytes and back."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.errors import BadValue
from edge_agent.protocols.dlt645.items import Item
from edge_agent.protocols.dlt645.values import digits_of, reader, value_bytes, value_of


@given(st.integers(1, 6), st.integers(0, 4), st.booleans(), st.data())
@settings(max_examples=300, deadline=None)
def test_number_round_trip(length: int, decimals: int, signed: bool, data: st.DataObject) -> None:
    item = Item("0", length, decimals, signed)
    most = 8 * 10 ** (2 * length - 1) - 1 if signed else 100**length - 1
    number = data.draw(st.integers(-most if signed else 0, most))
    raw = number / 10**decimals if decimals else number
    wire = value_bytes(item, raw)
    assert len(wire) == length
    assert value_of(item, wire) == raw
    assert reader(item, 3)(digits_of(b"abc" + wire + b"\xaa")) == raw


@given(st.binary(max_size=8), st.integers(1, 6), st.booleans(), st.sampled_from(["bcd", "digits", "relay"]))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_value_or_none(data: bytes, length: int, signed: bool, kind: str) -> None:
    value = value_of(Item("0", length, 2, signed, kind=kind), data)
    if len(data) != length:
        assert value is None
    elif kind == "bcd" and value is not None:
        assert value_bytes(Item("0", length, 2, signed), value)[:-1] == data[:-1]


NUMBER, SIGNED, DIGITS = Item("0", 2, 1, False), Item("0", 2, 1, True), Item("0", 3, 0, False, kind="digits")


@pytest.mark.parametrize(
    ("item", "raw", "wire"),
    [
        (NUMBER, 999.9, "9999"),
        (NUMBER, 0, "0000"),
        (NUMBER, 0.1 + 0.2, "0300"),
        (SIGNED, -799.9, "99F9"),
        (SIGNED, -0.04, "0000"),
        (DIGITS, "153045", "453015"),
    ],
)
def test_bytes_of_a_value(item: Item, raw: Any, wire: str) -> None:
    assert value_bytes(item, raw).hex().upper() == wire


@pytest.mark.parametrize(
    ("item", "raw", "rule"),
    [
        (NUMBER, 1000, r"must be from 0 to 999\.9"),
        (NUMBER, -0.1, "must be from 0"),
        (NUMBER, float("nan"), "must be a number"),
        (NUMBER, float("inf"), "must be a number"),
        (NUMBER, "12", "must be a number"),
        (NUMBER, None, "must be a number"),
        (SIGNED, 800, r"must be from -799\.9 to 799\.9"),
        (DIGITS, "12345", "6 digits"),
        (DIGITS, "12345a", "6 digits"),
        (DIGITS, "１２３４５６", "6 digits"),
        (DIGITS, 153045, "6 digits"),
    ],
)
def test_what_an_item_cannot_hold(item: Item, raw: Any, rule: str) -> None:
    with pytest.raises(BadValue, match=rule):
        value_bytes(item, raw)
