"""Rows of the table batch by ranges of their numbers."""

from __future__ import annotations

from collections.abc import Sequence

import aiosqlite

from edge_agent.store.base import StoredBatch
from edge_agent.store.database import Database
from edge_contract.ranges import Range


async def measured(connection: aiosqlite.Connection, ranges: Sequence[Range]) -> tuple[int, int]:
    """How many are stored, and the bytes of their payloads."""
    count = size = 0
    sql = "SELECT count(*), coalesce(sum(length(payload)), 0) FROM batch WHERE seq BETWEEN ? AND ?"
    for span in ranges:
        [held] = await connection.execute_fetchall(sql, span)
        count, size = count + held[0], size + held[1]
    return count, size


async def delete(connection: aiosqlite.Connection, ranges: Sequence[Range]) -> None:
    for span in ranges:
        await connection.execute("DELETE FROM batch WHERE seq BETWEEN ? AND ?", span)


async def oldest(
    connection: aiosqlite.Connection, ranges: Sequence[Range], limit: int
) -> list[tuple[int, int, int]]:
    """Number, time of commit (ms) and bytes of the oldest."""
    found: list[tuple[int, int, int]] = []
    sql = "SELECT seq, t_ms, length(payload) FROM batch WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
    for first, last in ranges:
        rows = await connection.execute_fetchall(sql, (first, last, limit - len(found)))
        found += [(row[0], row[1], row[2]) for row in rows]
        if len(found) >= limit:
            break
    return found


async def following_numbers(database: Database, ranges: Sequence[Range], limit: int) -> list[int]:
    found: list[int] = []
    sql = "SELECT seq FROM batch WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
    for first, last in ranges:
        if len(found) >= limit:
            break
        found += [seq for (seq,) in await database.read(sql, (first, last, limit - len(found)))]
    return found


async def read_batches(database: Database, ranges: Sequence[Range], limit: int) -> list[StoredBatch]:
    found: list[StoredBatch] = []
    sql = "SELECT seq, t_ms, samples, payload FROM batch WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
    for first, last in ranges:
        if len(found) >= limit:
            break
        rows = await database.read(sql, (first, last, limit - len(found)))
        found += [StoredBatch(*row) for row in rows]
    return found
