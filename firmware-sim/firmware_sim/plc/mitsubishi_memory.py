"""Memory of a Mitsubishi PLC: what its program shows of the process, and writes that reach it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, Generic, TypeVar

from firmware_sim.plc.mitsubishi_cells import PlcCell
from firmware_sim.plc.number_bytes import engineering, from_bytes, to_bytes
from firmware_sim.process.process import Process, within

Served = tuple[str, int]
"""A counter's name and the value that an answer carries."""

LOW_FIRST: Final = "DCBA"

Space = TypeVar("Space")


@dataclass(slots=True)
class Placed(Generic[Space]):
    """A cell at its first byte of a space; bit: of a bit device. count: last served value of a counter."""

    cell: PlcCell
    space: Space
    start: int
    bit: int = 0
    count: int = 0

    @property
    def end(self) -> int:
        return self.start + self.cell.size


class PlcMemory(Generic[Space]):
    """Bytes of each space, low byte first. What no cell shows keeps what was written to it.

    A subclass says which bytes of a space the PLC has, and where its cells lie.
    """

    def __init__(
        self,
        name: str,
        spaces: Mapping[Space, bytearray],
        placed: Iterable[Placed[Space]],
        process: Process,
        *,
        seed: int,
    ) -> None:
        self._spaces = spaces
        self._placed = list(placed)
        self._process = process
        self._gauss = Random(f"{seed}:{name}").gauss  # noqa: S311 (a simulation)
        self.refresh()

    def refresh(self) -> None:
        """Show the process of this moment, with the noise of the measurement."""
        for placed in self._placed:
            self._show(placed)

    def restart(self) -> None:
        """What was written is lost and counters begin again, but for those of the served-values log, whose
        values tell samples apart."""
        for data in self._spaces.values():
            data[:] = bytes(len(data))
        for placed in self._placed:
            if placed.cell.writable:
                self._process.restart(str(placed.cell.signal))
            if not placed.cell.ledger:
                placed.count = 0
        self.refresh()

    def _read(self, space: Space, start: int, size: int) -> tuple[bytes, list[Served]]:
        """Bytes that the PLC has, and the counters marked for the served-values log among them."""
        served: list[Served] = []
        for placed in self._placed:
            if placed.cell.counter and placed.space == space and start <= placed.start:
                if placed.end > start + size:
                    continue
                placed.count = (placed.count + 1) % (1 << 8 * placed.cell.size)
                self._show(placed)
                if placed.cell.ledger:
                    served.append((placed.cell.name, placed.count))
        return bytes(self._spaces[space][start : start + size]), served

    def _write(self, space: Space, start: int, data: bytes) -> None:
        """Bytes that the PLC has."""
        self._spaces[space][start : start + len(data)] = data
        for placed in self._placed:
            if placed.space == space and placed.start < start + len(data) and start < placed.end:
                self._take(placed)

    def _take(self, placed: Placed[Space]) -> None:
        """Let a written value reach the process; what the program does not take is put back."""
        cell = placed.cell
        if cell.writable:
            value = self._value(placed)
            if within(value, cell.min, cell.max):
                try:
                    self._process.set(str(cell.signal), value)
                except ValueError:
                    pass  # outside the setpoint's own limits
                else:
                    return
        self._show(placed)

    def _value(self, placed: Placed[Space]) -> float:
        """Engineering value in the memory."""
        cell, data = placed.cell, bytes(self._spaces[placed.space][placed.start : placed.end])
        if cell.type == "bit":
            return data[0] >> placed.bit & 1
        assert cell.type != "string"
        return engineering(from_bytes(data, cell.type, LOW_FIRST), cell.scale, cell.type)

    def _show(self, placed: Placed[Space]) -> None:
        cell, data = placed.cell, self._spaces[placed.space]
        if cell.type == "string":
            data[placed.start : placed.end] = (cell.text or "").encode().ljust(cell.size, b"\0")
            return
        value = self._raw(placed)
        if cell.type == "bit":
            mask = 1 << placed.bit
            data[placed.start] = data[placed.start] | mask if value else data[placed.start] & ~mask
        else:
            data[placed.start : placed.end] = to_bytes(value, cell.type, LOW_FIRST)

    def _raw(self, placed: Placed[Space]) -> float:
        """Raw value that the program puts into the memory."""
        cell = placed.cell
        if cell.counter:
            return placed.count
        value = self._process.value(cell.signal) if cell.signal is not None else cell.value or 0.0
        if cell.noise:
            value += self._gauss(0, cell.noise)
        return value if cell.type == "bit" else value / cell.scale
