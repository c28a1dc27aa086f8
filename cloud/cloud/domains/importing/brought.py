"""Rows that a gateway template brings to a draft, changes there or takes from it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cloud.domains.importing.columns import GATEWAY, KEYS, SECTIONS, SheetKind
from cloud.domains.importing.compared import gone
from cloud.domains.importing.outcome import CellChange, RowChange
from cloud.domains.importing.sheets import fields_of
from edge_contract.document.rows import Key, key_of, rows_of


def brought(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[RowChange]:
    """As a preview has them, what comes and changes before what goes."""
    for section in SECTIONS:
        had: dict[Key, dict[str, Any]] = {key_of(section, row): row for row in rows_of(before, section)}
        has: dict[Key, dict[str, Any]] = {key_of(section, row): row for row in rows_of(after, section)}
        for key, row in has.items():
            old = had.get(key)
            if old is None:
                yield RowChange("added", section, 0, key, _cells(section, {}, row), by_template=True)
            elif old is not row and (cells := _cells(section, old, row)):
                yield RowChange("changed", section, 0, key, cells, by_template=True)
        for key in [key for key in had if key not in has]:
            yield gone(section, key, had[key], by_template=True)


def _cells(section: SheetKind, old: Mapping[str, Any], row: Mapping[str, Any]) -> list[CellChange]:
    before, after = fields_of(section, old), fields_of(section, row)
    return [
        CellChange(name, before.get(name), after.get(name))
        for name in {**after, **before}
        if name not in (GATEWAY, *KEYS[section]) and before.get(name) != after.get(name)
    ]
