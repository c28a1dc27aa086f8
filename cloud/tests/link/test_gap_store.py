"""Looks at gateways, written down on migrated SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cloud.db import Database
from cloud.link.gap_detection import ASK_EVERY_S, GapDetector
from cloud.link.gap_rules import GIVE_UP_AFTER, StreamReport
from cloud.link.gap_store import GapStore
from cloud.link.ingest_buffer import Arrival, IngestBuffer, Refused
from edge_contract.batch import Header
from edge_contract.payloads import ControlMessage, Hello, Pulse, Resend

GW, STREAM, OTHER, BOOT = "gw-alpha", "a" * 16, "b" * 16, "f" * 16
T0 = 1_790_000_000_000


class Looks:
    """The gap map on one database; time passes by hand."""

    def __init__(self, database: Database) -> None:
        self.book = GapStore(database)
        self.buffer = IngestBuffer(database)
        self.posted: list[tuple[str, ControlMessage]] = []
        self.passed_s = 0.0
        self.gaps = GapDetector(
            self.book,
            lambda *words: self.posted.append(words),
            now_ms=lambda: T0,
            clock=lambda: self.passed_s,
        )

    async def receive(self, *seqs: int, stream: str = STREAM) -> None:
        headers = [Header(stream, seq, "c" * 16, T0 + seq, 1) for seq in seqs]
        await self.buffer.append([Arrival(GW, "live", header, b"x", T0) for header in headers])

    async def pulse(self, next_seq: int, outbox: int = 0, *, stream: str = STREAM, gateway: str = GW) -> None:
        self.gaps.pulse(
            gateway,
            Pulse(
                t_ms=T0, boot=BOOT, stream=stream, next_seq=next_seq, outbox_batches=outbox, outbox_bytes=0,
                hours_left=None, evicted_batches=0, slaves=[],
            ),
        )  # fmt: skip
        await self.gaps.check()

    async def rows(self) -> list[tuple[int, int, int, str]]:
        rows, _ = await self.book.page(GW, 0, 2**53, "", 0, 100)
        return sorted((row.first_seq, row.last_seq, row.missing, row.reason.value) for row in rows)


@pytest.fixture
async def looks(database_url: str) -> AsyncIterator[Looks]:
    database = Database(database_url)
    yield Looks(database)
    await database.close()


@pytest.mark.clause("C-029", "C-039")
async def test_who_was_asked_in_vain_does_not_hold_it(looks: Looks) -> None:
    await looks.receive(*range(1, 10), *range(20, 200))
    for _ in range(GIVE_UP_AFTER):
        await looks.pulse(205, outbox=5)
        await looks.pulse(205, outbox=5)
        assert await looks.rows() == [(10, 19, 10, "held")]
        looks.passed_s += ASK_EVERY_S
    assert looks.posted == [(GW, Resend(stream=STREAM, ranges=[(10, 19)]))] * GIVE_UP_AFTER
    await looks.pulse(205, outbox=5)
    assert await looks.rows() == [(10, 19, 10, "unknown")]
    await looks.receive(*range(10, 20))
    await looks.pulse(205, outbox=5)
    assert await looks.rows() == [(10, 19, 0, "unknown")]  # it came after all
    assert len(looks.posted) == GIVE_UP_AFTER


@pytest.mark.clause("C-039")
async def test_streams_that_nobody_spoke_of_and_streams_of_others(looks: Looks) -> None:
    await looks.receive(1, 4)
    await looks.pulse(9, gateway="gw-beta", stream=OTHER)
    assert await looks.rows() == []
    await looks.pulse(1, stream=OTHER)
    assert await looks.rows() == [(2, 3, 2, "replaced")]
    await looks.pulse(6)  # the first stream is back: its store was not lost
    assert await looks.rows() == [(2, 3, 2, "unknown"), (5, 5, 1, "unknown")]
    rows, total = await looks.book.page(GW, 0, 2**53, "unknown", 0, 100)
    assert (total, [(row.from_ms, row.to_ms) for row in rows if row.first_seq == 2]) == (
        2,
        [(T0 + 1, T0 + 4)],
    )
    assert [row.first_seq for row in await looks.book.missing(T0 + 2, T0 + 3, GW)] == [2]
    assert await looks.book.missing(T0 + 2, T0 + 3, "gw-beta") == []


async def test_a_batch_put_aside_is_one_gap_however_often(looks: Looks) -> None:
    await looks.receive(1, 2, 3)
    for _ in range(2):
        await looks.buffer.quarantine(Refused(GW, "live", T0, "body", "rule", b"x", True, STREAM, 2))
    await looks.buffer.quarantine(Refused(GW, "live", T0, "body", "rule", b"x", False))
    await looks.pulse(4)
    assert await looks.rows() == [(2, 2, 1, "damaged")]


async def test_what_was_said_while_the_database_was_away_is_looked_at_later(
    looks: Looks, monkeypatch: pytest.MonkeyPatch
) -> None:
    await looks.receive(1, 4)

    async def away(*_: object) -> None:
        raise OSError("away")

    with monkeypatch.context() as broken:
        broken.setattr(looks.book, "write", away)
        with pytest.raises(OSError, match="away"):
            await looks.pulse(5)
    await looks.gaps.check()
    assert await looks.rows() == [(2, 3, 2, "unknown")]


async def test_one_gateway_keeps_no_other_from_being_looked_at(
    looks: Looks, caplog: pytest.LogCaptureFixture
) -> None:
    """What it says passed the contract by mistake; the number is beyond the column."""
    await looks.receive(1, 2, *range(5, 100))
    for _ in range(2):
        looks.gaps._noted["gw-evil"] = StreamReport(OTHER, BOOT, 1, None, 0, dropped_samples=2**63)
        await looks.pulse(100, outbox=50)
        assert await looks.rows() == [(3, 4, 2, "held")]
        assert looks.gaps._noted == {}
    assert looks.posted == [(GW, Resend(stream=STREAM, ranges=[(3, 4)]))]
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "what gw-evil says of its streams cannot be written down"
    ]


async def test_the_first_batch_held_is_remembered_from_hello(looks: Looks) -> None:
    await looks.receive(*range(5, 100))
    words = {"version_min": 1, "version_max": 1, "agent": "1", "boot": BOOT, "stream": STREAM}
    looks.gaps.hello(
        GW,
        Hello(**words, first_seq=3, next_seq=100, catalog=BOOT, clock_set=True, t_ms=T0),  # type: ignore[arg-type]
    )
    await looks.gaps.check()
    assert await looks.rows() == []
    await looks.pulse(100, outbox=50)
    assert await looks.rows() == [(1, 2, 2, "unknown"), (3, 4, 2, "held")]
