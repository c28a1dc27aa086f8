"""Ports, slaves and points of one gateway against what a file says of them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cloud.core.xlsx import NoValue
from cloud.domains.importing.outcome import Given, GivenRow
from cloud.domains.importing.template_changes import removed_row
from cloud.domains.points.alarm_rules import alarm_faults
from cloud.domains.points.faults import Cell
from cloud.domains.points.fields import Row, api_fields
from cloud.domains.points.forms import form_of
from cloud.domains.points.rows import with_rows
from cloud.domains.points.rules import points_faults, port_faults, slave_faults
from cloud.domains.points.settings import is_alarm
from cloud.domains.sheets.changes import CellChange, Fault, Fields, RowChange, put
from cloud.domains.sheets.columns import KEYS, SECTIONS, SETTINGS, SheetColumn, SheetKind
from cloud.domains.sheets.comparison import cell_changes, with_faults
from cloud.domains.sheets.values import code_of
from edge_contract.deployment import Document
from edge_contract.document.rows import Key, key_of, rows_of
from edge_contract.document.tables import OF_SLAVES
from edge_contract.document.values import value_at


class _Touched:
    """A row that the file adds or changes, not checked yet."""

    def __init__(
        self, given: GivenRow, cells: list[CellChange], row: Row, settings: Fields, new: bool
    ) -> None:
        self.given, self.cells, self.row, self.settings, self.is_new = given, cells, row, settings, new


class Sections:
    """A comparison: compare() once, then read the rest. listed: rows that a replacing import leaves although
    no sheet has them.
    """

    def __init__(
        self,
        given: Given,
        document: Document,
        settings: Mapping[Key, Fields],
        listed: Mapping[str, set[Key]],
    ) -> None:
        self.changes: list[RowChange] = []
        self.unchanged = 0
        self.settings: dict[Key, Fields] = {}
        self._given = given
        self._document = document
        self._listed_by_template = listed
        self._had_settings = settings
        self._rows: dict[SheetKind, dict[Key, Row]] = {
            name: {key_of(name, row): row for row in rows_of(document, name)} for name in SECTIONS
        }
        self._added: dict[SheetKind, list[Row]] = {name: [] for name in SECTIONS}
        self._changed: dict[SheetKind, dict[Key, Row]] = {name: {} for name in SECTIONS}
        self._removed: dict[SheetKind, list[Key]] = {name: [] for name in SECTIONS}
        self._listed: dict[SheetKind, set[Key]] = {name: set() for name in SECTIONS}

    @property
    def is_changed(self) -> bool:
        return any(self._added[name] or self._changed[name] or self._removed[name] for name in SECTIONS)

    def document(self) -> Document:
        """The document that results. What goes, goes from below, so that nothing names what is no more."""
        made = self._document
        for name in SECTIONS:
            made = with_rows(made, name, self._added[name], self._changed[name])
        for name in reversed(SECTIONS):
            made = with_rows(made, name, removed=self._removed[name])
        return made

    def compare(self) -> None:
        for name in SECTIONS:
            self._compare(name)
        if self._given.mode == "replace":
            for name in reversed(SECTIONS):
                if name in self._given.mapped:
                    self._remove(name)

    def _compare(self, name: SheetKind) -> None:
        touched: dict[Key, _Touched] = {}
        for row in self._given.rows.get(name, ()):
            key = tuple(str(row.cells.get(field, "")).strip() for field in KEYS[name])
            if missing := list(_without(name, row, key)):
                self.changes.append(RowChange("wrong", name, row.number, key, missing))
            elif key in self._listed[name]:
                self._wrong(name, row.number, key, KEYS[name][-1], "twice")
            else:
                self._listed[name].add(key)
                self._look(name, row, key, touched)
        faults = self._faults(name, touched)
        for key, each in touched.items():
            self._take(name, key, each, faults.get(key, []))

    def _look(self, name: SheetKind, row: GivenRow, key: Key, touched: dict[Key, _Touched]) -> None:
        old = self._rows[name].get(key)
        settings = self._had_settings.get(key, {}) if name == "points" else {}

        def before(column: SheetColumn) -> Any:
            return (
                settings.get(column.field)
                if column.field in SETTINGS and name == "points"
                else value_at(old, column.path)
            )

        cells = cell_changes(
            name,
            self._given.fields(name),
            row.cells,
            before,
            number_of=self._given.names.number_of,
            empties=self._given.empties,
        )
        if old is not None and not cells:
            self.unchanged += 1
            return
        wanted = {cell.field: cell.after for cell in cells if cell.fault is None}
        set_now = {
            field: wanted.pop(field) for field in list(wanted) if name == "points" and field in SETTINGS
        }
        touched[key] = _Touched(row, cells, put(name, wanted, old), set_now, old is None)

    def _take(self, name: SheetKind, key: Key, each: _Touched, faults: Sequence[Cell]) -> None:
        """A checked row: part of the document now, or wrong with the faults of what it would change."""
        cells = with_faults(each.cells, [*faults, *self._alarm_faults(key, each)], is_new=each.is_new)
        if any(cell.fault for cell in cells):
            self.changes.append(RowChange("wrong", name, each.given.number, key, cells))
            return
        if each.is_new:
            self._added[name].append(each.row)
        elif each.row != self._rows[name][key]:
            self._changed[name][key] = each.row
        self._rows[name][key] = each.row
        if each.settings:
            self.settings[key] = each.settings
        self.changes.append(
            RowChange("added" if each.is_new else "changed", name, each.given.number, key, cells)
        )

    def _alarm_faults(self, key: Key, each: _Touched) -> Iterator[Cell]:
        """Of settings as they would be; named at one that changes, whichever of them it is."""
        changed = [field for field in each.settings if is_alarm(field)]
        if not changed:
            return
        settings = {**self._had_settings.get(key, {}), **each.settings}
        for cell in alarm_faults({**settings, "ds_type": each.row.get("type", "num")}):
            yield cell if cell.field in changed else replace(cell, field=changed[0])

    def _faults(self, name: SheetKind, touched: Mapping[Key, _Touched]) -> dict[Key, list[Cell]]:
        rows = {key: api_fields(name, each.row) for key, each in touched.items()}
        if name == "ports":
            return {key: list(port_faults(row)) for key, row in rows.items()}
        if name == "slaves":
            return {key: list(self._slave_faults(row)) for key, row in rows.items()}
        return self._points_faults(rows)

    def _slave_faults(self, row: Row) -> list[Cell]:
        port = self._rows["ports"].get((str(row.get("port", "")),))
        form = form_of(str(row.get("protocol", "")), row.get("options") or {})
        return list(slave_faults(row, None if port is None else api_fields("ports", port), form))

    def _points_faults(self, touched: Mapping[Key, Row]) -> dict[Key, list[Cell]]:
        """With the other points of their slaves, because some faults are between two of them."""
        slaves = {key[0] for key in touched}
        faults: dict[Key, list[Cell]] = {}
        mine: dict[str, dict[Key, Row]] = {name: {} for name in slaves}
        for key, row in self._rows["points"].items():
            if key[0] in slaves and key not in touched:
                mine[key[0]][key] = api_fields("points", row)
        for key, row in touched.items():
            mine[key[0]][key] = row
        for name, rows in mine.items():
            slave = self._rows["slaves"].get((name,))
            if slave is None:
                faults |= {key: [Cell("slave", "unknown_slave")] for key in rows if key in touched}
                continue
            options = slave.get("options") or {}
            form = form_of(str(slave.get("protocol", "")), options)
            faults |= dict(zip(rows, points_faults(list(rows.values()), form, options), strict=True))
        return faults

    def _remove(self, name: SheetKind) -> None:
        """What the file does not list goes, unless something still names it."""
        listed = self._listed[name] | self._listed_by_template.get(name, set())
        for key in [key for key in self._rows[name] if key not in listed]:
            users = self._users(name, key)
            if name == "slaves" and "points" not in self._given.mapped and users["others"] == 0:
                for point in [each for each in self._rows["points"] if each[0] == key[0]]:
                    self._drop("points", point)
                users = self._users(name, key)
            if any(users.values()):
                self._wrong(name, 0, key, KEYS[name][-1], "in_use")
            else:
                self._drop(name, key)

    def _users(self, name: SheetKind, key: Key) -> dict[str, int]:
        if name == "points":
            return {}
        if name == "ports":
            return {"slaves": sum(row.get("port") == key[0] for row in self._rows["slaves"].values())}
        others = [rows_of(self._document, section) for section in OF_SLAVES if section != "points"]
        return {
            "points": sum(each[0] == key[0] for each in self._rows["points"]),
            "others": sum(row.get("slave") == key[0] for rows in others for row in rows),
        }

    def _drop(self, name: SheetKind, key: Key) -> None:
        row = self._rows[name].pop(key)
        self._removed[name].append(key)
        self.changes.append(removed_row(name, key, row))

    def _wrong(self, name: SheetKind, number: int, key: Key, field: str, code: str) -> None:
        self.changes.append(RowChange("wrong", name, number, key, [CellChange(field, fault=Fault(code))]))


def _without(name: SheetKind, row: GivenRow, key: Key) -> Iterator[CellChange]:
    """The parts of a row's key that the file does not say."""
    for field, part in zip(KEYS[name], key, strict=True):
        cell = row.cells.get(field)
        if isinstance(cell, NoValue):
            yield CellChange(field, after=cell.text, fault=Fault(code_of(cell)))
        elif not part:
            yield CellChange(field, fault=Fault("required"))
