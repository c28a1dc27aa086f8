"""What an FX controller's memory shows, as it stands in a plant file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from edge_agent.protocols.fx.areas import Area, areas
from firmware_sim.errors import ScenarioError
from firmware_sim.plant.signals import Name

FxModel = Literal["FX1S", "FX2N", "FX3S", "FX3U"]
FxType = Literal["bit", "uint16", "int16", "uint32", "int32", "float", "double", "string"]

BYTES = {"bit": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4, "float": 4, "double": 8}
FITTING = {1: ("bit",), 32: ("uint32", "int32")}
"""Types of areas that take few."""


class FxCell(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A device of the controller; exactly one of signal, value, text, counter says what it holds.

    offset: as printed, octal in X and Y. raw = engineering value / scale. noise: standard deviation of the
    measurement. counter: goes up by one with each request that reads it whole. min, max: what a program lets
    be written; another value is taken and put back.
    """

    name: Name
    area: str
    offset: Annotated[int, msgspec.Meta(ge=0, le=9999)]
    type: FxType = "uint16"
    signal: str | None = None
    value: float | None = None
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=128)] | None = None
    counter: bool = False
    ledger: bool = False
    scale: float = 1.0
    noise: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    writable: bool = False
    min: float | None = None
    max: float | None = None

    @property
    def size(self) -> int:
        """Bytes that it takes; of a text whole words."""
        return len((self.text or "").encode()) + 1 & ~1 if self.type == "string" else BYTES[self.type]


def found(model: FxModel, cell: FxCell) -> tuple[Area, int]:
    """Area and number of a cell; ScenarioError relative to the cell."""
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


def faults(model: FxModel, cells: Sequence[FxCell]) -> Iterator[ScenarioError]:
    """What is wrong with the cells, apart from the names of signals; each with its path from the device."""
    for index, cell in enumerate(cells):
        for field, rule in _faults(model, cell):
            yield ScenarioError(f"cells[{index}].{field}", rule)


def _faults(model: FxModel, cell: FxCell) -> Iterator[tuple[str, str]]:
    try:
        area, _ = found(model, cell)
    except ScenarioError as error:
        yield error.field, error.rule
    else:
        fitting = FITTING.get(area.bits, tuple(kind for kind in (*BYTES, "string") if kind != "bit"))
        if cell.type not in fitting:
            yield "type", f"must be {' or '.join(fitting)} in area {cell.area}"
    sources = (cell.signal is not None, cell.value is not None, cell.text is not None, cell.counter)
    if sum(sources) != 1:
        yield "signal", "must be given, or one of value, text, counter in its place"
    if (cell.text is not None) != (cell.type == "string"):
        yield "text", "must be given for type string, and only there"
    if cell.counter and cell.type not in ("uint16", "uint32"):
        yield "counter", "must be of type uint16 or uint32"
    if cell.ledger and not cell.counter:
        yield "ledger", "must be of a counter"
    if cell.writable and cell.signal is None:
        yield "writable", "must have a signal that takes what is written"
    if cell.scale == 0:
        yield "scale", "must not be 0"
