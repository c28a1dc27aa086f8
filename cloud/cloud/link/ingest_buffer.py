"""The ingest buffer: durable rows of received batches until the time series has them, and their queries.

A call raises SQLAlchemyError or OSError when the database is away; nothing of it was committed then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select

from cloud.core.shielded import shielded
from cloud.db import Database
from cloud.link.gap_store import add_damaged
from cloud.link.metrics import QUARANTINE_DROPPED, QUARANTINED
from cloud.link.models import LinkBatch, LinkQuarantine, LinkStream
from cloud.link.rows import BatchRow, BufferedBatch, Head, received_of, rows_of
from cloud.link.streams import Received
from edge_contract.batch import Header
from edge_contract.limits import MAX_BATCH_BYTES
from edge_contract.ranges import Range

QUARANTINE_ROWS = 1000
QUARANTINE_EACH = 100
"""Quarantined batches kept, of all gateways and of one; the oldest go first."""

DELETE_CHUNK = 500
"""Rows deleted in one transaction, so that a clean-up never holds the write lock for long."""

StreamKey = tuple[str, str]


class Arrival(NamedTuple):
    """A batch whose header and checksum are right. lane: live or history."""

    gateway: str
    lane: str
    header: Header
    payload: bytes
    received_ms: int

    @property
    def stream(self) -> StreamKey:
        """Gateway and stream."""
        return self.gateway, self.header.stream


@dataclass(frozen=True)
class StreamState:
    """Reception of one stream. missing: ranges below the highest number that never came."""

    stream: str
    received: int
    duplicates: int
    max_seq: int
    last_ms: int
    missing: list[Range]


@dataclass(frozen=True)
class Refused:
    """A batch for the quarantine. stream, seq: its identity when the gateway forgets it, else 0."""

    gateway: str
    lane: str
    received_ms: int
    field: str
    rule: str
    payload: bytes
    acknowledged: bool
    stream: str = ""
    seq: int = 0


class IngestBuffer:
    """Sessions are short: one transaction a call, which is finished even when its caller is cancelled."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @shielded
    async def append(self, arrivals: Sequence[Arrival]) -> list[Arrival]:
        """Store what is new, in one transaction; return it. The rest had been stored before."""
        async with self._database.session(urgent=True) as session:
            rows = rows_of(session)
            known = await rows.streams({arrival.stream for arrival in arrivals})
            new = [arrival for arrival in arrivals if known[arrival.stream].take(arrival.header.seq)]
            if new:
                await rows.insert([_batch_row(item) for item in new])
            await rows.remember(known.values(), arrivals[-1].received_ms)
            await session.commit()
        return new

    @shielded
    async def quarantine(self, refused: Refused) -> None:
        """Keep a batch that cannot be used; the oldest makes room."""
        async with self._database.session() as session:
            session.add(
                LinkQuarantine(
                    gateway=refused.gateway,
                    received_ms=refused.received_ms,
                    lane=refused.lane,
                    field=refused.field[:40],
                    rule=refused.rule[:300],
                    size=len(refused.payload),
                    acknowledged=int(refused.acknowledged),
                    payload=refused.payload[:MAX_BATCH_BYTES],
                )
            )
            await session.flush()
            if refused.acknowledged and refused.seq:
                await add_damaged(session, refused.gateway, refused.stream, refused.seq, refused.received_ms)
            newest = select(LinkQuarantine.id).order_by(LinkQuarantine.id.desc())
            mine = LinkQuarantine.gateway == refused.gateway
            keep = newest.where(mine).limit(QUARANTINE_EACH)
            dropped = await session.execute(
                delete(LinkQuarantine).where(mine, LinkQuarantine.id.not_in(keep))
            )
            too_old = delete(LinkQuarantine).where(LinkQuarantine.id.not_in(newest.limit(QUARANTINE_ROWS)))
            others = await session.execute(too_old)
            await session.commit()
        QUARANTINED.inc()
        QUARANTINE_DROPPED.inc(_rows(dropped) + _rows(others))

    @shielded
    async def received(self, gateway: str, stream: str) -> Received:
        """What came of a stream."""
        async with self._database.reading() as session:
            row = await session.get(LinkStream, (gateway, stream))
            return _received(row) if row else Received()

    @shielded
    async def streams(self, gateway: str) -> list[StreamState]:
        """Reception of every stream of a gateway, the newest last."""
        async with self._database.reading() as session:
            query = select(LinkStream).where(LinkStream.gateway == gateway).order_by(LinkStream.last_ms)
            rows = (await session.scalars(query)).all()
        return [
            StreamState(
                r.stream, r.received, r.duplicates, r.max_seq, r.last_ms, _received(r).missing(r.first_own)
            )
            for r in rows
        ]

    @shielded
    async def gateways_to_store(self) -> list[str]:
        """Gateways that have batches which can be stored."""
        query = select(LinkBatch.gateway).where(LinkBatch.filed_ms.is_(None), LinkBatch.waits_ms.is_(None))
        async with self._database.reading() as session:
            return list(await session.scalars(query.distinct().order_by(LinkBatch.gateway)))

    @shielded
    async def heads(self, after: Mapping[str, int], each: int) -> list[Head]:
        """The oldest batches of each gateway after a number that can be stored, in the order of arrival."""
        async with self._database.reading() as session:
            return await rows_of(session).heads(after, each)

    @shielded
    async def bodies(self, ids: Sequence[int]) -> list[BufferedBatch]:
        """Those batches with their bytes, in the order of arrival; what was deleted meanwhile is left out."""
        async with self._database.reading() as session:
            return await rows_of(session).bodies(ids)

    @shielded
    async def mark_stored(self, ids: Sequence[int], stored_ms: int) -> None:
        """These batches are in the time series. A mark that a power cut takes is made again."""
        async with self._database.asynchronous_commit() as session:
            await rows_of(session).mark_stored(ids, stored_ms)
            await session.commit()

    @shielded
    async def backlog(self) -> int:
        """How many batches wait to be stored."""
        query = select(func.count()).select_from(LinkBatch).where(LinkBatch.filed_ms.is_(None))
        both = (LinkBatch.waits_ms.is_(None), LinkBatch.waits_ms.is_not(None))  # each has an index
        async with self._database.reading() as session:
            return sum([int((await session.execute(query.where(part))).scalar_one()) for part in both])

    @shielded
    async def delete_stored_before(self, received_ms: int) -> int:
        """Delete some stored batches that came before; the number deleted, 0 when there are none left."""
        old = (
            select(LinkBatch.id)
            .where(LinkBatch.received_ms < received_ms, LinkBatch.filed_ms.is_not(None))
            .where(LinkBatch.id < select(func.max(LinkBatch.id)).scalar_subquery())  # no number comes twice
            .limit(DELETE_CHUNK)
        )
        async with self._database.session() as session:
            done = await session.execute(delete(LinkBatch).where(LinkBatch.id.in_(old)))
            await session.commit()
        return _rows(done)


def by_stream(arrivals: Sequence[Arrival]) -> dict[StreamKey, list[int]]:
    """Sequence numbers of each stream."""
    grouped: dict[StreamKey, list[int]] = defaultdict(list)
    for arrival in arrivals:
        grouped[arrival.stream].append(arrival.header.seq)
    return grouped


def _received(row: LinkStream) -> Received:
    return received_of(row.contiguous_upto, row.above)


def _batch_row(arrival: Arrival) -> BatchRow:
    gateway, lane, header, payload, received_ms = arrival
    identity = (gateway, header.stream, header.seq, header.catalog)
    return (*identity, lane, header.t_ms, received_ms, header.samples, payload)


def _rows(result: Any) -> int:
    return max(int(result.rowcount), 0)
