"""Bytes of the batch's parts: variable-length numbers and packed integer arrays, little endian.

Bulk work goes through array, so that its cost is C's and not the interpreter's.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from edge_contract.errors import BatchError

SIGNED = {1: "b", 2: "h", 4: "i", 8: "q"}
UNSIGNED = {1: "B", 2: "H", 4: "I", 8: "Q"}
TOO_WIDE = 16
"""Width of a number that fits no array element."""

_SWAP = sys.byteorder == "big"


def signed_width(low: int, high: int) -> int:
    """Bytes of the narrowest signed element that holds low..high: 0 when both are zero, TOO_WIDE beyond 8."""
    if low == 0 == high:
        return 0
    reach = max(~low, high)
    if reach < 1 << 31:
        return 1 if reach < 1 << 7 else 2 if reach < 1 << 15 else 4
    return 8 if reach < 1 << 63 else TOO_WIDE


def unsigned_width(high: int) -> int:
    """Bytes of the narrowest unsigned element that holds 0..high; 0 when high is zero."""
    if high == 0:
        return 0
    return next((width for width in UNSIGNED if high < 1 << (8 * width)), TOO_WIDE)


class Writer:
    """Grows a body."""

    def __init__(self) -> None:
        self.data = bytearray()

    def byte(self, number: int) -> None:
        self.data.append(number)

    def varint(self, number: int) -> None:
        """Unsigned, seven bits a byte, low bits first."""
        while number > 0x7F:
            self.data.append(number & 0x7F | 0x80)
            number >>= 7
        self.data.append(number)

    def zigzag(self, number: int) -> None:
        """Signed 64 bit as a varint."""
        self.varint(number << 1 if number >= 0 else (~number << 1) | 1)

    def elements(self, code: str, values: Iterable[float]) -> None:
        """Bare array elements of an array type code."""
        self.array(array(code, values))

    def array(self, items: array[Any]) -> None:
        """The elements of an array as they are."""
        if _SWAP:
            items = items[:]
            items.byteswap()
        self.data += items.tobytes()

    def packed(self, numbers: Sequence[int]) -> None:
        """Least number as zigzag, width of the distances to it, distances; nothing for no numbers."""
        if not numbers:
            return
        low = min(numbers)
        width = unsigned_width(max(numbers) - low)
        self.zigzag(low)
        self.byte(width)
        if width:
            self.elements(UNSIGNED[width], [number - low for number in numbers])


class Reader:
    """Walks through a body; whatever is not there is a BatchError."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    @property
    def at_end(self) -> bool:
        return self.position == len(self.data)

    def take(self, count: int) -> bytes:
        """The next bytes; BatchError when there are not so many."""
        end = self.position + count
        if end > len(self.data):
            raise BatchError("body", "must not end within a field")
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def byte(self) -> int:
        """The next byte; BatchError when there is none."""
        if self.position >= len(self.data):
            raise BatchError("body", "must not end within a field")
        self.position += 1
        return self.data[self.position - 1]

    def varint(self, field: str, highest: int = 2**64 - 1) -> int:
        """The next unsigned number; BatchError names the field when it is cut off or above the highest."""
        data, at = self.data, self.position
        number = shift = 0
        try:
            while (byte := data[at]) > 0x7F:
                number |= (byte & 0x7F) << shift
                at += 1
                shift += 7
                if shift > 63:
                    raise BatchError(field, "at most 64 bits")
        except IndexError:
            raise BatchError("body", "must not end within a field") from None
        number |= byte << shift
        self.position = at + 1
        if number > highest:
            raise BatchError(field, f"at most {highest}")
        return number

    def zigzag(self, field: str) -> int:
        number = self.varint(field)
        return number >> 1 if not number & 1 else ~(number >> 1)

    def elements(self, code: str, count: int) -> array[int] | array[float]:
        items: array[int] | array[float] = array(code)
        items.frombytes(self.take(count * items.itemsize))
        if _SWAP:
            items.byteswap()
        return items

    def packed(self, field: str, count: int) -> list[int]:
        """Inverse of Writer.packed. count is bounded by the caller. Raises BatchError."""
        if not count:
            return []
        low = self.zigzag(field)
        width = self.byte()
        if width == 0:
            return [low] * count
        if width not in UNSIGNED:
            raise BatchError(field, "width 0, 1, 2, 4 or 8")
        distances: Any = self.elements(UNSIGNED[width], count)
        return [low + distance for distance in distances]
