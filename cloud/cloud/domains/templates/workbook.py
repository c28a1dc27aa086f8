"""A template as a workbook: which columns its sheets have, and its rows in them. Pure, but it blocks."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cloud.core.xlsx import Cell, Column, Sheet, Table, write_workbook
from cloud.core.xlsx.cells import MAX_TEXT
from cloud.core.xlsx.writing import NO_XML
from cloud.domains.sheets.columns import (
    CHOICES,
    GATEWAY,
    SETTINGS,
    TITLES,
    Language,
    SheetColumn,
    SheetKind,
    column_of,
    columns_of,
    guessed,
)
from cloud.domains.sheets.values import cell_of
from cloud.domains.templates.content import POINT
from edge_contract.document.rows import Row, rows_of
from edge_contract.document.values import value_at

WIDTH = 16
INNER: Mapping[SheetKind, str] = {"slaves": "options", "points": "address"}
KINDS: Mapping[str, tuple[SheetKind, ...]] = {POINT: ("points",), "gateway": ("ports", "slaves", "points")}
"""Sheets of a template's category."""


def keys_of(category: str, kind: SheetKind) -> tuple[str, ...]:
    """Fields that a row is known by."""
    if kind != "points":
        return ("name",)
    return ("ds_name",) if category == POINT else ("slave", "ds_name")


def workbook(category: str, document: Mapping[str, Any], language: Language) -> bytes:
    """An .xlsx with a sheet for each kind of row; without what has no column, such as pinned templates."""
    sheets = []
    for kind in KINDS[category]:
        rows = rows_of(document, kind)
        columns = _columns(category, kind, rows)
        heads = [
            Column(
                each.title(language),
                WIDTH,
                CHOICES.get((kind, each.field), ("true", "false") if each.kind == "bool" else ()),
                is_text=each.kind in ("text", "json"),
            )
            for each in columns
        ]
        sheets.append(Sheet(TITLES[kind][language], heads, _lines(columns, rows), frozen=1))
    file = io.BytesIO()
    write_workbook(file, sheets)
    return file.getvalue()


def recognised(category: str, tables: Iterable[Table]) -> dict[SheetKind, tuple[Table, list[str | None]]]:
    """The sheets of a file that hold rows of such a template, each with the field of each of its columns."""
    sheets: dict[SheetKind, tuple[Table, list[str | None]]] = {}
    for table in tables:
        known = [GATEWAY, *(["slave"] if category == POINT else [])]
        kind, fields = guessed(table.name, [*known, *table.header])
        if kind in KINDS[category] and kind not in sheets and table.header:
            sheets[kind] = table, [_field(category, kind, field) for field in fields[len(known) :]]
    return sheets


def exported(value: Any, column: SheetColumn) -> Cell:
    """What a reader finds in the cell of an export that has this value."""
    cell = cell_of(value, column.kind)
    if isinstance(cell, str):
        return NO_XML.sub("\ufffd", cell[:MAX_TEXT]).strip() or None
    return cell


def _field(category: str, kind: SheetKind, field: str | None) -> str | None:
    outside = field in (None, GATEWAY) or (kind == "points" and field in SETTINGS)
    return None if outside or (category == POINT and field == "slave") else field


def _columns(category: str, kind: SheetKind, rows: Iterable[Row]) -> list[SheetColumn]:
    """Those of every template, and the options and addresses that these rows have beside."""
    columns = {
        each.field: each
        for each in columns_of(kind).values()
        if _field(category, kind, each.field) is not None and not each.field.startswith("options.")
    }
    inner = INNER.get(kind, "")
    extra: dict[str, SheetColumn] = {}
    for row in rows:
        table = row.get(inner)
        for name in table if isinstance(table, Mapping) else ():
            column = column_of(kind, f"{inner}.{name}")
            if column is not None and column.field not in columns:
                extra[column.field] = column
    return [*columns.values(), *(extra[name] for name in sorted(extra))]


def _lines(columns: Sequence[SheetColumn], rows: Iterable[Row]) -> Iterator[list[Cell]]:
    return ([cell_of(value_at(row, each.path), each.kind) for each in columns] for row in rows)
