"""Batches whose catalog is not known: apart, bounded for each gateway, and given up with a reason."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from sqlalchemy import select

from cloud.db import Database
from cloud.link import GapReason
from cloud.link.catalogs import ASK_EVERY_S, Catalogs
from cloud.link.gap_detection import GapDetector
from cloud.link.gap_store import GapStore
from cloud.link.hooks import HookRunner
from cloud.link.ingest_buffer import Arrival, IngestBuffer
from cloud.link.models import LinkBatch
from cloud.link.retention import KEEP_MS
from cloud.link.waiting import Bounds, WaitingRepository
from edge_contract.batch import Header
from edge_contract.payloads import ControlMessage, Pulse, Resend

from .equipment import Domain, to_store

GW, OTHER, STREAM, CATALOG = "gw-alpha", "gw-beta", "a" * 16, "c" * 16
T0 = 1_790_000_000_000
BOUNDS = Bounds(batches=10, size=1000, catalogs=3, age_ms=60_000)


class LinkStores:
    """The repositories on one database, a domain that records, and clocks by hand."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.buffer = IngestBuffer(database)
        self.repository = WaitingRepository(database)
        self.book = GapStore(database)
        self.domain = Domain()
        self.now, self.passed_s = T0, 0.0
        self.posted: list[tuple[str, ControlMessage]] = []
        self.ready: list[str] = []
        self.catalogs = Catalogs(
            self.repository,
            self.domain.hooks(),
            HookRunner(),
            lambda *words: self.posted.append(words),
            self.ready.append,
            now_ms=lambda: self.now,
            clock=lambda: self.passed_s,
            bounds=BOUNDS,
        )

    async def wait(self, *seqs: int, catalog: str = CATALOG, gateway: str = GW, size: int = 7) -> None:
        """Land batches and put them aside."""
        headers = [Header(STREAM, seq, catalog, T0 + seq * 1000, 2) for seq in seqs]
        await self.buffer.append([Arrival(gateway, "live", each, b"x" * size, self.now) for each in headers])
        found = [each for each in await to_store(self.buffer, 1000) if each.gateway == gateway]
        await self.repository.put([each.id for each in found], self.now)

    async def gaps(self, gateway: str = GW) -> list[tuple[int, int, int, str]]:
        rows, _ = await self.book.page(gateway, 0, 2**53, "", 0, 100)
        return sorted((row.first_seq, row.last_seq, row.missing, row.reason.value) for row in rows)


@pytest.fixture
async def stores(database_url: str) -> AsyncIterator[LinkStores]:
    database = Database(database_url)
    yield LinkStores(database)
    await database.close()


@pytest.mark.clause("C-033")
async def test_what_waits_is_not_among_what_can_be_stored(stores: LinkStores) -> None:
    await stores.wait(1, 2)
    await stores.buffer.append([Arrival(OTHER, "live", Header(STREAM, 1, CATALOG, T0, 1), b"x", T0)])
    assert await stores.buffer.gateways_to_store() == [OTHER]
    assert await stores.buffer.backlog() == 3
    stores.domain.maps[GW, CATALOG] = {1: 1}
    await stores.catalogs.arrived(GW, CATALOG)
    assert stores.ready == [GW]
    assert await stores.buffer.gateways_to_store() == [GW, OTHER]
    assert stores.catalogs.known(GW, CATALOG) == {1: 1}


async def test_a_catalog_that_was_refused_ends_no_waiting(stores: LinkStores) -> None:
    await stores.wait(1)
    await stores.catalogs.arrived(GW, CATALOG)
    assert (stores.ready, await stores.buffer.gateways_to_store()) == ([], [])


@pytest.mark.clause("C-135")
async def test_more_rarely_asked_for_each_time(stores: LinkStores) -> None:
    await stores.wait(1)
    first, longest = ASK_EVERY_S
    asked_at = []
    while stores.passed_s < 3 * longest:
        before = len(stores.posted)
        await stores.catalogs.look()
        asked_at += [stores.passed_s] * (len(stores.posted) - before)
        stores.passed_s += 5
    pauses = [after - before for before, after in pairwise(asked_at)]
    assert pauses == [first, 20, 40, 80, 160, 320, longest]
    assert stores.posted[0] == (GW, Resend(catalog=CATALOG))


async def test_a_catalog_that_is_known_after_all_is_found_by_the_look(stores: LinkStores) -> None:
    """A process that ended between the catalog and its batches leaves them waiting."""
    await stores.wait(1)
    stores.domain.maps[GW, CATALOG] = {1: 1}
    await stores.catalogs.look()
    assert (stores.ready, stores.posted) == ([GW], [])
    assert await stores.buffer.gateways_to_store() == [GW]


@pytest.mark.clause("C-135")
@pytest.mark.parametrize(
    ("size", "count", "left"), [(7, 25, 10), (100, 20, 10), (300, 8, 3)], ids=["number", "both", "bytes"]
)
async def test_the_oldest_are_given_up_beyond_the_bounds(
    stores: LinkStores, size: int, count: int, left: int
) -> None:
    await stores.wait(*range(1, count + 1), size=size)
    await stores.wait(1, gateway=OTHER)
    await stores.catalogs.look()
    assert [(each.gateway, each.batches) for each in sorted(await stores.repository.all(), key=str)] == [
        (GW, left), (OTHER, 1)
    ]  # fmt: skip
    assert await stores.gaps() == [(1, count - left, count - left, "no_catalog")]
    assert await stores.gaps(OTHER) == []


@pytest.mark.clause("C-135")
async def test_a_flood_of_unknown_catalogs_holds_few_of_them(stores: LinkStores) -> None:
    for seq in range(1, 9):
        await stores.wait(seq, catalog=os.urandom(8).hex())
    await stores.catalogs.look()
    [waiting] = await stores.repository.all()
    assert (waiting.batches, waiting.catalogs) == (3, 3)
    assert await stores.gaps() == [(1, 5, 5, "no_catalog")]
    assert len(stores.posted) == 3  # what was given up is not asked for


@pytest.mark.clause("C-135")
async def test_what_waited_too_long_is_given_up_and_kept_for_a_while(stores: LinkStores) -> None:
    await stores.wait(1, 2, 4)
    stores.now += BOUNDS.age_ms + 1
    await stores.wait(3)
    await stores.catalogs.look()
    assert await stores.gaps() == [(1, 2, 2, "no_catalog"), (4, 4, 1, "no_catalog")]
    async with stores.database.reading() as session:
        rows = {row.seq: row for row in await session.scalars(select(LinkBatch))}
    assert {seq: (row.filed_ms, len(row.payload)) for seq, row in rows.items()} == {
        1: (stores.now, 7), 2: (stores.now, 7), 3: (None, 7), 4: (stores.now, 7)
    }  # fmt: skip
    assert await stores.buffer.delete_stored_before(T0 + KEEP_MS) == 3  # as what was stored


async def test_a_look_at_the_stream_leaves_the_given_up_as_they_are(stores: LinkStores) -> None:
    """They came: nobody asks for them, and no other reason takes their place."""
    await stores.wait(*range(1, 13))
    await stores.catalogs.look()
    gaps = GapDetector(stores.book, lambda *words: stores.posted.append(words), now_ms=lambda: stores.now)
    stores.posted.clear()
    for _ in range(3):
        gaps.pulse(
            GW,
            Pulse(
                t_ms=T0, boot=STREAM, stream=STREAM, next_seq=13, outbox_batches=0, outbox_bytes=0,
                hours_left=None, evicted_batches=0, slaves=[],
            ),
        )  # fmt: skip
        await gaps.check()
    assert await stores.gaps() == [(1, 2, 2, GapReason.NO_CATALOG.value)]
    assert stores.posted == []
