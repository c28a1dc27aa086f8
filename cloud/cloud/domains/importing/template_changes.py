"""Rows that a gateway template brings to a draft, changes there or takes from it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cloud.domains.importing.sheets import fields_of
from cloud.domains.sheets.changes import CellChange, RowChange
from cloud.domains.sheets.columns import GATEWAY, KEYS, SECTIONS, SheetKind
from edge_contract.document.difference import rows_difference
from edge_contract.document.rows import Key, by_key

TITLES: Mapping[SheetKind, str] = {"slaves": "title", "points": "ds_title"}
"""Fields by which people know a row."""


def template_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[RowChange]:
    """Rows as a preview has them, what is added and changed before what is removed."""
    for section in SECTIONS:
        had, has = by_key(before, section), by_key(after, section)
        made = rows_difference(had, has, deep=False)
        for key, row in has.items():
            if key in made.added:
                yield RowChange("added", section, 0, key, _cells(section, {}, row), by_template=True)
            elif key in made.changed and (cells := _cells(section, had[key], row)):
                yield RowChange("changed", section, 0, key, cells, by_template=True)
        for key, row in made.removed.items():
            yield removed_row(section, key, row, by_template=True)


def removed_row(
    sheet: SheetKind, key: Key, row: Mapping[str, Any], *, by_template: bool = False
) -> RowChange:
    """A row that goes. Its title stands beside its key, because several may have the same."""
    title = row.get("title") if sheet in TITLES else None
    cells = [CellChange(TITLES[sheet], title)] if title else []
    return RowChange("removed", sheet, 0, key, cells, by_template=by_template)


def _cells(section: SheetKind, old: Mapping[str, Any], row: Mapping[str, Any]) -> list[CellChange]:
    before, after = fields_of(section, old), fields_of(section, row)
    return [
        CellChange(name, before.get(name), after.get(name))
        for name in {**after, **before}
        if name not in (GATEWAY, *KEYS[section]) and before.get(name) != after.get(name)
    ]
