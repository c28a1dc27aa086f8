"""Cells of an .xls that show an error: [MS-CFB] for the file, [MS-XLS] for the records of its sheets.

A formula there always has a result; one that was never calculated looks like one that gave an empty text.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from cloud.core.xlsx.cells import NOT_AVAILABLE
from cloud.core.xlsx.valueless import Valueless

ERRORS = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!",
    0x2A: NOT_AVAILABLE,
}  # fmt: skip
BOF, EOF, BOUNDSHEET, BOOLERR, FORMULA_RECORD = 0x0809, 0x000A, 0x0085, 0x0205, 0x0006
LAST_SECTOR = 0xFFFFFFFA
"""What is above it is the end of a chain, or no sector."""

ENTRY_BYTES = 128
STREAMS = ("Workbook", "Book")
RESULT_IS_ERROR = 2


def in_xls(content: bytes) -> list[Valueless]:
    """Of each sheet, in their order. ValueError: no whole workbook."""
    try:
        stream = _Compound(content).workbook()
        places = [
            struct.unpack_from("<I", body)[0] for kind, body in _records(stream, 0) if kind == BOUNDSHEET
        ]
        return [_errors(stream, place) for place in places]
    except (struct.error, IndexError) as error:
        raise ValueError(str(error)) from error


def _records(stream: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Kind and body of the records of one part of the stream, without those of parts inside of it."""
    depth = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        body = stream[at + 4 : at + 4 + length]
        at += 4 + length
        depth += (kind == BOF) - (kind == EOF)
        if depth <= 0:
            return
        if depth == 1:
            yield kind, body


def _errors(stream: bytes, at: int) -> Valueless:
    cells: Valueless = {}
    for kind, body in _records(stream, at):
        if kind == BOOLERR:
            row, column, _, code, is_error = struct.unpack_from("<HHHBB", body)
        elif kind == FORMULA_RECORD:
            row, column, _, result, _, code, _, mark = struct.unpack_from("<HHHBBB3sH", body)
            is_error = mark == 0xFFFF and result == RESULT_IS_ERROR
        else:
            continue
        if is_error:
            cells.setdefault(row, {})[column] = ERRORS.get(code, NOT_AVAILABLE)
    return cells


class _Compound:
    """A file of streams, each a chain of sectors."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._size = 1 << struct.unpack_from("<H", content, 30)[0]
        if self._size not in (512, 4096):
            raise ValueError("sectors have 512 or 4096 bytes")
        self._next = self._table()
        directory = self._chain(struct.unpack_from("<I", content, 48)[0])
        self._entries = [directory[at : at + ENTRY_BYTES] for at in range(0, len(directory), ENTRY_BYTES)]

    def workbook(self) -> bytes:
        """The stream of the workbook; ValueError without one."""
        cutoff, first_small = struct.unpack_from("<II", self._content, 56)
        for entry in self._entries:
            name_bytes = max(0, struct.unpack_from("<H", entry, 64)[0] - 2)
            if entry[:name_bytes].decode("utf-16-le", "replace") in STREAMS:
                first, size = struct.unpack_from("<II", entry, 116)
                if size >= cutoff:
                    return self._chain(first)[:size]
                return self._small(first, first_small)[:size]
        raise ValueError("no workbook in the file")

    def _small(self, first: int, first_small: int) -> bytes:
        """A short stream is stored in blocks of 64 bytes in the stream of the root."""
        root = self._chain(struct.unpack_from("<I", self._entries[0], 116)[0])
        table = self._chain(first_small)
        following = struct.unpack(f"<{len(table) // 4}I", table[: len(table) // 4 * 4])
        return b"".join(root[at * 64 : at * 64 + 64] for at in _followed(first, following))

    def _chain(self, first: int) -> bytes:
        return b"".join(self._sector(each) for each in _followed(first, self._next))

    def _sector(self, number: int) -> bytes:
        at = (number + 1) * self._size
        return self._content[at : at + self._size]

    def _table(self) -> tuple[int, ...]:
        """Which sector follows which. Its own sectors stand in the header, and in a list of more."""
        places = list(struct.unpack_from("<109I", self._content, 76))
        more, numbers = struct.unpack_from("<I", self._content, 68)[0], self._size // 4
        seen: set[int] = set()
        while more < LAST_SECTOR and more not in seen:
            seen.add(more)
            *some, more = struct.unpack(f"<{numbers}I", self._sector(more))
            places += some
        sectors = b"".join(self._sector(place) for place in places if place < LAST_SECTOR)
        return struct.unpack(f"<{len(sectors) // 4}I", sectors[: len(sectors) // 4 * 4])


def _followed(first: int, following: tuple[int, ...]) -> Iterator[int]:
    seen: set[int] = set()
    while first < LAST_SECTOR:
        if first in seen:
            raise ValueError("a chain without an end")
        seen.add(first)
        yield first
        first = following[first]
