"""What a Mitsubishi PLC shows to the MC protocol, as it stands in a plant file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, get_args

import msgspec

from edge_agent.protocols.mc.names import plain
from edge_agent.protocols.mc.tables import Area, FrameName, areas
from firmware_sim.errors import ScenarioError
from firmware_sim.plc.mitsubishi_cells import CellType, PlcCell, cell_errors

McModel = Literal["FX3U", "FX5", "Q", "L", "iQ-R"]

WORDS = tuple(kind for kind in get_args(CellType) if kind != "bit")
DOUBLE_WORDS = ("uint32", "int32")

NUMBERS = 32_768
"""Of each device of a PLC that speaks 3E; how many a real one has is a matter of its parameters."""


class McCell(PlcCell, frozen=True, kw_only=True):
    """offset: as printed, X and Y of FX in octal; hexadecimal ones are texts."""

    offset: Annotated[int, msgspec.Meta(ge=0)] | str


def frame_of(model: McModel) -> FrameName:
    return "1e" if model == "FX3U" else "3e"


def last_of(model: McModel, area: Area) -> int:
    """Last number that the simulated PLC has."""
    return area.last if model == "FX3U" else NUMBERS - 1


def located(model: McModel, cell: McCell) -> tuple[Area, int]:
    """Area and plain number of a cell. Raises ScenarioError, with the path from the cell."""
    known = areas(frame_of(model))
    runs = [area for area in known if area.name == cell.area]
    if not runs:
        names = ", ".join(dict.fromkeys(area.name for area in known))
        raise ScenarioError("area", f"must be one of {names}, {cell.area!r} is none")
    base = runs[0].base or (8 if model == "FX5" else 16)
    try:
        number = plain(cell.offset, base)
    except ValueError as error:
        raise ScenarioError("offset", str(error)) from None
    for area in runs:
        numbers = 1 if area.bit else cell.size // (2 * area.words) or 1
        if area.first <= number and number + numbers - 1 <= last_of(model, area):
            return area, number
    raise ScenarioError("offset", f"must be a device that model {model} has, whole, in area {cell.area}")


def errors(model: McModel, cells: Sequence[McCell]) -> Iterator[ScenarioError]:
    """What is wrong with the cells, apart from the names of signals; each with its path from the device."""
    return cell_errors(cells, lambda cell: _fitting(located(model, cell)[0]))


def _fitting(area: Area) -> Sequence[str]:
    """Types that the area's devices hold."""
    if area.bit:
        return ("bit",)
    return DOUBLE_WORDS if area.words == 2 else WORDS
