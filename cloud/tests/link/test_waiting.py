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


class Desk:
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
async def desk(database_url: str) -> AsyncIterator[Desk]:
    database = Database(database_url)
    yield Desk(database)
    await database.close()


@pytest.mark.clause("C-033")
async def test_what_waits_is_not_among_what_can_be_stored(desk: Desk) -> None:
    await desk.wait(1, 2)
    await desk.buffer.append([Arrival(OTHER, "live", Header(STREAM, 1, CATALOG, T0, 1), b"x", T0)])
    assert await desk.buffer.gateways_to_store() == [OTHER]
    assert await desk.buffer.backlog() == 3
    desk.domain.maps[GW, CATALOG] = {1: 1}
    await desk.catalogs.arrived(GW, CATALOG)
    assert desk.ready == [GW]
    assert await desk.buffer.gateways_to_store() == [GW, OTHER]
    assert desk.catalogs.known(GW, CATALOG) == {1: 1}


async def test_a_catalog_that_was_refused_ends_no_waiting(desk: Desk) -> None:
    await desk.wait(1)
    await desk.catalogs.arrived(GW, CATALOG)
    assert (desk.ready, await desk.buffer.gateways_to_store()) == ([], [])


@pytest.mark.clause("C-135")
async def test_more_rarely_asked_for_each_time(desk: Desk) -> None:
    await desk.wait(1)
    first, longest = ASK_EVERY_S
    asked_at = []
    while desk.passed_s < 3 * longest:
        before = len(desk.posted)
        await desk.catalogs.look()
        asked_at += [desk.passed_s] * (len(desk.posted) - before)
        desk.passed_s += 5
    pauses = [after - before for before, after in pairwise(asked_at)]
    assert pauses == [first, 20, 40, 80, 160, 320, longest]
    assert desk.posted[0] == (GW, Resend(catalog=CATALOG))


async def test_a_catalog_that_is_known_after_all_is_found_by_the_look(desk: Desk) -> None:
    """A process that ended between the catalog and its batches leaves them waiting."""
    await desk.wait(1)
    desk.domain.maps[GW, CATALOG] = {1: 1}
    await desk.catalogs.look()
    assert (desk.ready, desk.posted) == ([GW], [])
    assert await desk.buffer.gateways_to_store() == [GW]


@pytest.mark.clause("C-135")
@pytest.mark.parametrize(
    ("size", "count", "left"), [(7, 25, 10), (100, 20, 10), (300, 8, 3)], ids=["number", "both", "bytes"]
)
async def test_the_oldest_are_given_up_beyond_the_bounds(
    desk: Desk, size: int, count: int, left: int
) -> None:
    await desk.wait(*range(1, count + 1), size=size)
    await desk.wait(1, gateway=OTHER)
    await desk.catalogs.look()
    assert [(each.gateway, each.batches) for each in sorted(await desk.repository.all(), key=str)] == [
        (GW, left), (OTHER, 1)
    ]  # fmt: skip
    assert await desk.gaps() == [(1, count - left, count - left, "no_catalog")]
    assert await desk.gaps(OTHER) == []


@pytest.mark.clause("C-135")
async def test_a_flood_of_unknown_catalogs_holds_few_of_them(desk: Desk) -> None:
    for seq in range(1, 9):
        await desk.wait(seq, catalog=os.urandom(8).hex())
    await desk.catalogs.look()
    [waiting] = await desk.repository.all()
    assert (waiting.batches, waiting.catalogs) == (3, 3)
    assert await desk.gaps() == [(1, 5, 5, "no_catalog")]
    assert len(desk.posted) == 3  # what was given up is not asked for


@pytest.mark.clause("C-135")
async def test_what_waited_too_long_is_given_up_and_kept_for_a_while(desk: Desk) -> None:
    await desk.wait(1, 2, 4)
    desk.now += BOUNDS.age_ms + 1
    await desk.wait(3)
    await desk.catalogs.look()
    assert await desk.gaps() == [(1, 2, 2, "no_catalog"), (4, 4, 1, "no_catalog")]
    async with desk.database.reading() as session:
        rows = {row.seq: row for row in await session.scalars(select(LinkBatch))}
    assert {seq: (row.filed_ms, len(row.payload)) for seq, row in rows.items()} == {
        1: (desk.now, 7), 2: (desk.now, 7), 3: (None, 7), 4: (desk.now, 7)
    }  # fmt: skip
    assert await desk.buffer.delete_stored_before(T0 + KEEP_MS) == 3  # as what was stored


async def test_a_look_at_the_stream_leaves_the_given_up_as_they_are(desk: Desk) -> None:
    """They came: nobody asks for them, and no other reason takes their place."""
    await desk.wait(*range(1, 13))
    await desk.catalogs.look()
    gaps = GapDetector(desk.book, lambda *words: desk.posted.append(words), now_ms=lambda: desk.now)
    desk.posted.clear()
    for _ in range(3):
        gaps.pulse(
            GW,
            Pulse(
                t_ms=T0, boot=STREAM, stream=STREAM, next_seq=13, outbox_batches=0, outbox_bytes=0,
                hours_left=None, evicted_batches=0, slaves=[],
            ),
        )  # fmt: skip
        await gaps.check()
    assert await desk.gaps() == [(1, 2, 2, GapReason.NO_CATALOG.value)]
    assert desk.posted == []
