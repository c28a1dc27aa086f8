"""Bytes in every order, and the scale with which they meet what a display shows."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.commissioning.interpretation import ORDERS, in_order, interpretations, ratio_to, texts

WAYS = {
    "ABCD": bytes((0, 1, 2, 3)),
    "CDAB": bytes((2, 3, 0, 1)),
    "BADC": bytes((1, 0, 3, 2)),
    "DCBA": bytes((3, 2, 1, 0)),
}


@pytest.mark.parametrize("order", ORDERS)
def test_orders_by_their_letters(order: str) -> None:
    assert in_order(WAYS[order], order) == bytes((0, 1, 2, 3))


@given(st.binary(min_size=8, max_size=8), st.sampled_from(ORDERS))
def test_an_order_is_its_own_way_back(data: bytes, order: str) -> None:
    assert in_order(in_order(data, order), order) == data


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("data_type", "code"), [("float", "f"), ("int32", "i"), ("double", "d"), ("int64", "q")]
)
def test_an_expected_value_is_recognised_wherever_it_lies(order: str, data_type: str, code: str) -> None:
    number = struct.pack(f">{code}", 23)
    data = b"\x12\x34" + in_order(number, order) + b"\x56\x78"
    best = [one for one in interpretations(data, 23) if one.ratio == 1.0]
    assert (2, data_type, order, 23) in [(one.at, one.data_type, one.order, one.value) for one in best]
    assert interpretations(data, 23)[0].ratio == 1.0


def test_a_scale_is_proposed() -> None:
    first = interpretations(struct.pack(">HH", 0xFFFF, 2305), 230.5)[0]
    assert (first.at, first.data_type, first.order, first.value, first.ratio) == (2, "int16", "AB", 2305, 0.1)


def test_without_an_expected_value_nothing_is_left_out_but_what_is_no_number() -> None:
    found = interpretations(bytes.fromhex("7F800000"))
    assert {(one.data_type, one.order) for one in found if one.at == 0} >= {
        ("int16", "AB"), ("uint16", "BA"), ("int32", "ABCD"), ("uint32", "DCBA"), ("float", "CDAB"),
    }  # fmt: skip
    assert ("float", "ABCD") not in {(one.data_type, one.order) for one in found}, "infinite"
    assert all(one.ratio is None for one in found)
    assert interpretations(b"") == interpretations(b"\x01") == []


def test_tolerance_of_a_display() -> None:
    assert ratio_to(2310, 230.5) == 0.1
    assert ratio_to(2330, 230.5) is None
    assert ratio_to(0, 0) == 1.0
    assert ratio_to(1, 0) is None
    assert ratio_to(1, None) is None


def test_texts_are_of_complete_registers() -> None:
    for data in (b"ab", b"abc"):
        assert sorted(texts(data).values()) == ["ab", "ba"]
    assert set(texts(b"\x1f\x20\x7e\x7f").values()) == {". ~.", " ..~"}


@pytest.mark.parametrize("ratio", [1.0, 0.1, 0.01, 0.001, 0.0001, 10.0, 100.0, 1000.0])
def test_the_plainest_scale_is_chosen(ratio: float) -> None:
    """Within half a percent: the value was read from a display a moment ago."""
    for near in (1.0, 1.0049, 0.9951):
        assert ratio_to(5.0, 5.0 * ratio * near) == ratio
    for far in (1.0052, 0.9949):
        assert ratio_to(5.0, 5.0 * ratio * far) is None
    assert (ratio_to(0.0, 0.0), ratio_to(5.0, 0.0), ratio_to(5.0, None)) == (1.0, None, None)
