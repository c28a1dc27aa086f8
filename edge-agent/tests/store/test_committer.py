"""Samples become batches; refused commits keep them; what no batch can carry is counted, not fatal."""

from __future__ import annotations

import asyncio

import pytest

from edge_agent.errors import StoreFull
from edge_agent.model import Quality, Row, Sample
from edge_agent.store.base import Store, StoredBatch
from edge_agent.store.committer import COMMIT_AT_SAMPLES, MAX_PENDING, Committer
from edge_agent.store.fill_rate import FillRate
from edge_agent.store.memory import MemoryOutbox
from edge_contract import batch
from edge_contract.model import rows_of

CATALOG = "ab" * 8
NOW = 1_800_000_000_000


class Stubborn(MemoryOutbox):
    """Refuses to commit while told so."""

    refuse = True

    async def append(self, batch: StoredBatch, catalog: str) -> None:
        if self.refuse:
            raise StoreFull("no room")
        await super().append(batch, catalog)


def committer_on(outbox: MemoryOutbox, interval_s: float = 1.0) -> Committer:
    return Committer(outbox, CATALOG, interval_s, lambda: NOW)


def put(committer: Committer, samples: list[Sample]) -> None:
    for row in rows_of(samples):
        committer.put(row)


def samples(count: int, first: int = 0) -> list[Sample]:
    return [Sample(1, NOW + first + index, first + index) for index in range(count)]


@pytest.mark.clause("C-022")
async def test_one_batch_holds_what_waited_and_keeps_its_bytes(store: Store) -> None:
    committer = Committer(store.outbox, CATALOG, 1.0, lambda: NOW)
    await committer.flush()
    assert store.outbox.state().next_seq == 1, "nothing waited"
    put(committer, samples(3))
    put(committer, [Sample(2, NOW, "text", Quality.BAD_FRAME)])
    assert committer.state().pending_samples == 4
    await committer.flush()
    [row] = await store.outbox.following(0, 10)
    header, columns = batch.decode(row.payload)
    assert (header.seq, header.stream, header.catalog) == (1, store.outbox.state().stream, CATALOG)
    assert (header.t_ms, header.samples, row.samples) == (NOW, 4, 4)
    assert [(column.point, list(column.values)) for column in columns] == [(1, [0, 1, 2]), (2, ["text"])]
    put(committer, samples(1))
    await committer.flush()
    assert (await store.outbox.read([(1, 1)], 1))[0].payload == row.payload


async def test_many_samples_are_committed_before_the_interval_ends() -> None:
    outbox = MemoryOutbox(1 << 24)
    committer = committer_on(outbox, interval_s=60)
    running = asyncio.ensure_future(committer.run())
    put(committer, samples(COMMIT_AT_SAMPLES))
    await asyncio.wait_for(outbox.wait_new(0), 10)
    running.cancel()


async def test_interval() -> None:
    outbox = MemoryOutbox(1 << 20)
    committer = committer_on(outbox, interval_s=0.05)
    running = asyncio.ensure_future(committer.run())
    put(committer, samples(1))
    await asyncio.wait_for(outbox.wait_new(0), 10)
    running.cancel()


async def test_refused_commits_keep_samples_in_order_and_say_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outbox = Stubborn(1 << 24)
    committer = committer_on(outbox)
    for number in range(3):
        put(committer, samples(1, first=number))
        await committer.flush()
    assert (committer.state().full, committer.state().pending_samples) == (True, 3)
    assert caplog.text.count("nothing can be committed") == 1
    outbox.refuse = False
    await committer.flush()
    assert not committer.state().full
    _, [column] = batch.decode((await outbox.following(0, 1))[0].payload)
    assert list(column.values) == [0, 1, 2]


async def test_memory_is_bounded_and_the_oldest_go_first() -> None:
    outbox = Stubborn(1 << 24)
    committer = committer_on(outbox)
    put(committer, samples(MAX_PENDING))
    await committer.flush()
    put(committer, samples(7, first=MAX_PENDING))
    assert (committer.dropped, committer.state().pending_samples) == (7, MAX_PENDING)
    assert committer.state().dropped_samples == 7
    outbox.refuse = False
    await committer.flush()
    first = (await outbox.following(0, 1))[0]
    assert min(column.t_ms[0] for column in batch.decode(first.payload)[1]) == NOW + 7
    assert sum(row.samples for row in await outbox.following(0, 99)) == MAX_PENDING


async def test_several_batches_carry_few_points_long_instead_of_many_short() -> None:
    outbox = MemoryOutbox(1 << 26)
    committer = committer_on(outbox)
    blocks = [tuple(range(1000 * n + 1, 1000 * n + 1001)) for n in range(20)]
    for turn in range(5):
        for block in blocks:
            committer.put(Row(block, NOW + turn, tuple(float(turn) for _ in block)))
    await committer.flush()
    batches = [batch.decode(row.payload)[1] for row in await outbox.following(0, 99)]
    assert len(batches) == 5
    for columns in batches:
        assert {len(column.t_ms) for column in columns} == {5}
        assert all(list(column.values) == [0, 1, 2, 3, 4] for column in columns)


async def test_a_sample_that_no_batch_can_carry_is_counted_and_the_rest_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outbox = MemoryOutbox(1 << 24)
    committer = committer_on(outbox)
    put(committer, [*samples(5), Sample(1, NOW, float("nan")), *samples(5, first=5)])
    await committer.flush()
    rows = await outbox.following(0, 99)
    assert sum(row.samples for row in rows) == 10
    assert committer.rejected == 1
    assert "cannot be stored" in caplog.text


async def test_a_batch_that_is_too_large_becomes_several() -> None:
    outbox = MemoryOutbox(1 << 24)
    committer = committer_on(outbox)
    import random

    noise = random.Random(1)
    put(committer, [Sample(n, NOW, noise.randbytes(2000).hex()) for n in range(1, 400)])
    await committer.flush()
    rows = await outbox.following(0, 99)
    assert len(rows) > 1
    assert sum(row.samples for row in rows) == 399
    assert committer.rejected == 0


async def test_a_cancelled_flush_commits_exactly_once() -> None:
    class Slow(MemoryOutbox):
        async def append(self, batch: StoredBatch, catalog: str) -> None:
            await asyncio.sleep(0.05)
            await super().append(batch, catalog)

    outbox = Slow(1 << 20)
    committer = committer_on(outbox)
    put(committer, samples(2))
    flushing = asyncio.ensure_future(committer.flush())
    await asyncio.sleep(0.01)
    flushing.cancel()
    put(committer, samples(1, first=2))
    await committer.flush()
    assert [row.samples for row in await outbox.following(0, 9)] == [2, 1]


@pytest.mark.clause("C-037")
def test_hours_left() -> None:
    rate = FillRate()
    assert rate.hours_left(0, 100, 1000) is None
    hours_left = []
    for step in range(121):
        used = 100 + step // 2
        rate.observe(10.0 * step, used)
        hours_left.append(rate.hours_left(10.0 * step, used, 1000))
    assert hours_left[:60] == [None] * 60, "ten minutes are what an estimate rests on"
    assert all(hours == pytest.approx((1000 - 100 - step // 2) * 20 / 3600, rel=0.05) for step, hours in
               enumerate(hours_left) if hours is not None)  # fmt: skip
    assert None not in hours_left[60:]
    assert rate.hours_left(1200, 1000, 1000) == 0
    assert rate.hours_left(1200, 90, 1000) is None, "it empties"
