"""Bytes of PLC memory to raw values and back. Pure; a block is unpacked with few precompiled formats.

Numbers are big-endian. An S5 timer (300 and 400) is a base and three BCD digits, given in milliseconds; its
counter is three BCD digits. Timers and counters of the S7-200 come with a status byte that is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from edge_agent.errors import BadValue
from edge_agent.protocols.base import Raw
from edge_agent.protocols.packing import bit_of, form, layers, packed

Kind = Literal["number", "bit", "string", "chars", "s5_time", "bcd_counter"]

S5_BASES_MS = (10, 100, 1000, 10_000)
MAX_BCD = 999


@dataclass(frozen=True)
class Field:
    """One value. at: its first byte; size: bytes taken; data_type: of a number; header: bytes before text."""

    index: int
    at: int
    size: int
    kind: Kind = "number"
    data_type: str = "uint8"
    bit: int = 0
    header: int = 0
    encoding: str = "utf-8"


class ValueDecoder:
    """Bytes of one block to raw values, in the order of .points."""

    def __init__(self, fields: Sequence[Field]) -> None:
        numbers = layers(field for field in fields if field.kind == "number")
        self._formats = [form(">", layer) for layer in numbers]
        self._bits = [(field.at, field.bit) for field in fields if field.kind == "bit"]
        self._others = [field for field in fields if field.kind not in ("number", "bit")]
        bits = [field for field in fields if field.kind == "bit"]
        ordered = [field for layer in numbers for field in layer] + bits + self._others
        self.points = tuple(field.index for field in ordered)
        self._unpack = (
            self._formats[0].unpack_from if len(numbers) == 1 and len(ordered) == len(numbers[0]) else None
        )

    def __call__(self, data: bytes) -> Sequence[Raw]:
        if self._unpack is not None:
            return self._unpack(data)
        values: list[Raw] = []
        for numbers in self._formats:
            values += numbers.unpack_from(data)
        values += [data[at] >> bit & 1 for at, bit in self._bits]
        values += [_decode(field, data[field.at : field.at + field.size]) for field in self._others]
        return values


def encode(field: Field, raw: Raw) -> bytes:
    """Bytes of a value as the PLC holds it; BadValue when it cannot. A text with a header is its current
    length and characters: the maximum before it belongs to the PLC."""
    if field.kind == "bit":
        return bytes((bit_of(raw),))
    if field.kind in ("string", "chars"):
        return _encode_text(field, raw)
    if field.kind in ("s5_time", "bcd_counter"):
        return _encode_bcd(field, raw)
    return packed(">", field.data_type, raw)


def _decode(field: Field, data: bytes) -> Raw:
    if field.kind == "string":
        return _text(field, data)
    if field.kind == "chars":
        return _characters(data.split(b"\0", 1)[0], field.encoding, strip=True)
    word = int.from_bytes(data, "big")
    digits = [word >> shift & 0xF for shift in (8, 4, 0)]
    if max(digits) > 9:
        return None
    number = digits[0] * 100 + digits[1] * 10 + digits[2]
    if field.kind == "bcd_counter":
        return None if word >> 12 else number
    return number * S5_BASES_MS[word >> 12 & 3]


def _text(field: Field, data: bytes) -> str | None:
    """Text behind its lengths; None when the bytes before it are none, or it is longer than was read."""
    current = data[field.header - 1]
    if current > field.size - field.header or (field.header == 2 and current > data[0]):
        return None
    return _characters(data[field.header : field.header + current], field.encoding, strip=False)


def _characters(data: bytes, encoding: str, *, strip: bool) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text.rstrip() if strip else text


def _encode_text(field: Field, raw: Raw) -> bytes:
    capacity = field.size - field.header
    try:
        data = str(raw).encode(field.encoding)
    except UnicodeEncodeError as error:
        raise BadValue(f"text cannot be written in {field.encoding}: {error.reason}") from None
    if len(data) > capacity:
        raise BadValue(f"text of {len(data)} bytes, the point holds {capacity}")
    return data.ljust(capacity) if field.kind == "chars" else bytes((len(data),)) + data


def _encode_bcd(field: Field, raw: Raw) -> bytes:
    if isinstance(raw, str) or raw is None or raw < 0 or raw != int(raw):
        raise BadValue(f"{raw!r} is no whole number from 0")
    number, base = int(raw), 0
    if field.kind == "s5_time":
        base = next((at for at, ms in enumerate(S5_BASES_MS) if number <= MAX_BCD * ms), 3)
        if number % S5_BASES_MS[base]:
            raise BadValue(f"{number} ms is no S5 time: must be a multiple of {S5_BASES_MS[base]} ms")
        number //= S5_BASES_MS[base]
    if number > MAX_BCD:
        raise BadValue(f"{raw!r} is more than {field.kind} holds")
    return (base << 12 | int(str(number), 16)).to_bytes(2, "big")
