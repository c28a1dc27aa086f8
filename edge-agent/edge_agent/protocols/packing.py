"""Numbers, bits and text as they lie in a device's memory, in either byte order. Pure."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeVar

from edge_agent.errors import BadValue
from edge_agent.protocols.base import Raw

Endian = Literal["<", ">"]

FORMATS = {"uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i",
           "uint64": "Q", "int64": "q", "float": "f", "double": "d"}  # fmt: skip
SIZES = {name: struct.calcsize("<" + code) for name, code in FORMATS.items()}


class Placed(Protocol):
    """A value within a block. at: its first byte; size: bytes taken."""

    @property
    def at(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def data_type(self) -> str: ...


F = TypeVar("F", bound=Placed)


def layers(fields: Iterable[F]) -> list[list[F]]:
    """Fields by rising place, in as few lists as there are overlaps."""
    result: list[list[F]] = []
    for field in sorted(fields, key=lambda field: field.at):
        for layer in result:
            if layer[-1].at + layer[-1].size <= field.at:
                layer.append(field)
                break
        else:
            result.append([field])
    return result


def form(endian: Endian, layer: Sequence[Placed]) -> struct.Struct:
    """What unpacks a layer of numbers at once, with pad bytes in the gaps."""
    parts: list[str] = [endian]
    at = 0
    for field in layer:
        if field.at > at:
            parts.append(f"{field.at - at}x")
        parts.append(FORMATS[field.data_type])
        at = field.at + field.size
    return struct.Struct("".join(parts))


def packed(endian: Endian, data_type: str, raw: Raw) -> bytes:
    """Bytes of a number; BadValue when the type cannot hold it."""
    try:
        return struct.pack(endian + FORMATS[data_type], raw)
    except (struct.error, OverflowError) as error:
        raise BadValue(f"{raw!r} is no {data_type}: {error}") from None


def text_of(data: bytes, encoding: str = "utf-8") -> str | None:
    """Text up to its first NUL, without spaces at the end; None when it is not of this encoding."""
    try:
        return data.partition(b"\0")[0].decode(encoding).rstrip()
    except UnicodeDecodeError:
        return None


def bit_of(raw: Raw) -> int:
    """0 or 1; BadValue for anything else."""
    if isinstance(raw, str) or raw not in (0, 1):
        raise BadValue(f"{raw!r} is no bit")
    return int(raw)


def with_bit(held: bytes, at: int, bit: int, raw: Raw) -> bytes:
    """Memory with one bit of its byte `at` replaced, 0 lowest; BadValue for anything but 0 and 1."""
    changed = bytearray(held)
    changed[at] = changed[at] & ~(1 << bit) | bit_of(raw) << bit
    return bytes(changed)
