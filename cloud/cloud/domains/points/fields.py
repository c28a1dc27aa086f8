"""Names of the specification's fields, and where they stand in a row of a configuration document. Pure."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from cloud.domains.points.forms import forms
from edge_contract.document.values import with_values

Row = dict[str, Any]


@dataclass(frozen=True)
class FieldName:
    """A field. path: keys in a row of the document, of an address two; zh, en: at the head of a column."""

    field: str
    path: tuple[str, ...]
    zh: str
    en: str


def _read() -> dict[str, tuple[FieldName, ...]]:
    text = (resources.files(__package__) / "fields.csv").read_text(encoding="utf-8")
    fields: dict[str, list[FieldName]] = {}
    for row in csv.DictReader(text.splitlines()):
        name = FieldName(row["field"], tuple(row["path"].split(".")), row["zh"], row["en"])
        fields.setdefault(row["section"], []).append(name)
    fields["points"] += _addresses({name.path for name in fields["points"]})
    return {section: tuple(names) for section, names in fields.items()}


def _addresses(known: set[tuple[str, ...]]) -> list[FieldName]:
    """Fields of addresses for which the specification has no name: by their path, address.node."""
    fields: dict[tuple[str, ...], FieldName] = {}
    for field in (field for form in forms().values() for field in form.address):
        path = ("address", field.name)
        if path not in known:
            fields.setdefault(path, FieldName(".".join(path), path, field.zh, field.en))
    return list(fields.values())


FIELDS = _read()
"""By section of a document (ports, slaves, points), and settings: what the cloud alone knows of a point."""

BEYOND = tuple(name.field for name in FIELDS["points"] if name.field.startswith("address."))
"""Fields of points that protocols have beyond the specification's."""

PATHS = {section: {name.field: name.path for name in names} for section, names in FIELDS.items()}

PLACES = {
    section: tuple((name.field, name.path[0], (*name.path, None)[1]) for name in names)
    for section, names in FIELDS.items()
}
"""Field, its key in a row, and its key in the table under that one where it stands in a table."""


def api_fields(section: str, row: Mapping[str, Any]) -> Row:
    """The fields of a row that it has; a point's bit_enable says that one bit of its value is meant."""
    fields: Row = {}
    for field, table, inner in PLACES[section]:
        value = row.get(table)
        if inner is not None:
            value = value.get(inner) if isinstance(value, dict) else None
        if value is not None:
            fields[field] = value
    if section == "points":
        fields["bit_enable"] = "bit_offset" in fields
    return fields


def written(section: str, fields: Mapping[str, Any], row: Mapping[str, Any] | None = None) -> Row:
    """A copy of a row with these fields; None takes one away. What is no field of a row stays as it is."""
    row, paths = row or {}, PATHS[section]
    given = _bit_given(fields, row) if section == "points" else fields
    return with_values(row, ((paths[field], value) for field, value in given.items()))


def _bit_given(fields: Mapping[str, Any], row: Mapping[str, Any]) -> Row:
    """bit_enable has no place of its own: off takes the bit away, on makes it the lowest if none is named."""
    given = dict(fields)
    enabled = given.pop("bit_enable", None)
    if enabled is False:
        given["bit_offset"] = None
    elif enabled and given.get("bit_offset") is None:
        given["bit_offset"] = (row.get("address") or {}).get("bit", 0)
    return given
