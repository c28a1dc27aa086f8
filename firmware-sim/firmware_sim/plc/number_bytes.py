"""Numbers between the process and a device's memory: into bytes, and back to what was meant. Pure."""

from __future__ import annotations

import struct
from math import isfinite
from typing import Literal

DataType = Literal[
    "bit", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "string"
]
Order = Literal["ABCD", "CDAB", "BADC", "DCBA"]

FORMAT = {
    "uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "uint64": "Q", "int64": "q",
    "float": "f", "double": "d",
}  # fmt: skip
NUMBERS = frozenset(FORMAT)
"""Types that hold one."""


def clamped(code: str, raw: float) -> bytes:
    """Big-endian bytes by a letter of struct; what an integer type cannot hold is held at the type's end."""
    if code in "fd":
        return struct.pack(">" + code, raw)
    bits = struct.calcsize(">" + code) * 8
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)
    number = round(raw) if isfinite(raw) else 0
    return struct.pack(">" + code, min(max(number, low), high))


def engineering(raw: float, scale: float, kind: str) -> float:
    """raw times scale, to the digits that the type holds."""
    value = raw * scale
    # 1.6 in four bytes is 1.60000002, which a limit of 1.6 must not refuse.
    return float(f"{value:.7g}") if kind == "float" else float(f"{value:.15g}")


def to_bytes(raw: float, kind: DataType, order: Order) -> bytes:
    """Bytes of a number in an order; what an integer type cannot hold is held at the type's end."""
    return arranged(clamped(FORMAT[kind], raw), order)


def from_bytes(data: bytes, kind: DataType, order: Order) -> float | int:
    """Number in such bytes."""
    value: float | int = struct.unpack(">" + FORMAT[kind], arranged(data, order))[0]
    return value


def arranged(data: bytes, order: Order) -> bytes:
    """Big-endian bytes into an order, or back: every one of the four undoes itself."""
    if order == "ABCD":
        return data
    if order == "DCBA":
        return data[::-1]
    swapped = bytearray(len(data))
    source = data if order == "BADC" else data[::-1]
    swapped[0::2], swapped[1::2] = source[1::2], source[0::2]
    return bytes(swapped)
