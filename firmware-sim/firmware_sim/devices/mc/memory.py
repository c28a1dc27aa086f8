"""Memory of a PLC as the MC protocol knows it: by areas and the numbers of their devices. Pure.

Data are those of the codec: words low byte first, bits as bytes 0 and 1. Places count words or bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edge_agent.protocols.mc.tables import Area, areas
from firmware_sim.devices.mc.cells import McCell, McModel, frame_of, last_of, located
from firmware_sim.plc.mitsubishi_memory import Placed, PlcMemory, Served
from firmware_sim.process.process import Process


class NoSuchDevice(Exception):
    """Devices that the PLC does not have."""


class McMemory(PlcMemory[Area]):
    """resume: last value of a counter that an earlier run served."""

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
        spaces = {
            area: bytearray((last_of(model, area) - area.first + 1) * _unit(area))
            for area in areas(frame_of(model))
        }
        super().__init__(name, spaces, [_place(model, cell, resume) for cell in cells], process, seed=seed)

    def read(self, area: Area, number: int, size: int) -> tuple[bytes, list[Served]]:
        """size bytes from a number on, and the counters marked for the served-values log among them."""
        return self._read(area, self._start(area, number, size), size)

    def write(self, area: Area, number: int, data: bytes) -> None:
        self._write(area, self._start(area, number, len(data)), data)

    def _start(self, area: Area, number: int, size: int) -> int:
        start = (number - area.first) * _unit(area)
        if start < 0 or start + size > len(self._spaces[area]):
            raise NoSuchDevice
        return start


def _place(model: McModel, cell: McCell, resume: Callable[[str], int]) -> Placed[Area]:
    area, number = located(model, cell)
    start = (number - area.first) * _unit(area)
    return Placed(cell, area, start, count=resume(cell.name) if cell.counter else 0)


def _unit(area: Area) -> int:
    """Bytes of one number."""
    return 1 if area.bit else 2 * area.words
