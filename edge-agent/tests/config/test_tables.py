"""The contract's tables of the document are those of the typed models."""

from __future__ import annotations

from typing import get_args

import msgspec

from edge_agent.config.model import Configuration
from edge_contract.document.tables import NESTED, TABLES


def rows() -> dict[str, type[msgspec.Struct]]:
    """Struct of the rows of each section that is a list."""
    found = {}
    for field in msgspec.structs.fields(Configuration):
        kind = get_args(field.type)[0] if get_args(field.type) else field.type
        if getattr(kind, "__origin__", None) is list:
            found[field.name] = get_args(kind)[0]
    return found


def test_every_list_of_rows_is_a_table_with_its_key_and_references() -> None:
    models = rows()
    assert list(models) == list(TABLES)
    for section, table in TABLES.items():
        fields = {field.name: field for field in msgspec.structs.fields(models[section])}
        assert {*table.key, *table.references, *table.dotted} <= fields.keys()
        assert all(fields[name].required for name in table.key)
        named = {name for name in fields if f"{name}s" in TABLES and name != "script" and section != "ports"}
        assert named == table.references.keys(), section


def test_nested_tables_are_those_of_the_protocols() -> None:
    """Fields whose insides a protocol checks; the others are values of the row."""
    inside = {
        field.name
        for kind in rows().values()
        for field in msgspec.structs.fields(kind)
        if str(field.type) == "dict[str, typing.Any]"
    }
    assert inside == NESTED
