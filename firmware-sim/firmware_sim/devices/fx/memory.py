"""Memory of an FX controller as its programming port knows it: by bytes, and by bits to be forced. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edge_agent.protocols.fx.areas import Area, CommandSet, areas
from firmware_sim.devices.fx.cells import FxCell, FxModel, located
from firmware_sim.plc.mitsubishi_memory import Placed, PlcMemory, Served
from firmware_sim.process.process import Process

SPACE = 1 << 16


class NoSuchMemory(Exception):
    """Bytes or a bit that the model does not have."""


class FxMemory(PlcMemory[CommandSet]):
    """One space of 64 kB for each command set. Whatever the model has can be read.

    resume: last value of a counter that an earlier run served.
    """

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
        self._areas = [area for each in areas(model).values() for area in each]
        self._known: dict[CommandSet, bytearray] = {"classic": bytearray(SPACE), "extended": bytearray(SPACE)}
        for area in self._areas:
            first, last = area.byte_of(area.first), area.byte_of(area.last)
            size = last - first + max(1, area.bits // 8)
            self._known[area.set][first : first + size] = b"\1" * size
        spaces: dict[CommandSet, bytearray] = {"classic": bytearray(SPACE), "extended": bytearray(SPACE)}
        super().__init__(name, spaces, [_place(model, cell, resume) for cell in cells], process, seed=seed)

    def read(self, space: CommandSet, start: int, count: int) -> tuple[bytes, list[Served]]:
        """Bytes, and the counters marked for the served-values log among them."""
        self._check(space, start, count)
        return self._read(space, start, count)

    def write(self, space: CommandSet, start: int, data: bytes) -> None:
        self._check(space, start, len(data))
        self._write(space, start, data)

    def force(self, space: CommandSet, bit_address: int, on: bool) -> None:
        """Set or reset a bit device."""
        area, number = self._forced(space, bit_address)
        at, mask = area.byte_of(number), 1 << area.bit_of(number)
        data = self._spaces[space]
        data[at] = data[at] | mask if on else data[at] & ~mask
        for placed in self._placed:
            if (placed.space, placed.start, placed.bit) == (space, at, area.bit_of(number)):
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


def _place(model: FxModel, cell: FxCell, resume: Callable[[str], int]) -> Placed[CommandSet]:
    area, number = located(model, cell)
    bit = area.bit_of(number) if area.bits == 1 else 0
    return Placed(cell, area.set, area.byte_of(number), bit, resume(cell.name) if cell.counter else 0)
