"""Rows under another name: what names them goes along, and which they were is found out again. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from edge_contract.deployment import Document
from edge_contract.document.references import Reference, Visit, visited
from edge_contract.document.rows import Key, Row, key_of, rows_of
from edge_contract.document.tables import TABLES
from edge_contract.errors import RowMissing, RowTwice

Names = Mapping[str, str]
"""New name by the old one."""


def renamed(document: Document, section: str, names: Names) -> Document:
    """A document in which rows of a section have other names, and everything that names them follows.

    RowMissing for a row that is not there, RowTwice for a name that another one has.
    """
    rows = rows_of(document, section)
    known = {str(row.get("name")) for row in rows}
    for old in names:
        if old not in known:
            raise RowMissing(section, (old,), "is not there")
    made = [{**row, "name": names.get(str(row.get("name")), row.get("name"))} for row in rows]
    seen = set()
    for row in made:
        if (key := key_of(section, row)) in seen:
            raise RowTwice(section, key, "must be unique")
        seen.add(key)
    return following({**document, section: made}, section, names)


def following(document: Document, section: str, names: Names) -> Document:
    """What names rows of a section, with their new names."""
    if not names:
        return document

    def rename(reference: Reference) -> Reference:
        return replace(reference, slave=names.get(reference.slave, reference.slave))

    # while the rows still have the slaves that texts without a slave mean
    made = _visited(document, rename) if section == "slaves" else dict(document)
    for name, table in TABLES.items():
        fields = [field for field, target in table.references.items() if target == section]
        if name in made and fields:
            made[name] = [_followed(row, fields, names) for row in rows_of(made, name)]
    return made


def following_points(document: Document, names: Mapping[Key, str]) -> Document:
    """What names points, by slave and name, with their new names."""
    if not names:
        return document

    def rename(reference: Reference) -> Reference:
        return replace(reference, point=names.get((reference.slave, reference.point), reference.point))

    return _visited(document, rename)


def _followed(row: Row, fields: list[str], names: Names) -> Row:
    said = {name: names[old] for name in fields if isinstance(old := row.get(name), str) and old in names}
    return {**row, **said} if said else row


def _visited(document: Document, visit: Visit) -> dict[str, Any]:
    made = dict(document)
    for name, table in TABLES.items():
        if name in made and (table.points or table.formulas or table.names_point):
            made[name] = [
                visited(name, row, f"{name}[{at}]", visit) for at, row in enumerate(rows_of(made, name))
            ]
    return made


def renamed_in_place(before: Document, after: Document) -> dict[str, str]:
    """Slaves with another name after an edit of rows: a renamed one stands where it stood."""
    old, new = rows_of(before, "slaves"), rows_of(after, "slaves")
    if len(old) != len(new):
        return {}
    pairs = ((str(a.get("name")), str(b.get("name"))) for a, b in zip(old, new, strict=True))
    return {a: b for a, b in pairs if a != b}


def renamed_slaves(before: Document, after: Document) -> dict[str, str]:
    """Slaves with another name in a whole document. One whose name is gone is known again by its port,
    protocol and address, or by its place and the names of its points.
    """
    rows = [{str(row.get("name")): row for row in rows_of(each, "slaves")} for each in (before, after)]
    gone = {name: row for name, row in rows[0].items() if name not in rows[1]}
    come = {name: row for name, row in rows[1].items() if name not in rows[0]}
    if not gone or not come:
        return {}
    new_names = _by_bus(gone, come)
    taken = set(new_names.values())
    points = _points(before, gone), _points(after, come)
    for old, new in renamed_in_place(before, after).items():
        if old in gone and new in come and old not in new_names and new not in taken:
            mine = points[0].get(old)
            if mine and mine == points[1].get(new):
                new_names[old] = new
    return new_names


def _by_bus(gone: Mapping[str, Row], come: Mapping[str, Row]) -> dict[str, str]:
    old, new = Counter(map(_bus, gone.values())), Counter(map(_bus, come.values()))
    by_bus = {_bus(row): name for name, row in come.items()}
    return {
        name: by_bus[bus]
        for name, row in gone.items()
        if (bus := _bus(row))[2] and old[bus] == 1 and new[bus] == 1
    }


def _bus(row: Row) -> tuple[str, str, str]:
    return str(row.get("port", "")), str(row.get("protocol", "")), str(row.get("address", ""))


def _points(document: Document, slaves: Mapping[str, Row]) -> dict[str, set[str]]:
    """Names of the points of some slaves."""
    point_names: dict[str, set[str]] = {}
    for row in rows_of(document, "points"):
        if str(row.get("slave")) in slaves:
            point_names.setdefault(str(row.get("slave")), set()).add(str(row.get("name")))
    return point_names
