"""Hours of received batches on migrated SQLite and PostgreSQL: exact at every moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from cloud.db import Database
from cloud.link.ingest_buffer import Arrival, IngestBuffer
from cloud.link.reception_statistics import (
    COUNT_DELAY_MS,
    HOUR_MS,
    KEEP_MS,
    MAX_COUNT,
    ReceptionCounts,
    ReceptionStatistics,
    add_dropped,
    add_hours,
)
from edge_contract.batch import Header

from .equipment import to_store

GW, STREAM, CATALOG = "gw-alpha", "a" * 16, "c" * 16
T0 = 1_790_000_000_000 - 1_790_000_000_000 % HOUR_MS


@dataclass
class Books:
    """Ingest buffer and reception statistics on one database, with a simulated clock."""

    database: Database
    now: int = T0 + HOUR_MS

    def __post_init__(self) -> None:
        self.buffer = IngestBuffer(self.database)
        self.reception = ReceptionStatistics(self.database, now_ms=lambda: self.now)

    async def receive(
        self, *batches: tuple[int, int], gateway: str = GW, lane: str = "live", delay: int = 0
    ) -> None:
        """Batches of (sequence, closing time), of 10 samples each, received after `delay` ms."""
        await self.buffer.append(
            [
                Arrival(gateway, lane, Header(STREAM, seq, CATALOG, t_ms, 10), b"x", t_ms + delay)
                for seq, t_ms in batches
            ]
        )

    async def hours(self) -> dict[int, ReceptionCounts]:
        found = await self.reception.hours(GW, 0, 2**53)
        return {(hour - T0) // HOUR_MS: counts for hour, counts in found.items()}


@pytest.fixture
async def books(database_url: str) -> AsyncIterator[Books]:
    database = Database(database_url)
    yield Books(database)
    await database.close()


@pytest.mark.clause("C-039")
async def test_counts_are_the_same_before_while_and_after_booking(books: Books) -> None:
    await books.receive((1, T0), (2, T0 + 1), (3, T0 + HOUR_MS))
    await books.receive((4, T0 + 5), lane="history")
    await books.receive((5, T0 + 6), delay=60_001)
    await books.receive((6, T0 + 7), delay=60_000)
    await books.receive((1, T0), gateway="gw-beta")
    wanted = {0: ReceptionCounts(5, 50, 2, 20), 1: ReceptionCounts(1, 10)}
    assert await books.hours() == wanted
    books.now = T0 + 30_000  # two are not settled yet
    await books.reception.update()
    assert await books.hours() == wanted
    books.now = T0 + 2 * HOUR_MS
    await books.reception.update()
    await books.reception.update()
    assert await books.hours() == wanted
    totals = await books.reception.totals(T0, T0 + 2 * HOUR_MS)
    assert totals == {GW: ReceptionCounts(6, 60, 2, 20), "gw-beta": ReceptionCounts(1, 10)}
    assert await books.reception.totals(T0 + HOUR_MS, T0 + 2 * HOUR_MS) == {GW: ReceptionCounts(1, 10)}


async def test_duplicates_are_counted_once(books: Books) -> None:
    await books.receive((1, T0), (2, T0 + 1))
    await books.receive((1, T0), (1, T0), (3, T0 + 2))
    await books.reception.update()
    await books.reception.update()
    assert (await books.hours())[0].duplicates == 2
    await books.receive((3, T0 + HOUR_MS + 1))
    await books.reception.update()
    assert {hour: counts.duplicates for hour, counts in (await books.hours()).items()} == {0: 2, 1: 1}


async def test_a_closing_time_that_cannot_be_counts_when_it_came(books: Books) -> None:
    arrivals = [
        Arrival(GW, "live", Header(STREAM, seq, CATALOG, t_ms, 1), b"x", T0 + 1)
        for seq, t_ms in enumerate((0, T0 + 11 * 60_000, 2**53), 1)
    ]
    await books.buffer.append(arrivals)
    assert {hour: counts.batches for hour, counts in (await books.hours()).items()} == {0: 3}


async def test_what_was_deleted_stays_counted_and_what_comes_after_is_counted(books: Books) -> None:
    """Evidence goes after a week; SQLite would give the numbers of deleted rows away again."""
    await books.receive((1, T0), (2, T0 + 1), (3, T0 + 2))
    buffered = await to_store(books.buffer, 10)
    await books.buffer.mark_stored([batch.id for batch in buffered], T0)
    await books.reception.update()
    while await books.buffer.delete_stored_before(2**53):
        pass
    await books.receive((4, T0 + 3), (5, T0 + 4))
    assert (await books.hours())[0].batches == 5
    books.now += COUNT_DELAY_MS
    await books.reception.update()
    assert (await books.hours())[0].batches == 5


async def test_two_who_book_at_once_count_once(books: Books) -> None:
    other = ReceptionStatistics(books.database, now_ms=lambda: books.now)
    await books.receive(*((seq, T0 + seq) for seq in range(1, 200)))
    await books.reception.update()
    await other.update()
    assert (await books.hours())[0].batches == 199


async def test_old_hours_go_after_13_months(books: Books) -> None:
    async with books.database.session() as session:
        await add_dropped(session, {GW: 7}, T0)
        await add_dropped(session, {GW: 5}, T0 + 1)
        await session.commit()
    assert await books.hours() == {0: ReceptionCounts(dropped_samples=12)}
    books.now = T0 + KEEP_MS
    await books.reception.forget_old(books.now)
    assert len(await books.hours()) == 1
    books.now += 1
    await books.reception.forget_old(books.now)
    assert await books.hours() == {}


async def test_sums_of_what_gateways_say_stay_within_64_bits(books: Books) -> None:
    """13 months of hours, each with all that two boots can claim."""
    hours = KEEP_MS // HOUR_MS
    async with books.database.session() as session:
        for _ in range(2):
            rows = [(GW, T0 + hour * HOUR_MS, 0, 0, 0, 0, 0, MAX_COUNT) for hour in range(hours)]
            await add_hours(session, rows)
            await add_dropped(session, {GW: 2**63}, T0)
        await session.commit()
    totals = await books.reception.totals(0, 2**53)
    assert totals[GW].dropped_samples == hours * MAX_COUNT < 2**63
