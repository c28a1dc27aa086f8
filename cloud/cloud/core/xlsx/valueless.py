"""Cells of an .xlsx that have something and yet no value: errors, and formulas without a stored result.

The reader hands both out as if they were empty, and so would an import empty what they stand for.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Mapping
from typing import IO
from xml.parsers import expat

from cloud.core.xlsx.cells import FORMULA, NOT_AVAILABLE

Valueless = dict[int, dict[int, str]]
"""What the cell shows, by row and column from 0."""

READ_BYTES = 1024 * 1024
OVERLAP_BYTES = 64
MAX_NAMED = 20
MAY_HAVE = re.compile(rb"""<(?:\w+:)?f[\s/>]|\st\s*=\s*["']e["']""")
HINTS = (b"<f", b":f", b'"e"', b"'e'")
"""Found much faster than what they hint at."""

PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
TEXTS = frozenset({"str", "inlineStr", "s"})
"""Kinds of cells that hold texts: the result of a formula may be an empty one."""

Begins = Callable[[str, Mapping[str, str]], None]


def in_xlsx(content: bytes) -> Callable[[str], Valueless]:
    """The lookup by a sheet's name. ValueError: no whole workbook."""
    archive = zipfile.ZipFile(io.BytesIO(content))
    parts = _parts(archive)

    def cells_of(name: str) -> Valueless:
        if name not in parts:
            return {}
        with archive.open(parts[name]) as part:
            if not _may_have(part):
                return {}
        with archive.open(parts[name]) as part:
            return _Sheet().read(part)

    return cells_of


def _parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Where the sheets are, by name."""
    names = set(archive.namelist())
    sheets: dict[str, str] = {}
    targets: dict[str, str] = {}

    def sheet(name: str, attributes: Mapping[str, str]) -> None:
        if name == "sheet":
            link = next((value for key, value in attributes.items() if key.endswith(":id")), "")
            sheets[attributes.get("name", "")] = link

    def target(name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship":
            path = posixpath.join("/xl", attributes.get("Target", ""))
            targets[attributes.get("Id", "")] = posixpath.normpath(path).lstrip("/")

    for part, begins in (("xl/workbook.xml", sheet), ("xl/_rels/workbook.xml.rels", target)):
        if part in names:
            with archive.open(part) as file:
                _parse(file, begins)
    return {name: targets[link] for name, link in sheets.items() if targets.get(link) in names}


def _may_have(part: IO[bytes]) -> bool:
    """Most sheets have none; a look at the bytes is much cheaper than reading them as XML."""
    before = b""
    while chunk := part.read(READ_BYTES):
        both = before + chunk
        if any(hint in both for hint in HINTS) and MAY_HAVE.search(both):
            return True
        before = chunk[-OVERLAP_BYTES:]
    return False


class _Sheet:
    """Reads the XML of one sheet."""

    def __init__(self) -> None:
        self._cells: Valueless = {}
        self._row = self._column = -1
        self._kind = self._text = ""
        self._is_formula = self._is_value = False

    def read(self, part: IO[bytes]) -> Valueless:
        _parse(part, self._begins, self._ends, self._characters)
        return self._cells

    def _begins(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "row":
            said = attributes.get("r", "")
            self._row = int(said) - 1 if said.isdecimal() else self._row + 1
            self._column = -1
        elif name == "c":
            place = PLACE.fullmatch(attributes.get("r", ""))
            self._column = self._column + 1 if place is None else _number(place[1])
            self._kind, self._text, self._is_formula = attributes.get("t", "n"), "", False
        elif name == "f":
            self._is_formula = True
        elif name == "v":
            self._is_value = True

    def _ends(self, name: str) -> None:
        if name == "v":
            self._is_value = False
        elif name == "c":
            if self._kind == "e":
                self._cells.setdefault(self._row, {})[self._column] = self._text or NOT_AVAILABLE
            elif self._is_formula and not self._text and self._kind not in TEXTS:
                self._cells.setdefault(self._row, {})[self._column] = FORMULA

    def _characters(self, text: str) -> None:
        if self._is_value:
            self._text = (self._text + text.strip())[:MAX_NAMED]


def _number(letters: str) -> int:
    """Of a column, from 0."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _parse(
    part: IO[bytes],
    begins: Begins,
    ends: Callable[[str], None] | None = None,
    characters: Callable[[str], None] | None = None,
) -> None:
    """Names without their prefixes."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: begins(name.rpartition(":")[2], attributes)
    if ends is not None:
        told = ends
        parser.EndElementHandler = lambda name: told(name.rpartition(":")[2])
    parser.CharacterDataHandler = characters
    try:
        parser.ParseFile(part)
    except (expat.ExpatError, zipfile.BadZipFile) as error:
        raise ValueError(str(error)) from error
