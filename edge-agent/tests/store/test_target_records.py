"""Records and notes of forwarders, in both stores."""

from __future__ import annotations

import time
from pathlib import Path

from edge_agent.store.base import Bound, RecordState, Store, TargetRecord
from edge_agent.store.sqlite import open_sqlite

SMALL = 1024 * 1024


def record(kind: str, t_ms: int, due_ms: int, state: RecordState = RecordState.WAITING) -> TargetRecord:
    return TargetRecord(kind, t_ms, due_ms, f"{kind} {t_ms}".encode(), state)


async def test_records_wait_in_the_order_in_which_they_are_due(store: Store) -> None:
    records = store.target_records
    await records.put("a", [record("day", 0, 9), record("m", 1, 2), record("m", 0, 1)], {})
    await records.put("b", [record("m", 0, 1)], {})
    await records.put("a", [record("base", 0, 1, RecordState.STORED)], {})
    assert [(one.kind, one.t_ms) for one in await records.waiting("a", 10)] == [
        ("m", 0),
        ("m", 1),
        ("day", 0),
    ]
    assert [one.payload for one in await records.waiting("a", 1)] == [b"m 0"]
    assert await records.count_waiting("a") == 3
    await records.mark("a", "m", 0, RecordState.DELIVERED)
    assert [(one.kind, one.t_ms) for one in await records.waiting("a", 10)] == [("m", 1), ("day", 0)]
    assert await records.count_waiting("b") == 1, "another forwarder's"


async def test_a_record_is_put_once(store: Store) -> None:
    records = store.target_records
    await records.put("a", [record("m", 0, 1)], {})
    await records.mark("a", "m", 0, RecordState.DELIVERED)
    await records.put("a", [TargetRecord("m", 0, 1, b"other", RecordState.WAITING)], {})
    [held] = await records.between("a", "m", 0, 0, 10)
    assert (held.payload, held.state) == (b"m 0", RecordState.DELIVERED)


async def test_the_oldest_are_given_up_and_old_ones_forgotten(store: Store) -> None:
    records = store.target_records
    await records.put("a", [record("m", number, number + 1) for number in range(6)], {})
    assert [one.t_ms for one in await records.give_up("a", 4)] == [0, 1]
    assert await records.give_up("a", 4) == []
    await records.mark("a", "m", 2, RecordState.DELIVERED)
    await records.forget("a", "m", 5)
    held = await records.between("a", "m", 0, 10, 10)
    assert [one.t_ms for one in held] == [3, 4, 5], "what waits stays"
    assert [one.t_ms for one in await records.between("a", "m", 4, 5, 1)] == [4]


async def test_notes_are_replaced(store: Store) -> None:
    records = store.target_records
    assert await records.notes("a") == {}
    await records.put("a", [], {"x": b"1", "y": b"2"})
    await records.note("a", {"x": b"3"})
    assert await records.notes("a") == {"x": b"3", "y": b"2"}
    assert await records.notes("b") == {}


async def test_they_last_and_go_with_their_consumer(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path, SMALL, lambda: 1, time.monotonic) as store:
        await store.outbox.attach([Bound("a"), Bound("b")])
        for name in ("a", "b"):
            await store.target_records.put(name, [record("m", 0, 1)], {"x": b"1"})
    async with open_sqlite(tmp_path, SMALL, lambda: 1, time.monotonic) as store:
        await store.outbox.attach([Bound("b")])
        assert await store.target_records.count_waiting("a") == 0
        assert await store.target_records.notes("a") == {}
        assert await store.target_records.count_waiting("b") == 1
        assert await store.target_records.notes("b") == {"x": b"1"}
