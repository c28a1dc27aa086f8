"""What a workbook says of a template's rows, cell by cell, against a version of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloud.core.xlsx import Cell, Table
from cloud.domains.points.faults import Cell as CellFault
from cloud.domains.points.fields import api_fields
from cloud.domains.points.forms import form_of
from cloud.domains.points.rules import points_faults, port_faults, slave_faults
from cloud.domains.sheets.changes import CellChange, Fault, RowChange, put
from cloud.domains.sheets.columns import SheetColumn, SheetKind, column_of
from cloud.domains.sheets.comparison import cell_changes, with_faults
from cloud.domains.templates.content import POINT, checked
from cloud.domains.templates.workbook import KINDS, exported, keys_of, recognised
from cloud.errors import ParameterError
from edge_contract.document.rows import Key, rows_of
from edge_contract.document.values import value_at

Document = dict[str, Any]
Found = dict[Key, dict[str, Any]]

OPEN = frozenset({"required", "unknown_port", "unknown_protocol"})
"""Faults of ports and slaves that are none in a template: a gateway says what it leaves open."""


@dataclass
class Comparison:
    """rows: that the file adds, changes, removes or has wrong. document: as it would be then; what a row that
    is wrong says is not in it. ignored: heads of columns that are no field.
    """

    document: Document
    rows: list[RowChange] = field(default_factory=list)
    unchanged: int = 0
    ignored: list[str] = field(default_factory=list)


@dataclass
class _Row:
    number: int
    cells: list[CellChange]
    row: dict[str, Any]
    is_new: bool


def compared(category: str, protocol: str, document: Document, tables: Sequence[Table]) -> Comparison:
    """A sheet says all rows of its kind, those that it does not list go; a kind without a sheet stays.

    ParameterError when no sheet is one of such a template.
    """
    sheets = recognised(category, tables)
    if not sheets:
        raise ParameterError("file", "a sheet with the columns of an export", reason="template.no_sheet")
    comparison = Comparison({**document})
    for kind in KINDS[category]:
        if kind in sheets:
            table, fields = sheets[kind]
            pairs = zip(table.header, fields, strict=False)
            comparison.ignored += [head for head, name in pairs if head and not name]
            _compare(category, protocol, kind, table, fields, comparison)
    for kind in reversed(KINDS[category]):
        if kind in sheets:
            _remove(category, kind, document, comparison)
    _prune(comparison.document)
    try:
        comparison.document, _ = checked(category, comparison.document)
    except ParameterError as error:
        fault = Fault("rule", {"rule": f"{error.field}: {error.rule}"[:200]})
        comparison.rows.append(RowChange("wrong", KINDS[category][-1], 0, (), [CellChange("", fault=fault)]))
        comparison.document = document
    return comparison


def _compare(
    category: str,
    protocol: str,
    kind: SheetKind,
    table: Table,
    fields: Sequence[str | None],
    comparison: Comparison,
) -> None:
    keys = keys_of(category, kind)
    before: Found = {_key(keys, kind, row): dict(row) for row in rows_of(comparison.document, kind)}
    touched: dict[Key, _Row] = {}
    listed: dict[Key, None] = {}
    for number, cells in zip(table.numbers, table.rows, strict=True):
        given = {
            name: cell for name, cell in zip(fields, cells, strict=False) if name and not _is_empty(cell)
        }
        if not given:
            continue
        key = tuple(str(given.get(name, "")).strip() for name in keys)
        if not all(key):
            missing = [name for name, part in zip(keys, key, strict=True) if not part]
            cells_wrong = [CellChange(name, fault=Fault("required")) for name in missing]
            comparison.rows.append(RowChange("wrong", kind, number, key, cells_wrong))
        elif key in listed:
            twice = [CellChange(keys[-1], fault=Fault("twice"))]
            comparison.rows.append(RowChange("wrong", kind, number, key, twice))
        else:
            listed[key] = None
            old = before.get(key)
            changes = cell_changes(
                kind,
                filter(None, fields),
                given,
                lambda column, old=old: value_at(old, column.path),  # type: ignore[misc]
                is_exported=_is_exported,
            )
            if old is not None and not changes:
                comparison.unchanged += 1
                continue
            wanted = {each.field: each.after for each in changes if each.fault is None}
            touched[key] = _Row(number, changes, put(kind, wanted, old), old is None)
    rows = {key: touched[key].row if key in touched else before[key] for key in listed}
    rows |= {key: row for key, row in before.items() if key not in rows}
    faults = _faults(category, protocol, kind, rows, touched, comparison.document)
    for key, each in touched.items():
        cells_now = with_faults(each.cells, faults.get(key, ()), is_new=each.is_new)
        if any(cell.fault for cell in cells_now):
            comparison.rows.append(RowChange("wrong", kind, each.number, key, cells_now))
            if key in before:
                rows[key] = before[key]
            else:
                del rows[key]
        else:
            comparison.rows.append(
                RowChange("added" if each.is_new else "changed", kind, each.number, key, cells_now)
            )
    gone = [key for key in before if key not in listed]
    comparison.document[kind] = list(rows.values())
    comparison.rows += [RowChange("removed", kind, 0, key) for key in gone]


def _remove(category: str, kind: SheetKind, before: Document, comparison: Comparison) -> None:
    """What the file does not list goes, unless something that stays is on it."""
    users = {"ports": ("slaves", "port"), "slaves": ("points", "slave")}.get(kind)
    keys = keys_of(category, kind)
    staying: list[RowChange] = []
    gone: set[Key] = set()
    names = {str(row.get(users[1])) for row in rows_of(comparison.document, users[0])} if users else set()
    for change in comparison.rows:
        if change.sheet == kind and change.kind == "removed":
            if change.key[-1] in names:
                fault = [CellChange(keys[-1], fault=Fault("in_use"))]
                change = RowChange("wrong", kind, 0, change.key, fault)
            else:
                gone.add(change.key)
        staying.append(change)
    comparison.rows = staying
    if gone:
        rows = rows_of(comparison.document, kind)
        comparison.document[kind] = [row for row in rows if _key(keys, kind, row) not in gone]


def _prune(document: Document) -> None:
    """A slave that goes takes its pinned template along."""
    named = document.get("templates")
    if isinstance(named, dict):
        slaves = {row.get("name") for row in rows_of(document, "slaves")}
        document["templates"] = {slave: each for slave, each in named.items() if slave in slaves}


def _is_exported(column: SheetColumn, value: Any, cell: Cell) -> bool:
    plain = cell.strip() or None if isinstance(cell, str) else cell
    return plain == exported(value, column) and isinstance(cell, bool) == isinstance(value, bool)


def _faults(
    category: str,
    protocol: str,
    kind: SheetKind,
    rows: Found,
    touched: Mapping[Key, _Row],
    document: Document,
) -> dict[Key, list[CellFault]]:
    """Of the rows that the file touches. Points are checked with the others of their slave."""
    fields_of_rows = {key: api_fields(kind, rows[key]) for key in rows}
    if kind == "ports":
        return {key: _closed(port_faults(fields_of_rows[key])) for key in touched}
    if kind == "slaves":
        ports = {str(row.get("name")): api_fields("ports", row) for row in rows_of(document, "ports")}
        return {
            key: _closed(
                slave_faults(
                    fields_of_rows[key],
                    ports.get(str(fields_of_rows[key].get("port"))),
                    form_of(str(fields_of_rows[key].get("protocol", "")), _options(fields_of_rows[key])),
                )
            )
            for key in touched
        }
    slaves = {str(row.get("name")): row for row in rows_of(document, "slaves")}
    if category == POINT:
        slaves = {"": {"protocol": protocol}}
    faults: dict[Key, list[CellFault]] = {}
    for name in {key[0] if category != POINT else "" for key in touched}:
        mine = [key for key in fields_of_rows if category == POINT or key[0] == name]
        if name not in slaves:
            faults |= {key: [CellFault("slave", "unknown_slave")] for key in mine}
            continue
        options = _options(slaves[name])
        form = form_of(str(slaves[name].get("protocol", "")), options)
        faults |= dict(
            zip(mine, points_faults([fields_of_rows[key] for key in mine], form, options), strict=True)
        )
    return faults


def _options(row: Mapping[str, Any]) -> Mapping[str, Any]:
    options = row.get("options")
    return options if isinstance(options, Mapping) else {}


def _closed(faults: Iterator[CellFault]) -> list[CellFault]:
    return [each for each in faults if each.code not in OPEN]


def _key(keys: Sequence[str], kind: SheetKind, row: Mapping[str, Any]) -> Key:
    columns = [column_of(kind, name) for name in keys]
    return tuple(str(exported(value_at(row, each.path), each) or "") for each in columns if each is not None)


def _is_empty(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())
