"""What came to a platform and what it requested, durably: a row is in the file before it is answered."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from firmware_sim.errors import StartError
from firmware_sim.hj212_platform.request_exchange import RequestRecord

FILE = "platform.sqlite"
PORTION = 100
"""Rows that are deleted at once when there are too many."""
MAX_REQUESTS = 10_000
BUSY_MS = 5000
SCHEMA = """
CREATE TABLE IF NOT EXISTS packets (id INTEGER PRIMARY KEY, row BLOB NOT NULL, answered_at INTEGER);
CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY, row BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS stations (name TEXT PRIMARY KEY, minute_interval INTEGER, given BLOB);
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""


class ReceivedPacket(msgspec.Struct, frozen=True, omit_defaults=True):
    """A packet that came, without PW. t_ms: UTC; connection: its number; station: UNKNOWN for that of none.

    refused: why, a key of QN_RETURNS, and words for it. answer: number of the command that answers it; None:
    none was wanted. fetched: a request asked for it. area: as text, keys and passwords hidden.
    """

    t_ms: int
    connection: int
    station: str
    cn: str = ""
    st: str = ""
    qn: str | None = None
    flag: int | None = None
    pnum: int | None = None
    pno: int | None = None
    rf: str | None = None
    data_time: str | None = None
    area: str = ""
    refused: str = ""
    words: str = ""
    answer: str | None = None
    fetched: bool = False
    disagreement: str = ""


class GivenValues(msgspec.Struct, frozen=True):
    """What a platform gave a station by 1072 and 1014. Secret."""

    pw: str | None = None
    key: str | None = None


_encode = msgspec.json.Encoder().encode
_decode_given = msgspec.json.Decoder(GivenValues).decode


class ReceivedStore:
    """One writer. max_packets: the oldest give way to newer ones and are counted."""

    def __init__(self, folder: Path, max_packets: int) -> None:
        self._path = folder / FILE
        self._max_packets = max_packets
        self._count = self._last = 0
        self._opened: sqlite3.Connection | None = None

    def open(self) -> None:
        """Goes on with what is there. Raises StartError when the file cannot be used."""
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
            self._opened = db = sqlite3.connect(self._path, isolation_level=None)
            for pragma in (f"busy_timeout={BUSY_MS}", "journal_mode=WAL", "synchronous=NORMAL"):
                db.execute(f"PRAGMA {pragma}")
            db.executescript(SCHEMA)
            self._count, last = db.execute("SELECT COUNT(*), MAX(id) FROM packets").fetchone()
        except (OSError, sqlite3.Error) as error:
            raise StartError(f"{self._path}: {error}") from None
        self._last = last or 0

    @property
    def _db(self) -> sqlite3.Connection:
        assert self._opened is not None, "not open"
        return self._opened

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All inside is stored at once, or nothing; afterwards it survives a kill of the program."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def add(self, packet: ReceivedPacket) -> int:
        """The packet's number: they rise."""
        self._last += 1
        self._db.execute("INSERT INTO packets (id, row) VALUES (?, ?)", (self._last, _encode(packet)))
        self._count += 1
        if self._count > self._max_packets:
            deleted = self._db.execute(
                "DELETE FROM packets WHERE id IN (SELECT id FROM packets ORDER BY id LIMIT ?)", (PORTION,)
            )
            self._count -= deleted.rowcount
            self.count("dropped_packets", deleted.rowcount)
        return self._last

    def note(self, device: str, values: Sequence[tuple[str, int]]) -> None:
        """A sound answer leaves. values: command and number of the packet that it answers."""
        for _, number in values:
            self._db.execute(
                "UPDATE packets SET answered_at = ? WHERE id = ? AND answered_at IS NULL",
                (self._last, number),
            )

    def count(self, name: str, number: int = 1) -> None:
        """Add to a counter."""
        self._db.execute(
            "INSERT INTO counters VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            (name, number),
        )

    def counter(self, name: str) -> int:
        row = self._db.execute("SELECT value FROM counters WHERE name = ?", (name,)).fetchone()
        return 0 if row is None else int(row[0])

    def add_request(self, record: RequestRecord) -> int:
        """The request's number."""
        cursor = self._db.execute("INSERT INTO requests (row) VALUES (?)", (_encode(record),))
        assert cursor.lastrowid is not None
        self._db.execute("DELETE FROM requests WHERE id <= ?", (cursor.lastrowid - MAX_REQUESTS,))
        return cursor.lastrowid

    def update_request(self, number: int, record: RequestRecord) -> None:
        self._db.execute("UPDATE requests SET row = ? WHERE id = ?", (_encode(record), number))

    def add_station(self, name: str, minute_interval: int) -> None:
        """minute_interval: minutes between two of its minute records."""
        self._db.execute(
            "INSERT INTO stations (name, minute_interval) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET minute_interval = excluded.minute_interval",
            (name, minute_interval),
        )

    def given(self, station: str) -> GivenValues:
        """What the station was given, in an earlier run as well."""
        row = self._db.execute("SELECT given FROM stations WHERE name = ?", (station,)).fetchone()
        return GivenValues() if row is None or row[0] is None else _decode_given(row[0])

    def give(self, station: str, values: GivenValues) -> None:
        self._db.execute("UPDATE stations SET given = ? WHERE name = ?", (_encode(values), station))

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None


class ReceivedReader:
    """Reads the store of a platform, be it running or not. StartError when there is none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        if not self._path.is_file():
            raise StartError(f"{folder}: has no {FILE} of a platform")

    def packets(self) -> Iterator[tuple[int, ReceivedPacket, int | None]]:
        """Number, packet, and the number of the newest packet when its sound answer left."""
        decode = msgspec.json.Decoder(ReceivedPacket).decode
        for number, row, answered_at in self._rows("SELECT id, row, answered_at FROM packets ORDER BY id"):
            yield number, decode(row), answered_at

    def requests(self) -> dict[int, RequestRecord]:
        decode = msgspec.json.Decoder(RequestRecord).decode
        return {number: decode(row) for number, row in self._rows("SELECT id, row FROM requests ORDER BY id")}

    def minute_intervals(self) -> dict[str, int]:
        """Minutes between minute records, by station."""
        return dict(self._rows("SELECT name, minute_interval FROM stations ORDER BY name"))

    def counters(self) -> dict[str, int]:
        return dict(self._rows("SELECT name, value FROM counters ORDER BY name"))

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self._path, timeout=BUSY_MS / 1000)) as db:
            return db.execute(query).fetchall()
