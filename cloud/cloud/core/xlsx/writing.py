"""Workbooks written row by row with XlsxWriter: a head, texts that stay texts, and lists to choose from.

Constant memory: rows lie on the disk until the file is made. XlsxWriter writes 16 digits of a number
(`_AllDigits`), takes a text between `<r>` and `</r>` for markup and drops rows beyond a sheet; this module
mends the three. Texts are never a formula.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from cloud.core.xlsx.cells import ERRORS, EXACT, MAX_TEXT, NOT_AVAILABLE, Cell, NoValue

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML may have; a sheet shows the replacement character in their place."""

LIKE_FORMULA = ("=", "+", "-", "@", "#", "\t", "\r")
FIRST_DAY = datetime(1900, 3, 1)  # noqa: DTZ001 -- before it spreadsheets disagree
MAX_ROWS = 1_048_576
"""Of a sheet, its head included; XlsxWriter drops what is beyond without a word."""

MAX_NAME = 31
MAX_CHOICES = 255
"""Characters of a list to choose from."""


@dataclass(frozen=True)
class Column:
    """width: in characters. choices: offered, not enforced. is_text: what somebody types is text too."""

    title: str
    width: float = 14
    choices: Sequence[str] = ()
    is_text: bool = False


@dataclass(frozen=True)
class Sheet:
    """rows may be made while they are written. frozen: columns at the left that stay in sight."""

    name: str
    columns: Sequence[Column]
    rows: Iterable[Sequence[Cell]]
    frozen: int = 0


class TooManyRows(ValueError):
    """A sheet cannot hold more than MAX_ROWS."""


class _Formats(NamedTuple):
    """quoted: stays text also when somebody edits the cell."""

    head: Format
    text: Format
    quoted: Format
    time: Format


class _AllDigits(float):
    """XlsxWriter writes 16 digits of a number; some doubles need 17 to be read back as they were."""

    def __format__(self, _spec: str) -> str:
        return float.__repr__(self)


def write_workbook(file: BinaryIO, sheets: Sequence[Sheet]) -> None:
    """Write an .xlsx. A text is never a formula nor an error, whatever it begins with. TooManyRows.

    Until it is made of them, rows lie unpacked beside the file, about ten times its size; those of a file
    without a name in the system's folder for such.
    """
    with tempfile.TemporaryDirectory(prefix="workbook-", dir=_folder_of(file)) as folder:
        book = Workbook(file, {"constant_memory": True, "tmpdir": folder, "remove_timezone": True})
        formats = _Formats(
            head=book.add_format({"bold": True, "bg_color": "#E7EEF7"}),
            text=book.add_format({"num_format": "@"}),
            quoted=book.add_format({"num_format": "@", "quote_prefix": True}),
            time=book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        )
        used: set[str] = set()
        for sheet in sheets:
            _put_sheet(book.add_worksheet(_name(sheet.name, used)), sheet, formats)
        book.close()


def _folder_of(file: BinaryIO) -> Path | None:
    name = getattr(file, "name", None)
    return Path(name).parent if isinstance(name, str) else None


def _put_sheet(page: Worksheet, sheet: Sheet, formats: _Formats) -> None:
    for place, column in enumerate(sheet.columns):
        page.set_column(place, place, column.width, formats.text if column.is_text else None)
        page.write_string(0, place, _readable(column.title), formats.head)
        _offer(page, place, column.choices)
    page.freeze_panes(1, sheet.frozen)
    places = range(len(sheet.columns))
    number = 0
    for number, cells in enumerate(sheet.rows, 1):
        if number == MAX_ROWS:
            raise TooManyRows(f"{sheet.name}: at most {MAX_ROWS} rows in a sheet, with its head")
        for place, cell in zip(places, cells, strict=False):
            if cell is not None and cell != "":
                _put_cell(page, number, place, cell, formats)
    if sheet.columns:
        page.autofilter(0, 0, number, len(sheet.columns) - 1)


def _offer(page: Worksheet, place: int, choices: Sequence[str]) -> None:
    listed = ",".join(choices)
    if listed and len(listed) <= MAX_CHOICES and '"' not in listed:
        rule = {"validate": "list", "source": list(choices), "show_error": False}
        page.data_validation(1, place, MAX_ROWS - 1, place, rule)


def _put_cell(page: Worksheet, row: int, place: int, cell: Cell, formats: _Formats) -> None:
    if isinstance(cell, str):
        _put_text(page, row, place, cell, formats)
    elif isinstance(cell, bool):
        page.write_boolean(row, place, cell)
    elif isinstance(cell, datetime):
        if cell.replace(tzinfo=None) < FIRST_DAY:
            _put_text(page, row, place, cell.isoformat(" ", "seconds"), formats)
        else:
            page.write_datetime(row, place, cell, formats.time)
    elif isinstance(cell, NoValue):
        error = cell.text if cell.text in ERRORS else NOT_AVAILABLE
        page.write_formula(row, place, f"={error}", None, error)
    elif cell is not None:
        if not math.isfinite(cell) or (isinstance(cell, int) and abs(cell) >= EXACT):
            _put_text(page, row, place, str(cell), formats)
        else:
            is_short = isinstance(cell, int) or float(f"{cell:.16G}") == cell
            page.write_number(row, place, cell if is_short else _AllDigits(cell))


def _put_text(page: Worksheet, row: int, place: int, text: str, formats: _Formats) -> None:
    style = formats.quoted if text.startswith(LIKE_FORMULA) else None
    text = _readable(text)
    if text.startswith("<r>") and text.endswith("</r>"):
        # XlsxWriter would take it for its own markup and write it as it is.
        page.write_rich_string(row, place, text[0], text[1], text[2:])
    else:
        page.write_string(row, place, text, style)


def _readable(text: str) -> str:
    text = text[:MAX_TEXT]
    return text if text.isprintable() else NO_XML.sub("\ufffd", text)


def _name(name: str, used: set[str]) -> str:
    """As a sheet may be called, unlike those before it."""
    plain = re.sub(r"[\\/*?:\[\]\x00-\x1f]", "_", NO_XML.sub("_", name)).strip("'") or "Sheet"
    found, number = _cut(plain, MAX_NAME), 1
    while found.lower() in used:
        number += 1
        end = f" {number}"
        found = _cut(plain, MAX_NAME - len(end)) + end
    used.add(found.lower())
    return found


def _cut(text: str, units: int) -> str:
    """The beginning of a text, at most so many UTF-16 units."""
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore").rstrip("'") or "Sheet"
