"""What slaves refused, on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from edge_agent.model import RefusedBlock
from edge_agent.store.database import Database


class SqlitePlans:
    """store.base.PlanMemory."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recall(self, slave: str, digest: str) -> list[RefusedBlock]:
        sql = "SELECT refused FROM plan WHERE slave = ? AND digest = ?"
        rows = await self._database.read(sql, (slave, digest))
        return msgspec.json.decode(rows[0][0], type=list[RefusedBlock]) if rows else []

    async def keep(self, slave: str, digest: str, refused: Sequence[RefusedBlock]) -> None:
        row = slave, digest, msgspec.json.encode(refused).decode()

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO plan VALUES (?, ?, ?)", row)

        await self._database.write(work, durable=False)
