"""The link's queries on migrated SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from cloud.db import Database
from cloud.link import landing
from cloud.link.landing import Arrival, LandingRepository, Refused
from edge_contract.batch import Header

GW = "gw-alpha"
STREAM, CATALOG = "a" * 16, "c" * 16


@pytest.fixture
async def repository(database_url: str) -> AsyncIterator[LandingRepository]:
    database = Database(database_url)
    yield LandingRepository(database)
    await database.close()


def arrivals(*seqs: int, gateway: str = GW, catalog: str = CATALOG, received_ms: int = 1000) -> list[Arrival]:
    return [
        Arrival(gateway, "live", Header(STREAM, seq, catalog, 1, 1), b"payload %d" % seq, received_ms)
        for seq in seqs
    ]


@pytest.mark.clause("C-020", "C-028")
async def test_landing_twice(repository: LandingRepository) -> None:
    assert len(await repository.land(arrivals(1, 2, 5, 5))) == 3
    assert [item.header.seq for item in await repository.land(arrivals(2, 3, 5))] == [3]
    assert len(await repository.land(arrivals(1, gateway="gw-beta"))) == 1
    (state,) = await repository.streams(GW)
    assert (state.received, state.duplicates, state.max_seq, state.missing) == (4, 3, 5, [(4, 4)])
    assert await repository.backlog() == 5
    assert [item.payload for item in await repository.unfiled(3, [])] == [
        b"payload 1",
        b"payload 2",
        b"payload 5",
    ]
    assert await repository.streams("gw-other") == []


async def test_filing_and_deleting(repository: LandingRepository) -> None:
    await repository.land(arrivals(1, 2))
    await repository.land(arrivals(3, catalog="d" * 16))
    await repository.land(arrivals(4, gateway="gw-beta", catalog="d" * 16))
    waiting = await repository.unfiled(10, [(GW, "d" * 16)])
    assert [(item.gateway, item.catalog[0]) for item in waiting] == [(GW, "c"), (GW, "c"), ("gw-beta", "d")]
    await repository.mark_filed([item.id for item in waiting[:2]], 2000)
    assert await repository.backlog() == 2
    assert await repository.delete_filed_before(1000) == 0
    assert await repository.delete_filed_before(1001) == 2
    assert await repository.delete_filed_before(1001) == 0
    assert await repository.land(arrivals(1, 2)) == []


async def test_the_quarantine_is_bounded(
    repository: LandingRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landing, "QUARANTINE_ROWS", 3)
    for n in range(5):
        await repository.quarantine(Refused(GW, "live", n, "checksum", "r" * 400, b"x" * 300_000, False))
    async with repository._database.reading() as session:
        rows = (await session.scalars(landing.select(landing.LinkQuarantine))).all()
    assert sorted(row.received_ms for row in rows) == [2, 3, 4]
    assert {(row.size, len(row.payload), len(row.rule)) for row in rows} == {(300_000, 256 * 1024, 300)}


async def test_two_writers_of_one_stream(repository: LandingRepository) -> None:
    """A cloud that is replaced by another may overlap with it for a moment."""
    groups = [arrivals(*range(first, first + 40)) for first in (1, 21, 41, 1)]
    new = await asyncio.gather(*(repository.land(group) for group in groups))
    assert sorted(item.header.seq for group in new for item in group) == list(range(1, 81))
    (state,) = await repository.streams(GW)
    assert (state.received, state.duplicates, state.missing) == (80, 80, [])
    assert await repository.backlog() == 80
