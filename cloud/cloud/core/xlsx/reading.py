"""Workbooks of untrusted sources, read by a process of their own whose memory and time are bounded.

The process has nothing of this one's environment. Macros, passwords and files that are no workbook are
refused by name (`WrongFile`). python-calamine hands out error cells and formulas without a stored result as
empty ones, so the child finds those itself (`NoValue`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from cloud.core.xlsx.cells import Cell, NoValue

Frame = tuple[str, Any]
Row = tuple[int, list[Cell]]
"""Its number on the sheet, from 1, and its cells; trailing empty ones are left out, empty rows too."""

MIB = 1024 * 1024
NO_VALUE = "no_value"
ENDINGS = (".xls", ".xlsx")
ENVIRONMENT = ("PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE")
"""What of this process' environment the reader gets: nothing that is a secret."""


@dataclass(frozen=True)
class WorkbookLimits:
    """most_rows: of all sheets together, without heads. unpacked_bytes: as an .xlsx declares them.
    given_bytes: of the cells as they are handed out; a text of the file may stand in many cells.
    memory_bytes, processor_s: of the reader; 50,000 rows of 30 cells take it 110 MB and one second.
    """

    max_rows: int = 60_000
    max_columns: int = 300
    max_sheets: int = 20
    max_bytes: int = 20 * MIB
    unpacked_bytes: int = 600 * MIB
    given_bytes: int = 64 * MIB
    memory_bytes: int = 1024 * MIB
    processor_s: int = 30


class WrongFile(Exception):
    """A file cannot be taken. reason: a code for which the portal has words; rule: what it should be."""

    def __init__(self, reason: str, rule: str) -> None:
        super().__init__(rule)
        self.reason = reason
        self.rule = rule


@dataclass(frozen=True)
class SheetBegins:
    """What follows stands on this sheet."""

    name: str


@dataclass
class Table:
    """A sheet: its first row that is not empty is the head. numbers: of the rows, as on the sheet."""

    name: str = ""
    header: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


def read_table(content: bytes, filename: str, max_rows: int) -> Table:
    """The first sheet that is not empty. WrongFile says what is wrong. It blocks: call it in a thread."""
    tables = read_workbook(content, filename, WorkbookLimits(max_rows=max_rows))
    return next((table for table in tables if table.header), Table())


def read_workbook(content: bytes, filename: str, limits: WorkbookLimits | None = None) -> list[Table]:
    """Every visible sheet. WrongFile says what is wrong. It blocks: call it in a thread."""
    tables: list[Table] = []
    for each in stream(content, filename, limits or WorkbookLimits()):
        if isinstance(each, SheetBegins):
            tables.append(Table(each.name))
            continue
        table = tables[-1]
        for number, cells in each:
            if not table.header:
                table.header = [head_text(cell) for cell in cells]
            else:
                table.rows.append(cells)
                table.numbers.append(number)
    return tables


def head_text(cell: Cell) -> str:
    return "" if cell is None else str(cell).strip()


def stream(content: bytes, filename: str, limits: WorkbookLimits) -> Iterator[SheetBegins | list[Row]]:
    """The sheets one after another, each with its rows in parts. WrongFile may come at any time."""
    if not filename.lower().endswith(ENDINGS):
        raise WrongFile("xlsx.form", "an Excel workbook, .xls or .xlsx")
    if not 1 <= len(content) <= limits.max_bytes:
        raise WrongFile("xlsx.size", f"1 to {limits.max_bytes} bytes")
    command = [sys.executable, "-P", "-m", "cloud.core.xlsx.child", msgspec.json.encode(limits).decode()]
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])
    with subprocess.Popen(  # noqa: S603 -- this interpreter, and no word of the caller's but the limits
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        try:
            assert process.stdin is not None and process.stdout is not None
            _give(process.stdin, content)
            yield from _taken(process.stdout)
        finally:
            process.kill()


def _give(pipe: BinaryIO | Any, content: bytes) -> None:
    """The child reads everything before it answers; a child that has ended is found when its answer ends."""
    try:
        pipe.write(content)
        pipe.close()
    except BrokenPipeError:
        return


def _taken(pipe: BinaryIO | Any) -> Iterator[SheetBegins | list[Row]]:
    while True:
        length = pipe.read(4)
        if len(length) < 4:  # it was ended by one of its limits
            raise WrongFile("xlsx.too_large", "a workbook that unpacks to a bounded size")
        kind, value = msgspec.msgpack.decode(pipe.read(int.from_bytes(length, "big")), type=Frame)
        if kind == "end":
            return
        if kind == "wrong":
            raise WrongFile(*value)
        if kind == "sheet":
            yield SheetBegins(value)
        else:
            yield [(number, [_moment(cell) for cell in cells]) for number, cells in value]


def _moment(cell: Any) -> Cell:
    if isinstance(cell, dict):
        return NoValue(cell[NO_VALUE])
    moment: Cell = datetime.fromisoformat(cell[0]) if isinstance(cell, list) else cell
    return moment
