"""Records of collection on SQLite: what was read, until the cloud has it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import msgspec

from edge_agent.store.base import Covered, StoredRecord
from edge_agent.store.database import Database


class SqliteCollection:
    """store.base.CollectionLog. Its writes become durable with the next batch's commit."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def covered(self) -> Covered:
        rows = await self._database.read("SELECT next_seq, to_ms, ended, per_hour FROM covered")
        if not rows:
            return Covered()
        next_seq, to_ms, ended, per_hour = rows[0]
        return Covered(next_seq, to_ms, ended, msgspec.json.decode(per_hour, type=dict[str, float]))

    async def put(
        self, record: StoredRecord, to_ms: int, ended: str, per_hour: Mapping[str, float], max_bytes: int
    ) -> None:
        state = (record.seq + 1, to_ms, ended, msgspec.json.encode(per_hour).decode())

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO collection VALUES (?, ?, ?)",
                (record.seq, record.span_ms, record.payload),
            )
            connection.execute("INSERT OR REPLACE INTO covered VALUES (1, ?, ?, ?, ?)", state)
            connection.execute(
                "DELETE FROM collection WHERE seq < ? AND seq <= (SELECT seq FROM"
                " (SELECT seq, sum(length(payload)) OVER (ORDER BY seq DESC) AS held FROM collection)"
                " WHERE held > ? ORDER BY seq DESC LIMIT 1)",
                (record.seq, max_bytes),
            )

        await self._database.write(work, durable=False)

    async def following(self, after_seq: int, before_seq: int, limit: int) -> list[StoredRecord]:
        sql = "SELECT seq, span_ms, payload FROM collection WHERE seq > ? AND seq < ? ORDER BY seq LIMIT ?"
        rows = await self._database.read(sql, (after_seq, before_seq, limit))
        return [StoredRecord(*row) for row in rows]

    async def forget(self, upto_seq: int) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM collection WHERE seq <= ?", (upto_seq,))

        await self._database.write(work, durable=False)
