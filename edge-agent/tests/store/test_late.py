"""Late batches travel on the history lane also in the session that made them; evicted ranges are told."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from edge_agent.errors import StoreFull
from edge_agent.forwarding.cloud.window import Window
from edge_agent.model import Row
from edge_agent.store.base import Store, StoredBatch
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite
from edge_contract import batch

NOW = 1_800_000_000_000


def now_ms() -> int:
    return NOW


@pytest.mark.clause("C-038")
async def test_late_rows_are_a_batch_of_their_own(store: Store) -> None:
    committer = Committer(store.outbox, "ab" * 8, 1.0, now_ms)
    committer.put(Row((1,), NOW, (1,)))
    seq = await committer.commit_late([Row((1, 2), NOW - 5000, (7, 7.5))])
    await committer.flush()
    assert [store.outbox.travels_late(n) for n in (seq, seq + 1)] == [True, False]
    late, live = await store.outbox.following(0, 9)
    assert [(c.point, c.t_ms[0], c.values[0]) for c in batch.decode(late.payload)[1]] == [
        (1, NOW - 5000, 7), (2, NOW - 5000, 7.5)
    ]  # fmt: skip
    assert live.samples == 1
    assert await committer.waiting([seq, seq + 1, seq + 2]) == [seq, seq + 1]
    await store.outbox.forget([(seq, seq)])
    assert await committer.waiting([seq, seq + 1]) == [seq + 1]


def test_the_window_sends_late_batches_as_history_after_live_ones() -> None:
    window = Window(10, late=lambda seq: seq in (11, 12))
    window.committed(14)
    assert [(s.seq, s.live) for s in window.take(0.0, 9)] == [
        (13, True),
        (10, True),
        (11, False),
        (12, False),
    ]
    assert window.history_in_flight == 2
    window.acknowledged([(10, 13)])
    assert window.in_flight == 0


async def test_evicted_ranges_are_reported_and_outlive_a_restart(store: Store, tmp_path: Path) -> None:
    payload = bytes(60_000)

    async def fill(opened: Store, count: int) -> None:
        for _ in range(count):
            seq = opened.outbox.state().next_seq
            await opened.outbox.append(StoredBatch(seq, NOW, 1, payload), "ab" * 8)

    await fill(store, 40)
    state = store.outbox.state()
    assert state.evicted == ((1, state.first_seq - 1),)
    assert state.evicted_batches == state.first_seq - 1
    held = [(state.first_seq, state.first_seq + 1)]
    await store.outbox.forget(held)
    await fill(store, 40)
    later = store.outbox.state()
    assert later.evicted == ((1, held[0][0] - 1), (held[0][1] + 1, later.first_seq - 1))


async def test_ranges_are_read_again(tmp_path: Path) -> None:
    for _ in range(2):
        async with open_sqlite(tmp_path, 1024 * 1024, now_ms, time.monotonic) as store:
            while not store.outbox.state().evicted:
                seq = store.outbox.state().next_seq
                await store.outbox.append(StoredBatch(seq, NOW, 1, bytes(60_000)), "ab" * 8)
            evicted = store.outbox.state().evicted
    assert evicted[0][0] == 1


async def test_a_full_store_refuses_late_rows_too(store: Store) -> None:
    class Refusing:
        def state(self) -> object:
            return store.outbox.state()

        async def append(self, batch: StoredBatch, catalog: str) -> None:
            raise StoreFull("no room")

    committer = Committer(Refusing(), "ab" * 8, 1.0, now_ms)  # type: ignore[arg-type]
    with pytest.raises(StoreFull):
        await committer.commit_late([Row((1,), NOW, (1,))])
