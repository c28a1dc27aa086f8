"""One import on disk: the rows of its file, what comes of them, and what is to be done. It blocks.

An SQLite file of its own, so that nothing of it lies in memory between two calls, and so that a page of its
rows is one question. It goes as a whole after a day.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from cloud.core.xlsx import Cell, NoValue
from cloud.domains.templates.content import Reference
from cloud.errors import Busy, CloudError, NotFound, Unavailable

log = logging.getLogger(__name__)

LEAST_FREE_BYTES = 64 * 1024
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE source (
  sheet INTEGER, number INTEGER, cells BLOB NOT NULL, PRIMARY KEY (sheet, number)
) WITHOUT ROWID;
CREATE TABLE result (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, sheet TEXT NOT NULL, number INTEGER NOT NULL,
  gateway TEXT NOT NULL, key BLOB NOT NULL, cells BLOB NOT NULL, by_template INTEGER NOT NULL
);
CREATE INDEX result_kind ON result (kind, sheet);
CREATE TABLE plan (
  gateway TEXT PRIMARY KEY, device_id INTEGER, base TEXT, content BLOB, hash TEXT, points INTEGER,
  fields BLOB NOT NULL, was BLOB NOT NULL, settings BLOB NOT NULL, links BLOB, links_were BLOB NOT NULL
);
"""

FULL = frozenset({"SQLITE_FULL", "SQLITE_CANTOPEN", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"})
"""What SQLite says of a disk without space; of a file that is there it says CANTOPEN of its journal."""

SourceRow = tuple[int, int, bytes]
"""Sheet, number, and what `packed_cells` made of its cells."""

NO_VALUE = "no_value"


@dataclass(frozen=True)
class Result:
    """A row that changes something or is wrong. cells: [field, before, after, code, arguments] each.

    by_template: a template does it, not a row of the file.
    """

    kind: str
    sheet: str
    number: int
    gateway: str
    key: list[str]
    cells: list[list[Any]]
    by_template: bool = False


@dataclass(frozen=True)
class Plan:
    """What is to be done with one gateway. device_id: None to make it. base: of the document that goes.

    content: canonical bytes of the new document, None when it stays; hash, points: of that one.
    was: the fields as they were then. settings: [slave, name, fields] each. links: the templates that the
    document uses, None when they stay; links_were: those that it used then.
    """

    gateway: str
    device_id: int | None
    base: str | None
    content: bytes | None
    hash: str
    points: int
    fields: dict[str, Any]
    was: dict[str, Any]
    settings: list[tuple[str, str, dict[str, Any]]]
    links: dict[str, Reference] | None = None
    links_were: dict[str, Reference] = field(default_factory=dict)


def packed(value: Any) -> bytes:
    return msgspec.msgpack.encode(value)


def unpacked(content: bytes) -> Any:
    return msgspec.msgpack.decode(content)


def packed_cells(cells: Iterable[Cell]) -> bytes:
    """A time as its text."""
    return packed([_plain(cell) for cell in cells])


def disk_full() -> Unavailable:
    return Unavailable("no room on the cloud's disk for this import", reason="import.disk_full")


def _plain(cell: Cell) -> Any:
    if isinstance(cell, NoValue):
        return {NO_VALUE: cell.text}
    return cell.isoformat(" ") if isinstance(cell, datetime) else cell


def _cells(content: bytes) -> list[Cell]:
    return [NoValue(cell[NO_VALUE]) if isinstance(cell, dict) else cell for cell in unpacked(content)]


class Workfile:
    """Opened for each use; it is no session of its own and holds no lock between two calls.

    NotFound when it is gone or damaged, Unavailable when the disk is full.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self) -> None:
        with self._open("rwc") as file:
            file.executescript(_TABLES)

    def remove(self) -> None:
        """With what SQLite may have left beside it."""
        self.path.unlink(missing_ok=True)
        self.path.with_name(f"{self.path.name}-journal").unlink(missing_ok=True)

    def meta(self) -> dict[str, Any]:
        with self._open() as file:
            return {name: unpacked(value) for name, value in file.execute("SELECT name, value FROM meta")}

    def note(self, values: Mapping[str, Any]) -> None:
        with self._open() as file:
            rows = [(name, packed(value)) for name, value in values.items()]
            file.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def put_source(self, rows: Iterable[SourceRow]) -> None:
        with self._open() as file:
            file.executemany("INSERT INTO source VALUES (?, ?, ?)", rows)

    def source(self) -> Iterator[tuple[int, int, list[Cell]]]:
        """All rows, sheet by sheet."""
        with self._open() as file:
            for sheet, number, cells in file.execute("SELECT sheet, number, cells FROM source"):
                yield sheet, number, _cells(cells)

    def rows(self, wanted: Sequence[tuple[int, int]]) -> list[tuple[int, int, list[Cell]]]:
        """These rows, in this order."""
        query = "SELECT cells FROM source WHERE sheet = ? AND number = ?"
        with self._open() as file:
            return [(*each, _cells(file.execute(query, each).fetchone()[0])) for each in wanted]

    def forget_results(self) -> None:
        with self._open() as file:
            file.execute("DELETE FROM result")
            file.execute("DELETE FROM plan")

    def put_results(self, results: Iterable[Result], plans: Iterable[Plan]) -> None:
        with self._open() as file:
            file.executemany(
                "INSERT INTO result (kind, sheet, number, gateway, key, cells, by_template)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (r.kind, r.sheet, r.number, r.gateway, packed(r.key), packed(r.cells), r.by_template)
                    for r in results
                ),
            )
            file.executemany(
                "INSERT OR REPLACE INTO plan VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        p.gateway,
                        p.device_id,
                        p.base,
                        p.content,
                        p.hash,
                        p.points,
                        packed(p.fields),
                        packed(p.was),
                        packed(p.settings),
                        None if p.links is None else packed(_listed(p.links)),
                        packed(_listed(p.links_were)),
                    )
                    for p in plans
                ),
            )

    def results(self, kind: str, sheet: str, offset: int, limit: int) -> tuple[list[Result], int]:
        """Rows of a kind and a sheet, "" for all, and how many there are."""
        where, values = _where(kind, sheet)
        with self._open() as file:
            total = file.execute(f"SELECT count(*) FROM result {where}", values).fetchone()[0]  # noqa: S608
            columns = "kind, sheet, number, gateway, key, cells, by_template"
            query = f"SELECT {columns} FROM result {where} ORDER BY id LIMIT ? OFFSET ?"  # noqa: S608
            rows = file.execute(query, [*values, limit, offset]).fetchall()
        return [_result(row) for row in rows], total

    def counts(self, *, by_template: bool = False) -> dict[str, dict[str, int]]:
        """Of each sheet, rows by kind; only those of templates."""
        counts: dict[str, dict[str, int]] = {}
        query = "SELECT sheet, kind, count(*) FROM result WHERE by_template >= ? GROUP BY 1, 2"
        with self._open() as file:
            for sheet, kind, number in file.execute(query, [by_template]):
                counts.setdefault(sheet, {})[kind] = number
        return counts

    def plans(self) -> list[Plan]:
        """In the order of serial numbers."""
        with self._open() as file:
            rows = file.execute("SELECT * FROM plan ORDER BY gateway").fetchall()
        return [_plan(row) for row in rows]

    @contextmanager
    def _open(self, mode: str = "rw") -> Iterator[sqlite3.Connection]:
        """One transaction. It need not survive a power cut: who imports begins anew then. Only create()
        makes the file: one that was forgotten meanwhile stays so.
        """
        try:
            file = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode={mode}", uri=True)
        except sqlite3.Error as error:
            raise self._failure(error) from error
        try:
            file.execute("PRAGMA synchronous = OFF")
            with file:
                yield file
        except (sqlite3.Error, msgspec.MsgspecError) as error:
            raise self._failure(error) from error
        finally:
            file.close()

    def _failure(self, error: Exception) -> CloudError:
        name = getattr(error, "sqlite_errorname", "")
        if name in FULL and (self.path.is_file() or _is_full(self.path)):
            return disk_full()
        if name in ("SQLITE_BUSY", "SQLITE_LOCKED"):
            return Busy("this import is being written", reason="import.runs")
        log.warning("the work file of an import cannot be used: %s: %s", self.path.name, error)
        return NotFound("import")


def _is_full(path: Path) -> bool:
    """Is there no space for a small file where this one would be?"""
    return path.parent.is_dir() and shutil.disk_usage(path.parent).free < LEAST_FREE_BYTES


def _result(row: Any) -> Result:
    kind, sheet, number, gateway, key, cells, by_template = row
    return Result(kind, sheet, number, gateway, unpacked(key), unpacked(cells), bool(by_template))


def _plan(row: Any) -> Plan:
    *plain, fields, was, settings, links, links_were = row
    decoded: list[Any] = [unpacked(each) for each in (fields, was, settings)]
    used: list[Any] = [links and _named(unpacked(links)), _named(unpacked(links_were))]
    return Plan(*plain, *decoded, *used)


def _listed(links: Mapping[str, Reference]) -> list[Any]:
    return [[slave, each.template_id, each.number, sorted(each.own)] for slave, each in links.items()]


def _named(links: list[Any]) -> dict[str, Reference]:
    return {slave: Reference(template, number, frozenset(own)) for slave, template, number, own in links}


def _where(kind: str, sheet: str) -> tuple[str, list[str]]:
    wanted = [(name, value) for name, value in (("kind", kind), ("sheet", sheet)) if value]
    where = " AND ".join(f"{name} = ?" for name, _ in wanted)
    return (f"WHERE {where}" if where else ""), [value for _, value in wanted]
