"""Workbooks written row by row: plain .xlsx with a head, texts that stay texts, and lists to choose from.

It writes the few parts of ECMA-376 that a sheet needs, with the texts in their cells; libraries that do more
take four to eight times as long, all of it under the interpreter's lock.
"""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO
from xml.sax.saxutils import escape

from cloud.core.xlsx.cells import ERRORS, EXACT, MOST_TEXT, NOT_AVAILABLE, Cell, NoValue
from cloud.core.xlsx.parts import HEAD, surroundings

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML may have; a sheet shows the replacement character in their place."""

PLAIN = re.compile(r"[\w .,:;/()%*°·，。：（）-]*")
LIKE_FORMULA = ("=", "+", "-", "@", "#", "\t", "\r")
BOLD, TEXT, QUOTED, TIME = 1, 2, 3, 4
"""Styles, by their place in parts.STYLES. QUOTED stays text also when somebody edits the cell."""

EXCEL_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 -- cells know no zone
FIRST_DAY = datetime(1900, 3, 1)  # noqa: DTZ001 -- before it spreadsheets disagree
MOST_NAME = 31
MOST_CHOICES = 255
"""Characters of a list to choose from."""

ROWS_A_WRITE = 200


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


def write_workbook(file: BinaryIO, sheets: Sequence[Sheet]) -> None:
    """Write an .xlsx. A text is never a formula nor an error, whatever it begins with."""
    names = [_name(sheet.name) for sheet in sheets]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for number, sheet in enumerate(sheets, 1):
            with archive.open(f"xl/worksheets/sheet{number}.xml", "w") as part:
                for text in _sheet(sheet, is_first=number == 1):
                    part.write(text.encode())
        for name, text in surroundings(names):
            archive.writestr(name, text)


def letters(place: int) -> str:
    """Of a column, from 1: A, B ... Z, AA."""
    found = ""
    while place:
        place, rest = divmod(place - 1, 26)
        found = chr(65 + rest) + found
    return found


def _sheet(sheet: Sheet, *, is_first: bool) -> Iterator[str]:
    columns = [letters(place) for place in range(1, len(sheet.columns) + 1)]
    yield HEAD + _view(sheet, is_first) + "<cols>"
    for place, column in enumerate(sheet.columns, 1):
        style = f' style="{TEXT}"' if column.is_text else ""
        yield f'<col min="{place}" max="{place}" width="{column.width}" customWidth="1"{style}/>'
    yield "</cols><sheetData>"
    yield _row(1, columns, [column.title for column in sheet.columns], BOLD)
    number = 1
    texts: list[str] = []
    for number, cells in enumerate(sheet.rows, 2):
        texts.append(_row(number, columns, cells))
        if len(texts) == ROWS_A_WRITE:
            yield "".join(texts)
            texts.clear()
    yield "".join(texts) + "</sheetData>"
    if columns:
        yield f'<autoFilter ref="A1:{columns[-1]}{number}"/>'
    yield _validations(sheet, columns) + "</worksheet>"


def _view(sheet: Sheet, is_first: bool) -> str:
    corner = f"{letters(sheet.frozen + 1)}2"
    pane, at_left = ("bottomRight", f'xSplit="{sheet.frozen}" ') if sheet.frozen else ("bottomLeft", "")
    selected = ' tabSelected="1"' if is_first else ""
    return (
        f'<sheetViews><sheetView{selected} workbookViewId="0"><pane {at_left}ySplit="1" '
        f'topLeftCell="{corner}" activePane="{pane}" state="frozen"/></sheetView></sheetViews>'
    )


def _row(number: int, columns: Sequence[str], cells: Sequence[Cell], style: int = 0) -> str:
    found = [
        _cell(f"{column}{number}", cell, style)
        for column, cell in zip(columns, cells, strict=False)
        if cell is not None and cell != ""
    ]
    return f'<row r="{number}">{"".join(found)}</row>'


def _cell(place: str, cell: Cell, style: int) -> str:
    if isinstance(cell, str):
        return _text(place, cell, style)
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, datetime):
        if cell < FIRST_DAY:
            return _text(place, cell.isoformat(" ", "seconds"), style)
        days = (cell.replace(tzinfo=None) - EXCEL_EPOCH).total_seconds() / 86_400
        return f'<c r="{place}" s="{TIME}"><v>{days!r}</v></c>'
    if cell is None:
        return ""
    if isinstance(cell, NoValue):
        return f'<c r="{place}" t="e"><v>{cell.text if cell.text in ERRORS else NOT_AVAILABLE}</v></c>'
    if not math.isfinite(cell) or (isinstance(cell, int) and abs(cell) >= EXACT):
        return _text(place, str(cell), style)
    return f'<c r="{place}"><v>{cell!r}</v></c>'


def _text(place: str, text: str, style: int) -> str:
    style, text = style or (QUOTED if text.startswith(LIKE_FORMULA) else 0), text[:MOST_TEXT]
    styled = f' s="{style}"' if style else ""
    if PLAIN.fullmatch(text) is None:
        text = escape(NO_XML.sub("\ufffd", text), {"\r": "&#13;"})
    return f'<c r="{place}"{styled} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _validations(sheet: Sheet, columns: Sequence[str]) -> str:
    found = []
    for letter, column in zip(columns, sheet.columns, strict=True):
        listed = ",".join(column.choices)
        if column.choices and len(listed) <= MOST_CHOICES and '"' not in listed:
            formula = escape(f'"{listed}"')
            found.append(
                f'<dataValidation type="list" allowBlank="1" sqref="{letter}2:{letter}1048576">'
                f"<formula1>{formula}</formula1></dataValidation>"
            )
    return f'<dataValidations count="{len(found)}">{"".join(found)}</dataValidations>' if found else ""


def _name(name: str) -> str:
    return re.sub(r"[\\/*?:\[\]\x00-\x1f]", "_", name)[:MOST_NAME] or "Sheet"
