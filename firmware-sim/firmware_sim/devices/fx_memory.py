"""Memory of an FX controller: what its program shows of the process, and writes that reach it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from edge_agent.protocols.fx.areas import Area, CommandSet, areas
from firmware_sim.devices.fx_cells import FxCell, FxModel, found
from firmware_sim.devices.registers import from_bytes, to_bytes
from firmware_sim.plant.process import Process, within

Served = tuple[str, int]
"""A counter's name and the value that an answer carries."""

SPACE = 1 << 16
LOW_FIRST: Final = "DCBA"


class NoSuchMemory(Exception):
    """Bytes or a bit that the model does not have."""


@dataclass(slots=True)
class Placed:
    """A cell at its byte; bit: of a bit device. count: last served value of a counter."""

    cell: FxCell
    set: CommandSet
    start: int
    bit: int
    count: int = 0

    @property
    def end(self) -> int:
        return self.start + self.cell.size


class FxMemory:
    """One space of 64 kB for each command set. Whatever the model has can be read; what no cell shows keeps
    what was written to it. resume: last value of a counter that an earlier run served."""

    def __init__(
        self,
        name: str,
        model: FxModel,
        cells: Sequence[FxCell],
        process: Process,
        *,
        seed: int,
        resume: Callable[[str], int],
    ) -> None:
        self._process = process
        self._gauss = Random(f"{seed}:{name}").gauss  # noqa: S311 (a simulation)
        self._areas = [area for each in areas(model).values() for area in each]
        self._data: dict[CommandSet, bytearray] = {"classic": bytearray(SPACE), "extended": bytearray(SPACE)}
        self._known: dict[CommandSet, bytearray] = {"classic": bytearray(SPACE), "extended": bytearray(SPACE)}
        for area in self._areas:
            first, last = area.byte_of(area.first), area.byte_of(area.last)
            size = last - first + max(1, area.bits // 8)
            self._known[area.set][first : first + size] = b"\1" * size
        self._placed = [self._place(model, cell, resume) for cell in cells]
        self.refresh()

    def refresh(self) -> None:
        """Show the process of this moment, with the noise of the measurement."""
        for placed in self._placed:
            self._show(placed)

    def restart(self) -> None:
        """What was written is lost and counters begin again, but for those of the ledger, whose values tell
        samples apart."""
        for data in self._data.values():
            data[:] = bytes(SPACE)
        for placed in self._placed:
            if placed.cell.writable:
                self._process.restart(str(placed.cell.signal))
            if not placed.cell.ledger:
                placed.count = 0
        self.refresh()

    def read(self, space: CommandSet, start: int, count: int) -> tuple[bytes, list[Served]]:
        """Bytes, and the counters marked for the ledger among them."""
        self._check(space, start, count)
        served: list[Served] = []
        for placed in self._placed:
            if placed.cell.counter and placed.set == space and start <= placed.start:
                if placed.end > start + count:
                    continue
                placed.count = (placed.count + 1) % (1 << 8 * placed.cell.size)
                self._show(placed)
                if placed.cell.ledger:
                    served.append((placed.cell.name, placed.count))
        return bytes(self._data[space][start : start + count]), served

    def write(self, space: CommandSet, start: int, data: bytes) -> None:
        self._check(space, start, len(data))
        self._data[space][start : start + len(data)] = data
        for placed in self._placed:
            if placed.set == space and placed.start < start + len(data) and start < placed.end:
                self._take(placed)

    def force(self, space: CommandSet, bit_address: int, on: bool) -> None:
        """Set or reset a bit device."""
        area, number = self._forced(space, bit_address)
        at, mask = area.byte_of(number), 1 << area.bit_of(number)
        data = self._data[space]
        data[at] = data[at] | mask if on else data[at] & ~mask
        for placed in self._placed:
            if (placed.set, placed.start, placed.bit) == (space, at, area.bit_of(number)):
                self._take(placed)

    def _forced(self, space: CommandSet, bit_address: int) -> tuple[Area, int]:
        for area in self._areas:
            number = bit_address - area.force + area.origin
            if area.bits == 1 and area.set == space and area.first <= number <= area.last:
                return area, number
        raise NoSuchMemory

    def _check(self, space: CommandSet, start: int, count: int) -> None:
        known = self._known[space]
        if start + count > SPACE or known.find(0, start, start + count) >= 0:
            raise NoSuchMemory

    def _take(self, placed: Placed) -> None:
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

    def _value(self, placed: Placed) -> float:
        """Engineering value in the memory."""
        cell, data = placed.cell, self._data[placed.set][placed.start : placed.end]
        if cell.type == "bit":
            return data[0] >> placed.bit & 1
        assert cell.type != "string"
        value = from_bytes(bytes(data), cell.type, LOW_FIRST) * cell.scale
        # 1.6 in four bytes is 1.60000002, which a limit of 1.6 must not refuse.
        return float(f"{value:.7g}") if cell.type == "float" else float(f"{value:.15g}")

    def _show(self, placed: Placed) -> None:
        cell, data = placed.cell, self._data[placed.set]
        if cell.type == "string":
            data[placed.start : placed.end] = (cell.text or "").encode().ljust(cell.size, b"\0")
            return
        value = self._shown(placed)
        if cell.type == "bit":
            mask = 1 << placed.bit
            data[placed.start] = data[placed.start] | mask if value else data[placed.start] & ~mask
        else:
            data[placed.start : placed.end] = to_bytes(value, cell.type, LOW_FIRST)

    def _shown(self, placed: Placed) -> float:
        """Raw value that the program puts into the memory."""
        cell = placed.cell
        if cell.counter:
            return placed.count
        value = self._process.value(cell.signal) if cell.signal is not None else cell.value or 0.0
        if cell.noise:
            value += self._gauss(0, cell.noise)
        return value if cell.type == "bit" else value / cell.scale

    def _place(self, model: FxModel, cell: FxCell, resume: Callable[[str], int]) -> Placed:
        area, number = found(model, cell)
        bit = area.bit_of(number) if area.bits == 1 else 0
        count = resume(cell.name) if cell.counter else 0
        return Placed(cell, area.set, area.byte_of(number), bit, count)
