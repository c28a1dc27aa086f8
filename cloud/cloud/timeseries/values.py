"""How a value of any type becomes storable columns, and comes back as the same type."""

from __future__ import annotations

import math
from enum import IntEnum

from edge_contract.model import Quality, Value

EXACT = 2**53
"""Largest magnitude up to which every integer is a float."""


class ValueKind(IntEnum):
    """Type of a stored value. The numbers are stored; numeric kinds come first."""

    FLOAT = 1
    INT = 2
    BOOL = 3
    BIG = 4  # integer beyond EXACT: its digits are kept as text
    TEXT = 5
    NONE = 6


LAST_NUMERIC = ValueKind.BIG
"""Kinds up to this one take part in aggregates."""


def storable(value: Value, quality: int) -> tuple[Value, int]:
    """The value and quality as both versions store them.

    NaN and infinities (and integers beyond any float) have no representation that compares; they become
    None, and a good quality becomes OUT_OF_RANGE.
    """
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value, quality
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if finite:
        return value, quality
    return None, Quality.OUT_OF_RANGE if quality == Quality.GOOD else quality


def kind_of(value: Value) -> ValueKind:
    """Kind of a storable value."""
    if value is None:
        return ValueKind.NONE
    if isinstance(value, bool):
        return ValueKind.BOOL
    if isinstance(value, int):
        return ValueKind.INT if -EXACT <= value <= EXACT else ValueKind.BIG
    return ValueKind.FLOAT if isinstance(value, float) else ValueKind.TEXT


def restore(kind: int, number: float | None, text: str | None) -> Value:
    """Value of a stored kind; number and text are the columns that the kind uses."""
    match kind:
        case ValueKind.FLOAT if number is not None:
            return float(number)
        case ValueKind.INT if number is not None:
            return int(number)
        case ValueKind.BOOL if number is not None:
            return bool(number)
        case ValueKind.BIG if text is not None:
            return int(text)
        case ValueKind.TEXT:
            return text or ""
        case _:
            return None
