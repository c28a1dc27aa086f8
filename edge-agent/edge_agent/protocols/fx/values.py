"""Bytes of PLC memory to raw values and back. Pure; a block is unpacked with few precompiled formats.

Everything is stored lowest byte first: the low word of a long number, the first character of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edge_agent.errors import BadValue
from edge_agent.protocols.base import Raw
from edge_agent.protocols.packing import form, layers, packed, text_of, with_bit


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
        numbers = layers(field for field in fields if field.bit is None and field.data_type != "string")
        self._formats = [form("<", layer) for layer in numbers]
        self._bits = [(field.at, field.bit or 0) for field in bits]
        self._texts = [(field.at, field.at + field.size) for field in texts]
        ordered = [field for layer in numbers for field in layer] + bits + texts
        self.points = tuple(field.index for field in ordered)

    def __call__(self, data: bytes) -> Sequence[Raw]:
        values: list[Raw] = []
        for numbers in self._formats:
            values += numbers.unpack_from(data)
        values += [data[at] >> bit & 1 for at, bit in self._bits]
        values += [text_of(data[start:stop]) for start, stop in self._texts]
        return values


def encode(field: Field, raw: Raw) -> bytes:
    """Bytes of a value that fills field.size bytes; BadValue when the type cannot hold it."""
    if field.data_type == "string":
        data = str(raw).encode()
        if len(data) > field.size:
            raise BadValue(f"text of {len(data)} bytes, the point holds {field.size}")
        return data.ljust(field.size, b"\0")
    return packed("<", field.data_type, raw)


def insert(field: Field, held: bytes, raw: Raw) -> bytes:
    """Bytes of memory with a bit, or what fewer bytes than these take, replaced at field.at; BadValue."""
    if field.bit is not None:
        return with_bit(held, field.at, field.bit, raw)
    data = encode(field, raw)
    return held[: field.at] + data + held[field.at + len(data) :]
