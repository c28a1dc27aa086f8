"""Records that forwarders make of batches, on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial

from edge_agent.store.base import RecordState, TargetRecord
from edge_agent.store.database import Database

WAITING = """
SELECT kind, t_ms, due_ms, state, payload FROM target_record WHERE consumer = ? AND state = 1
 ORDER BY due_ms, kind, t_ms LIMIT ?"""
BEYOND = """
SELECT kind, t_ms, due_ms, state, payload FROM target_record WHERE consumer = ? AND state = 1
 ORDER BY due_ms DESC, kind DESC, t_ms DESC LIMIT -1 OFFSET ?"""
BETWEEN = """
SELECT kind, t_ms, due_ms, state, payload FROM target_record
 WHERE consumer = ? AND kind = ? AND t_ms BETWEEN ? AND ? ORDER BY t_ms LIMIT ?"""
INSERT = """
INSERT OR IGNORE INTO target_record (consumer, kind, t_ms, due_ms, state, payload)
 VALUES (?, ?, ?, ?, ?, ?)"""


class SqliteTargetRecords:
    """store.base.TargetRecords. Its writes become durable with the next batch's commit, `note` at once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, name: str, records: Sequence[TargetRecord], notes: Mapping[str, bytes]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            rows = [(name, one.kind, one.t_ms, one.due_ms, int(one.state), one.payload) for one in records]
            connection.executemany(INSERT, rows)
            _write_notes(connection, name, notes)

        await self._database.write(work, durable=False)

    async def note(self, name: str, notes: Mapping[str, bytes]) -> None:
        await self._database.write(partial(_write_notes, name=name, notes=notes))

    async def notes(self, name: str) -> dict[str, bytes]:
        rows = await self._database.read("SELECT name, payload FROM target_note WHERE consumer = ?", (name,))
        return {key: bytes(payload) for key, payload in rows}

    async def waiting(self, name: str, limit: int) -> list[TargetRecord]:
        return _records(await self._database.read(WAITING, (name, limit)))

    async def count_waiting(self, name: str) -> int:
        sql = "SELECT count(*) FROM target_record WHERE consumer = ? AND state = 1"
        [(count,)] = await self._database.read(sql, (name,))
        return int(count)

    async def between(self, name: str, kind: str, from_ms: int, to_ms: int, limit: int) -> list[TargetRecord]:
        return _records(await self._database.read(BETWEEN, (name, kind, from_ms, to_ms, limit)))

    async def mark(self, name: str, kind: str, t_ms: int, state: RecordState) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "UPDATE target_record SET state = ? WHERE consumer = ? AND kind = ? AND t_ms = ?"
            connection.execute(sql, (int(state), name, kind, t_ms))

        await self._database.write(work, durable=False)

    async def give_up(self, name: str, keep: int) -> list[TargetRecord]:
        def work(connection: sqlite3.Connection) -> list[TargetRecord]:
            records = _records(connection.execute(BEYOND, (name, keep)).fetchall())
            sql = "UPDATE target_record SET state = ? WHERE consumer = ? AND kind = ? AND t_ms = ?"
            keys = [(int(RecordState.DROPPED), name, one.kind, one.t_ms) for one in records]
            connection.executemany(sql, keys)
            return records[::-1]

        return await self._database.write(work, durable=False)

    async def forget(self, name: str, kind: str, before_ms: int) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "DELETE FROM target_record WHERE consumer = ? AND kind = ? AND t_ms < ? AND state != 1"
            connection.execute(sql, (name, kind, before_ms))

        await self._database.write(work, durable=False)


def keep_only(connection: sqlite3.Connection) -> None:
    """Forget what was of consumers that are not attached any more, in the caller's transaction."""
    connection.execute("DELETE FROM target_record WHERE consumer NOT IN (SELECT name FROM consumer)")
    connection.execute("DELETE FROM target_note WHERE consumer NOT IN (SELECT name FROM consumer)")


def _write_notes(connection: sqlite3.Connection, name: str, notes: Mapping[str, bytes]) -> None:
    rows = [(name, key, payload) for key, payload in notes.items()]
    connection.executemany("INSERT OR REPLACE INTO target_note VALUES (?, ?, ?)", rows)


def _records(rows: Sequence[tuple[str, int, int, int, bytes]]) -> list[TargetRecord]:
    return [TargetRecord(row[0], row[1], row[2], bytes(row[4]), RecordState(row[3])) for row in rows]
