"""SIM cards as a workbook, and the rows of an uploaded workbook or CSV file. They block: call in a thread."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cloud.core.xlsx import (
    Cell,
    Column,
    Sheet,
    Table,
    WorkbookLimits,
    WrongFile,
    read_workbook,
    write_workbook,
)
from cloud.core.xlsx.reading import ENDINGS
from cloud.domains.sim_cards.columns import (
    COLUMNS,
    ICCID,
    OPERATORS,
    STATUSES,
    YES,
    WrongCell,
    cell_of,
    recognised,
    value_of,
)
from cloud.domains.sim_cards.schemas import Language

MAX_ROWS = 10_000
MAX_FILE_BYTES = 1_000_000
"""The body of a request has 1 MiB."""

LIMITS = WorkbookLimits(
    max_rows=MAX_ROWS, max_columns=200, max_bytes=MAX_FILE_BYTES, unpacked_bytes=100 * 1024 * 1024
)
MAX_SAID = 60
"""Characters of a wrong cell that are given back."""

TITLE: Mapping[Language, str] = {"zh": "SIM 卡", "en": "SIM cards"}
ENCODINGS = ("utf-8-sig", "gb18030")
"""Spreadsheets write CSV in the second one on a Chinese system."""

CHOICES = {"operator": OPERATORS, "status": STATUSES, "yes": YES}
SEPARATORS = ",;\t"


@dataclass(frozen=True)
class CardSheetRow:
    """number: on the sheet, from 1. values: of its cells that are not empty; faults: field, cell, code."""

    number: int
    values: dict[str, Any] = field(default_factory=dict)
    faults: tuple[tuple[str, str, str], ...] = ()

    @property
    def iccid(self) -> str:
        return str(self.values.get(ICCID, ""))


@dataclass(frozen=True)
class CardSheet:
    """Rows of a file, and heads of columns that are not known."""

    rows: list[CardSheetRow]
    ignored: list[str]


def workbook(cards: Iterable[Mapping[str, Any]], language: Language) -> bytes:
    """An .xlsx with a head; cards by the fields of COLUMNS. Without cards it is a template."""
    at = 0 if language == "zh" else 1
    columns = [
        Column(
            each.title(language),
            each.width,
            [words[at] for words in CHOICES[each.kind].values()] if each.kind in CHOICES else (),
            is_text=each.kind in ("iccid", "text"),
        )
        for each in COLUMNS
    ]
    rows = ([cell_of(card.get(each.field), each.kind, language) for each in COLUMNS] for card in cards)
    file = io.BytesIO()
    write_workbook(file, [Sheet(TITLE[language], columns, rows, frozen=1)])
    return file.getvalue()


def read_sheet(content: bytes, filename: str) -> CardSheet:
    """WrongFile says what is wrong with the file as a whole, faults of the rows what is wrong with a cell."""
    name = filename.lower()
    if not name.endswith((".csv", *ENDINGS)):
        raise WrongFile("sim_card.file_form", "a workbook, .xls or .xlsx, or comma-separated text, .csv")
    if not 1 <= len(content) <= MAX_FILE_BYTES:
        raise WrongFile("sim_card.file_size", f"1 to {MAX_FILE_BYTES} bytes")
    if name.endswith(".csv"):
        table = _csv(content)
    else:
        tables = read_workbook(content, filename, LIMITS)
        table = next((each for each in tables if each.header), Table())
    columns, ignored = recognised(table.header)
    if not any(column is not None and column.field == ICCID for column in columns):
        raise WrongFile("sim_card.no_iccid", "a column with the head ICCID")
    rows: list[CardSheetRow] = []
    for number, cells in zip(table.numbers, table.rows, strict=True):
        values: dict[str, Any] = {}
        faults: list[tuple[str, str, str]] = []
        for column, cell in zip(columns, cells, strict=False):
            if column is None:
                continue
            try:
                value = value_of(cell, column.kind)
            except WrongCell as wrong:
                faults.append((column.field, str(cell)[:MAX_SAID], wrong.code))
                continue
            if value is not None:
                values[column.field] = value
        if ICCID not in values and not any(fault[0] == ICCID for fault in faults):
            if not values and not faults:
                continue
            faults.append((ICCID, "", "required"))
        rows.append(CardSheetRow(number, values, tuple(faults)))
    return CardSheet(rows, ignored[:20])


def _csv(content: bytes) -> Table:
    """RFC 4180, separated as most heads of the first line are."""
    text = _decoded(content)
    head = text.partition("\n")[0]
    separator = max(SEPARATORS, key=head.count)
    table = Table()
    try:
        for number, line in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), 1):
            if not any(cell.strip() for cell in line):
                continue
            if not table.header:
                table.header = [cell.strip() for cell in line]
                continue
            if len(table.rows) == MAX_ROWS:
                raise WrongFile("xlsx.rows", f"at most {MAX_ROWS} rows")
            cells: list[Cell] = list(line)
            table.rows.append(cells)
            table.numbers.append(number)
    except csv.Error:
        raise WrongFile("sim_card.csv", "comma-separated text (RFC 4180)") from None
    return table


def _decoded(content: bytes) -> str:
    for encoding in ENCODINGS:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise WrongFile("sim_card.csv", "text in UTF-8 or GB 18030")
