"""Bit devices to raw values, and values written into a part of a word. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from edge_agent.protocols.base import Raw
from edge_agent.protocols.packing import with_bit
from edge_agent.protocols.word_values import WordField, encode


class BitDecoder:
    """Bytes 0 and 1 of a block of bit devices to raw values."""

    def __init__(self, fields: Sequence[WordField]) -> None:
        self._places = [field.at for field in fields]
        self.points = tuple(field.index for field in fields)

    def __call__(self, data: bytes) -> Sequence[Raw]:
        return [data[at] for at in self._places]


def insert(field: WordField, word: bytes, raw: Raw) -> bytes:
    """The two bytes of a word with one bit or one byte of it replaced; BadValue when that does not fit."""
    if field.bit is not None:
        return with_bit(word, field.bit // 8, field.bit % 8, raw)
    at = field.at % 2
    return word[:at] + encode(field, raw) + word[at + 1 :]
