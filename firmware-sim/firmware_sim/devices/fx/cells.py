"""What an FX controller's memory shows, as it stands in a plant file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, get_args

import msgspec

from edge_agent.protocols.fx.areas import Area, areas
from firmware_sim.errors import ScenarioError
from firmware_sim.plc.mitsubishi_cells import PlcCell, cell_errors

FxModel = Literal["FX1S", "FX2N", "FX3S", "FX3U"]
FxType = Literal["bit", "uint16", "int16", "uint32", "int32", "float", "double", "string"]

WORDS = tuple(kind for kind in get_args(FxType) if kind != "bit")
FITTING = {1: ("bit",), 32: ("uint32", "int32")}
"""Types of areas that take few."""


class FxCell(PlcCell, frozen=True, kw_only=True):
    """offset: as printed, octal in X and Y."""

    offset: Annotated[int, msgspec.Meta(ge=0, le=9999)]
    type: FxType = "uint16"


def located(model: FxModel, cell: FxCell) -> tuple[Area, int]:
    """Area and number of a cell. Raises ScenarioError, with the path from the cell."""
    known = areas(model).get(cell.area)
    if known is None:
        raise ScenarioError("area", f"must be one of {', '.join(areas(model))}, {cell.area!r} is none")
    try:
        number = int(str(cell.offset), known[0].radix)
    except ValueError:
        raise ScenarioError("offset", f"must have octal digits in area {cell.area}") from None
    for area in known:
        last = area.last - (cell.size * 8 // area.bits - 1 if area.bits > 1 else 0)
        if area.first <= number <= last:
            return area, number
    raise ScenarioError("offset", f"must be an address that model {model} has, whole, in area {cell.area}")


def errors(model: FxModel, cells: Sequence[FxCell]) -> Iterator[ScenarioError]:
    """What is wrong with the cells, apart from the names of signals; each with its path from the device."""
    return cell_errors(cells, lambda cell: FITTING.get(located(model, cell)[0].bits, WORDS))
