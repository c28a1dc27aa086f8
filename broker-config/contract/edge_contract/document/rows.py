"""Rows of a configuration document by their keys. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edge_contract.document.tables import TABLES
from edge_contract.errors import RowMissing

Row = Mapping[str, Any]
Key = tuple[str, ...]
"""What a row is known by: (slave, name) of a point, (name,) of others."""

Rows = dict[Key, Row]
"""Rows of one section in their order."""


def rows_of(document: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    """Rows of a section in their order; what is no table is left out."""
    rows = document.get(section)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def key_of(section: str, row: Row) -> Key:
    """A field that is missing counts as an empty text."""
    return tuple([str(row.get(name, "")) for name in TABLES[section].key])


def name_of(key: Key) -> str:
    """A key in words: slave.point, or the name."""
    return ".".join(key)


def by_key(document: Mapping[str, Any], section: str) -> Rows:
    """Rows of a section as far as it has any; of two with one key the last."""
    return {key_of(section, row): row for row in rows_of(document, section)}


def keyed(section: str, rows: object) -> Rows | None:
    """Rows of a section; None when it is no list of tables that have a key each, and each another one."""
    if not isinstance(rows, list):
        return None
    names = TABLES[section].key
    made: Rows = {}
    for row in rows:
        if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in names):
            return None
        made[key_of(section, row)] = row
    return made if len(made) == len(rows) else None


def row_of(document: Mapping[str, Any], section: str, key: Key) -> dict[str, Any]:
    """The row of a key; RowMissing when there is none."""
    for row in rows_of(document, section):
        if key_of(section, row) == key:
            return row
    raise RowMissing(section, key, "is not there")
