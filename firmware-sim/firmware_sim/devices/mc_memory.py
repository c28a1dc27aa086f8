"""Memory of a Mitsubishi PLC: what its program shows of the process, and writes that reach it. Pure.

Data are those of the codec: words low byte first, bits as bytes 0 and 1. Places count words or bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from edge_agent.protocols.mc.tables import Area, areas
from firmware_sim.devices.mc_cells import McCell, McModel, found, frame_of, last_of
from firmware_sim.devices.registers import from_bytes, to_bytes
from firmware_sim.plant.process import Process, within

Served = tuple[str, int]
"""A counter's name and the value that an answer carries."""

LOW_FIRST: Final = "DCBA"


class NoSuchDevice(Exception):
    """Devices that the PLC does not have."""


@dataclass(slots=True)
class Placed:
    """A cell at its bytes within its area. count: last served value of a counter."""

    cell: McCell
    area: Area
    start: int
    count: int = 0

    @property
    def end(self) -> int:
        return self.start + self.cell.size


class McMemory:
    """What no cell shows keeps what was written to it. resume: last value of a counter that an earlier run
    served."""

    def __init__(
        self,
        name: str,
        model: McModel,
        cells: Sequence[McCell],
        process: Process,
        *,
        seed: int,
        resume: Callable[[str], int],
    ) -> None:
        self._process = process
        self._gauss = Random(f"{seed}:{name}").gauss  # noqa: S311 (a simulation)
        self._model = model
        self._data = {area: bytearray(self._size(area)) for area in areas(frame_of(model))}
        self._placed = [self._place(cell, resume) for cell in cells]
        self.refresh()

    def refresh(self) -> None:
        """Show the process of this moment, with the noise of the measurement."""
        for placed in self._placed:
            self._show(placed)

    def restart(self) -> None:
        """What was written is lost and counters begin again, but for those of the ledger, whose values tell
        samples apart."""
        for data in self._data.values():
            data[:] = bytes(len(data))
        for placed in self._placed:
            if placed.cell.writable:
                self._process.restart(str(placed.cell.signal))
            if not placed.cell.ledger:
                placed.count = 0
        self.refresh()

    def read(self, area: Area, number: int, size: int) -> tuple[bytes, list[Served]]:
        """size bytes from a number on, and the counters marked for the ledger among them."""
        start = self._start(area, number, size)
        served: list[Served] = []
        for placed in self._placed:
            if placed.cell.counter and placed.area == area and start <= placed.start:
                if placed.end > start + size:
                    continue
                placed.count = (placed.count + 1) % (1 << 8 * placed.cell.size)
                self._show(placed)
                if placed.cell.ledger:
                    served.append((placed.cell.name, placed.count))
        return bytes(self._data[area][start : start + size]), served

    def write(self, area: Area, number: int, data: bytes) -> None:
        start = self._start(area, number, len(data))
        self._data[area][start : start + len(data)] = data
        for placed in self._placed:
            if placed.area == area and placed.start < start + len(data) and start < placed.end:
                self._take(placed)

    def _size(self, area: Area) -> int:
        return (last_of(self._model, area) - area.first + 1) * _unit(area)

    def _start(self, area: Area, number: int, size: int) -> int:
        start = (number - area.first) * _unit(area)
        if start < 0 or start + size > len(self._data[area]):
            raise NoSuchDevice
        return start

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
        cell, data = placed.cell, bytes(self._data[placed.area][placed.start : placed.end])
        if cell.type == "bit":
            return data[0]
        assert cell.type != "string"
        value = from_bytes(data, cell.type, LOW_FIRST) * cell.scale
        # 1.6 in four bytes is 1.60000002, which a limit of 1.6 must not refuse.
        return float(f"{value:.7g}") if cell.type == "float" else float(f"{value:.15g}")

    def _show(self, placed: Placed) -> None:
        self._data[placed.area][placed.start : placed.end] = self._shown(placed)

    def _shown(self, placed: Placed) -> bytes:
        """Bytes that the program puts into the memory."""
        cell = placed.cell
        if cell.type == "string":
            return (cell.text or "").encode().ljust(cell.size, b"\0")
        if cell.counter:
            return to_bytes(placed.count, cell.type, LOW_FIRST)
        value = self._process.value(cell.signal) if cell.signal is not None else cell.value or 0.0
        if cell.noise:
            value += self._gauss(0, cell.noise)
        if cell.type == "bit":
            return b"\1" if value else b"\0"
        return to_bytes(value / cell.scale, cell.type, LOW_FIRST)

    def _place(self, cell: McCell, resume: Callable[[str], int]) -> Placed:
        area, number = found(self._model, cell)
        start = (number - area.first) * _unit(area)
        return Placed(cell, area, start, resume(cell.name) if cell.counter else 0)


def _unit(area: Area) -> int:
    """Bytes of one number."""
    return 1 if area.bit else 2 * area.words
