"""Values in Modbus memory: numbers to register bytes in four byte orders, and areas with holes. Pure."""

from __future__ import annotations

import struct

from firmware_sim.devices.number_bytes import clamped
from firmware_sim.plant.description import DataType, Order, Register

FORMAT = {
    "uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "uint64": "Q", "int64": "q",
    "float": "f", "double": "d",
}  # fmt: skip
NUMBERS = frozenset(FORMAT)


class Area:
    """Cells 0..size-1 of one area; a cell is `cell` bytes (2: a register, 1: a bit as 0 or 1).

    known: one byte a cell, 0 where the device has nothing.
    """

    def __init__(self, size: int, cell: int, *, holes_are_zero: bool) -> None:
        self.size = size
        self.cell = cell
        self.data = bytearray(size * cell)
        self.known = bytearray((b"\1" if holes_are_zero else b"\0") * size)

    def has(self, start: int, end: int) -> bool:
        """Whether every cell from start up to end exists."""
        return end <= self.size and self.known.find(0, start, end) < 0

    def put(self, start: int, data: bytes) -> None:
        at = start * self.cell
        self.data[at : at + len(data)] = data

    def get(self, start: int, count: int) -> bytes:
        return bytes(self.data[start * self.cell : (start + count) * self.cell])


def width(register: Register) -> int:
    """Cells that one register description takes."""
    if register.text is not None:
        return (len(register.text.encode()) + 1) // 2
    return 1 if register.type not in NUMBERS else struct.calcsize(">" + FORMAT[register.type]) // 2


def to_bytes(raw: float, kind: DataType, order: Order) -> bytes:
    """Register bytes of a number; what an integer type cannot hold is held at the type's end."""
    return arranged(clamped(FORMAT[kind], raw), order)


def from_bytes(data: bytes, kind: DataType, order: Order) -> float | int:
    """Number in register bytes."""
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
