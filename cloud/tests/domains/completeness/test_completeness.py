"""What came and what did not, for one gateway and for all, on both databases."""

from __future__ import annotations

import pytest

from cloud.domains.completeness.service import CompletenessService
from cloud.domains.devices.service import DeviceService
from cloud.errors import NotFound, ParameterError
from cloud.link import HOUR_MS, CollectionStore, GapReason, GapStore, ReceptionStatistics
from cloud.link.gap_rules import Gap
from cloud.link.gap_store import GapChanges
from cloud.link.ingest_buffer import Arrival, IngestBuffer
from edge_contract.batch import Header
from edge_contract.payloads import State

from ...conftest import BOOT, GATEWAY, STREAM, SYSTEM, DomainServices, hello

OTHER = "gw-test-2"


class Books:
    """The service on the link's real books, around one hour boundary of the simulated clock."""

    def __init__(self, services: DomainServices) -> None:
        self.services = services
        self.gaps = GapStore(services.database)
        reception = ReceptionStatistics(services.database, now_ms=services.clock)
        devices: DeviceService = services.devices
        self.collected = CollectionStore(services.database, now_ms=services.clock)
        self.service = CompletenessService(
            reception, self.gaps, self.collected, devices, services.outages, clock=services.clock
        )
        self.hour = services.clock.now - services.clock.now % HOUR_MS

    async def receive(self, *seqs: int, gateway: str = GATEWAY, start: int | None = None) -> None:
        begin = self.hour if start is None else start
        await IngestBuffer(self.services.database).append(
            [
                Arrival(
                    gateway,
                    "live",
                    Header(STREAM, seq, "c" * 16, begin + seq * 1000, 50),
                    b"x",
                    begin + seq * 1000,
                )
                for seq in seqs
            ]
        )

    async def lose(self, first: int, last: int, reason: GapReason, gateway: str = GATEWAY) -> None:
        gap = Gap(None, first, last, last - first + 1, reason, self.services.clock.now)
        await self.gaps.write(GapChanges(gaps=[((gateway, STREAM), gap)]), self.services.clock.now)


@pytest.fixture
async def books(services: DomainServices) -> Books:
    await services.claims.claim(OTHER, "Another")
    services.clock.now += HOUR_MS
    return Books(services)


@pytest.mark.clause("C-039")
async def test_of_one_gateway_by_hour_with_reasons_and_absences(books: Books) -> None:
    services = books.services
    await books.receive(*range(1, 11), *range(21, 31), *range(3600, 3610))
    await books.receive(1, 2)
    await books.lose(11, 20, GapReason.EVICTED)
    await services.presence.hello(GATEWAY, hello())
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    found = await books.service.of_device(SYSTEM, 1, books.hour + 5, books.hour + HOUR_MS + 1, "hour", 0)
    assert (found.from_ms, found.to_ms) == (books.hour, books.hour + 2 * HOUR_MS)
    assert [(b.received, b.samples, b.missing, b.percent) for b in found.buckets] == [
        (20, 1000, 10, 66.666), (10, 500, 0, 100.0)
    ]  # fmt: skip
    assert (found.received, found.missing, found.percent, found.reasons) == (30, 10, 75.0, {"evicted": 10})
    assert [(outage.reason, outage.online_ms) for outage in found.outages] == [("link_lost", None)]
    day = await books.service.of_device(SYSTEM, 1, books.hour, books.hour + 1, "day", 480)
    assert len(day.buckets) == 1 and day.from_ms % (24 * HOUR_MS) == 16 * HOUR_MS
    (gap,) = (await books.service.gaps(SYSTEM, 1, books.hour, books.hour + HOUR_MS, None, 1, 20)).rows
    assert (gap.first_seq, gap.last_seq, gap.reason, gap.filled_ms) == (11, 20, "evicted", None)
    assert (gap.from_ms, gap.to_ms) == (books.hour + 10_000, books.hour + 21_000)
    assert (await books.service.gaps(SYSTEM, 1, 0, 2**53, GapReason.HELD, 1, 20)).total == 0


@pytest.mark.clause("C-039")
async def test_of_all_the_worst_comes_first(books: Books) -> None:
    await books.receive(*range(1, 100))
    await books.receive(1, 4, gateway=OTHER)
    await books.lose(2, 3, GapReason.UNKNOWN, OTHER)
    period = (books.hour, books.hour + HOUR_MS)
    page = await books.service.of_all(SYSTEM, *period, 1, 20, "")
    assert [(row.gateway_id, row.percent, row.missing) for row in page.rows] == [
        (OTHER, 50.0, 2), (GATEWAY, 100.0, 0)
    ]  # fmt: skip
    second = await books.service.of_all(SYSTEM, *period, 2, 1, "-missing")
    assert ([row.gateway_id for row in second.rows], second.total) == ([GATEWAY], 2)
    nothing = await books.service.of_all(SYSTEM, 0, 1, 1, 20, "device_title")
    assert [row.percent for row in nothing.rows] == [None, None]


async def test_wrong_questions(books: Books) -> None:
    for question in (
        books.service.of_device(SYSTEM, 1, 5, 5, "hour", 0),
        books.service.of_device(SYSTEM, 1, 0, 2**53, "day", 0),
        books.service.of_device(SYSTEM, 1, 0, 1001 * HOUR_MS, "hour", 0),
        books.service.of_all(SYSTEM, 5, 5, 1, 20, ""),
        books.service.of_all(SYSTEM, 0, 5, 1, 20, "colour"),
        books.service.gaps(SYSTEM, 1, 5, 5, None, 1, 20),
    ):
        with pytest.raises(ParameterError, match=r"to_ms|bucket|sort"):
            await question
    with pytest.raises(NotFound):
        await books.service.of_device(SYSTEM, 9, 0, 5, "hour", 0)
