"""Rules, their state and their events on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import msgspec

from edge_agent.store.base import ACKNOWLEDGED_EVENTS, MAX_EVENT_BYTES, HeldRules, StoredLinkage
from edge_agent.store.database import Database
from edge_contract.edge_rules import RuleEvent

FEW = 1000
"""So many events cannot reach the bound, each having at most 4 KB."""


class SqliteRules:
    """store.base.RuleLog. What only moved on becomes durable with the next batch's commit."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def held(self) -> HeldRules | None:
        rows = await self._database.read("SELECT rules, state FROM rule_set")
        return HeldRules(bytes(rows[0][0]), bytes(rows[0][1])) if rows else None

    async def replace(self, held: HeldRules, events: Sequence[RuleEvent]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "INSERT OR REPLACE INTO rule_set VALUES (1, ?, ?)"
            connection.execute(sql, (held.rules, held.state))
            _add(connection, events)

        await self._database.write(work)

    async def record(self, state: bytes, events: Sequence[RuleEvent], linkages: Sequence[bytes]) -> list[int]:
        def work(connection: sqlite3.Connection) -> list[int]:
            connection.execute("UPDATE rule_set SET state = ?", (state,))
            _add(connection, events)
            numbers = []
            for linkage in linkages:
                sql = "INSERT INTO linkage (linkage, begun) VALUES (?, 0)"
                numbers.append(connection.execute(sql, (linkage,)).lastrowid or 0)
            return numbers

        return await self._database.write(work, durable=bool(events or linkages))

    async def waiting(self, limit: int) -> list[RuleEvent]:
        sql = "SELECT seq, event FROM rule_event WHERE acknowledged = 0 ORDER BY seq LIMIT ?"
        return [_event(*row) for row in await self._database.read(sql, (limit,))]

    async def newest(self, limit: int) -> list[RuleEvent]:
        sql = "SELECT seq, event FROM rule_event ORDER BY seq DESC LIMIT ?"
        return [_event(*row) for row in await self._database.read(sql, (limit,))]

    async def dropped(self) -> int:
        return int((await self._database.read("SELECT events FROM rule_event_dropped"))[0][0])

    async def acknowledged(self, upto_seq: int) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "UPDATE rule_event SET acknowledged = 1 WHERE acknowledged = 0 AND seq <= ?"
            connection.execute(sql, (upto_seq,))
            connection.execute(
                "DELETE FROM rule_event WHERE acknowledged = 1 AND seq <="
                " (SELECT seq FROM rule_event ORDER BY seq DESC LIMIT 1 OFFSET ?)",
                (ACKNOWLEDGED_EVENTS,),
            )

        await self._database.write(work, durable=False)

    async def change_waiting(self, change: Callable[[RuleEvent], RuleEvent]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            rows = connection.execute("SELECT seq, event FROM rule_event WHERE acknowledged = 0").fetchall()
            connection.executemany(
                "UPDATE rule_event SET event = ? WHERE seq = ?",
                [(msgspec.json.encode(change(_event(seq, event))), seq) for seq, event in rows],
            )

        await self._database.write(work)

    async def linkages(self) -> list[StoredLinkage]:
        rows = await self._database.read("SELECT id, linkage, begun FROM linkage ORDER BY id")
        return [StoredLinkage(row[0], bytes(row[1]), bool(row[2])) for row in rows]

    async def begin_linkage(self, number: int) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE linkage SET begun = 1 WHERE id = ?", (number,))

        await self._database.write(work)

    async def end_linkage(self, number: int, event: RuleEvent) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM linkage WHERE id = ?", (number,))
            _add(connection, [event])

        await self._database.write(work)


def _event(seq: int, event: bytes) -> RuleEvent:
    return msgspec.structs.replace(msgspec.json.decode(event, type=RuleEvent), seq=seq)


def _add(connection: sqlite3.Connection, events: Sequence[RuleEvent]) -> None:
    """Append, and let the oldest go beyond the bound: those that the cloud holds first."""
    if not events:
        return
    connection.executemany(
        "INSERT INTO rule_event (event, acknowledged) VALUES (?, 0)",
        [(msgspec.json.encode(event),) for event in events],
    )
    [(count,)] = connection.execute("SELECT max(seq) - min(seq) FROM rule_event").fetchall()
    if count < FEW:
        return
    beyond = (
        "SELECT seq FROM (SELECT seq, sum(length(event)) OVER (ORDER BY acknowledged, seq DESC) AS held"
        " FROM rule_event) WHERE held > ?"
    )
    lost = f"SELECT count(*) FROM rule_event WHERE acknowledged = 0 AND seq IN ({beyond})"  # noqa: S608 - constant
    [(count,)] = connection.execute(lost, (MAX_EVENT_BYTES,)).fetchall()
    connection.execute("UPDATE rule_event_dropped SET events = events + ?", (count,))
    connection.execute(f"DELETE FROM rule_event WHERE seq IN ({beyond})", (MAX_EVENT_BYTES,))  # noqa: S608 - constant
