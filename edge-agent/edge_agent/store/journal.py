"""Commands and points on SQLite: what was begun, what came of it, which number a point has."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from edge_agent.model import PointKey
from edge_agent.store.base import MAX_OF_TARGET
from edge_agent.store.database import Database
from edge_contract.payloads import Command, CommandResult, Outcome, decode, encode

REMEMBER_MS = 7 * 24 * 3600 * 1000
"""A finished, acknowledged command is remembered this long; every command has expired long before."""


class SqliteJournal:
    """store.base.CommandJournal. source: empty for the cloud, else the name of a target."""

    def __init__(self, database: Database, source: str = "") -> None:
        self._database = database
        self._source = source

    def of_source(self, source: str) -> SqliteJournal:
        return SqliteJournal(self._database, source)

    async def begin(self, command: Command, t_ms: int) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            connection.execute(
                "DELETE FROM command WHERE (acknowledged = 1 OR source <> '') AND received_ms < ?",
                (t_ms - REMEMBER_MS,),
            )
            cursor = connection.execute(
                "INSERT OR IGNORE INTO command (id, received_ms, request, source) VALUES (?, ?, ?, ?)",
                (command.id, t_ms, encode(command), self._source),
            )
            if self._source:
                connection.execute(
                    "DELETE FROM command WHERE rowid IN (SELECT rowid FROM command WHERE source = ? "
                    "AND source <> '' ORDER BY received_ms DESC LIMIT -1 OFFSET ?) AND result IS NOT NULL",
                    (self._source, MAX_OF_TARGET),
                )
            return cursor.rowcount == 1

        return await self._database.write(work)

    async def finish(self, result: CommandResult) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE command SET result = ?, acknowledged = 0, unsettled = ? WHERE id = ?",
                (encode(result), result.outcome is Outcome.UNKNOWN, result.id),
            )

        await self._database.write(work)

    async def command(self, command_id: str) -> Command | None:
        rows = await self._database.read("SELECT request FROM command WHERE id = ?", (command_id,))
        return decode(Command, rows[0][0]) if rows else None

    async def result(self, command_id: str) -> CommandResult | None:
        sql = "SELECT result FROM command WHERE id = ? AND result IS NOT NULL"
        rows = await self._database.read(sql, (command_id,))
        return decode(CommandResult, rows[0][0]) if rows else None

    async def unfinished(self) -> list[Command]:
        sql = "SELECT request FROM command WHERE result IS NULL AND source = ? ORDER BY received_ms"
        rows = await self._database.read(sql, (self._source,))
        return [decode(Command, request) for (request,) in rows]

    async def unsettled(self, limit: int) -> list[tuple[Command, CommandResult]]:
        where = "unsettled = 1 AND source = ?"
        sql = f"SELECT request, result FROM command WHERE {where} ORDER BY received_ms DESC LIMIT ?"  # noqa: S608 - constant
        rows = [
            (decode(Command, request), decode(CommandResult, result))
            for request, result in await self._database.read(sql, (self._source, limit))
        ]
        return rows[::-1]

    async def leave_unsettled(self, command_id: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE command SET unsettled = 0 WHERE id = ?", (command_id,))

        await self._database.write(work)

    async def unacknowledged(self, limit: int) -> list[CommandResult]:
        where = "acknowledged = 0 AND result IS NOT NULL AND source = ?"
        sql = f"SELECT result FROM command WHERE {where} ORDER BY received_ms LIMIT ?"  # noqa: S608 - constant
        rows = await self._database.read(sql, (self._source, limit))
        return [decode(CommandResult, payload) for (payload,) in rows]

    async def reopen(self, command_id: str) -> None:
        await self._mark([command_id], acknowledged=0)

    async def acknowledged(self, command_ids: Sequence[str]) -> None:
        await self._mark(command_ids, acknowledged=1)

    async def _mark(self, command_ids: Sequence[str], acknowledged: int) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "UPDATE command SET acknowledged = ? WHERE id = ? AND result IS NOT NULL"
            connection.executemany(sql, [(acknowledged, command_id) for command_id in command_ids])

        await self._database.write(work)


class SqlitePointNumbers:
    """store.base.PointNumbers; AUTOINCREMENT never gives a number twice, even after a deletion."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def assign(self, keys: Sequence[PointKey]) -> dict[PointKey, int]:
        def work(connection: sqlite3.Connection) -> list[tuple[str, str, int]]:
            select = "SELECT slave, name, number FROM point"
            known = {(row[0], row[1]) for row in connection.execute(select).fetchall()}
            connection.executemany(
                "INSERT INTO point (slave, name) VALUES (?, ?)",
                [
                    (key.slave, key.point)
                    for key in dict.fromkeys(keys)
                    if (key.slave, key.point) not in known
                ],
            )
            return [(row[0], row[1], row[2]) for row in connection.execute(select).fetchall()]

        numbers = {PointKey(slave, name): number for slave, name, number in await self._database.write(work)}
        return {key: numbers[key] for key in keys}


class SqliteCatalogs:
    """store.base.Catalogs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, catalog: str, payload: bytes) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR IGNORE INTO catalog VALUES (?, ?)", (catalog, payload))
            connection.execute(
                "DELETE FROM catalog WHERE hash <> ? AND hash NOT IN (SELECT catalog FROM batch)", (catalog,)
            )

        await self._database.write(work)

    async def payload(self, catalog: str) -> bytes | None:
        rows = await self._database.read("SELECT payload FROM catalog WHERE hash = ?", (catalog,))
        return bytes(rows[0][0]) if rows else None
