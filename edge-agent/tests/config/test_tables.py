"""The contract's tables of the document are those of the typed models."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from msgspec import inspect

from edge_agent.config.model import Configuration
from edge_agent.forwarding.kinds import FORWARDERS
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
        tops = {path.split(".")[0] for path in table.points}
        assert {*table.key, *table.references, *table.formulas, *tops} <= fields.keys()
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


NO_POINTS = {
    "cloud": {"url", "ca_file"},
    "file": {"folder"},
    "hj212": {
        "server", "mn", "st", "pw", "time_zone", "states.*", "cipher_secret",
        "mapping.*.factor", "equipment.*.code", "functions.*.factor", "functions.*.item",
    },
    "mqtt": {
        "server", "ca_file", "client_id", "username", "up_topic", "down_topic", "result_topic",
        "variables.*.name",
    },
}  # fmt: skip
"""Texts of the options of each kind that name neither a slave nor a point."""
NO_POINTS_IN_ROWS = {
    "forwarders": {"name", "kind"},
    "ports": {"name", "device", "host"},
    "slaves": {"name", "title", "protocol", "address"},
    "points": {
        "name", "title", "unit", "on_value", "off_value", "on_text", "off_text", "selector.*", "script",
    },
    "scripts": {"name", "text", "state.*"},
    "internal_slave_points": set(),
    "loop_writes": {"name", "value", "time_zone", "expect"},
    "calibrations": set(),
    "channels": {"name", "server", "heartbeat"},
}  # fmt: skip
"""Texts of rows that name neither; `script` names a script, whose text has names of its own."""


def texts(kind: Any) -> set[str]:
    """Paths of the texts of a struct, `*` for each entry; those of free tables are left out."""

    def inside(one: inspect.Type, path: str) -> set[str]:
        match one:
            case inspect.StrType():
                return {path}
            case inspect.Metadata(type=held):
                return inside(held, path)
            case inspect.UnionType(types=several):
                return {text for each in several for text in inside(each, path)}
            case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                return inside(item, f"{path}.*")
            case inspect.DictType(value_type=value):
                return inside(value, f"{path}.*")
            case inspect.StructType(fields=fields):
                head = f"{path}." if path else ""
                return {text for each in fields for text in inside(each.type, f"{head}{each.name}")}
        return set()

    return inside(inspect.type_info(kind), "")


def test_every_text_that_may_name_a_point_is_known() -> None:
    """A new field of a target, or of a row, is one or the other."""
    assert FORWARDERS.keys() == NO_POINTS.keys()
    naming = set()
    for name, kind in FORWARDERS.items():
        known = {path.removeprefix("options.") for path in TABLES["forwarders"].points}
        there = texts(kind.options)
        assert there - known == NO_POINTS[name], name
        naming |= there & known
    assert {f"options.{path}" for path in naming} == set(TABLES["forwarders"].points)
    for section, kind in rows().items():
        table = TABLES[section]
        named = {*table.references, *table.points, *table.formulas, *({"name"} if table.names_point else ())}
        assert texts(kind) - named == NO_POINTS_IN_ROWS[section], section
