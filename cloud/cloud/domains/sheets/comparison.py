"""One row of a workbook against what is there, cell by cell. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cloud.core.xlsx import Cell
from cloud.domains.configuration.document import MAX_DEPTH
from cloud.domains.points.faults import Cell as CellFault
from cloud.domains.sheets.changes import CellChange, Fault
from cloud.domains.sheets.columns import SheetColumn, SheetKind, column_of
from cloud.domains.sheets.values import WrongValue, check_held, is_same, value_of
from edge_contract.document.masking import MASK

LEVELS_ABOVE = 2
"""Levels of a document above the fields of a row."""

Before = Callable[[SheetColumn], Any]
"""The value of a column that is there."""

Lookup = Callable[[str, int | str], int]
"""Number of what a field names. Raises WrongValue."""


def cell_changes(
    sheet: SheetKind,
    fields: Iterable[str],
    cells: Mapping[str, Cell],
    before: Before,
    *,
    number_of: Lookup | None = None,
    empties: bool = True,
    is_exported: Callable[[SheetColumn, Any, Cell], bool] = lambda column, value, cell: False,
) -> list[CellChange]:
    """Cells that differ or are wrong, of these fields in their order.

    cells: by field, without the empty ones. empties: an empty cell takes the value away, else it says
    nothing. is_exported: does an export write a value into its cell like this? Such a cell changes nothing,
    whatever it is read as.
    """
    changes: list[CellChange] = []
    for field in dict.fromkeys(fields):
        column, cell = column_of(sheet, field), cells.get(field)
        if column is None or (cell is None and not empties):
            continue
        old = before(column)
        if is_exported(column, old, cell):
            continue
        try:
            new = None if cell is None else _value(field, column, cell, number_of)
        except WrongValue as wrong:
            changes.append(CellChange(field, old, str(cell), Fault(wrong.code)))
            continue
        if new != MASK and (new is not None or empties) and not is_same(old, new):
            changes.append(CellChange(field, old, new))
    return changes


def with_faults(
    cells: Sequence[CellChange], faults: Iterable[CellFault], *, is_new: bool
) -> list[CellChange]:
    """Changed cells of a row with its errors; of a row that was there only those of what changes in it."""
    by_field = {cell.field: cell for cell in cells}
    for fault in faults:
        if fault.level != "error" or not (is_new or fault.field in by_field):
            continue
        cell = by_field.get(fault.field, CellChange(fault.field))
        if cell.fault is None:
            named = Fault(fault.code, fault.arguments)
            by_field[fault.field] = CellChange(cell.field, cell.before, cell.after, named)
    return list(by_field.values())


def _value(field: str, column: SheetColumn, cell: Cell, number_of: Lookup | None) -> Any:
    value = value_of(cell, column.kind)
    if column.kind in ("any", "json"):
        check_held(value, MAX_DEPTH - LEVELS_ABOVE - len(column.path))
    if column.kind == "name" and value is not None and number_of is not None:
        return number_of(field, value)
    return value
