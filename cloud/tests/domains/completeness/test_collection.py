"""The share of the expected reads, and that nothing known is never 100 %."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.completeness.service import CompletenessService
from cloud.domains.completeness.slaves import CollectionService
from cloud.errors import NotFound, ParameterError
from cloud.link import HOUR_MS, CollectionStore, GapStore, MissedReason, ReceptionStatistics
from edge_contract.collection import Collection, CollectionRecord, PointReads, ReadGap, SlaveReads

from ...conftest import GATEWAY, STREAM, SYSTEM, DomainServices

MINUTE_MS = 60_000
OTHER = "gw-test-2"


class Books:
    """Both services on the link's real books; hour: a full hour before the simulated now."""

    def __init__(self, services: DomainServices) -> None:
        self.services = services
        self.collected = CollectionStore(services.database, now_ms=services.clock)
        self.whole = CompletenessService(
            ReceptionStatistics(services.database, now_ms=services.clock), GapStore(services.database),
            self.collected, services.devices, services.outages, clock=services.clock,
        )  # fmt: skip
        self.slaves = CollectionService(self.collected, services.devices, clock=services.clock)
        self.hour = services.clock.now - services.clock.now % HOUR_MS
        self._seq = 0

    async def take(self, from_min: int, to_min: int, *slaves: SlaveReads, **more: Any) -> None:
        """A record of these minutes after the hour; one slave read once a second when none is given."""
        self._seq += 1
        count = (to_min - from_min) * 60
        reads = list(slaves) or [SlaveReads(name="one", expected=count, good=count)]
        record = CollectionRecord(
            seq=self._seq,
            from_ms=self.hour + from_min * MINUTE_MS,
            to_ms=self.hour + to_min * MINUTE_MS,
            slaves=reads,
            **more,
        )
        await self.collected.take([(GATEWAY, Collection(stream=STREAM, records=[record]))])

    def at(self, minute: float) -> int:
        return self.hour + round(minute * MINUTE_MS)


@pytest.fixture
async def books(services: DomainServices) -> Books:
    await services.claims.claim(OTHER, "Another")
    made = Books(services)
    services.clock.now = made.at(60)
    return made


def silent(name: str, expected: int, good: int, reason: str = "no_answer") -> SlaveReads:
    missed = {reason: expected - good} if good < expected else {}
    return SlaveReads(name=name, expected=expected, good=good, missed=missed)


async def test_every_missing_read_has_its_reason(books: Books) -> None:
    gaps = [ReadGap(slave="two", from_ms=books.at(10), to_ms=books.at(11), reason="port_lent", by="anna")]
    points = [PointReads(slave="one", point="p", expected=10, good=1)]
    await books.take(
        0, 60, silent("one", 3600, 3590), silent("two", 3600, 3540, "port_lent"), gaps=gaps, points=points
    )
    found = await books.slaves.of_device(SYSTEM, 1, books.at(0), books.at(60))
    assert (found.collection.expected, found.collection.good) == (7200, 7130)
    assert found.collection.percent == 99.027
    assert found.collection.reasons == {"no_answer": 10, "port_lent": 60}
    assert [(one.slave, one.collection.percent) for one in found.slaves] == [("one", 99.722), ("two", 98.333)]
    assert [(one.slave, one.point, one.percent, one.dsid) for one in found.points] == [
        ("one", "p", 10.0, None)
    ]
    assert [(one.slave, one.reason, one.lent_to, one.missed) for one in found.gaps] == [
        ("two", MissedReason.PORT_LENT, "anna", 0)
    ]
    whole = await books.whole.of_device(SYSTEM, 1, books.at(0), books.at(60), "hour", 0)
    assert whole.percent is None, "no batch was ever buffered: transport and collection are apart"
    assert (whole.collection.percent, whole.buckets[0].collection.percent) == (99.027, 99.027)
    rows = (await books.whole.of_all(SYSTEM, books.at(0), books.at(60), 1, 20, "collection")).rows
    assert [(row.gateway_id, row.collection.percent, row.collection.missed) for row in rows] == [
        (GATEWAY, 99.027, 70), (OTHER, None, 0)
    ]  # fmt: skip
    assert (rows[0].collection.reasons, rows[1].collection.reasons) == (whole.collection.reasons, {})
    assert rows[0].collection.reasons
    year = await books.whole.of_all(
        SYSTEM, books.at(0) - 40 * 24 * HOUR_MS, books.at(60), 1, 20, "collection"
    )
    assert (year.rows[0].collection.missed, year.rows[0].collection.reasons) == (70, {})


@pytest.mark.clause("C-133")
async def test_a_gateway_that_has_gone_is_not_complete(books: Books) -> None:
    """Nobody knows whether it reads: after 150 s its time is missing, as many reads as before it."""
    await books.take(0, 30)
    books.services.clock.now = books.at(32.5)
    found = await books.slaves.of_device(SYSTEM, 1, books.at(0), books.at(60))
    assert (found.collection.percent, found.gaps) == (100.0, [])
    books.services.clock.now = books.at(42.5)
    found = await books.slaves.of_device(SYSTEM, 1, books.at(0), books.at(60))
    assert found.collection.reasons == {"not_reported": 600}
    assert found.collection.percent == 75.0
    assert found.slaves[0].collection.percent == 75.0
    assert [(one.id, one.reason, one.from_ms, one.to_ms) for one in found.gaps] == [
        (0, MissedReason.NOT_REPORTED, books.at(30), books.at(42.5))
    ]
    (row, _) = (await books.whole.of_all(SYSTEM, books.at(0), books.at(60), 1, 20, "collection")).rows
    assert (row.collection.percent, row.collection.reasons) == (75.0, {"not_reported": 600})


@pytest.mark.clause("C-133")
async def test_late_reports_fill_in_the_past(books: Books) -> None:
    """A link that was down: when it is back the figure is as if it never had been. An agent that was down
    tells it with its next start."""
    await books.take(0, 30)
    assert (await books.slaves.of_device(SYSTEM, 1, books.at(0), books.at(60))).collection.percent == 52.173
    await books.take(30, 50)
    await books.take(50, 59, silent("one", 540, 0, "not_running"))
    books.services.clock.now = books.at(60)
    found = await books.slaves.of_device(SYSTEM, 1, books.at(0), books.at(60))
    assert found.collection.reasons == {"not_running": 540}
    assert found.collection.percent == 84.745


async def test_hours_without_any_report_count_as_before_them(books: Books) -> None:
    await books.take(0, 60)
    books.services.clock.now = books.at(240)
    found = await books.whole.of_device(SYSTEM, 1, books.at(60), books.at(240), "hour", 0)
    assert [bucket.collection.percent for bucket in found.buckets] == [0.0, 0.0, 0.0]
    assert found.collection.expected == pytest.approx(3 * 3600 - 150, abs=1)
    by_slave = await books.slaves.of_device(SYSTEM, 1, books.at(60), books.at(240))
    assert [one.collection.percent for one in by_slave.slaves] == [0.0]


@pytest.mark.clause("C-133")
async def test_time_before_the_first_report_is_not_judged_and_the_answer_says_since_when(
    books: Books,
) -> None:
    await books.take(30, 60)
    found = await books.whole.of_device(SYSTEM, 1, books.at(-120), books.at(60), "hour", 0)
    assert (found.collection.percent, found.collection.since_ms) == (100.0, books.at(30))
    assert [bucket.collection.no_figure for bucket in found.buckets] == ["not_yet", "not_yet", None]
    later = await books.slaves.of_device(SYSTEM, 1, books.at(60), books.at(61))
    assert later.collection.since_ms is None


@pytest.mark.clause("C-133")
@pytest.mark.parametrize(
    ("minutes", "why"),
    [((-120, -60), "not_yet"), ((0, 60), "nothing_expected"), ((120, 180), "nothing_expected")],
)
async def test_nothing_expected_is_no_figure(books: Books, minutes: tuple[int, int], why: str) -> None:
    """All slaves are disabled."""
    await books.take(0, 60, SlaveReads(name="one", expected=0, good=0))
    start, end = map(books.at, minutes)
    found = await books.slaves.of_device(SYSTEM, 1, start, end)
    assert (found.collection.percent, found.collection.no_figure) == (None, why)
    assert (await books.whole.of_device(SYSTEM, 1, start, end, "hour", 0)).collection.no_figure == why


async def test_a_slave_that_was_removed_is_not_missed(books: Books) -> None:
    await books.take(0, 30, silent("old", 1800, 1800), silent("one", 1800, 1800))
    await books.take(30, 60)
    books.services.clock.now = books.at(120)
    await books.take(60, 90)
    found = await books.slaves.of_device(SYSTEM, 1, books.at(0), books.at(120))
    shares = {one.slave: one.collection.percent for one in found.slaves}
    assert shares["old"] == 100.0
    assert 50 < (shares["one"] or 0) < 100


async def test_gaps_by_slave_and_reason(books: Books) -> None:
    gaps = [
        ReadGap(slave="one", from_ms=books.at(1), to_ms=books.at(2), reason="no_answer"),
        ReadGap(slave="two", from_ms=books.at(3), to_ms=books.at(4), reason="bad_frame", points=["p"]),
        ReadGap(from_ms=books.at(5), to_ms=books.at(6), reason="frozen"),
    ]
    await books.take(0, 60, gaps=gaps)

    async def kinds(slave: str | None, reason: MissedReason | None) -> list[str]:
        page = await books.slaves.gaps(SYSTEM, 1, books.at(0), books.at(60), slave, reason, 1, 20)
        return [row.reason.value for row in page.rows]

    assert await kinds(None, None) == ["frozen", "bad_frame", "no_answer"]
    assert await kinds("two", None) == ["frozen", "bad_frame"]
    assert await kinds(None, MissedReason.NO_ANSWER) == ["no_answer"]


async def test_wrong_questions(books: Books) -> None:
    for question in (
        books.slaves.of_device(SYSTEM, 1, 5, 5),
        books.slaves.of_device(SYSTEM, 1, 0, 32 * 24 * HOUR_MS),
        books.slaves.gaps(SYSTEM, 1, 5, 5, None, None, 1, 20),
    ):
        with pytest.raises(ParameterError, match="to_ms"):
            await question
    for unseen in (
        books.slaves.of_device(SYSTEM, 9, 0, 5),
        books.slaves.gaps(SYSTEM, 9, 0, 5, None, None, 1, 20),
    ):
        with pytest.raises(NotFound):
            await unseen
