"""Rules of data exchange, and what each did last, on SQLite."""

from __future__ import annotations

import sqlite3

from edge_agent.store.base import HeldExchange
from edge_agent.store.database import Database


class SqliteExchange:
    """store.base.ExchangeLog."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def held(self) -> HeldExchange | None:
        rows = await self._database.read("SELECT rules, state FROM exchange")
        return HeldExchange(bytes(rows[0][0]), bytes(rows[0][1])) if rows else None

    async def replace(self, held: HeldExchange) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "INSERT OR REPLACE INTO exchange VALUES (1, ?, ?)"
            connection.execute(sql, (held.rules, held.state))

        await self._database.write(work)

    async def note(self, state: bytes) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE exchange SET state = ?", (state,))

        await self._database.write(work, durable=False)
