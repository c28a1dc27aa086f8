"""A value written into what its point shares with others. Pure."""

from __future__ import annotations

from edge_agent.protocols.base import Raw
from edge_agent.protocols.packing import with_bit
from edge_agent.protocols.word_values import WordField, encode


def insert(field: WordField, held: bytes, raw: Raw) -> bytes:
    """Bytes of memory with a bit, or what fewer bytes than these take, replaced at field.at.

    Raises BadValue when the type cannot hold the value.
    """
    if field.bit is not None:
        return with_bit(held, field.at, field.bit, raw)
    data = encode(field, raw)
    return held[: field.at] + data + held[field.at + len(data) :]
