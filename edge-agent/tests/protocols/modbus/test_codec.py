"""Register bytes to values and back, against byte orders written out by hand."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from modbus_golden import rows

from edge_agent.errors import BadValue
from edge_agent.protocols.modbus.codec import BitDecoder, Field, RegisterDecoder, encode, encode_bits, insert

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


def field_of(row: dict[str, str]) -> Field:
    return Field(
        index=0,
        at=0,
        size=len(bytes.fromhex(row["registers"])),
        data_type=row["data_type"],
        order=row["order"],  # type: ignore[arg-type]
        bit=int(row["bit"]) if row["bit"] else None,
        high_byte=row["byte"] == "high",
        narrow=row["data_type"] == "string" and row["byte"] != "",
    )


@pytest.mark.parametrize("row", rows("values.csv"), ids=lambda row: "-".join(row.values()))
def test_golden_values(row: dict[str, str]) -> None:
    field, wire = field_of(row), bytes.fromhex(row["registers"])
    (value,) = RegisterDecoder([field])(wire)
    assert str(value) == row["value"]
    if field.bit is None and field.data_type not in ("uint8", "int8"):
        assert encode(field, value) == wire
        return
    first = field.bit_at[0] // 2 * 2 if field.bit is not None else 0
    for before in (wire, bytes(len(wire)), b"\xff" * len(wire)):
        register = insert(field, before[first : first + 2], value)
        changed = before[:first] + register + before[first + 2 :]
        assert list(RegisterDecoder([field])(changed)) == [value]
        touched = [
            place
            for place in range(8 * len(wire))
            if (changed[place // 8] ^ before[place // 8]) >> place % 8 & 1
        ]
        assert len(touched) <= (1 if field.bit is not None else 8)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_a_mixed_block_decodes_like_its_single_points(data: Any) -> None:
    fields = []
    for index in range(data.draw(st.integers(1, 12))):
        name = data.draw(st.sampled_from([*SIZES, "uint8", "int8", "var", "string"]))
        order = data.draw(st.sampled_from(["ABCD", "CDAB", "BADC", "DCBA"]))
        at = 2 * data.draw(st.integers(0, 20))
        size = SIZES.get(name, 2 if name.endswith("8") else data.draw(st.sampled_from([2, 4, 6, 8])))
        whole = name.endswith(("16", "32", "64"))
        bit = data.draw(st.integers(0, 8 * size - 1)) if whole and data.draw(st.booleans()) else None
        high, narrow = data.draw(st.booleans()), name == "string" and data.draw(st.booleans())
        fields.append(Field(index, at, size, name, order, bit, high, narrow))
    wire = data.draw(st.binary(min_size=50, max_size=50))
    decoder = RegisterDecoder(fields)
    together = dict(zip(decoder.points, decoder(wire), strict=True))
    for field in fields:
        alone = RegisterDecoder([replace(field, index=0, at=0)])
        (value,) = alone(wire[field.at : field.at + field.size])
        read = together[field.index]
        assert read == value or (value != value and read != read)


@pytest.mark.parametrize("order", ["ABCD", "CDAB", "BADC", "DCBA"])
def test_floats_before_registers_that_nobody_requested(order: Any) -> None:
    decoder = RegisterDecoder([Field(0, 0, 4, "float", order), Field(1, 4, 4, "float", order)])
    wire = encode(Field(0, 0, 4, "float", order), 1.5) + encode(Field(0, 0, 4, "float", order), -2.0)
    assert list(decoder(wire + b"\xff\xff")) == [1.5, -2.0]


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
    assert BitDecoder([0, 7, 8], [0, 1, 2], [1, 3, 8])(b"\x81\x82") == [1, 0b101, 0x82]


@given(st.integers(1, 64), st.data())
def test_numbers_over_several_coils(width: int, data: Any) -> None:
    value, offset = data.draw(st.integers(0, 2**width - 1)), data.draw(st.integers(0, 20))
    packed = encode_bits(width, value)
    assert len(packed) == (width + 7) // 8
    answer = (int.from_bytes(packed, "little") << offset).to_bytes(12, "little")
    assert BitDecoder([offset], [0], [width])(answer) == [value]
    for wrong in (2**width, -1, 0.5, float("nan"), "1", None):
        with pytest.raises(BadValue, match="no bit" if width == 1 else f"no number of {width} bits"):
            encode_bits(width, wrong)


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
    with pytest.raises(BadValue, match="5 bytes, the point holds 4"):
        encode(Field(0, 0, 8, "string", narrow=True), "12345")
    for wrong in (2**48, -1, "1", None, float("inf")):
        with pytest.raises(BadValue, match="no var"):
            encode(Field(0, 0, 6, "var"), wrong)
    assert encode(Field(0, 0, 6, "var"), 6.6).hex() == "000000000007"  # as it comes from the scale
    with pytest.raises(BadValue, match="no uint8"):
        insert(Field(0, 0, 2, "uint8"), b"\0\0", 256)
