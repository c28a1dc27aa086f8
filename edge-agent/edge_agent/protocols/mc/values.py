"""Words of PLC memory to raw values and back. Pure; a block is unpacked with few precompiled formats.

A PLC keeps the low word of a long number, and the first of two characters, at the lower place; with words low
byte first a block is little-endian from end to end.
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


@dataclass(frozen=True, slots=True)
class Field:
    """One value within a block. at: its first byte; size: bytes; index: of its point.

    bit: of the word at `at`, 0 lowest; None: the value takes all of its bytes.
    """

    index: int
    at: int
    size: int
    data_type: str
    bit: int | None = None
    encoding: str = "utf-8"


class WordDecoder:
    """Bytes of a block of words to raw values, in the order of .points."""

    def __init__(self, fields: Sequence[Field]) -> None:
        bits = [field for field in fields if field.bit is not None]
        texts = [field for field in fields if field.bit is None and field.data_type == "string"]
        layers = _layers([field for field in fields if field.bit is None and field.data_type != "string"])
        self._formats = [struct.Struct(_format(layer)) for layer in layers]
        self._texts = [(field.at, field.at + field.size, field.encoding) for field in texts]
        self._bits = [(field.at + (field.bit or 0) // 8, (field.bit or 0) % 8) for field in bits]
        ordered = [field for layer in layers for field in layer] + texts + bits
        self.points = tuple(field.index for field in ordered)

    def __call__(self, data: bytes) -> Sequence[Raw]:
        values: list[Raw] = []
        for form in self._formats:
            values += form.unpack_from(data)
        values += [text_of(data[start:stop], encoding) for start, stop, encoding in self._texts]
        values += [data[at] >> bit & 1 for at, bit in self._bits]
        return values


class BitDecoder:
    """Bytes 0 and 1 of a block of bit devices to raw values."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._places = [field.at for field in fields]
        self.points = tuple(field.index for field in fields)

    def __call__(self, data: bytes) -> Sequence[Raw]:
        return [data[at] for at in self._places]


def text_of(data: bytes, encoding: str) -> str | None:
    """Text up to its first NUL, without spaces at the end; None when it is not of this encoding."""
    try:
        return data.split(b"\0", 1)[0].decode(encoding).rstrip()
    except UnicodeDecodeError:
        return None


def encode(field: Field, raw: Raw) -> bytes:
    """Bytes of a value that takes all of its field; BadValue when the type cannot hold it."""
    if field.data_type == "string":
        return _text_bytes(str(raw), field)
    try:
        return struct.pack("<" + FORMATS[field.data_type], raw)
    except (struct.error, OverflowError) as error:
        raise BadValue(f"{raw!r} is no {field.data_type}: {error}") from None


def insert(field: Field, word: bytes, raw: Raw) -> bytes:
    """The two bytes of a word with one bit or one byte of it replaced; BadValue when that does not fit."""
    changed = bytearray(word)
    if field.bit is None:
        changed[field.at % 2 : field.at % 2 + 1] = encode(field, raw)
        return bytes(changed)
    mask = 1 << field.bit % 8
    if bit_of(raw):
        changed[field.bit // 8] |= mask
    else:
        changed[field.bit // 8] &= ~mask
    return bytes(changed)


def bit_of(raw: Raw) -> int:
    """0 or 1; BadValue for anything else."""
    if isinstance(raw, str) or raw not in (0, 1):
        raise BadValue(f"{raw!r} is no bit")
    return int(raw)


def _text_bytes(text: str, field: Field) -> bytes:
    try:
        data = text.encode(field.encoding)
    except UnicodeEncodeError as error:
        raise BadValue(f"{text!r} has a character that {field.encoding} lacks: {error.reason}") from None
    if len(data) > field.size:
        raise BadValue(f"text of {len(data)} bytes, the point holds {field.size}")
    return data.ljust(field.size, b"\0")


def _layers(fields: Sequence[Field]) -> list[list[Field]]:
    """Fields by rising place, in as few lists as there are overlaps."""
    layers: list[list[Field]] = []
    for field in sorted(fields, key=lambda field: field.at):
        free = (layer for layer in layers if layer[-1].at + layer[-1].size <= field.at)
        layer = next(free, None)
        if layer is None:
            layers.append([field])
        else:
            layer.append(field)
    return layers


def _format(fields: Sequence[Field]) -> str:
    """struct format of fields by rising place, with pad bytes in the holes."""
    parts, at = ["<"], 0
    for field in fields:
        parts.append(f"{field.at - at}x{FORMATS[field.data_type]}")
        at = field.at + field.size
    return "".join(parts)
