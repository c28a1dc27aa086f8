"""One area of a slave's memory. Pure."""

from __future__ import annotations


class Area:
    """Cells 0..size-1 of one area; a cell is `cell` bytes (2: a register, 1: a bit as 0 or 1).

    known: one byte a cell, 0 where the device has nothing.
    """

    def __init__(self, size: int, cell: int, *, gaps_are_zero: bool) -> None:
        self.size = size
        self.cell = cell
        self.data = bytearray(size * cell)
        self.known = bytearray((b"\1" if gaps_are_zero else b"\0") * size)

    def has(self, start: int, end: int) -> bool:
        """Whether every cell from start up to end exists."""
        return end <= self.size and self.known.find(0, start, end) < 0

    def put(self, start: int, data: bytes) -> None:
        at = start * self.cell
        self.data[at : at + len(data)] = data

    def get(self, start: int, count: int) -> bytes:
        return bytes(self.data[start * self.cell : (start + count) * self.cell])
