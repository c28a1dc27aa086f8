"""What a Mitsubishi PLC shows to the MC protocol, as it stands in a plant file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from edge_agent.protocols.mc.names import plain
from edge_agent.protocols.mc.tables import Area, FrameName, areas
from firmware_sim.errors import ScenarioError
from firmware_sim.plant.signals import Name

McModel = Literal["FX3U", "FX5", "Q", "L", "iQ-R"]
McType = Literal["bit", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "string"]

BYTES = {"bit": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4, "uint64": 8, "int64": 8, "float": 4,
         "double": 8}  # fmt: skip
WHOLE_TYPES = ("uint32", "int32")
"""Of devices that hold 32 bits."""

NUMBERS = 32_768
"""Of each device of a PLC that speaks 3E; how many a real one has is a matter of its parameters."""


class McCell(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A device of the PLC; exactly one of signal, value, text, counter says what it holds.

    offset: as printed, X and Y of FX in octal; hexadecimal ones are texts. raw = engineering value / scale.
    noise: standard deviation of the measurement. counter: goes up by one with each request that reads it
    whole. min, max: what the program lets be written; another value is taken and put back.
    """

    name: Name
    area: str
    offset: Annotated[int, msgspec.Meta(ge=0)] | str
    type: McType = "uint16"
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


def frame_of(model: McModel) -> FrameName:
    return "1e" if model == "FX3U" else "3e"


def last_of(model: McModel, area: Area) -> int:
    """Last number that the simulated PLC has."""
    return area.last if model == "FX3U" else NUMBERS - 1


def found(model: McModel, cell: McCell) -> tuple[Area, int]:
    """Area and plain number of a cell; ScenarioError relative to the cell."""
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


def faults(model: McModel, cells: Sequence[McCell]) -> Iterator[ScenarioError]:
    """What is wrong with the cells, apart from the names of signals; each with its path from the device."""
    for index, cell in enumerate(cells):
        for field, rule in _faults(model, cell):
            yield ScenarioError(f"cells[{index}].{field}", rule)


def _faults(model: McModel, cell: McCell) -> Iterator[tuple[str, str]]:
    try:
        area, _ = found(model, cell)
    except ScenarioError as error:
        yield error.field, error.rule
    else:
        words = (
            WHOLE_TYPES if area.words == 2 else tuple(kind for kind in (*BYTES, "string") if kind != "bit")
        )
        fitting = ("bit",) if area.bit else words
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
