"""What an import changes of one gateway: of its fields, its document and the settings of its points. Pure.

merge: what the file says is added or changed, an empty cell says nothing. replace: of gateways that the
file names, ports, slaves and points that a sheet does not list go unless something still uses them, and an
empty cell empties. A wrong row changes nothing, and what depends on it is wrong too; only the faults of
what a row changes are named, as a draft may hold others. Rows of gateways that are shared read only are
wrong unless they change nothing. A masked secret stays as it is. What no configuration may hold (deep,
infinite, half characters) is wrong at its cell. A new gateway without a title is titled by its serial
number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from pydantic import ValidationError

from cloud.core.constraints import broken
from cloud.domains.configuration.document import written
from cloud.domains.configuration.general import FIELDS as GENERAL
from cloud.domains.configuration.general import fault_of, fields_of, with_fields
from cloud.domains.devices.forms import CLEARABLE, SERVED_PROTOCOLS, DeviceFields
from cloud.domains.importing.outcome import Current, Given, ImportOutcome
from cloud.domains.importing.sections import Sections
from cloud.domains.importing.template_changes import template_changes
from cloud.domains.points.rows import empty
from cloud.domains.sheets.changes import CellChange, Fault, RowChange, RowKind
from cloud.domains.sheets.columns import GATEWAY, KEYS, SECTIONS, TEMPLATE
from cloud.domains.sheets.comparison import cell_changes
from cloud.domains.templates.planning import of_slaves, present
from cloud.errors import ParameterError
from edge_contract.errors import TopicError
from edge_contract.topics import check_gateway

PLACE = frozenset({"longitude", "latitude"})


def difference(given: Given, current: Current) -> ImportOutcome:
    """Every row of the file that changes something or is wrong, every row that goes, and what results.

    A row that is wrong changes nothing; what depends on it is wrong too.
    """
    outcome = ImportOutcome()
    if fault := _gateway_fault(given, current):
        _refuse(given, outcome, fault)
        return outcome
    if not _device(given, current, outcome):
        _refuse(given, outcome, Fault("depends"))
        return outcome
    before = current.document or empty(given.gateway)
    general = {name: outcome.fields.pop(name) for name in GENERAL if name in outcome.fields}
    document = before if current.templated is None else current.templated.document
    outcome.rows += template_changes(before, document)
    sections = Sections(given, document, current.settings, current.listed)
    sections.compare()
    outcome.rows += sections.changes
    outcome.unchanged += sections.unchanged
    outcome.settings = sections.settings
    document = sections.document() if sections.is_changed else document
    if general:
        document = with_fields(document, general)
    if current.templated is not None:
        outcome.links = present(of_slaves(current.templated.links, document), document)
        is_other = current.document is None or document != before
    else:
        is_other = sections.is_changed or bool(general)
    if is_other:
        _keep(given, document, outcome)
    return outcome if current.writes else _read_only(outcome)


def _gateway_fault(given: Given, current: Current) -> Fault | None:
    if current.fields is not None:
        return None
    if current.claimed:
        return Fault("claimed")
    try:
        check_gateway(given.gateway)
    except TopicError as error:
        return Fault("serial_number", {"rule": error.rule})
    return None if given.rows.get("devices") else Fault("no_gateway")


def _refuse(given: Given, outcome: ImportOutcome, fault: Fault) -> None:
    """All rows of a gateway that cannot be, but those that are refused already."""
    said = {(row.sheet, row.number) for row in outcome.rows}
    for sheet, rows in given.rows.items():
        for row in rows:
            if (sheet, row.number) not in said:
                key = tuple(str(row.cells.get(name, "")) for name in KEYS[sheet])
                cell = CellChange(GATEWAY, None, given.gateway, fault)
                outcome.rows.append(RowChange("wrong", sheet, row.number, key, [cell]))


def _device(given: Given, current: Current, outcome: ImportOutcome) -> bool:
    """Compare the gateway's own row. False when it is wrong and new, or names another template: then there is
    nothing to hang on.
    """
    rows = given.rows.get("devices", ())
    for other in rows[1:]:
        cell = CellChange(GATEWAY, None, given.gateway, Fault("twice"))
        outcome.rows.append(RowChange("wrong", "devices", other.number, (), [cell]))
    if not rows:
        return True
    general = fields_of(current.document or {})
    before = {**(current.fields or {}), **general, TEMPLATE: current.template_id}
    changes = cell_changes(
        "devices",
        given.fields("devices"),
        rows[0].cells,
        lambda column: before.get(column.field),
        number_of=given.names.number_of,
        empties=given.empties,
    )
    cells = [cell for cell in changes if not _stays(cell)]
    wanted = {cell.field: _cleared(cell) for cell in cells if cell.fault is None and cell.field != TEMPLATE}
    wrong = {cell.field for cell in cells if cell.fault}
    cells += list(_field_faults(wanted, {**before, **wanted}, wrong))
    said = {cell.field: cell.after for cell in cells}
    cells += [
        CellChange(field, before.get(field), said.get(field), fault)
        for field, fault in current.refused.items()
    ]
    if any(cell.fault for cell in cells):
        outcome.rows.append(RowChange("wrong", "devices", rows[0].number, (), _merged(cells)))
        return current.fields is not None and all(cell.field != TEMPLATE for cell in cells)
    outcome.fields, outcome.is_new = wanted, current.fields is None
    if outcome.is_new and "device_title" not in wanted:
        cells.append(CellChange("device_title", None, given.gateway))
    if outcome.is_new or cells:
        kind: RowKind = "added" if outcome.is_new else "changed"
        outcome.rows.append(RowChange(kind, "devices", rows[0].number, (), cells))
    else:
        outcome.unchanged += 1
    return True


def _stays(cell: CellChange) -> bool:
    """An empty cell empties what may be empty; switches and numbers that are always there stay."""
    if cell.after is not None or cell.fault is not None or cell.field in CLEARABLE:
        return False
    return not isinstance(cell.before, str) or cell.before == "" or cell.field == "device_title"


def _cleared(cell: CellChange) -> Any:
    return "" if cell.after is None and cell.field not in CLEARABLE else cell.after


def _field_faults(
    wanted: dict[str, Any], all_fields: dict[str, Any], wrong: Collection[str]
) -> Iterator[CellChange]:
    """wrong: fields whose cells are wrong by themselves; that is told, not what follows from it."""
    try:
        DeviceFields(**wanted).given()
    except ValidationError as error:
        for each in error.errors(include_url=False):
            field = str(each["loc"][0])
            yield CellChange(field, None, wanted.get(field), Fault(*broken(each)))
    except ParameterError as error:
        yield CellChange(error.field, None, wanted.get(error.field), Fault("printable"))
    if not wanted.keys().isdisjoint(GENERAL) and (fault := fault_of(all_fields)):
        yield CellChange(fault[0], None, wanted.get(fault[0]), Fault("saving_interval"))
    if wanted.get("protocol", SERVED_PROTOCOLS[0]) not in (*SERVED_PROTOCOLS, None):
        choices = ", ".join(map(str, SERVED_PROTOCOLS))
        yield CellChange("protocol", None, wanted["protocol"], Fault("choice", {"choices": choices}))
    if PLACE & set(wrong):
        return
    if (all_fields.get("longitude") is None) != (all_fields.get("latitude") is None):
        yield CellChange("longitude", None, wanted.get("longitude"), Fault("both_coordinates"))


def _merged(cells: list[CellChange]) -> list[CellChange]:
    """One of each field, the one with the fault."""
    by_field: dict[str, CellChange] = {}
    for cell in cells:
        if cell.field not in by_field or cell.fault:
            by_field[cell.field] = cell
    return list(by_field.values())


def _keep(given: Given, document: dict[str, Any], outcome: ImportOutcome) -> None:
    """The document as a draft; what no draft may be is told at the gateway, and none of it is taken."""
    try:
        outcome.content = written(document, given.gateway)
        outcome.document = document
    except ParameterError as error:
        fault = Fault("document", {"rule": f"{error.field}: {error.rule}"[:200]})
        outcome.settings, outcome.links = {}, None
        outcome.rows = [row for row in outcome.rows if row.kind == "wrong" or row.sheet not in SECTIONS]
        outcome.rows.append(
            RowChange("wrong", "devices", 0, (), [CellChange(GATEWAY, None, given.gateway, fault)])
        )


def _read_only(outcome: ImportOutcome) -> ImportOutcome:
    """Of a gateway that is shared read only: what is the same may stand in the file, nothing else."""
    fault = Fault("shared_read_only")
    refused = [
        RowChange("wrong", row.sheet, row.number, row.key, [*row.cells, CellChange(GATEWAY, fault=fault)])
        for row in outcome.rows
    ]
    return ImportOutcome(rows=refused, unchanged=outcome.unchanged)
