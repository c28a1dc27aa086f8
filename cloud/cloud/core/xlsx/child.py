"""Reads one workbook: `python -m cloud.core.xlsx.child <limits>`, the file on standard input.

Its memory and processor time are bounded, because a file of a few kilobytes may name cells that are gigabytes
apart or unpack without end. It writes frames: four bytes of length, then MessagePack of [kind, value].
"""

from __future__ import annotations

import io
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import msgspec
import python_calamine as calamine

from cloud.core.xlsx.cells import EXACT, MAX_TEXT
from cloud.core.xlsx.reading import NO_VALUE, Frame, WorkbookLimits, WrongFile
from cloud.core.xlsx.valueless import Valueless, in_xlsx
from cloud.core.xlsx.valueless_xls import in_xls

ROWS_A_FRAME = 500
FRAME_BYTES = 4 * 1024 * 1024
CELL_BYTES = 9
"""Of a number, packed."""

MAX_PARTS = 2_000
"""Files inside an .xlsx."""

OLE = bytes.fromhex("d0cf11e0a1b11ae1")
BROKEN = (
    calamine.PasswordError, calamine.CalamineError, ValueError, OverflowError, zipfile.BadZipFile, zlib.error
)  # fmt: skip
VBA = "_VBA_PROJECT".encode("utf-16-le")


def main() -> None:
    limits = msgspec.json.decode(sys.argv[1], type=WorkbookLimits)
    _bound(limits)
    content = sys.stdin.buffer.read()
    try:
        _check(content, limits)
        for frame in _frames(content, limits):
            _put(frame)
    except WrongFile as wrong:
        _put(("wrong", [wrong.reason, wrong.rule]))
    except BROKEN as error:
        secret = isinstance(error, calamine.PasswordError)
        _put(("wrong", ["xlsx.password", "no password"] if secret else ["xlsx.broken", "a whole workbook"]))
    _put(("end", None))


def _bound(limits: WorkbookLimits) -> None:
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (limits.processor_s,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _check(content: bytes, limits: WorkbookLimits) -> None:
    """Refuse by the bytes what a reader need not try; names and Content-Types say nothing."""
    if content.startswith(OLE):
        if VBA in content:
            raise WrongFile("xlsx.macros", "a workbook without macros")
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        is_zip = content.startswith(b"PK")
        raise WrongFile(
            *(
                ("xlsx.broken", "a whole workbook")
                if is_zip
                else ("xlsx.form", "an Excel workbook, .xls or .xlsx")
            )
        ) from None
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > limits.unpacked_bytes:
        raise too_large()
    names = {part.filename for part in parts}
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise WrongFile("xlsx.macros", "a workbook without macros")
    if "xl/workbook.xml" not in names:
        raise WrongFile("xlsx.form", "an Excel workbook, .xls or .xlsx")


def too_large() -> WrongFile:
    return WrongFile("xlsx.too_large", "a workbook that unpacks to a bounded size")


def _frames(content: bytes, limits: WorkbookLimits) -> Iterator[Frame]:
    book = calamine.load_workbook(io.BytesIO(content))
    shown = [
        each.name
        for each in book.sheets_metadata
        if each.typ == calamine.SheetTypeEnum.WorkSheet and each.visible == calamine.SheetVisibleEnum.Visible
    ]
    if len(shown) > limits.max_sheets:
        raise WrongFile("xlsx.sheets", f"at most {limits.max_sheets} sheets")
    valueless = _valueless(content, [each.name for each in book.sheets_metadata])
    found = given_bytes = 0
    for heads, name in enumerate(shown, 1):
        yield "sheet", name
        sheet = book.get_sheet_by_name(name)
        if sheet.width > limits.max_columns:
            raise WrongFile("xlsx.columns", f"at most {limits.max_columns} columns")
        rows: list[list[Any]] = []
        frame_bytes = 0
        for number, row in _rows(sheet, valueless(name)):
            if not row:
                continue
            rows.append([number, row])
            found += 1
            if found > limits.max_rows + heads:
                raise WrongFile("xlsx.rows", f"at most {limits.max_rows} rows")
            row_bytes = _bytes_of(row)
            given_bytes += row_bytes
            frame_bytes += row_bytes
            if given_bytes > limits.given_bytes:
                raise too_large()
            if len(rows) == ROWS_A_FRAME or frame_bytes > FRAME_BYTES:
                yield "rows", rows
                rows, frame_bytes = [], 0
        if rows:
            yield "rows", rows


def _valueless(content: bytes, names: Sequence[str]) -> Callable[[str], Valueless]:
    if not content.startswith(OLE):
        return in_xlsx(content)
    sheets = dict(zip(names, in_xls(content), strict=True))
    return sheets.__getitem__


def _rows(sheet: calamine.CalamineSheet, valueless: Valueless) -> Iterator[tuple[int, list[Any]]]:
    """Rows with their numbers. Those without a value in any cell may lie behind all that the reader knows."""
    left = (sheet.start or (0, 0))[1]
    number = -1
    for number, cells in enumerate(sheet.iter_rows()):
        yield number + 1, _row(cells, left, valueless.get(number, {}))
    for more in sorted(row for row in valueless if row > number):
        yield more + 1, _row([""] * sheet.width, left, valueless[more])


def _row(cells: Sequence[Any], left: int, valueless: Mapping[int, str]) -> list[Any]:
    """left: the column of the first cell."""
    row = [_cell(cell) for cell in cells]
    for column, text in valueless.items():
        if left <= column < left + len(row):
            row[column - left] = {NO_VALUE: text}
    while row and row[-1] is None:
        row.pop()
    return row


def _bytes_of(row: Sequence[Any]) -> int:
    return sum(len(cell.encode()) if isinstance(cell, str) else CELL_BYTES for cell in row)


def _cell(cell: Any) -> Any:
    """As cells.Cell, but a time is a list with its ISO text in it, and NoValue a map."""
    if isinstance(cell, str):
        if len(cell) > MAX_TEXT:
            raise WrongFile("xlsx.text", f"at most {MAX_TEXT} characters in a cell")
        return cell or None
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < EXACT else cell
    if isinstance(cell, date):
        moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001
        return [moment.isoformat()]
    return cell if cell is None or isinstance(cell, bool | int) else str(cell)


def _put(frame: Frame) -> None:
    content = msgspec.msgpack.encode(frame)
    sys.stdout.buffer.write(len(content).to_bytes(4, "big") + content)


if __name__ == "__main__":
    main()
