"""What a task writes of another point's value. Pure."""

from __future__ import annotations

from math import isfinite

from edge_contract.model import Value


def converted(value: Value, ratio: float, bias: float, *, to_number: bool) -> Value:
    """value * ratio + bias for a target that is a number, of a position 1 or 0; any other target takes the
    value as it is, with ratio 1 and bias 0. None when the value is nothing for the target.
    """
    is_plain = ratio == 1 and bias == 0
    if not to_number:
        return value if is_plain else None
    if not isinstance(value, int | float):
        return None
    number = int(value) if isinstance(value, bool) else value
    if is_plain:
        return number
    result = number * ratio + bias
    return result if isfinite(result) else None
