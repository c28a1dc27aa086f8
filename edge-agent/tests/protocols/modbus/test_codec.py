"""Register bytes to values and back, against byte orders written out by hand."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.errors import BadValue
from edge_agent.protocols.modbus.codec import BitDecoder, Field, RegisterDecoder, encode, insert

SIZES = {"uint16": 2, "int16": 2, "uint32": 4, "int32": 4, "float": 4, "uint64": 8, "int64": 8, "double": 8}
CODES = {"uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "float": "f", "uint64": "Q", "int64": "q",
         "double": "d"}  # fmt: skip
SAMPLES: dict[str, Any] = {
    "uint16": 0xBEEF, "int16": -2, "uint32": 0xDEADBEEF, "int32": -70000,
    "float": 12.5, "uint64": 2**63 + 5, "int64": -(2**40), "double": -1e-9,
}  # fmt: skip


def arranged(big_end: bytes, order: str) -> bytes:
    """Bytes as sent, by the letters: A is the highest byte."""
    letters = {
        2: {"ABCD": "AB", "CDAB": "AB", "BADC": "BA", "DCBA": "BA"},
        4: {name: name for name in ("ABCD", "CDAB", "BADC", "DCBA")},
        8: {"ABCD": "ABCDEFGH", "CDAB": "GHEFCDAB", "BADC": "BADCFEHG", "DCBA": "HGFEDCBA"},
    }
    return bytes(big_end["ABCDEFGH".index(letter)] for letter in letters[len(big_end)][order])


@pytest.mark.parametrize("order", ["ABCD", "CDAB", "BADC", "DCBA"])
@pytest.mark.parametrize("data_type", SIZES)
def test_types_and_byte_orders(data_type: str, order: Any) -> None:
    value = SAMPLES[data_type]
    wire = arranged(struct.pack(f">{CODES[data_type]}", value), order)
    field = Field(0, 0, SIZES[data_type], data_type, order)
    assert list(RegisterDecoder([field])(wire)) == [value]
    assert encode(field, value) == wire


def test_known_vectors() -> None:
    """0x12345678 and float 12.5 as the vendors' tables print them."""
    for order, wire in {
        "ABCD": "12345678",
        "CDAB": "56781234",
        "BADC": "34127856",
        "DCBA": "78563412",
    }.items():
        assert list(RegisterDecoder([Field(0, 0, 4, "uint32", order)])(bytes.fromhex(wire))) == [0x12345678]  # type: ignore[arg-type]
    assert encode(Field(0, 0, 4, "float"), 12.5).hex() == "41480000"


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_mixed_block_decodes_like_its_single_points(data: Any) -> None:
    fields = []
    for index in range(data.draw(st.integers(1, 12))):
        name = data.draw(st.sampled_from([*SIZES, "uint8", "int8"]))
        order = data.draw(st.sampled_from(["ABCD", "CDAB", "BADC", "DCBA"]))
        at = 2 * data.draw(st.integers(0, 20))
        bit = data.draw(st.integers(0, 15)) if name == "uint16" and data.draw(st.booleans()) else None
        fields.append(Field(index, at, SIZES.get(name, 2), name, order, bit, data.draw(st.booleans())))
    wire = data.draw(st.binary(min_size=50, max_size=50))
    decoder = RegisterDecoder(fields)
    whole = dict(zip(decoder.points, decoder(wire), strict=True))
    for field in fields:
        alone = RegisterDecoder(
            [Field(0, 0, field.size, field.data_type, field.order, field.bit, field.high_byte)]
        )
        (value,) = alone(wire[field.at : field.at + field.size])
        assert whole[field.index] == value or (value != value and whole[field.index] != whole[field.index])


def test_bits_bytes_and_text() -> None:
    word = bytes.fromhex("8001")
    bits = [Field(n, 0, 2, "uint16", "ABCD", n) for n in range(16)]
    assert list(RegisterDecoder(bits)(word)) == [1, *[0] * 14, 1]
    swapped = [Field(n, 0, 2, "uint16", "DCBA", n) for n in range(16)]
    assert list(RegisterDecoder(swapped)(word)) == [0] * 7 + [1, 1] + [0] * 7
    assert list(RegisterDecoder([Field(0, 0, 2, "uint8")])(word)) == [1]
    assert list(RegisterDecoder([Field(0, 0, 2, "int8", high_byte=True)])(word)) == [-128]
    text = RegisterDecoder([Field(0, 0, 8, "string")])
    assert list(text("水泵".encode() + b"  ")) == ["水泵"]
    assert list(text(b"VFD-A\0xx")) == ["VFD-A"]
    assert list(text(b"\xff\xfe12345 ")) == [None]
    for order, wire in (("DCBA", b"FV-D"), ("BADC", b"FV-D"), ("CDAB", b"VFD-"), ("ABCD", b"VFD-")):
        field = Field(0, 0, 4, "string", order)  # type: ignore[arg-type]
        assert list(RegisterDecoder([field])(wire)) == ["VFD-"]
        assert encode(field, "VFD-") == wire


def test_coils() -> None:
    assert BitDecoder([0, 9, 15], [4, 5, 6])(b"\x01\x82") == [1, 1, 1]
    assert BitDecoder([1, 8], [0, 1])(b"\x01\x82") == [0, 0]


def test_insert_changes_one_bit_or_byte() -> None:
    assert insert(Field(0, 0, 2, "uint16", "ABCD", 3), bytes.fromhex("FF00"), 1).hex() == "ff08"
    assert insert(Field(0, 0, 2, "uint16", "DCBA", 3), bytes.fromhex("FF00"), 0).hex() == "f700"
    assert insert(Field(0, 0, 2, "uint8"), bytes.fromhex("1234"), 0xAB).hex() == "12ab"
    assert insert(Field(0, 0, 2, "uint8", high_byte=True), bytes.fromhex("1234"), 0xAB).hex() == "ab34"


@pytest.mark.parametrize(
    ("data_type", "raw"),
    [("uint16", 65536), ("int16", 40000), ("uint32", -1), ("uint16", "x"), ("float", 1e39)],
)
def test_a_value_that_does_not_fit_is_refused(data_type: str, raw: Any) -> None:
    with pytest.raises(BadValue, match=data_type):
        encode(Field(0, 0, SIZES[data_type], data_type), raw)
    with pytest.raises(BadValue, match="no bit"):
        insert(Field(0, 0, 2, "uint16", "ABCD", 3), b"\0\0", 2)
    with pytest.raises(BadValue, match="9 bytes, the point holds 8"):
        encode(Field(0, 0, 8, "string"), "123456789")
