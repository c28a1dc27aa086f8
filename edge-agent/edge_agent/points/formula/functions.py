"""What a formula may call. Each takes and gives numbers, in time and memory that do not depend on their size.

What cannot be calculated is a ValueError, an OverflowError or a ZeroDivisionError.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Number = float | int

LOWEST_INTEGER, HIGHEST_INTEGER = -(2**63), 2**64 - 1
MAX_DECIMALS = 15
UNBOUNDED = 250  # arguments


@dataclass(frozen=True)
class Function:
    """A callable and how many arguments it takes."""

    call: Callable[..., Any]
    min_args: int
    max_args: int


def integer(value: Number) -> int:
    """A whole number of at most 64 bits; ValueError for anything else."""
    if not LOWEST_INTEGER <= value <= HIGHEST_INTEGER or value != int(value):
        raise ValueError("must be a whole number of at most 64 bits")
    return int(value)


def bit_number(value: Number) -> int:
    """0 ... 63. Raises ValueError for any other."""
    if not 0 <= value <= 63 or value != int(value):
        raise ValueError("must be a bit number, 0 to 63")
    return int(value)


def bit_and(left: Number, right: Number) -> int:
    return integer(left) & integer(right)


def bit_or(left: Number, right: Number) -> int:
    return integer(left) | integer(right)


def bit_xor(left: Number, right: Number) -> int:
    return integer(left) ^ integer(right)


def bit_not(value: Number) -> int:
    return integer(~integer(value))


def shift_left(value: Number, places: Number) -> int:
    return integer(integer(value) << bit_number(places))


def shift_right(value: Number, places: Number) -> int:
    return integer(value) >> bit_number(places)


def bit(value: Number, number: Number) -> bool:
    """Whether a bit is set; bit 0 is the lowest."""
    return bool(integer(value) >> bit_number(number) & 1)


def bits(value: Number, first: Number, count: Number) -> int:
    """The number that `count` bits from bit `first` upwards make.

    Raises ValueError for a count or a bit that 64 bits do not have.
    """
    if not 1 <= count <= 64:
        raise ValueError("must be 1 to 64 bits")
    return integer(value) >> bit_number(first) & ((1 << integer(count)) - 1)


def rounded(value: Number, decimals: Number = 0) -> Number:
    """Half goes to the even neighbour, as everywhere in the agent; whole numbers for 0 decimals.

    Raises ValueError for other decimals than 0 to 15.
    """
    if not 0 <= decimals <= MAX_DECIMALS:
        raise ValueError(f"must be 0 to {MAX_DECIMALS} decimals")
    return round(value, integer(decimals)) if decimals else round(value)


def logarithm(value: Number, base: Number = math.e) -> float:
    return math.log(value) if base == math.e else math.log(value, base)


def total(*values: Number) -> Number:
    return sum(values)


def mean(*values: Number) -> float:
    return sum(values) / len(values)


def clamp(value: Number, lowest: Number, highest: Number) -> Number:
    """The value within both bounds. Raises ValueError when the lowest is above the highest."""
    if lowest > highest:
        raise ValueError("the lowest must not exceed the highest")
    return min(max(value, lowest), highest)


def scale(value: Number, from_low: Number, from_high: Number, to_low: Number, to_high: Number) -> float:
    """Linear: from_low becomes to_low, from_high becomes to_high (4 ... 20 mA to 0 ... 16 bar)."""
    return to_low + (value - from_low) * (to_high - to_low) / (from_high - from_low)


def sign(value: Number) -> int:
    return (value > 0) - (value < 0)


FUNCTIONS: dict[str, Function] = {
    "abs": Function(abs, 1, 1),
    "acos": Function(math.acos, 1, 1),
    "asin": Function(math.asin, 1, 1),
    "atan": Function(math.atan, 1, 1),
    "atan2": Function(math.atan2, 2, 2),
    "bit": Function(bit, 2, 2),
    "bits": Function(bits, 3, 3),
    "ceil": Function(math.ceil, 1, 1),
    "clamp": Function(clamp, 3, 3),
    "cos": Function(math.cos, 1, 1),
    "degrees": Function(math.degrees, 1, 1),
    "exp": Function(math.exp, 1, 1),
    "floor": Function(math.floor, 1, 1),
    "hypot": Function(math.hypot, 1, UNBOUNDED),
    "log": Function(logarithm, 1, 2),
    "log10": Function(math.log10, 1, 1),
    "max": Function(max, 2, UNBOUNDED),
    "mean": Function(mean, 1, UNBOUNDED),
    "min": Function(min, 2, UNBOUNDED),
    "pow": Function(math.pow, 2, 2),
    "radians": Function(math.radians, 1, 1),
    "round": Function(rounded, 1, 2),
    "scale": Function(scale, 5, 5),
    "sign": Function(sign, 1, 1),
    "sin": Function(math.sin, 1, 1),
    "sqrt": Function(math.sqrt, 1, 1),
    "sum": Function(total, 1, UNBOUNDED),
    "tan": Function(math.tan, 1, 1),
    "trunc": Function(math.trunc, 1, 1),
    "xor": Function(bit_xor, 2, 2),
}

# Operators whose Python meaning would let a number grow without bound.
CHECKED_OPERATORS: dict[str, Callable[..., Any]] = {
    "Pow": math.pow,
    "BitAnd": bit_and,
    "BitOr": bit_or,
    "LShift": shift_left,
    "RShift": shift_right,
    "Invert": bit_not,
}
