"""Values of a row as a field bus gives them by the dozen, in a few bytes each and ready to be written.

A row may hold its values in an array of float32, or as Decimals; both read like any sequence of floats.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence
from operator import truediv
from typing import Any, overload

SCALES = tuple(10.0**decimals for decimals in range(7))
MAX_DECIMALS = len(SCALES) - 1

_HIGH_BYTE = slice(3, None, 4) if sys.byteorder == "little" else slice(0, None, 4)


def is_singles(values: object) -> bool:
    """Whether these are float32 in an array."""
    return type(values) is array and values.typecode == "f"


def all_finite(singles: array[float]) -> bool:
    """No NaN and nothing infinite; False also when a number is beyond 1.7e38, for the caller to look closer.

    The largest exponents show in the high byte: one search each instead of a float object for every value.
    """
    high = singles.tobytes()[_HIGH_BYTE]
    return b"\x7f" not in high and b"\xff" not in high


class Decimals(Sequence[float]):
    """Floats that are integers / 10**decimals, 0 to MAX_DECIMALS of each; never a negative zero."""

    __slots__ = ("decimals", "integers")

    def __init__(self, integers: Sequence[int], decimals: tuple[int, ...]) -> None:
        self.integers = integers
        self.decimals = decimals

    def __len__(self) -> int:
        return len(self.integers)

    def __iter__(self) -> Iterator[float]:
        return map(truediv, self.integers, map(SCALES.__getitem__, self.decimals))

    @overload
    def __getitem__(self, at: int) -> float: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[float]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return Decimals(self.integers[at], self.decimals[at])
        return self.integers[at] / SCALES[self.decimals[at]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Decimals({list(self)})"
