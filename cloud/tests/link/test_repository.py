"""The link's queries on migrated SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from cloud.db import Database
from cloud.link import ingest_buffer
from cloud.link.ingest_buffer import Arrival, IngestBuffer, Refused
from edge_contract.batch import Header

from .equipment import to_store

GW = "gw-alpha"
STREAM, CATALOG = "a" * 16, "c" * 16


@pytest.fixture
async def repository(database_url: str) -> AsyncIterator[IngestBuffer]:
    database = Database(database_url)
    yield IngestBuffer(database)
    await database.close()


def arrivals(*seqs: int, gateway: str = GW, catalog: str = CATALOG, received_ms: int = 1000) -> list[Arrival]:
    return [
        Arrival(gateway, "live", Header(STREAM, seq, catalog, 1, 1), b"payload %d" % seq, received_ms)
        for seq in seqs
    ]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_failing_statement_is_an_error_of_the_database(database_url: str) -> None:
    """Ingest pauses for these and goes on; any other would end it."""
    database = Database(database_url)
    async with database.engine.begin() as connection:
        await connection.execute(text("ALTER TABLE link_stream RENAME TO gone"))
    with pytest.raises(DBAPIError) as caught:
        await IngestBuffer(database).append(arrivals(1))
    assert "payload 1" not in str(caught.value)
    await database.close()


@pytest.mark.clause("C-020", "C-028")
async def test_ingest_twice(repository: IngestBuffer) -> None:
    assert len(await repository.append(arrivals(1, 2, 5, 5))) == 3
    assert [item.header.seq for item in await repository.append(arrivals(2, 3, 5))] == [3]
    assert len(await repository.append(arrivals(1, gateway="gw-beta"))) == 1
    (state,) = await repository.streams(GW)
    assert (state.received, state.duplicates, state.max_seq, state.missing) == (4, 3, 5, [(4, 4)])
    assert await repository.backlog() == 5
    assert [item.payload for item in await to_store(repository, 3)] == [
        b"payload 1",
        b"payload 2",
        b"payload 5",
    ]
    assert await repository.streams("gw-other") == []


async def test_storing_and_deleting(repository: IngestBuffer) -> None:
    await repository.append(arrivals(1, 2, 3))
    await repository.append(arrivals(4, gateway="gw-beta"))
    assert await repository.gateways_to_store() == [GW, "gw-beta"]
    heads = await repository.heads({GW: 0, "gw-beta": 0, "gw-other": 0}, 2)
    assert [(head.gateway, head.samples, head.size) for head in heads] == [
        (GW, 1, 9), (GW, 1, 9), ("gw-beta", 1, 9)
    ]  # fmt: skip
    assert [head.id for head in await repository.heads({GW: heads[1].id}, 2)] == [heads[1].id + 1]
    await repository.mark_stored([head.id for head in heads[:2]], 2000)
    assert await repository.backlog() == 2
    assert await repository.delete_stored_before(1000) == 0
    assert await repository.delete_stored_before(1001) == 2
    assert await repository.delete_stored_before(1001) == 0
    assert await repository.append(arrivals(1, 2)) == []


async def test_the_quarantine_is_bounded(repository: IngestBuffer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_buffer, "QUARANTINE_ROWS", 3)
    for n in range(5):
        await repository.quarantine(Refused(GW, "live", n, "checksum", "r" * 400, b"x" * 300_000, False))
    async with repository._database.reading() as session:
        rows = (await session.scalars(ingest_buffer.select(ingest_buffer.LinkQuarantine))).all()
    assert sorted(row.received_ms for row in rows) == [2, 3, 4]
    assert {(row.size, len(row.payload), len(row.rule)) for row in rows} == {(300_000, 256 * 1024, 300)}


async def test_one_gateway_does_not_push_the_others_out_of_the_quarantine(
    repository: IngestBuffer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_buffer, "QUARANTINE_EACH", 2)
    for gateway in ("gw-beta", GW, GW, GW, GW):
        await repository.quarantine(Refused(gateway, "live", 1, "checksum", "r", b"x", False))
    async with repository._database.reading() as session:
        rows = (await session.scalars(ingest_buffer.select(ingest_buffer.LinkQuarantine))).all()
    assert sorted(row.gateway for row in rows) == [GW, GW, "gw-beta"]


async def test_two_writers_of_one_stream(repository: IngestBuffer) -> None:
    """A cloud that is replaced by another may overlap with it for a moment."""
    groups = [arrivals(*range(first, first + 40)) for first in (1, 21, 41, 1)]
    new = await asyncio.gather(*(repository.append(group) for group in groups))
    assert sorted(item.header.seq for group in new for item in group) == list(range(1, 81))
    (state,) = await repository.streams(GW)
    assert (state.received, state.duplicates, state.missing) == (80, 80, [])
    assert await repository.backlog() == 80
