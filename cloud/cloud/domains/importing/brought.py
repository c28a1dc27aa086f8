"""Rows that a gateway template brings to a draft, changes there or takes from it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cloud.domains.importing.compared import gone
from cloud.domains.importing.sheets import fields_of
from cloud.domains.sheets.changes import CellChange, RowChange
from cloud.domains.sheets.columns import GATEWAY, KEYS, SECTIONS, SheetKind
from edge_contract.document.difference import rows_difference
from edge_contract.document.rows import by_key


def brought(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[RowChange]:
    """As a preview has them, what comes and changes before what goes."""
    for section in SECTIONS:
        had, has = by_key(before, section), by_key(after, section)
        made = rows_difference(had, has, deep=False)
        for key, row in has.items():
            if key in made.added:
                yield RowChange("added", section, 0, key, _cells(section, {}, row), by_template=True)
            elif key in made.changed and (cells := _cells(section, had[key], row)):
                yield RowChange("changed", section, 0, key, cells, by_template=True)
        for key, row in made.removed.items():
            yield gone(section, key, row, by_template=True)


def _cells(section: SheetKind, old: Mapping[str, Any], row: Mapping[str, Any]) -> list[CellChange]:
    before, after = fields_of(section, old), fields_of(section, row)
    return [
        CellChange(name, before.get(name), after.get(name))
        for name in {**after, **before}
        if name not in (GATEWAY, *KEYS[section]) and before.get(name) != after.get(name)
    ]
