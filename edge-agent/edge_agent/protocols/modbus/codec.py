"""Register bytes to raw values and back. Pure; a block is unpacked with few precompiled formats.

The four byte orders are two switches: whether the bytes of each register are swapped first, and the
endianness with which the result is read. ABCD: no, big. DCBA: no, little. BADC: yes, big. CDAB: yes,
little. This holds for 16, 32 and 64 bits alike.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal

from edge_agent.errors import BadValue
from edge_agent.protocols.base import Raw
from edge_agent.protocols.modbus.config import ByteOrder
from edge_agent.protocols.packing import FORMATS, Endian, layers, packed, text_of, with_bit

EIGHT_BIT = {"uint8", "int8"}

SWITCHES: dict[ByteOrder, tuple[bool, Endian]] = {
    "ABCD": (False, ">"),
    "DCBA": (False, "<"),
    "BADC": (True, ">"),
    "CDAB": (True, "<"),
}
LOW_BYTE_FIRST = {"BADC", "DCBA"}
"""Orders in which a single register is sent low byte first; what counts for bits, bytes and text."""


@dataclass(frozen=True)
class Field:
    """One value within a block. at: byte offset from the block's start; size: bytes; index: of its point.

    high_byte: of an 8-bit type. narrow: text of one character a register, in the byte that high_byte says.
    """

    index: int
    at: int
    size: int
    data_type: str
    order: ByteOrder = "ABCD"
    bit: int | None = None
    high_byte: bool = False
    narrow: bool = False

    @property
    def byte_at(self) -> int:
        """Where in its register an 8-bit value or a character of a narrow text lies: 0 or 1."""
        return int(self.high_byte == (self.order in LOW_BYTE_FIRST))

    @property
    def bit_at(self) -> tuple[int, int]:
        """Byte, from the value's first, and place in that byte of the value's bit."""
        byte, place = divmod(self.bit or 0, 8)
        if self.data_type in EIGHT_BIT:
            return self.byte_at, place
        swap, endian = SWITCHES[self.order]
        return (self.size - 1 - byte if endian == ">" else byte) ^ swap, place


class RegisterDecoder:
    """Bytes of one block of registers to raw values, in the order of .points."""

    def __init__(self, fields: Sequence[Field]) -> None:
        bits = [field for field in fields if field.bit is not None]
        rest = [field for field in fields if field.bit is None]
        texts = [field for field in rest if field.data_type == "string"]
        wide = [field for field in rest if field.data_type == "var"]
        formats = _formats(field for field in rest if field.data_type not in ("string", "var"))
        self._formats = [(swap, struct.Struct(code)) for (swap, code), _ in formats]
        self._wide = [(*_endianness(field), slice(field.at, field.at + field.size)) for field in wide]
        self._texts = [_characters(field) for field in texts]
        self._bits = [(field.at + field.bit_at[0], field.bit_at[1]) for field in bits]
        self._swaps = any(swap for swap, *_ in (*self._formats, *self._wide, *self._texts))
        ordered = [field for _, members in formats for field in members] + wide + texts + bits
        self.points = tuple(field.index for field in ordered)
        plain = len(formats) == 1 and not (wide or texts or bits)
        self._unpack = self._formats[0][1].unpack_from if plain and not self._swaps else None
        code = formats[0][0][1] if plain else ""
        self._singles = code.lstrip("<>").strip("f") == "" != code
        self._size = self._formats[0][1].size if plain else 0
        self._foreign = code[:1] == (">" if sys.byteorder == "little" else "<")

    def __call__(self, data: bytes) -> Sequence[Raw]:
        if self._singles:
            data = data[: self._size]
            singles = array("f", swap_registers(data) if self._swaps else data)
            if self._foreign:
                singles.byteswap()
            return singles
        if self._unpack is not None:
            return self._unpack(data)
        swapped = swap_registers(data) if self._swaps else data
        values: list[Raw] = []
        for swap, form in self._formats:
            values += form.unpack_from(swapped if swap else data)
        for swap, endian, place in self._wide:
            values.append(int.from_bytes((swapped if swap else data)[place], endian))
        for swap, place in self._texts:
            values.append(text_of((swapped if swap else data)[place]))
        for at, bit in self._bits:
            values.append(data[at] >> bit & 1)
        return values


class PairDecoder:
    """As RegisterDecoder; of pairs, which are among the fields, the text "first,second" of two values."""

    def __init__(self, fields: Sequence[Field], pairs: Sequence[Field]) -> None:
        seconds = [replace(one, index=~one.index, at=one.at + one.size) for one in pairs]
        self._inner = RegisterDecoder([*fields, *seconds])
        places = {index: place for place, index in enumerate(self._inner.points)}
        self.points = tuple(index for index in self._inner.points if index >= 0)
        self._places = [(places[index], places.get(~index)) for index in self.points]

    def __call__(self, data: bytes) -> Sequence[Raw]:
        values = self._inner(data)
        return [
            values[first] if second is None else f"{values[first]},{values[second]}"
            for first, second in self._places
        ]


class BitDecoder:
    """Bytes of a coil or input answer to numbers; bit 0 of the first byte is the first address.

    widths: bits of each number, the lowest at its first address; None: one each.
    """

    def __init__(
        self, offsets: Sequence[int], points: Sequence[int], widths: Sequence[int] | None = None
    ) -> None:
        masks = [1] * len(offsets) if widths is None else [(1 << width) - 1 for width in widths]
        self._places = tuple(zip(offsets, masks, strict=True))
        self.points = tuple(points)

    def __call__(self, data: bytes) -> Sequence[Raw]:
        packed = int.from_bytes(data, "little")
        return [packed >> offset & mask for offset, mask in self._places]


def encode_bits(width: int, raw: Raw) -> bytes:
    """Packed bits of a number over `width` coils; BadValue when they cannot hold it."""
    if not isinstance(raw, (int, float)) or not float(raw).is_integer() or not 0 <= raw < 1 << width:
        rule = "no bit" if width == 1 else f"no number of {width} bits"
        raise BadValue(f"{raw!r} is {rule}")
    return int(raw).to_bytes((width + 7) // 8, "little")


def swap_registers(data: bytes) -> bytes:
    """The two bytes of every register exchanged."""
    swapped = bytearray(len(data))
    swapped[0::2] = data[1::2]
    swapped[1::2] = data[0::2]
    return bytes(swapped)


def encode(field: Field, raw: Raw) -> bytes:
    """Register bytes of a value that fills whole registers; BadValue when the type cannot hold it."""
    if field.data_type == "string":
        return _encode_text(field, str(raw).encode())
    swap, endian = SWITCHES[field.order]
    data = _var_bytes(field, raw) if field.data_type == "var" else packed(endian, field.data_type, raw)
    return swap_registers(data) if swap else data


def insert(field: Field, register: bytes, raw: Raw) -> bytes:
    """A register of two bytes with one bit or one byte replaced; BadValue when the value does not fit.

    register: of a wider value's bit, the one that holds it: number bit_at[0] // 2 of the value's.
    """
    if field.bit is not None:
        at, bit = field.bit_at
        return with_bit(register, at % 2, bit, raw)
    data = packed(">", field.data_type, raw)
    return register[: field.byte_at] + data + register[field.byte_at + 1 :]


def _encode_text(field: Field, text: bytes) -> bytes:
    capacity = field.size // 2 if field.narrow else field.size
    if len(text) > capacity:
        raise BadValue(f"text of {len(text)} bytes, the point holds {capacity}")
    if field.narrow:
        data = bytearray(field.size)
        data[field.byte_at :: 2] = text.ljust(capacity, b"\0")
        return bytes(data)
    padded = text.ljust(capacity, b"\0")
    return swap_registers(padded) if field.order in LOW_BYTE_FIRST else padded


def _characters(field: Field) -> tuple[bool, slice]:
    """Whether a text is taken from the swapped bytes, and which of them."""
    stop = field.at + field.size
    if field.narrow:
        return False, slice(field.at + field.byte_at, stop, 2)
    return field.order in LOW_BYTE_FIRST, slice(field.at, stop)


def _endianness(field: Field) -> tuple[bool, Literal["big", "little"]]:
    swap, endian = SWITCHES[field.order]
    return swap, "big" if endian == ">" else "little"


def _var_bytes(field: Field, raw: Raw) -> bytes:
    """Of the nearest whole number; a point of no fixed width comes unrounded from its scale."""
    if not isinstance(raw, (int, float)) or not isfinite(raw):
        raise BadValue(f"{raw!r} is no var: not a number")
    try:
        return round(raw).to_bytes(field.size, _endianness(field)[1])
    except OverflowError as error:
        raise BadValue(f"{raw!r} is no var: {error}") from None


def _formats(fields: Iterable[Field]) -> list[tuple[tuple[bool, str], list[Field]]]:
    """Fields sorted into formats: one a byte order, more where fields overlap. Key: swap, struct format."""
    orders: dict[tuple[bool, Endian], list[Field]] = {}
    for field in sorted(fields, key=lambda field: field.at):
        switches: tuple[bool, Endian] = (
            (False, ">") if field.data_type in EIGHT_BIT else SWITCHES[field.order]
        )
        orders.setdefault(switches, []).append(field)
    return [
        ((swap, endian + _format(members)), members)
        for (swap, endian), own in orders.items()
        for members in layers(own)
    ]


def _format(fields: Sequence[Field]) -> str:
    """struct format of fields by rising offset, with pad bytes in the gaps."""
    parts: list[str] = []
    at = 0
    for field in fields:
        if field.at > at:
            parts.append(f"{field.at - at}x")
        code = FORMATS[field.data_type]
        if field.data_type in EIGHT_BIT:
            code = f"x{code}" if field.byte_at else f"{code}x"
        parts.append(code)
        at = field.at + field.size
    return "".join(parts)
