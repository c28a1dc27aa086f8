"""Streams are forgotten: of deleted gateways, silent ones, and too many of one gateway."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import select

from cloud.db import Database
from cloud.link.ingest_buffer import Arrival, IngestBuffer
from cloud.link.models import LinkStream
from cloud.link.orphan_cleanup import OrphanCleanup
from cloud.link.stream_expiry import KEEP_RETIRED_MS, KEEP_SILENT_MS, StreamExpiry
from edge_contract.batch import Header
from edge_contract.limits import STREAMS

GW, OTHER = "gw-alpha", "gw-beta"
T0 = 1_790_000_000_000


class Streams:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.buffer = IngestBuffer(database)
        self.expiry = StreamExpiry(database)

    async def receive(self, stream: int, t_ms: int, gateway: str = GW) -> None:
        header = Header(f"{stream:016x}", 1, "c" * 16, t_ms, 1)
        [new] = await self.buffer.append([Arrival(gateway, "live", header, b"x", t_ms)])
        heads = await self.buffer.heads({new.gateway: 0}, 1000)
        await self.buffer.mark_stored([head.id for head in heads], t_ms)

    async def left(self, gateway: str = GW) -> list[int]:
        async with self.database.reading() as session:
            query = select(LinkStream.stream).where(LinkStream.gateway == gateway)
            return sorted(int(stream, 16) for stream in await session.scalars(query))


@pytest.fixture
async def streams(database_url: str) -> AsyncIterator[Streams]:
    database = Database(database_url)
    yield Streams(database)
    await database.close()


@pytest.mark.clause("C-139")
async def test_the_newest_of_a_gateway_stay(streams: Streams) -> None:
    for number in range(STREAMS + 20):
        await streams.receive(number, T0 + number)
    await streams.receive(1, T0, OTHER)
    assert await streams.expiry.clean(T0 + 1000) == 20
    assert await streams.left() == list(range(20, STREAMS + 20))
    assert await streams.left(OTHER) == [1]
    assert await streams.expiry.clean(T0 + 1000) == 0


@pytest.mark.clause("C-139")
async def test_a_stream_with_batches_to_store_stays(streams: Streams) -> None:
    header = Header("f" * 16, 1, "c" * 16, T0, 1)
    await streams.buffer.append([Arrival(GW, "live", header, b"x", T0)])
    late = [Arrival(GW, "live", Header(f"{n:016x}", 1, "c" * 16, T0, 1), b"x", T0 + 1) for n in range(60)]
    await streams.buffer.append(late)
    heads = await streams.buffer.heads({GW: 0}, 1000)
    await streams.buffer.mark_stored([head.id for head in heads[1:]], T0)
    assert await streams.expiry.clean(T0 + 2) == 10
    assert int("f" * 16, 16) in await streams.left()


@pytest.mark.clause("C-139")
async def test_of_a_deleted_gateway_after_a_while(streams: Streams) -> None:
    await streams.receive(1, T0)
    await streams.receive(2, T0)
    await OrphanCleanup(streams.database, now_ms=lambda: T0 + 10).erase(GW)
    assert await streams.expiry.clean(T0 + KEEP_RETIRED_MS) == 0
    assert await streams.left() == [1, 2]
    assert await streams.expiry.clean(T0 + 11 + KEEP_RETIRED_MS) == 2
    assert await streams.left() == []


@pytest.mark.clause("C-139")
async def test_a_silent_one_beside_another_but_never_the_last(streams: Streams) -> None:
    await streams.receive(1, T0)
    await streams.receive(2, T0 + 5)
    await streams.receive(1, T0, OTHER)
    assert await streams.expiry.clean(T0 + KEEP_SILENT_MS) == 0
    assert await streams.expiry.clean(T0 + KEEP_SILENT_MS + 100) == 1
    assert (await streams.left(), await streams.left(OTHER)) == ([2], [1])
