"""Register bytes to raw values and back. Pure; a block is unpacked with few precompiled formats.

The four byte orders are two switches: whether the bytes of each register are swapped first, and the
endianness with which the result is read. ABCD: no, big. DCBA: no, little. BADC: yes, big. CDAB: yes,
little. This holds for 16, 32 and 64 bits alike.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from edge_agent.errors import BadValue
from edge_agent.protocols.base import Raw
from edge_agent.protocols.modbus.config import ByteOrder

FORMATS = {"uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "uint64": "Q", "int64": "q",
           "float": "f", "double": "d"}  # fmt: skip
EIGHT_BIT = {"uint8": "B", "int8": "b"}

SWITCHES: dict[ByteOrder, tuple[bool, str]] = {
    "ABCD": (False, ">"),
    "DCBA": (False, "<"),
    "BADC": (True, ">"),
    "CDAB": (True, "<"),
}
LOW_BYTE_FIRST = {"BADC", "DCBA"}
"""Orders in which a single register is sent low byte first; what counts for bits, bytes and text."""


@dataclass(frozen=True)
class Field:
    """One value within a block. at: byte offset from the block's start; size: bytes; index: of its point."""

    index: int
    at: int
    size: int
    data_type: str
    order: ByteOrder = "ABCD"
    bit: int | None = None
    high_byte: bool = False


class RegisterDecoder:
    """Bytes of one block of registers to raw values, in the order of .points."""

    def __init__(self, fields: Sequence[Field]) -> None:
        bits = [field for field in fields if field.bit is not None]
        texts = [field for field in fields if field.data_type == "string"]
        numbers = [field for field in fields if field.bit is None and field.data_type != "string"]
        layers = _layers(numbers)
        self._formats = [(swap, struct.Struct(code)) for (swap, code), _ in layers]
        self._texts = [(field.at, field.at + field.size, field.order in LOW_BYTE_FIRST) for field in texts]
        self._bits = [(field.at, field.order in LOW_BYTE_FIRST, field.bit or 0) for field in bits]
        self._swaps = any(swap for swap, _ in self._formats) or any(swap for *_, swap in self._texts)
        ordered = [field for _, members in layers for field in members] + texts + bits
        self.points = tuple(field.index for field in ordered)
        plain = len(layers) == 1 and not self._swaps and not texts and not bits
        self._whole = self._formats[0][1].unpack_from if plain else None

    def __call__(self, data: bytes) -> Sequence[Raw]:
        if self._whole is not None:
            return self._whole(data)
        swapped = swap_registers(data) if self._swaps else data
        values: list[Raw] = []
        for swap, form in self._formats:
            values += form.unpack_from(swapped if swap else data)
        for start, stop, swap in self._texts:
            values.append(text_of((swapped if swap else data)[start:stop]))
        for at, swap, bit in self._bits:
            high, low = (data[at + 1], data[at]) if swap else (data[at], data[at + 1])
            values.append((high << 8 | low) >> bit & 1)
        return values


class BitDecoder:
    """Bytes of a coil or input answer to 0 and 1; bit 0 of the first byte is the first address."""

    def __init__(self, offsets: Sequence[int], points: Sequence[int]) -> None:
        self._offsets = tuple(offsets)
        self.points = tuple(points)

    def __call__(self, data: bytes) -> Sequence[Raw]:
        packed = int.from_bytes(data, "little")
        return [packed >> offset & 1 for offset in self._offsets]


def swap_registers(data: bytes) -> bytes:
    """The two bytes of every register exchanged."""
    swapped = bytearray(len(data))
    swapped[0::2] = data[1::2]
    swapped[1::2] = data[0::2]
    return bytes(swapped)


def text_of(data: bytes) -> str | None:
    """Text up to its first NUL, without spaces at the end; None when it is not UTF-8."""
    try:
        return data.split(b"\0", 1)[0].decode().rstrip()
    except UnicodeDecodeError:
        return None


def encode(field: Field, raw: Raw) -> bytes:
    """Register bytes of a value that fills whole registers; BadValue when the type cannot hold it."""
    swap, endian = SWITCHES[field.order]
    if field.data_type == "string":
        swap = field.order in LOW_BYTE_FIRST
        data = str(raw).encode()
        if len(data) > field.size:
            raise BadValue(f"text of {len(data)} bytes, the point holds {field.size}")
        data = data.ljust(field.size, b"\0")
    else:
        try:
            data = struct.pack(endian + FORMATS[field.data_type], raw)
        except (struct.error, OverflowError) as error:
            raise BadValue(f"{raw!r} is no {field.data_type}: {error}") from None
    return swap_registers(data) if swap else data


def insert(field: Field, register: bytes, raw: Raw) -> bytes:
    """A register of two bytes with one bit or one byte replaced; BadValue when the value does not fit."""
    byte_order: Literal["big", "little"] = "little" if field.order in LOW_BYTE_FIRST else "big"
    word = int.from_bytes(register, byte_order)
    if field.bit is not None:
        if raw not in (0, 1):
            raise BadValue(f"{raw!r} is no bit")
        word = word & ~(1 << field.bit) | int(raw) << field.bit
    else:
        try:
            (byte,) = struct.pack(EIGHT_BIT[field.data_type], raw)
        except struct.error as error:
            raise BadValue(f"{raw!r} is no {field.data_type}: {error}") from None
        word = word & 0x00FF | byte << 8 if field.high_byte else word & 0xFF00 | byte
    return word.to_bytes(2, byte_order)


def _layers(fields: Iterable[Field]) -> list[tuple[tuple[bool, str], list[Field]]]:
    """Fields sorted into formats: one a byte order, more where fields overlap. Key: swap, struct format."""
    layers: dict[tuple[bool, str], list[list[Field]]] = {}
    for field in sorted(fields, key=lambda field: field.at):
        key = (False, ">") if field.data_type in EIGHT_BIT else SWITCHES[field.order]
        for layer in layers.setdefault(key, []):
            if layer[-1].at + layer[-1].size <= field.at:
                layer.append(field)
                break
        else:
            layers[key].append([field])
    return [
        ((swap, endian + _format(members)), members)
        for (swap, endian), stack in layers.items()
        for members in stack
    ]


def _format(fields: Sequence[Field]) -> str:
    """struct format of fields by rising offset, with pad bytes in the holes."""
    parts: list[str] = []
    at = 0
    for field in fields:
        if field.at > at:
            parts.append(f"{field.at - at}x")
        if field.data_type in EIGHT_BIT:
            code = EIGHT_BIT[field.data_type]
            first = field.high_byte != (field.order in LOW_BYTE_FIRST)
            parts.append(f"{code}x" if first else f"x{code}")
        else:
            parts.append(FORMATS[field.data_type])
        at = field.at + field.size
    return "".join(parts)
