"""A gateway is deleted and its serial number added again: nothing of it is counted, nothing is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import func, select

from cloud.db import Base, Database
from cloud.link.gap_detection import GapDetector
from cloud.link.gap_store import GapStore
from cloud.link.ingest_buffer import Arrival, IngestBuffer, Refused
from cloud.link.models import LinkBatch
from cloud.link.orphan_cleanup import CHUNK, OrphanCleanup
from cloud.link.reception_statistics import COUNT_DELAY_MS, HOUR_MS, ReceptionCounts, ReceptionStatistics
from edge_contract.batch import Header
from edge_contract.payloads import Pulse

from .equipment import to_store

GW, OTHER, STREAM, BOOT = "gw-alpha", "gw-beta", "a" * 16, "f" * 16
T0 = 1_790_000_000_000 - 1_790_000_000_000 % HOUR_MS


class Books:
    """Everything that counts, on one migrated database with a simulated clock."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.now = T0
        self.buffer = IngestBuffer(database)
        self.reception = ReceptionStatistics(database, now_ms=lambda: self.now)
        self.gap_store = GapStore(database)
        self.gaps = GapDetector(self.gap_store, lambda gateway, message: None, now_ms=lambda: self.now)
        self.former = OrphanCleanup(database)

    async def receive(self, *seqs: int, gateway: str = GW) -> list[int]:
        """The numbers of the batches, of 10 samples each, that are new."""
        arrivals = [
            Arrival(gateway, "live", Header(STREAM, seq, "c" * 16, self.now, 10), b"x", self.now)
            for seq in seqs
        ]
        return [arrival.header.seq for arrival in await self.buffer.append(arrivals)]

    async def update(self) -> None:
        self.now += COUNT_DELAY_MS
        await self.reception.update()

    async def pulse(self, next_seq: int, outbox: int = 0) -> None:
        self.gaps.pulse(
            GW,
            Pulse(
                t_ms=self.now, boot=BOOT, stream=STREAM, next_seq=next_seq, outbox_batches=outbox,
                outbox_bytes=0, hours_left=None, evicted_batches=0, slaves=[],
            ),
        )  # fmt: skip
        await self.gaps.check()

    async def counts(self, gateway: str = GW) -> ReceptionCounts:
        return sum((await self.reception.hours(gateway, 0, 2**53)).values(), ReceptionCounts())

    async def missing(self) -> int:
        return sum(row.missing for row in await self.gap_store.missing(0, 2**53, GW))

    async def rows_of(self, gateway: str) -> dict[str, int]:
        """Rows by table, of those that have any."""
        found = {}
        async with self.database.reading() as session:
            for table in Base.metadata.sorted_tables:
                if table.name.startswith("link_") and "gateway" in table.c:
                    query = select(func.count()).select_from(table).where(table.c.gateway == gateway)
                    found[table.name] = int((await session.execute(query)).scalar_one())
        return {name: number for name, number in found.items() if number}


@pytest.fixture
async def books(database_url: str) -> AsyncIterator[Books]:
    database = Database(database_url)
    yield Books(database)
    await database.close()


@pytest.mark.clause("C-039")
async def test_the_next_gateway_with_the_serial_number_begins_with_nothing(books: Books) -> None:
    await books.receive(1, 2, 3, 3, 8, 9)
    await books.buffer.quarantine(Refused(GW, "live", T0, "body", "rule", b"x", True, STREAM, 5))
    await books.pulse(10)
    await books.update()
    await books.receive(10, gateway=OTHER)
    await books.receive(10)  # the newest row, neither booked nor stored
    assert (await books.counts(), await books.missing()) == (ReceptionCounts(6, 60, 0, 0, 1), 4)
    await books.former.erase(GW)
    assert await books.rows_of(GW) == {"link_stream": 1}
    assert (await books.counts(), await books.missing()) == (ReceptionCounts(), 0)
    [state] = await books.buffer.streams(GW)
    assert (state.received, state.duplicates, state.missing) == (0, 0, [])
    assert [batch.gateway for batch in await to_store(books.buffer, 10)] == [OTHER]
    assert (await books.counts(OTHER)).batches == 1


@pytest.mark.clause("C-028", "C-029", "C-039")
async def test_the_same_agent_loses_nothing_and_misses_nothing_of_the_former(books: Books) -> None:
    """It was told to forget 1 to 3, 8 and 9; of the others it holds 6 and 7, and those made since."""
    await books.receive(1, 2, 3, 8, 9)
    await books.pulse(10, outbox=4)
    await books.former.erase(GW)
    await books.pulse(14, outbox=6)
    assert await books.missing() == 0
    assert await books.receive(9, 6, 7, 10, 11, 13) == [6, 7, 10, 11, 13]  # the acknowledgement of 9 was lost
    await books.pulse(14)
    assert await books.missing() == 1  # 12, and neither 4 nor 5
    await books.update()
    assert await books.counts() == ReceptionCounts(5, 50, duplicates=1)


async def test_a_number_of_the_newest_row_is_not_given_again(books: Books) -> None:
    """What is booked and what is being stored is known by its number."""
    await books.receive(1, 2)
    async with books.database.reading() as session:
        newest = (await session.execute(select(func.max(LinkBatch.id)))).scalar_one()
    await books.update()
    await books.former.erase(GW)
    await books.former.erase(GW)
    await books.receive(1, gateway=OTHER)
    [batch] = await to_store(books.buffer, 10)
    assert batch.id > newest
    await books.update()
    assert (await books.counts(OTHER)).batches == 1
    await books.former.erase(OTHER)
    assert await to_store(books.buffer, 10) == []


async def test_more_than_one_transaction_holds(books: Books) -> None:
    await books.receive(*range(1, CHUNK + 3))
    assert await books.former.known() == [GW]
    await books.former.erase(GW)
    assert (await books.rows_of(GW), await books.former.known()) == ({"link_stream": 1}, [])
