"""Memory of a Siemens PLC: areas that show the process, and writes that reach it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from firmware_sim.plc.number_bytes import engineering
from firmware_sim.plc.siemens_values import (
    CODES,
    ELEMENT_BYTES,
    Family,
    S7Value,
    from_bytes,
    place_of,
    size_of,
    text_bytes,
    to_bytes,
)
from firmware_sim.process.process import Process, within

DATA_BLOCK = 0x84
SIZES = {0x81: 128, 0x82: 128, 0x83: 256, 0x04: 32, 0x05: 550, 0x06: 64, 0x07: 64}
"""Bytes that an area has in any case; timers and counters: 256 of each."""

Place = tuple[int, int]
"""Area code and DB number."""


class NoSuchBlock(Exception):
    """The PLC has no such area or data block."""


class OutOfRange(Exception):
    """Bytes beyond the end of an area."""


class NotAllowed(Exception):
    """What cannot be written, or not with this value; nothing was written."""


class S7Memory:
    """Bytes by area and data block. Data blocks reach as far as their values."""

    def __init__(
        self, name: str, values: Sequence[S7Value], process: Process, family: Family, *, seed: int
    ) -> None:
        self._process = process
        self._family = family
        self._areas = _areas(values, family)
        self._writable: dict[Place, list[tuple[int, int, S7Value]]] = {}
        self._texts: list[S7Value] = []
        self._updates: list[Callable[[], None]] = []
        chance = Random(f"{seed}:{name}")  # noqa: S311 (a simulation)
        for value in values:
            self._add(value, chance)
        self.refresh()

    def refresh(self) -> None:
        """Show the process of this moment, with the noise of the measurement."""
        for update in self._updates:
            update()

    def restart(self) -> None:
        """What was written is lost."""
        for writable in self._writable.values():
            for _, _, value in writable:
                if value.signal is not None:
                    self._process.restart(value.signal)
        for value in self._texts:
            self._put(value, text_bytes(value, self._family))
        self.refresh()

    def read(self, code: int, db: int, start: int, size: int) -> bytes:
        """Raises NoSuchBlock or OutOfRange."""
        cells = self._cells(code, db, start, size)
        return bytes(cells[start : start + size])

    def write(self, code: int, db: int, start: int, data: bytes, mask: int = 0xFF) -> None:
        """All or nothing. mask: bits of a single byte. Raises NoSuchBlock, OutOfRange, NotAllowed."""
        cells = self._cells(code, db, start, len(data))
        writable = self._writable.get((code, db), [])
        touched = [
            (first, last, value)
            for first, last, value in writable
            if first < start + len(data) and last > start and (value.bit is None or mask & 1 << value.bit)
        ]
        covered = {byte for first, last, _ in touched for byte in range(first, last)}
        if not covered.issuperset(range(start, start + len(data))):
            raise NotAllowed
        before = bytes(cells)
        if mask != 0xFF:
            cells[start] = cells[start] & ~mask | data[0] & mask
        else:
            cells[start : start + len(data)] = data
        try:
            self._take([(value, bytes(cells[first:last])) for first, last, value in touched])
        except (NotAllowed, ValueError):
            cells[:] = before
            raise NotAllowed from None

    def _take(self, written: list[tuple[S7Value, bytes]]) -> None:
        """Bring new values to the process. Raises ValueError when one of them is outside its limits."""
        values: list[tuple[str, float]] = []
        for value, data in written:
            if value.signal is None:
                continue
            number = self._engineering(value, data)
            if not within(number, value.min, value.max):
                raise NotAllowed
            values.append((value.signal, number))
        before = [(name, self._process.value(name)) for name, _ in values]
        try:
            for name, number in values:
                self._process.set(name, number)
        except ValueError:
            for name, old in before:
                self._process.set(name, old)
            raise

    def _engineering(self, value: S7Value, data: bytes) -> float:
        if value.bit is not None:
            return float(data[0] >> value.bit & 1)
        return engineering(from_bytes(value, data, self._family), value.scale, value.type)

    def _cells(self, code: int, db: int, start: int, size: int) -> bytearray:
        cells = self._areas.get((code, db))
        if cells is None:
            raise NoSuchBlock
        if start + size > len(cells):
            raise OutOfRange
        return cells

    def _add(self, value: S7Value, chance: Random) -> None:
        """Say how a value's bytes follow the process."""
        code, db, start = place_of(value, self._family)
        if value.writable:
            writable = self._writable.setdefault((code, db), [])
            writable.append((start, start + size_of(value, self._family), value))
        if value.text is not None:
            self._texts.append(value)
            self._put(value, text_bytes(value, self._family))
        elif value.value is not None:
            self._show(value, value.value)
        elif value.signal is not None:
            read, gauss, noise = self._process.reader(value.signal), chance.gauss, value.noise
            self._updates.append(lambda: self._show(value, read() + (gauss(0, noise) if noise else 0.0)))

    def _show(self, value: S7Value, engineering: float) -> None:
        if value.bit is None:
            self._put(value, to_bytes(value, engineering / value.scale, self._family))
            return
        code, db, start = place_of(value, self._family)
        cells, bit = self._areas[code, db], 1 << value.bit
        cells[start] = cells[start] | bit if engineering else cells[start] & ~bit

    def _put(self, value: S7Value, data: bytes) -> None:
        code, db, start = place_of(value, self._family)
        self._areas[code, db][start : start + len(data)] = data


def _areas(values: Sequence[S7Value], family: Family) -> dict[Place, bytearray]:
    sizes: dict[Place, int] = {
        (code, 0): SIZES.get(code, 256 * ELEMENT_BYTES.get(code, 1))
        for code in CODES[family].values()
        if code != DATA_BLOCK
    }
    for value in values:
        code, db, start = place_of(value, family)
        sizes[code, db] = max(sizes.get((code, db), 0), start + size_of(value, family))
    return {place: bytearray(size + size % 2) for place, size in sizes.items()}
