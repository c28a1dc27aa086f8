"""Rows of the table batch by ranges of their numbers."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from edge_agent.store.base import StoredBatch
from edge_contract.ranges import Range

Look = tuple[int, dict[str, int]]
"""Pages in use, and the number of the oldest batch that each consumer needs, if it needs one."""


def look(connection: sqlite3.Connection, needed: Mapping[str, Sequence[Range]]) -> Look:
    """What only the file knows. needed: by each consumer."""
    sql = "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count"
    [(pages,)] = connection.execute(sql).fetchall()
    firsts = {name: numbers(connection, ranges, 1) for name, ranges in needed.items()}
    return pages, {name: first[0] for name, first in firsts.items() if first}


def measured(connection: sqlite3.Connection, ranges: Sequence[Range]) -> tuple[int, int]:
    """How many are stored, and the bytes of their payloads."""
    count = size = 0
    sql = "SELECT count(*), coalesce(sum(length(payload)), 0) FROM batch WHERE seq BETWEEN ? AND ?"
    for span in ranges:
        [held] = connection.execute(sql, span).fetchall()
        count, size = count + held[0], size + held[1]
    return count, size


def delete(connection: sqlite3.Connection, ranges: Sequence[Range]) -> None:
    """Delete the batches of these ranges, in the caller's transaction."""
    for span in ranges:
        connection.execute("DELETE FROM batch WHERE seq BETWEEN ? AND ?", span)


def oldest(connection: sqlite3.Connection, ranges: Sequence[Range], limit: int) -> list[tuple[int, int, int]]:
    """Number, time of commit (ms) and bytes of the oldest."""
    result: list[tuple[int, int, int]] = []
    sql = "SELECT seq, t_ms, length(payload) FROM batch WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
    for first, last in ranges:
        rows = connection.execute(sql, (first, last, limit - len(result))).fetchall()
        result += [(row[0], row[1], row[2]) for row in rows]
        if len(result) >= limit:
            break
    return result


def numbers(connection: sqlite3.Connection, ranges: Sequence[Range], limit: int) -> list[int]:
    """Up to limit numbers of stored batches within ranges, rising."""
    result: list[int] = []
    sql = "SELECT seq FROM batch WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
    for first, last in ranges:
        if len(result) >= limit:
            break
        result += [seq for (seq,) in connection.execute(sql, (first, last, limit - len(result)))]
    return result


def read(connection: sqlite3.Connection, ranges: Sequence[Range], limit: int) -> list[StoredBatch]:
    """Up to limit stored batches within ranges, by rising number."""
    result: list[StoredBatch] = []
    sql = "SELECT seq, t_ms, samples, payload FROM batch WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
    for first, last in ranges:
        if len(result) >= limit:
            break
        rows = connection.execute(sql, (first, last, limit - len(result)))
        result += [StoredBatch(*row) for row in rows]
    return result
