"""One row of the file against what is there, cell by cell. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cloud.domains.configuration.document import MOST_DEPTH
from cloud.domains.importing.names import WrongName
from cloud.domains.importing.outcome import Given, GivenRow
from cloud.domains.sheets.changes import CellChange, Fault, RowChange
from cloud.domains.sheets.columns import GATEWAY, SheetColumn, SheetKind, column_of
from cloud.domains.sheets.values import WrongValue, check_held, is_same, value_of
from edge_contract.document.masking import MASK
from edge_contract.document.rows import Key

ABOVE = 2
"""Levels of a document above the fields of a row."""
TITLES: Mapping[SheetKind, str] = {"slaves": "title", "points": "ds_title"}
"""Fields by which people know a row."""

Before = Callable[[SheetColumn], Any]
"""The value of a column that is there."""


def compared(sheet: SheetKind, given: Given, row: GivenRow, before: Before) -> list[CellChange]:
    """Cells that differ or are wrong. An empty cell says something in a replacing import only."""
    found: list[CellChange] = []
    for field in given.mapped[sheet]:
        column = column_of(sheet, field)
        if column is None or field == GATEWAY:
            continue
        cell = row.cells.get(field)
        if cell is None and given.mode == "merge":
            continue
        old = before(column)
        try:
            new = None if cell is None else value_of(cell, column.kind)
            if column.kind in ("any", "json"):
                check_held(new, MOST_DEPTH - ABOVE - len(column.path))
            if column.kind == "name" and new is not None:
                new = given.names.number_of(field, new)
        except (WrongValue, WrongName) as wrong:
            code = f"{wrong.code}_{field.removesuffix('_id')}" if isinstance(wrong, WrongName) else wrong.code
            found.append(CellChange(field, old, cell if isinstance(cell, str) else str(cell), Fault(code)))
            continue
        if new is None and given.mode == "merge":
            continue
        if new != MASK and not is_same(old, new):
            found.append(CellChange(field, old, new))
    return found


def gone(sheet: SheetKind, key: Key, row: Mapping[str, Any], *, by_template: bool = False) -> RowChange:
    """A row that goes. Its title stands beside its key, because several may have the same."""
    title = row.get("title") if sheet in TITLES else None
    cells = [CellChange(TITLES[sheet], title)] if title else []
    return RowChange("removed", sheet, 0, key, cells, by_template=by_template)
