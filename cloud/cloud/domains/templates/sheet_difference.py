"""What a workbook says of a template's rows, cell by cell, against a version of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloud.core.xlsx import Cell, Table
from cloud.domains.points.faults import Cell as CellFault
from cloud.domains.points.fields import shown
from cloud.domains.points.forms import form_of
from cloud.domains.points.rules import points_faults, port_faults, slave_faults
from cloud.domains.sheets.changes import CellChange, Fault, RowChange, put
from cloud.domains.sheets.columns import SheetKind, column_of
from cloud.domains.sheets.values import WrongValue, is_same, value_of
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
    found = Comparison({**document})
    for kind in KINDS[category]:
        if kind in sheets:
            table, fields = sheets[kind]
            pairs = zip(table.header, fields, strict=False)
            found.ignored += [head for head, name in pairs if head and not name]
            _compare(category, protocol, kind, table, fields, found)
    for kind in reversed(KINDS[category]):
        if kind in sheets:
            _remove(category, kind, document, found)
    _prune(found.document)
    try:
        found.document, _ = checked(category, found.document)
    except ParameterError as error:
        fault = Fault("rule", {"rule": f"{error.field}: {error.rule}"[:200]})
        found.rows.append(RowChange("wrong", KINDS[category][-1], 0, (), [CellChange("", fault=fault)]))
        found.document = document
    return found


def _compare(
    category: str,
    protocol: str,
    kind: SheetKind,
    table: Table,
    fields: Sequence[str | None],
    found: Comparison,
) -> None:
    keys = keys_of(category, kind)
    before: Found = {_key(keys, kind, row): dict(row) for row in rows_of(found.document, kind)}
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
            found.rows.append(RowChange("wrong", kind, number, key, cells_wrong))
        elif key in listed:
            twice = [CellChange(keys[-1], fault=Fault("twice"))]
            found.rows.append(RowChange("wrong", kind, number, key, twice))
        else:
            listed[key] = None
            old = before.get(key)
            changes = list(_cells(kind, fields, given, old))
            if old is not None and not changes:
                found.unchanged += 1
                continue
            wanted = {each.field: each.after for each in changes if each.fault is None}
            touched[key] = _Row(number, changes, put(kind, wanted, old), old is None)
    rows = {key: touched[key].row if key in touched else before[key] for key in listed}
    rows |= {key: row for key, row in before.items() if key not in rows}
    faults = _faults(category, protocol, kind, rows, touched, found.document)
    for key, each in touched.items():
        cells_now = _with_faults(each, faults.get(key, ()))
        if any(cell.fault for cell in cells_now):
            found.rows.append(RowChange("wrong", kind, each.number, key, cells_now))
            if key in before:
                rows[key] = before[key]
            else:
                del rows[key]
        else:
            found.rows.append(
                RowChange("added" if each.is_new else "changed", kind, each.number, key, cells_now)
            )
    gone = [key for key in before if key not in listed]
    found.document[kind] = list(rows.values())
    found.rows += [RowChange("removed", kind, 0, key) for key in gone]


def _remove(category: str, kind: SheetKind, before: Document, found: Comparison) -> None:
    """What the file does not list goes, unless something that stays is on it."""
    users = {"ports": ("slaves", "port"), "slaves": ("points", "slave")}.get(kind)
    keys = keys_of(category, kind)
    staying: list[RowChange] = []
    gone: set[Key] = set()
    names = {str(row.get(users[1])) for row in rows_of(found.document, users[0])} if users else set()
    for change in found.rows:
        if change.sheet == kind and change.kind == "removed":
            if change.key[-1] in names:
                fault = [CellChange(keys[-1], fault=Fault("in_use"))]
                change = RowChange("wrong", kind, 0, change.key, fault)
            else:
                gone.add(change.key)
        staying.append(change)
    found.rows = staying
    if gone:
        rows = rows_of(found.document, kind)
        found.document[kind] = [row for row in rows if _key(keys, kind, row) not in gone]


def _prune(document: Document) -> None:
    """A slave that goes takes its pinned template along."""
    named = document.get("templates")
    if isinstance(named, dict):
        slaves = {row.get("name") for row in rows_of(document, "slaves")}
        document["templates"] = {slave: each for slave, each in named.items() if slave in slaves}


def _cells(
    kind: SheetKind,
    fields: Sequence[str | None],
    given: Mapping[str, Cell],
    old: Mapping[str, Any] | None,
) -> Iterator[CellChange]:
    """Cells that differ from the row that is there, or are wrong. An empty cell is a field that is not."""
    for name in dict.fromkeys(name for name in fields if name):
        column = column_of(kind, name)
        if column is None:
            continue
        before, cell = value_at(old, column.path), given.get(name)
        plain = cell.strip() or None if isinstance(cell, str) else cell
        if plain == exported(before, column) and isinstance(cell, bool) == isinstance(before, bool):
            continue
        try:
            after = None if cell is None else value_of(cell, column.kind)
        except WrongValue as wrong:
            yield CellChange(name, before, str(cell), Fault(wrong.code))
            continue
        if not (after is None and before is None) and not is_same(before, after):
            yield CellChange(name, before, after)


def _faults(
    category: str,
    protocol: str,
    kind: SheetKind,
    rows: Found,
    touched: Mapping[Key, _Row],
    document: Document,
) -> dict[Key, list[CellFault]]:
    """Of the rows that the file touches. Points are judged with the others of their slave."""
    told = {key: shown(kind, rows[key]) for key in rows}
    if kind == "ports":
        return {key: _closed(port_faults(told[key])) for key in touched}
    if kind == "slaves":
        ports = {str(row.get("name")): shown("ports", row) for row in rows_of(document, "ports")}
        return {
            key: _closed(
                slave_faults(
                    told[key],
                    ports.get(str(told[key].get("port"))),
                    form_of(str(told[key].get("protocol", "")), _options(told[key])),
                )
            )
            for key in touched
        }
    slaves = {str(row.get("name")): row for row in rows_of(document, "slaves")}
    if category == POINT:
        slaves = {"": {"protocol": protocol}}
    found: dict[Key, list[CellFault]] = {}
    for name in {key[0] if category != POINT else "" for key in touched}:
        mine = [key for key in told if category == POINT or key[0] == name]
        if name not in slaves:
            found |= {key: [CellFault("slave", "unknown_slave")] for key in mine}
            continue
        options = _options(slaves[name])
        form = form_of(str(slaves[name].get("protocol", "")), options)
        found |= dict(zip(mine, points_faults([told[key] for key in mine], form, options), strict=True))
    return found


def _options(row: Mapping[str, Any]) -> Mapping[str, Any]:
    options = row.get("options")
    return options if isinstance(options, Mapping) else {}


def _closed(faults: Iterator[CellFault]) -> list[CellFault]:
    return [each for each in faults if each.code not in OPEN]


def _with_faults(each: _Row, faults: Sequence[CellFault]) -> list[CellChange]:
    """Only faults of what the file changes: a template may hold others."""
    cells = {cell.field: cell for cell in each.cells}
    for fault in faults:
        if fault.level != "error" or not (each.is_new or fault.field in cells):
            continue
        cell = cells.get(fault.field, CellChange(fault.field))
        if cell.fault is None:
            said = Fault(fault.code, fault.arguments)
            cells[fault.field] = CellChange(cell.field, cell.before, cell.after, said)
    return list(cells.values())


def _key(keys: Sequence[str], kind: SheetKind, row: Mapping[str, Any]) -> Key:
    columns = [column_of(kind, name) for name in keys]
    return tuple(str(exported(value_at(row, each.path), each) or "") for each in columns if each is not None)


def _is_empty(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())
