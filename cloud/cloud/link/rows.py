"""Statements of the ingest buffer, many rows at a time: one step on SQLite, sets of rows on PostgreSQL.

SQLite gives Python's lock back for each step of a statement and then wants it again, which a busy event loop
makes it wait for. So a group is bound as one JSON text and one blob and written by a single step.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import msgspec
from sqlalchemy import select, text, tuple_, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.link.models import LinkBatch, LinkStream
from cloud.link.streams import Received

StreamKey = tuple[str, str]

BatchRow = tuple[str, str, int, str, str, int, int, int, bytes]
"""gateway, stream, seq, catalog, lane, t_ms, received_ms, samples, payload."""

_COLUMNS = ("gateway", "stream", "seq", "catalog", "lane", "t_ms", "received_ms", "samples", "payload")

_OF_STREAM = (
    "gateway", "stream", "contiguous_upto", "above", "max_seq", "received", "duplicates", "last_ms"
)  # fmt: skip
"""Columns that ingest writes."""


class Head(NamedTuple):
    """A batch that is not stored yet, without its bytes. size: how many."""

    id: int
    gateway: str
    samples: int
    size: int


class BufferedBatch(NamedTuple):
    """A batch that waits to be stored."""

    id: int
    gateway: str
    catalog: str
    lane: str
    received_ms: int
    samples: int
    payload: bytes


@dataclass
class StreamReception:
    """A stream while a group is buffered. above: the stored text of received.above."""

    key: StreamKey
    received: Received = field(default_factory=Received)
    above: str = "[]"
    count: int = 0
    duplicates: int = 0
    fresh: set[int] = field(default_factory=set)

    def take(self, seq: int) -> bool:
        """Count a number; True when it is new."""
        if seq in self.fresh or seq in self.received:
            self.duplicates += 1
            return False
        self.fresh.add(seq)
        return True

    def row(self, now_ms: int) -> tuple[str, str, int, str, int, int, int, int]:
        """The columns _OF_STREAM."""
        received = self.received.add(self.fresh)
        above = self.above if received.above == self.received.above else json.dumps(received.above)
        count = self.count + len(self.fresh)
        return (*self.key, received.contiguous, above, received.highest, count, self.duplicates, now_ms)


class IngestStatements(Protocol):
    """Statements in one transaction of the caller's."""

    async def streams(self, keys: Collection[StreamKey]) -> dict[StreamKey, StreamReception]:
        """Lock and read the streams, so that two writers of one stream take turns."""

    async def insert(self, rows: Sequence[BatchRow]) -> None:
        """In this order; what is there already stays as it is."""

    async def remember(self, receptions: Iterable[StreamReception], now_ms: int) -> None:
        """Write the streams."""

    async def mark_stored(self, ids: Sequence[int], stored_ms: int) -> None:
        """Note when these batches were stored, in filed_ms."""

    async def heads(self, after: Mapping[str, int], each: int) -> list[Head]:
        """The oldest batches of each gateway after a number that can be stored, in their order."""

    async def bodies(self, ids: Sequence[int]) -> list[BufferedBatch]:
        """Batches that are there, in their order."""


def rows_of(session: AsyncSession) -> IngestStatements:
    """For the session's dialect."""
    on_postgresql = session.get_bind().dialect.name == "postgresql"
    return PostgresRows(session) if on_postgresql else SqliteRows(session)


def received_of(contiguous: int, above: str) -> Received:
    """Received of its stored form."""
    if above == "[]":
        return Received(contiguous)
    return Received(contiguous, tuple((first, last) for first, last in json.loads(above)))


_READ_STREAMS = """
SELECT json_group_array(json_array(s.gateway, s.stream, s.contiguous_upto, s.above, s.received, s.duplicates))
FROM json_each(?) AS k
JOIN link_stream AS s
  ON s.gateway = json_extract(k.value, '$[0]') AND s.stream = json_extract(k.value, '$[1]')
"""

_INSERT_BATCHES = """
INSERT INTO link_batch (gateway, stream, seq, catalog, lane, t_ms, received_ms, samples, payload)
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
       json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]'),
       json_extract(value, '$[6]'), json_extract(value, '$[7]'),
       substr(?2, json_extract(value, '$[8]'), json_extract(value, '$[9]'))
FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING
"""

_WRITE_STREAMS = """
INSERT INTO link_stream (gateway, stream, contiguous_upto, above, max_seq, received, duplicates, last_ms)
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
       json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]'),
       json_extract(value, '$[6]'), json_extract(value, '$[7]')
FROM json_each(?) WHERE true
ON CONFLICT (gateway, stream) DO UPDATE SET
  contiguous_upto = excluded.contiguous_upto, above = excluded.above, max_seq = excluded.max_seq,
  received = excluded.received, duplicates = excluded.duplicates, last_ms = excluded.last_ms
"""

_MARK_STORED = "UPDATE link_batch SET filed_ms = ?1 WHERE id IN (SELECT value FROM json_each(?2))"


_HEADS = """
SELECT b.id, b.gateway, b.samples, length(b.payload)
FROM json_each(?1) AS k CROSS JOIN link_batch AS b ON b.id IN (
  SELECT u.id FROM link_batch AS u
  WHERE u.gateway = json_extract(k.value, '$[0]') AND u.id > json_extract(k.value, '$[1]')
    AND u.filed_ms IS NULL AND u.waits_ms IS NULL
  ORDER BY u.id LIMIT ?2)
ORDER BY b.id
"""

_BODIES = """
SELECT b.id, b.gateway, b.catalog, b.lane, b.received_ms, b.samples, b.payload
FROM json_each(?) AS k CROSS JOIN link_batch AS b ON b.id = k.value ORDER BY b.id
"""

_HEADS_POSTGRES = text("""
SELECT b.id, k.gateway, b.samples, b.size
FROM unnest(CAST(:gateways AS text[]), CAST(:after AS bigint[])) AS k (gateway, after) CROSS JOIN LATERAL (
  SELECT u.id, u.samples, octet_length(u.payload) AS size FROM link_batch AS u
  WHERE u.gateway = k.gateway AND u.id > k.after AND u.filed_ms IS NULL AND u.waits_ms IS NULL
  ORDER BY u.id LIMIT :each) AS b
ORDER BY b.id
""")


class SqliteRows:
    """Rows on SQLite, whose transaction holds the only write lock."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def streams(self, keys: Collection[StreamKey]) -> dict[StreamKey, StreamReception]:
        """See Rows."""
        ((text_of_all,),) = await self._run(_READ_STREAMS, _json(list(keys)))
        known = {key: StreamReception(key) for key in keys}
        for gateway, stream, contiguous, above, count, duplicates in json.loads(text_of_all):
            key = (gateway, stream)
            known[key] = StreamReception(key, received_of(contiguous, above), above, count, duplicates)
        return known

    async def insert(self, rows: Sequence[BatchRow]) -> None:
        """See Rows."""
        described, at = [], 1
        for row in rows:
            size = len(row[8])
            described.append((*row[:8], at, size))
            at += size
        await self._run(_INSERT_BATCHES, _json(described), b"".join([row[8] for row in rows]))

    async def remember(self, receptions: Iterable[StreamReception], now_ms: int) -> None:
        """See Rows."""
        await self._run(_WRITE_STREAMS, _json([reception.row(now_ms) for reception in receptions]))

    async def mark_stored(self, ids: Sequence[int], stored_ms: int) -> None:
        """See Rows."""
        await self._run(_MARK_STORED, stored_ms, _json(ids))

    async def heads(self, after: Mapping[str, int], each: int) -> list[Head]:
        """See Rows."""
        return [Head(*row) for row in await self._run(_HEADS, _json(list(after.items())), each)]

    async def bodies(self, ids: Sequence[int]) -> list[BufferedBatch]:
        """See Rows."""
        return [BufferedBatch(*row) for row in await self._run(_BODIES, _json(ids))]

    async def _run(self, statement: str, *values: object) -> Iterable[Any]:
        """Rows of a statement, without what SQLAlchemy makes of each."""
        connection = await (await self._session.connection()).get_raw_connection()
        assert connection.driver_connection is not None
        try:
            rows: Iterable[Any] = await connection.driver_connection.execute_fetchall(statement, values)
        except (sqlite3.Error, ValueError) as error:  # ValueError: the connection is closed
            raise OperationalError(statement, None, error) from error
        return rows


class PostgresRows:
    """Rows on PostgreSQL, where only the rows of the streams are locked."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def streams(self, keys: Collection[StreamKey]) -> dict[StreamKey, StreamReception]:
        """See Rows."""
        ordered = sorted(keys)
        empty = {
            "contiguous_upto": 0, "above": "[]", "max_seq": 0, "received": 0, "duplicates": 0, "last_ms": 0
        }  # fmt: skip
        rows = [{"gateway": gateway, "stream": stream, **empty} for gateway, stream in ordered]
        await self._session.execute(_insert(LinkStream).on_conflict_do_nothing(), rows)
        query = (
            select(
                LinkStream.gateway, LinkStream.stream, LinkStream.contiguous_upto, LinkStream.above,
                LinkStream.received, LinkStream.duplicates,
            )
            .where(tuple_(LinkStream.gateway, LinkStream.stream).in_(ordered))
            .order_by(LinkStream.gateway, LinkStream.stream)
            .with_for_update()
        )  # fmt: skip
        known: dict[StreamKey, StreamReception] = {}
        for gateway, stream, contiguous, above, count, duplicates in await self._session.execute(query):
            key = (gateway, stream)
            known[key] = StreamReception(key, received_of(contiguous, above), above, count, duplicates)
        return known

    async def insert(self, rows: Sequence[BatchRow]) -> None:
        """See Rows."""
        named = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
        await self._session.execute(_insert(LinkBatch).on_conflict_do_nothing(), named)

    async def remember(self, receptions: Iterable[StreamReception], now_ms: int) -> None:
        """See Rows."""
        rows = [dict(zip(_OF_STREAM, reception.row(now_ms), strict=True)) for reception in receptions]
        insert = _insert(LinkStream)
        changed = {name: insert.excluded[name] for name in _OF_STREAM[2:]}
        await self._session.execute(
            insert.on_conflict_do_update(index_elements=["gateway", "stream"], set_=changed), rows
        )

    async def mark_stored(self, ids: Sequence[int], stored_ms: int) -> None:
        """See Rows."""
        await self._session.execute(update(LinkBatch).where(LinkBatch.id.in_(ids)).values(filed_ms=stored_ms))

    async def heads(self, after: Mapping[str, int], each: int) -> list[Head]:
        """See Rows."""
        given = {"gateways": list(after), "after": list(after.values()), "each": each}
        return [Head(*row) for row in await self._session.execute(_HEADS_POSTGRES, given)]

    async def bodies(self, ids: Sequence[int]) -> list[BufferedBatch]:
        """See Rows."""
        columns = [getattr(LinkBatch, name) for name in BufferedBatch._fields]
        query = select(*columns).where(LinkBatch.id.in_(ids)).order_by(LinkBatch.id)
        return [BufferedBatch(*row) for row in await self._session.execute(query)]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _insert(model: type[LinkBatch] | type[LinkStream]) -> Any:
    """INSERT that knows ON CONFLICT."""
    table: Any = model.__table__
    return postgresql.insert(table)
