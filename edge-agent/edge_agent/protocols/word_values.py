"""Words of PLC memory to raw values and back. Pure; a block is unpacked with few precompiled formats.

Everything lies lowest byte first: the low word of a long number, the first of two characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edge_agent.errors import BadValue
from edge_agent.protocols.base import Raw
from edge_agent.protocols.packing import form, layers, packed, text_of


@dataclass(frozen=True, slots=True)
class WordField:
    """One value within a block. at: its first byte; size: bytes; index: of its point.

    bit: counted from the lowest of byte `at`; None: the value takes all of its bytes. encoding: of a text.
    """

    index: int
    at: int
    size: int
    data_type: str
    bit: int | None = None
    encoding: str = "utf-8"


class WordDecoder:
    """Bytes of a block of words to raw values, in the order of .points."""

    def __init__(self, fields: Sequence[WordField]) -> None:
        bits = [field for field in fields if field.bit is not None]
        texts = [field for field in fields if field.bit is None and field.data_type == "string"]
        numbers = layers(field for field in fields if field.bit is None and field.data_type != "string")
        self._formats = [form("<", layer) for layer in numbers]
        self._texts = [(field.at, field.at + field.size, field.encoding) for field in texts]
        self._bits = [(field.at + (field.bit or 0) // 8, (field.bit or 0) % 8) for field in bits]
        ordered = [field for layer in numbers for field in layer] + texts + bits
        self.points = tuple(field.index for field in ordered)

    def __call__(self, data: bytes) -> Sequence[Raw]:
        values: list[Raw] = []
        for numbers in self._formats:
            values += numbers.unpack_from(data)
        values += [text_of(data[start:stop], encoding) for start, stop, encoding in self._texts]
        values += [data[at] >> bit & 1 for at, bit in self._bits]
        return values


def encode(field: WordField, raw: Raw) -> bytes:
    """Bytes of a value that takes all of its field. Raises BadValue when the type cannot hold it."""
    if field.data_type == "string":
        return _text_bytes(str(raw), field)
    return packed("<", field.data_type, raw)


def _text_bytes(text: str, field: WordField) -> bytes:
    try:
        data = text.encode(field.encoding)
    except UnicodeEncodeError as error:
        raise BadValue(f"{text!r} has a character that {field.encoding} lacks: {error.reason}") from None
    if len(data) > field.size:
        raise BadValue(f"text of {len(data)} bytes, the point holds {field.size}")
    return data.ljust(field.size, b"\0")
