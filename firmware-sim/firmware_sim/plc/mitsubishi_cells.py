"""What a Mitsubishi PLC shows of the process, whichever way a master comes to its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal, TypeVar

import msgspec

from firmware_sim.errors import ScenarioError
from firmware_sim.process.signals import Name

CellType = Literal[
    "bit", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "string"
]

BYTES = {"bit": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4, "uint64": 8, "int64": 8, "float": 4,
         "double": 8}  # fmt: skip


class PlcCell(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A device of the PLC; exactly one of signal, value, text, counter says what it holds.

    raw = engineering value / scale. noise: standard deviation of the measurement. counter: goes up by one
    with each request that reads it whole. min, max: what the program lets be written; another value is taken
    and put back.
    """

    name: Name
    area: str
    type: CellType = "uint16"
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


Cell = TypeVar("Cell", bound=PlcCell)


def cell_errors(cells: Sequence[Cell], fitting: Callable[[Cell], Sequence[str]]) -> Iterator[ScenarioError]:
    """What is wrong with the cells, apart from the names of signals; each with its path from the device.

    fitting: the types that may lie where a cell lies. It raises ScenarioError, with the path from the cell,
    when none may.
    """
    for index, cell in enumerate(cells):
        for field, rule in (*_place_errors(cell, fitting), *_source_errors(cell)):
            yield ScenarioError(f"cells[{index}].{field}", rule)


def _place_errors(cell: Cell, fitting: Callable[[Cell], Sequence[str]]) -> Iterator[tuple[str, str]]:
    try:
        types = fitting(cell)
    except ScenarioError as error:
        yield error.field, error.rule
        return
    if cell.type not in types:
        yield "type", f"must be {' or '.join(types)} in area {cell.area}"


def _source_errors(cell: PlcCell) -> Iterator[tuple[str, str]]:
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
