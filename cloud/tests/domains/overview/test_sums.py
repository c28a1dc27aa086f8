"""Completeness of all gateways together is the sum of what the list of gateways says of each."""

from __future__ import annotations

from cloud.domains.completeness.buckets import DAY_MS, HOUR_MS
from cloud.domains.completeness.service import CompletenessService
from cloud.domains.inventory.models import Device
from cloud.domains.overview.sums_repository import SumsRepository
from cloud.link import CollectionStore, GapStore, ReceptionStatistics
from cloud.link.collection_models import LinkCollection, LinkCollectionHour
from cloud.link.models import LinkBatch
from cloud.link.reception_models import LinkGap, LinkHour

from ...conftest import SYSTEM, DomainServices


async def fill(services: DomainServices, now: int) -> None:
    """Gateways that read all, too little, stopped reporting, never reported; batches booked and not, gaps."""
    start = now - now % HOUR_MS - 24 * HOUR_MS
    async with services.database.session() as session:
        for name in ("all", "some", "stopped", "late", "never"):
            session.add(Device(gateway_id=name, title=name, secret_hash="", created_ms=1))
        for name, hours, to_ms in (
            ("all", 30, now),
            ("some", 30, now),
            ("stopped", 20, start + 15 * HOUR_MS),
        ):
            session.add(
                LinkCollection(gateway=name, stream="s", last_seq=1, first_ms=start - HOUR_MS, to_ms=to_ms)
            )
            for number in range(-5, hours - 5):
                if start + number * HOUR_MS >= to_ms:
                    break
                covered = min(HOUR_MS, to_ms - start - number * HOUR_MS)
                good = 360 if name != "some" else 360 - number % 3
                session.add(hour(name, start + number * HOUR_MS, covered, 360, good))
        session.add(
            LinkCollection(
                gateway="late", stream="s", last_seq=1, first_ms=start - DAY_MS, to_ms=start - HOUR_MS
            )
        )
        session.add(hour("late", start - 2 * HOUR_MS, HOUR_MS, 100, 100))
        for name in ("all", "some", "gone"):
            session.add(LinkHour(gateway=name, hour_ms=start + HOUR_MS, batches=50, samples=500))
        session.add(
            LinkBatch(
                gateway="some", stream="s", seq=9, catalog="c", lane="live", t_ms=now - 1000, received_ms=now,
                samples=5, payload=b"", filed_ms=None,
            )
        )  # fmt: skip
        for reason, from_ms, to_ms, missing in (
            ("held", start - HOUR_MS, start + HOUR_MS, 10),
            ("evicted", start + HOUR_MS, start + 2 * HOUR_MS, 7),
            ("no_catalog", start + HOUR_MS, start + HOUR_MS, 3),
            ("held", start - 5 * HOUR_MS, start - 4 * HOUR_MS, 99),
        ):
            session.add(
                LinkGap(
                    gateway="some", stream="s", first_seq=1, last_seq=9, missing=missing, reason=reason,
                    found_ms=now, filled_ms=None, from_ms=from_ms, to_ms=to_ms,
                )
            )  # fmt: skip
        await session.commit()


def hour(gateway: str, hour_ms: int, covered_ms: int, expected: int, good: int) -> LinkCollectionHour:
    return LinkCollectionHour(
        gateway=gateway, hour_ms=hour_ms, covered_ms=covered_ms, expected=expected, good=good, reasons="{}",
        gaps=0, more_gaps=0, detail=b"",
    )  # fmt: skip


async def test_the_sum_is_that_of_the_list(services: DomainServices) -> None:
    now = services.clock() - services.clock() % HOUR_MS + 1_234_567
    services.clock.now = now
    await fill(services, now)
    books = (
        ReceptionStatistics(services.database, now_ms=services.clock),
        GapStore(services.database),
        CollectionStore(services.database, now_ms=services.clock),
    )
    service = CompletenessService(*books, services.devices, services.outages, clock=services.clock)
    listed = (await service.of_all(SYSTEM, now - DAY_MS, now, 1, 100, "")).rows
    start, end = (now - DAY_MS) // HOUR_MS * HOUR_MS, (now // HOUR_MS + 1) * HOUR_MS
    async with services.database.reading() as session:
        repository = SumsRepository(session, SYSTEM)
        reads, worst = await repository.reads(start, end, now, 10)
        received, missing = await repository.batches(start, end)
    assert reads.expected == sum(row.collection.expected for row in listed) > 0
    assert reads.good == sum(row.collection.good for row in listed) > 0
    assert (reads.gateways, reads.measured) == (6, sum(row.collection.expected > 0 for row in listed))
    assert reads.measured == 4
    assert reads.complete == sum(row.collection.percent == 100 for row in listed)
    assert received == sum(row.received for row in listed) == 98  # "gone" is nobody's
    assert missing == sum(row.missing for row in listed) == 15
    lacks = {row.gateway_id: row.collection.missed for row in listed if row.collection.missed}
    assert {one.gateway: one.expected - one.good for one in worst} == lacks
    assert {"some", "stopped", "late"} <= set(lacks)


async def test_of_nothing_known_there_is_no_figure(services: DomainServices) -> None:
    async with services.database.session() as session:
        session.add(Device(gateway_id="never", title="never", secret_hash="", created_ms=1))
        await session.commit()
    now = services.clock()
    async with services.database.reading() as session:
        reads, worst = await SumsRepository(session, SYSTEM).reads(now - DAY_MS, now, now, 10)
    assert (reads.expected, reads.gateways, reads.measured, reads.complete, worst) == (0, 2, 0, 0, [])
