"""An uploaded workbook into a work file, and its rows sorted by gateway. It blocks.

A head is either language's or the field's name; options.x and address.x that this cloud does not know are
columns by their path. A cell that shows an error, or a formula whose result the file does not have, is
wrong: it is not empty, and no key. In an .xls such a formula cannot be told from one that gave an empty
text. A text may stand in many cells: the reader counts what it hands out (64 MiB).

An import for one gateway (device_id of the upload) needs no column with its number; a row of another one is
wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloud.core.xlsx import Cell, NoValue, SheetBegins, WorkbookLimits, stream
from cloud.core.xlsx.reading import head_text
from cloud.domains.importing.guide import EXAMPLE
from cloud.domains.importing.names import Names
from cloud.domains.importing.outcome import Given, GivenRow, Mode
from cloud.domains.importing.schemas import SheetMapping
from cloud.domains.importing.workfile import Result, SourceRow, Workfile, packed_cells
from cloud.domains.sheets.columns import GATEWAY, SheetKind, column_of, guessed
from cloud.domains.sheets.values import code_of
from cloud.errors import ParameterError

LIMITS = WorkbookLimits(max_rows=100_000, max_columns=200)
SAMPLES = 3
MAX_SAMPLE = 60
"""Characters of a cell in a sample."""

MAX_HEAD = 100


def parsed(content: bytes, filename: str, work: Workfile, *, single: bool = False) -> list[dict[str, Any]]:
    """Fill a new work file; its sheets as ImportSheet has them. WrongFile says what is wrong.

    single: of one gateway, whose number the rows need not have. Examples and remarks are neither counted
    nor samples.
    """
    work.create()
    sheets: list[dict[str, Any]] = []
    key: int | None = None
    for part in stream(content, filename, LIMITS):
        if isinstance(part, SheetBegins):
            key = None
            sheets.append({"name": part.name, "header": [], "rows": 0, "sample": []})
            continue
        sheet = sheets[-1]
        rows = part
        if not sheet["header"]:
            sheet["header"] = [head_text(cell)[:MAX_HEAD] for cell in rows[0][1]]
            rows = rows[1:]
            key = _key_place(sheet["name"], sheet["header"], single)
        meant = [cells for _, cells in rows if not _is_example(cells, key)]
        sheet["rows"] += len(meant)
        room = SAMPLES - len(sheet["sample"])
        sheet["sample"] += [[head_text(cell)[:MAX_SAMPLE] for cell in cells] for cells in meant[:room]]
        work.put_source(_stored(len(sheets) - 1, rows))
    for sheet in sheets:
        sheet["kind"], sheet["fields"] = guessed(sheet["name"], sheet["header"], single=single)
    taken: set[str] = set()
    for sheet in sheets:  # of two sheets that may be the same one the first is
        if sheet["kind"] in taken:
            sheet["kind"] = None
        taken.add(sheet["kind"] or "")
    return sheets


def _key_place(name: str, header: Sequence[str], single: bool) -> int | None:
    """Which column has the serial numbers; None without one."""
    _, fields = guessed(name, header, single=single)
    return fields.index(GATEWAY) if GATEWAY in fields else None


def _is_example(cells: Sequence[Cell], place: int | None) -> bool:
    return place is not None and place < len(cells) and head_text(cells[place]).startswith(EXAMPLE)


def check(mappings: Sequence[SheetMapping], sheets: Sequence[dict[str, Any]], *, single: bool) -> None:
    """ParameterError when a mapping does not fit the file or says something twice."""
    if len(mappings) != len(sheets):
        raise ParameterError("sheets", "one for each sheet of the file")
    kinds = [mapping.kind for mapping in mappings if mapping.kind]
    if not kinds or len(set(kinds)) != len(kinds):
        raise ParameterError("sheets", "at least one, each kind once", reason="import.kinds")
    for at, (mapping, sheet) in enumerate(zip(mappings, sheets, strict=True)):
        if mapping.kind is None:
            continue
        fields = [name for name in mapping.fields if name is not None]
        if len(mapping.fields) > max(len(sheet["header"]), 1) or len(set(fields)) != len(fields):
            raise ParameterError(f"sheets.{at}.fields", "at most one for each column, each once")
        if unknown := [name for name in fields if column_of(mapping.kind, name) is None]:
            raise ParameterError(f"sheets.{at}.fields", f"{unknown[0][:80]} is no field of {mapping.kind}")
        if GATEWAY not in fields and not single:
            raise ParameterError(f"sheets.{at}.fields", f"{GATEWAY} is needed", reason="import.no_key")


@dataclass
class Sorted:
    """Where the rows of each gateway stand, and those without one."""

    places: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    lost: list[Result] = field(default_factory=list)


def sorted_rows(work: Workfile, mappings: Sequence[SheetMapping], only: str | None = None) -> Sorted:
    """only: the gateway of an import for one; a row may name it, or none."""
    found = Sorted()
    columns = {at: m.fields.index(GATEWAY) for at, m in enumerate(mappings) if m.kind and GATEWAY in m.fields}
    for sheet, number, cells in work.source():
        kind = mappings[sheet].kind
        if kind is None:
            continue
        place = columns.get(sheet, len(cells))
        said = cells[place] if place < len(cells) else None
        gateway = head_text(said) or only or ""
        is_other = only is not None and gateway != only
        if isinstance(said, NoValue):
            lacking: list[Any] = [GATEWAY, None, said.text, code_of(said), {}]
            found.lost.append(Result("wrong", kind, number, "", [], [lacking]))
            continue
        if gateway.startswith(EXAMPLE):
            continue
        if gateway and len(gateway) <= MAX_HEAD and not is_other:
            found.places.setdefault(gateway, []).append((sheet, number))
        else:
            cell: list[Any] = [
                GATEWAY,
                None,
                gateway[:MAX_HEAD] or None,
                "other_gateway" if is_other else "serial_number" if gateway else "required",
                {},
            ]
            found.lost.append(Result("wrong", kind, number, "", [], [cell]))
    return found


def given_of(
    gateway: str,
    mode: Mode,
    mappings: Sequence[SheetMapping],
    rows: Iterable[tuple[int, int, list[Cell]]],
    names: Names,
) -> Given:
    """What the file says of one gateway. A sheet that has no row of it is mapped all the same."""
    mapped: dict[SheetKind, list[str]] = {}
    given: dict[SheetKind, list[GivenRow]] = {}
    for mapping in mappings:
        if mapping.kind is not None:
            mapped[mapping.kind] = [name for name in mapping.fields if name is not None]
    for sheet, number, cells in rows:
        kind = mappings[sheet].kind
        if kind is not None:
            named = zip(mappings[sheet].fields, cells, strict=False)
            filled = {name: cell for name, cell in named if name is not None and cell is not None}
            given.setdefault(kind, []).append(GivenRow(number, filled))
    return Given(gateway, mode, mapped, given, names)


def _stored(sheet: int, rows: Iterable[tuple[int, list[Cell]]]) -> Iterator[SourceRow]:
    for number, cells in rows:
        yield sheet, number, packed_cells(cells)
