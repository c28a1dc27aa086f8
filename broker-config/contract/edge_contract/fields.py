"""Field types of control messages and their base."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from collections.abc import Sequence as Items
from typing import Annotated, TypeVar

import msgspec

from edge_contract.limits import MAX_COUNT, MAX_POSITION_TEXT, MAX_TEXT

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
PositionText = Annotated[str, msgspec.Meta(max_length=MAX_POSITION_TEXT)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_.-]{1,64}$(?!\n)")]
PointNumber = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
Hex16 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}$(?!\n)")]
Hash = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
"""SHA-256."""
CommandId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{8,40}$(?!\n)")]
Sequence = Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)]
Millis = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]
Hours = Annotated[float, msgspec.Meta(ge=0)]
Duration = Annotated[float, msgspec.Meta(ge=0, le=MAX_COUNT)]
"""In ms."""
Scalar = float | int | bool | Text | None
"""A value outside a batch."""
Range = tuple[Sequence, Sequence]
Ranges = Annotated[list[Range], msgspec.Meta(max_length=1000)]


class ControlMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of every JSON message."""


T = TypeVar("T")


def content_hash(ordered: Iterable[T], of: type[T]) -> str:
    """SHA-256 of the canonical JSON of messages of one type: 1 and 1.0 are one content."""
    read = msgspec.json.decode(msgspec.json.encode(list(ordered)), type=list[of])  # type: ignore[valid-type]
    return hashlib.sha256(msgspec.json.encode(read, order="sorted")).hexdigest()


def fitting(messages: Items[T], max_bytes: int) -> list[T]:
    """The first of these that have no more than max_bytes together as JSON, at least one if there are any."""
    size = 0
    for count, message in enumerate(messages):
        size += len(msgspec.json.encode(message))
        if size > max_bytes and count:
            return list(messages[:count])
    return list(messages)
