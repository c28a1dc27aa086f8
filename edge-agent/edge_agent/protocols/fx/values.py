"""Bytes of PLC memory to raw values and back. Pure; a block is unpacked with few precompiled formats.

Everything is stored lowest byte first: the low word of a long number, the first character of a text.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from edge_agent.errors import BadValue
from edge_agent.protocols.base import Raw

FORMATS = {"uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i",
           "uint64": "Q", "int64": "q", "float": "f", "double": "d"}  # fmt: skip
SIZES = {name: struct.calcsize("<" + code) for name, code in FORMATS.items()}


@dataclass(frozen=True)
class Field:
    """One value. at: its first byte; size: bytes taken; bit: of that byte, None: all of it."""

    index: int
    at: int
    size: int
    data_type: str
    bit: int | None = None


class ValueDecoder:
    """Bytes of one block to raw values, in the order of .points."""

    def __init__(self, fields: Sequence[Field]) -> None:
        bits = [field for field in fields if field.bit is not None]
        texts = [field for field in fields if field.bit is None and field.data_type == "string"]
        layers = _layers([field for field in fields if field.bit is None and field.data_type != "string"])
        self._formats = [struct.Struct(_format(layer)) for layer in layers]
        self._bits = [(field.at, field.bit or 0) for field in bits]
        self._texts = [(field.at, field.at + field.size) for field in texts]
        ordered = [field for layer in layers for field in layer] + bits + texts
        self.points = tuple(field.index for field in ordered)

    def __call__(self, data: bytes) -> Sequence[Raw]:
        values: list[Raw] = []
        for form in self._formats:
            values += form.unpack_from(data)
        values += [data[at] >> bit & 1 for at, bit in self._bits]
        values += [text_of(data[start:stop]) for start, stop in self._texts]
        return values


def text_of(data: bytes) -> str | None:
    """Text up to its first NUL, without spaces at the end; None when it is not UTF-8."""
    try:
        return data.split(b"\0", 1)[0].decode().rstrip()
    except UnicodeDecodeError:
        return None


def encode(field: Field, raw: Raw) -> bytes:
    """Bytes of a value that fills field.size bytes; BadValue when the type cannot hold it."""
    if field.data_type == "string":
        data = str(raw).encode()
        if len(data) > field.size:
            raise BadValue(f"text of {len(data)} bytes, the point holds {field.size}")
        return data.ljust(field.size, b"\0")
    try:
        return struct.pack("<" + FORMATS[field.data_type], raw)
    except (struct.error, OverflowError) as error:
        raise BadValue(f"{raw!r} is no {field.data_type}: {error}") from None


def bit_of(raw: Raw) -> bool:
    """Position of a bit device; BadValue for anything but 0 and 1."""
    if isinstance(raw, str) or raw not in (0, 1):
        raise BadValue(f"{raw!r} is no bit")
    return bool(raw)


def insert(field: Field, held: bytes, raw: Raw) -> bytes:
    """Bytes of memory with a bit, or what fewer bytes than these take, replaced at field.at; BadValue."""
    changed = bytearray(held)
    if field.bit is None:
        data = encode(field, raw)
        changed[field.at : field.at + len(data)] = data
    elif bit_of(raw):
        changed[field.at] |= 1 << field.bit
    else:
        changed[field.at] &= ~(1 << field.bit)
    return bytes(changed)


def _layers(fields: Sequence[Field]) -> list[list[Field]]:
    """Fields by rising place, in as few lists as there are overlaps."""
    layers: list[list[Field]] = []
    for field in sorted(fields, key=lambda field: field.at):
        for layer in layers:
            if layer[-1].at + layer[-1].size <= field.at:
                layer.append(field)
                break
        else:
            layers.append([field])
    return layers


def _format(fields: Sequence[Field]) -> str:
    """struct format of fields by rising place, with pad bytes in the holes."""
    parts = ["<"]
    at = 0
    for field in fields:
        if field.at > at:
            parts.append(f"{field.at - at}x")
        parts.append(FORMATS[field.data_type])
        at = field.at + field.size
    return "".join(parts)
