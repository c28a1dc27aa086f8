"""Records of what was read, on migrated SQLite and PostgreSQL: kept once, clamped, bounded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from cloud.db import Database
from cloud.link.broker_connection import Incoming
from cloud.link.collection_hours import MAX_GAPS, SLAVES_NAMED
from cloud.link.collection_intake import WAITING_OF_ONE, CollectionIntake, Report
from cloud.link.collection_store import CollectedHour, CollectionStore
from cloud.link.metrics import LIMITED
from cloud.link.rate_limits import COLLECTION
from cloud.link.reception_statistics import HOUR_MS, KEEP_MS
from edge_contract.collection import Collection, CollectionRecord, PointReads, ReadGap, SlaveReads
from edge_contract.fields import ControlMessage
from edge_contract.limits import MAX_COLLECTION_BYTES
from edge_contract.payloads import Ack, encode
from edge_contract.topics import Message

GW, STREAM = "gw-alpha", "a" * 16
T0 = 1_790_000_000_000 - 1_790_000_000_000 % HOUR_MS
MINUTE_MS = 60_000


@dataclass
class Books:
    database: Database
    now: int = T0 + 2 * HOUR_MS

    def __post_init__(self) -> None:
        self.repository = CollectionStore(self.database, now_ms=lambda: self.now)

    async def take(self, *records: CollectionRecord, stream: str = STREAM, gateway: str = GW) -> None:
        await self.repository.take([(gateway, Collection(stream=stream, records=list(records)))])

    async def hours(self) -> dict[int, CollectedHour]:
        found = await self.repository.hours(GW, 0, 2**53, detailed=True)
        return {(hour - T0) // HOUR_MS: counts for hour, counts in found.items()}

    async def gaps(self, **wanted: Any) -> list[tuple[str, str, int, int]]:
        rows, total = await self.repository.gaps(
            GW, 0, 2**53, wanted.get("slave"), wanted.get("reason", ""), 0, 5000
        )
        assert total == len(rows)
        return [(row.slave, row.reason, row.from_ms - T0, row.to_ms - T0) for row in rows]


def minute(seq: int, good: int = 60, **changes: Any) -> CollectionRecord:
    """Minute `seq` after T0 of one slave that is read every second."""
    reads = SlaveReads(
        name="one", expected=60, good=good, missed={"no_answer": 60 - good} if good < 60 else {}
    )
    words = {
        "seq": seq,
        "from_ms": T0 + seq * MINUTE_MS,
        "to_ms": T0 + (seq + 1) * MINUTE_MS,
        "slaves": [reads],
    }
    return CollectionRecord(**(words | changes))


def gap(from_ms: int, to_ms: int, slave: str | None = "one", reason: str = "no_answer") -> ReadGap:
    return ReadGap(slave=slave, from_ms=T0 + from_ms, to_ms=T0 + to_ms, reason=reason, missed=1)


@pytest.fixture
async def books(database_url: str) -> AsyncIterator[Books]:
    database = Database(database_url)
    yield Books(database)
    await database.close()


@pytest.mark.clause("C-131")
async def test_a_record_counts_once_however_often_it_comes(books: Books) -> None:
    await books.take(minute(1), minute(2, good=40))
    await books.take(minute(1), minute(2, good=40))
    await books.take(minute(2, good=40), minute(3))
    hour = (await books.hours())[0]
    assert (hour.covered_ms, hour.expected, hour.good, hour.reasons) == (180_000, 180, 160, {"no_answer": 20})
    assert hour.detail.slaves["one"].missed == {"no_answer": 20}
    assert (await books.repository.reported())[GW].to_ms == T0 + 4 * MINUTE_MS
    assert (await books.repository.totals(T0, T0 + HOUR_MS))[GW].expected == 180


async def test_a_record_is_spread_over_the_hours_that_it_covers(books: Books) -> None:
    reads = SlaveReads(name="one", expected=1001, good=0, missed={"not_running": 1001})
    await books.take(
        CollectionRecord(seq=1, from_ms=T0 + HOUR_MS // 2, to_ms=T0 + 3 * HOUR_MS // 2, slaves=[reads])
    )
    hours = await books.hours()
    assert [(hour.covered_ms, hour.expected, hour.good) for hour in hours.values()] == [
        (HOUR_MS // 2, 500, 0), (HOUR_MS // 2, 501, 0)
    ]  # fmt: skip


async def test_pieces_of_one_gap_are_one_row(books: Books) -> None:
    await books.take(minute(1, gaps=[gap(70_000, 120_000)]))
    await books.take(minute(2, gaps=[gap(120_003, 180_000), gap(125_000, 130_000, "two")]))
    await books.take(minute(3, gaps=[gap(180_000, 190_000), gap(200_000, 210_000)]))
    assert sorted(await books.gaps(slave="one")) == [
        ("one", "no_answer", 70_000, 190_000), ("one", "no_answer", 200_000, 210_000)
    ]  # fmt: skip
    assert await books.gaps(slave="two", reason="no_answer") == [("two", "no_answer", 125_000, 130_000)]


@pytest.mark.clause("C-133")
async def test_time_between_records_is_a_gap_that_nobody_reported(books: Books) -> None:
    await books.take(minute(1))
    await books.take(minute(5), stream="b" * 16)
    assert await books.gaps() == [("", "not_reported", 120_000, 300_000)]


@pytest.mark.clause("C-134")
async def test_what_cannot_be_is_clamped(books: Books) -> None:
    """20,000 points at 10 ms are 2,000 reads in a millisecond, over all slaves."""
    lies = [
        SlaveReads(name="a", expected=10, good=99, missed={"no_answer": 5}),
        SlaveReads(name="b", expected=10, good=4, missed={"no_answer": 99, "moon": 3}),
        SlaveReads(name="c", expected=10, good=4, missed={"moon": 3}),
        SlaveReads(name="d", expected=2**53, good=2**53),
    ]
    await books.take(minute(1, slaves=lies, gaps=[gap(70_000, 2**50, reason="moon"), gap(80_000, 80_000)]))
    hour = (await books.hours())[0]
    slaves = hour.detail.slaves
    assert (slaves["a"].good, slaves["a"].missed) == (10, {})
    assert (slaves["b"].good, slaves["b"].missed) == (4, {"no_answer": 6})
    assert (slaves["c"].good, slaves["c"].missed) == (4, {"other": 6})
    assert hour.expected == 2000 * MINUTE_MS >= hour.good
    assert await books.gaps() == [("one", "other", 70_000, 120_000)]


@pytest.mark.clause("C-134")
async def test_hours_and_gaps_are_bounded(books: Books) -> None:
    for seq in range(1, 4):
        slaves = [SlaveReads(name=f"s{seq}-{n}", expected=1, good=0) for n in range(1000)]
        points = [PointReads(slave="one", point=f"p{seq}-{n}", expected=1, good=0) for n in range(500)]
        gaps = [
            gap(seq * MINUTE_MS + n * 10, seq * MINUTE_MS + n * 10 + 1, f"s{seq}-{n}") for n in range(500)
        ]
        await books.take(minute(seq, slaves=slaves, points=points, gaps=gaps))
    hour = (await books.hours())[0]
    assert (len(hour.detail.slaves), hour.expected) == (SLAVES_NAMED, 3000)
    assert len(hour.detail.points["one"]) == 1000
    assert len(await books.gaps()) == MAX_GAPS


@pytest.mark.clause("C-134")
async def test_times_before_and_after_what_is_kept_are_acknowledged_and_not_counted(books: Books) -> None:
    old = minute(1, from_ms=books.now - KEEP_MS - 9, to_ms=books.now - KEEP_MS - 1)
    ahead = minute(2, from_ms=books.now, to_ms=books.now + HOUR_MS)
    await books.take(old, ahead)
    assert (await books.hours(), await books.repository.reported()) == ({}, {})
    await books.take(minute(3))
    assert (await books.repository.reported())[GW].first_ms == T0 + 3 * MINUTE_MS
    assert (await books.hours())[0].good == 60


async def test_old_hours_and_gaps_are_forgotten(books: Books) -> None:
    await books.take(minute(1, gaps=[gap(70_000, 80_000)]))
    await books.repository.forget_old(books.now)
    assert await books.gaps()
    await books.repository.forget_old(T0 + KEEP_MS + HOUR_MS)
    assert (await books.gaps(), await books.hours()) == ([], {})


class Broker:
    """What the intake acknowledges to the broker, and posts to gateways."""

    def __init__(self) -> None:
        self.taken = 0
        self.posted: list[tuple[str, ControlMessage]] = []

    def post(self, gateway: str, message: ControlMessage) -> None:
        self.posted.append((gateway, message))

    def incoming(self, payload: bytes) -> Incoming:
        return Incoming("t", payload, False, self._took)

    def _took(self) -> None:
        self.taken += 1


@pytest.mark.clause("C-131")
async def test_a_report_is_acknowledged_after_it_is_kept_and_not_when_it_cannot_be(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = Broker()
    intake = CollectionIntake(books.repository, broker.post, sleep=lambda seconds: asyncio.sleep(0))
    good = encode(Collection(stream=STREAM, records=[minute(1), minute(7)]))
    await intake.take([Report(GW, broker.incoming(good)), Report("gw-bad", broker.incoming(b"{}"))])
    assert broker.posted == [(GW, Ack(stream=STREAM, collected=7))]
    assert broker.taken == 2

    async def fails(reports: object) -> None:
        raise OSError("no disk")

    monkeypatch.setattr(books.repository, "take", fails)
    await intake.take([Report(GW, broker.incoming(good))])
    assert (len(broker.posted), broker.taken) == (1, 3)


async def test_a_gateway_that_floods_waits_for_its_turns(books: Books) -> None:
    broker = Broker()
    intake = CollectionIntake(books.repository, broker.post, sleep=lambda seconds: asyncio.sleep(0))
    for seq in range(1, 500):
        report = Collection(stream=STREAM, records=[minute(seq % 50 + 1)])
        intake.put("gw-flood", broker.incoming(encode(report)))
    intake.put(GW, broker.incoming(encode(Collection(stream=STREAM, records=[minute(1)]))))
    assert broker.taken == 499 - WAITING_OF_ONE
    first = intake._turn()
    assert [report.gateway for report in first] == ["gw-flood", GW]


@pytest.mark.clause("C-136")
async def test_reports_above_the_allowance_are_dropped_until_the_gateway_is_no_more(
    books: Books, caplog: pytest.LogCaptureFixture
) -> None:
    now = 0.0
    broker = Broker()
    intake = CollectionIntake(books.repository, broker.post, clock=lambda: now)
    limited = LIMITED.labels(Message.COLLECTION.value)
    before = limited._value.get()
    large = bytes(MAX_COLLECTION_BYTES)
    free = int(COLLECTION.burst / COLLECTION.cost(len(large)))
    for _ in range(free + 5):
        intake.put(GW, broker.incoming(large))
        intake._turn()
        intake._of.clear()
    assert limited._value.get() == before + 5
    assert (broker.taken, caplog.text.count("gw-alpha comes too often")) == (5, 1)
    intake.put("gw-other", broker.incoming(large))
    now = COLLECTION.cost(len(large)) / COLLECTION.per_s
    intake.put(GW, broker.incoming(large))
    assert [report.gateway for report in intake._turn()] == ["gw-other", GW]
    intake.forget(GW)
    intake.put(GW, broker.incoming(large))
    assert limited._value.get() == before + 5
