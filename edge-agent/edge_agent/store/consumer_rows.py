"""Rows of the table consumer; none while there is only the primary, which needs what is stored."""

from __future__ import annotations

import sqlite3

import msgspec

from edge_agent.store import target_records
from edge_agent.store.base import Bound
from edge_agent.store.cursors import PRIMARY, Cursor, Holding
from edge_contract.ranges import Range

UPSERT = "INSERT OR REPLACE INTO consumer VALUES (?, ?, ?, ?, ?, ?)"


def load(connection: sqlite3.Connection) -> dict[str, Cursor]:
    """Every known consumer, by name."""
    sql = "SELECT name, upto_seq, done, lost_batches, lost, state FROM consumer"
    rows = connection.execute(sql).fetchall()
    return {
        row[0]: Cursor(
            row[0],
            Bound(row[0]),
            row[1],
            _ranges(row[2]),
            lost_batches=row[3],
            lost=_ranges(row[4]),
            state=row[5],
        )
        for row in rows
    }


def replace_all(connection: sqlite3.Connection, holding: Holding) -> None:
    """Write every cursor anew, in the caller's transaction."""
    connection.execute("DELETE FROM consumer")
    if holding.is_shared:
        connection.executemany(UPSERT, [_row(cursor) for cursor in holding.cursors.values()])
    target_records.keep_only(connection)


def update(connection: sqlite3.Connection, before: Holding, after: Holding) -> None:
    """Write those that have moved."""
    if after.is_shared:
        moved = [_row(one) for name, one in after.cursors.items() if _row(before.cursors[name]) != _row(one)]
        connection.executemany(UPSERT, moved)


def _row(cursor: Cursor) -> tuple[str, int, str, int, str, str]:
    is_primary = cursor.name == PRIMARY  # its losses have tables of their own
    lost: tuple[Range, ...] = () if is_primary else cursor.lost
    return (
        cursor.name,
        cursor.upto_seq,
        msgspec.json.encode(cursor.done).decode(),
        0 if is_primary else cursor.lost_batches,
        msgspec.json.encode(lost).decode(),
        cursor.state,
    )


def _ranges(text: str) -> tuple[Range, ...]:
    return msgspec.json.decode(text, type=tuple[Range, ...])
