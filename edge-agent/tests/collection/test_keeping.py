"""Records stay until the cloud has them, in every store, and are bounded."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
from counting_gateway import CountingGateway, gateway

from edge_agent.collection import recorder as module
from edge_agent.store.base import CollectionLog, StoredRecord
from edge_agent.store.memory import open_memory
from edge_agent.store.sqlite import open_sqlite

pytestmark = pytest.mark.clause("C-131")


@pytest.fixture(params=["sqlite", "memory"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[CollectionLog]:
    if request.param == "memory":
        yield open_memory(1 << 20).collection
        return
    async with open_sqlite(tmp_path, 1 << 20, lambda: time.time_ns() // 1_000_000, time.monotonic) as store:
        yield store.collection


async def numbers(log: CollectionLog) -> list[int]:
    return [record.seq for record in await log.following(0, 1 << 40, 1000)]


async def test_a_record_grows_in_its_place(log: CollectionLog) -> None:
    for payload in (b"short", b"longer"):
        await log.put(StoredRecord(1, 5, payload), 99, "", {"one": 2.5}, 1000)
    assert [one.payload for one in await log.following(0, 9, 9)] == [b"longer"]
    covered = await log.covered()
    assert (covered.next_seq, covered.to_ms, covered.ended, covered.per_hour) == (2, 99, "", {"one": 2.5})


async def test_the_oldest_go_when_there_is_no_space(log: CollectionLog) -> None:
    for seq in range(1, 11):
        await log.put(StoredRecord(seq, 5, bytes(100)), seq, "", {}, 350)
    assert await numbers(log) == [8, 9, 10]
    await log.put(StoredRecord(11, 5, bytes(1000)), 11, "", {}, 350)
    assert await numbers(log) == [11], "the newest stays, however large"


async def test_only_an_acknowledgement_forgets(log: CollectionLog) -> None:
    for seq in range(1, 6):
        await log.put(StoredRecord(seq, 5, b"x"), seq, "", {}, 1000)
    await log.forget(3)
    assert await numbers(log) == [4, 5]
    assert (await log.covered()).next_seq == 6


async def test_a_linked_gateway_closes_a_record_a_minute_and_an_unlinked_one_an_hour() -> None:
    here = CountingGateway(gateway("a.one", cycle_ms=60_000))
    await here.run(300)
    assert len(await here.recorder.waiting()) == 5
    here.linked = False
    await here.run(9000)
    waiting = await here.recorder.waiting()
    assert 6 <= len(waiting) <= 8
    assert all(one.to_ms == other.from_ms for one, other in pairwise(waiting))
    here.linked = True
    await here.run(10)
    assert len(await here.recorder.waiting()) == len(waiting) + 1, "what has grown meanwhile is due"


async def test_the_record_that_grows_is_not_sent_and_not_forgotten() -> None:
    here = CountingGateway(gateway("a.one"))
    await here.run(30)
    assert await here.recorder.waiting() == []
    await here.recorder.acknowledged(7)
    assert len(await here.records()) == 1


async def test_a_report_is_bounded_in_time_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    here = CountingGateway(gateway("a.one"))
    await here.run(10)
    await here.stop()
    here.clock.now += 20 * 86_400
    here.start(gateway("a.one"))
    await here.run(200)
    assert [record.seq for record in await here.recorder.waiting()] == [1], "the next covers seven days"
    await here.recorder.acknowledged(1)
    assert [record.seq for record in await here.recorder.waiting()] == [2]
    await here.recorder.acknowledged(3)
    assert len(await here.recorder.waiting()) > 2
    monkeypatch.setattr(module, "REPORT_BYTES", 1)
    assert [record.seq for record in await here.recorder.waiting()] == [4]
