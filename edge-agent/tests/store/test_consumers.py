"""Several consumers of one store: each has what it needs, its own bound, and its own losses."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from edge_agent.store.base import Bound, Store, StoredBatch
from edge_agent.store.memory import open_memory
from edge_agent.store.sqlite import FILE, open_sqlite

CATALOG = "ab" * 8
LARGE = 64 << 20
HOUR_S = 3600


def now_ms() -> int:
    return time.time_ns() // 1_000_000


async def append(store: Store, count: int, size: int = 100) -> None:
    for _ in range(count):
        seq = store.outbox.state().next_seq
        await store.outbox.append(StoredBatch(seq, 1000 + seq, 3, bytes(size)), CATALOG)


def stored(folder: Path) -> list[int]:
    """Numbers of the rows in the file, whoever needs them."""
    connection = sqlite3.connect(folder / FILE)
    try:
        return [seq for (seq,) in connection.execute("SELECT seq FROM batch ORDER BY seq")]
    finally:
        connection.close()


async def test_a_batch_is_held_until_everybody_has_it(store: Store) -> None:
    await append(store, 2)
    await store.outbox.attach([Bound("usb"), Bound("old", start="oldest")])
    usb, old = store.outbox.consumer("usb"), store.outbox.consumer("old")
    assert (usb.state().batches, old.state().batches) == (0, 2), (
        "a new one begins at the end, or at the oldest"
    )
    await append(store, 4)
    assert await store.outbox.forget([(1, 1), (4, 6)]) == 4
    assert await store.outbox.forget([(4, 6)]) == 0, "acknowledged twice counts once"
    assert await store.outbox.numbers(0, 9) == [2, 3]
    assert await usb.numbers(0, 9) == [3, 4, 5, 6]
    assert [row.seq for row in await old.read([(1, 2), (5, 9)], 9)] == [1, 2, 5, 6]
    state = store.outbox.state()
    assert (state.first_seq, state.batches, state.payload_bytes) == (2, 2, 200)
    usb.passed(5)
    old.passed(6)
    await append(store, 1)
    assert await usb.numbers(0, 9) == [6, 7]
    assert await old.numbers(0, 9) == [7]
    assert await store.outbox.numbers(0, 9) == [2, 3, 7]
    assert await store.outbox.forget([(1, 99)]) == 3
    await append(store, 1)
    assert await store.outbox.numbers(0, 9) == [8], "a range beyond the newest acknowledges nothing to come"


async def test_a_consumer_beyond_its_bound_loses_only_its_own(store: Store) -> None:
    await store.outbox.attach([Bound("usb", max_bytes=1000), Bound("fast")])
    usb, fast = store.outbox.consumer("usb"), store.outbox.consumer("fast")
    for _ in range(30):
        await append(store, 1)
        fast.passed(store.outbox.state().next_seq - 1)
    assert await usb.numbers(0, 99) == list(range(21, 31))
    assert (usb.state().evicted_batches, usb.state().evicted) == (20, ((1, 20),))
    assert (fast.state().evicted_batches, store.outbox.state().evicted_batches) == (0, 0)
    assert store.outbox.state().batches == 30


async def test_who_is_not_named_holds_nothing_back(store: Store) -> None:
    await store.outbox.attach([Bound("usb")])
    await append(store, 5)
    await store.outbox.forget([(1, 4)])
    await store.outbox.attach([])
    with pytest.raises(KeyError):
        store.outbox.consumer("usb")
    assert await store.outbox.numbers(0, 9) == [5]
    await store.outbox.attach([Bound("usb", start="oldest")])
    assert await store.outbox.consumer("usb").numbers(0, 9) == [5]


async def test_a_full_store_takes_first_what_only_another_needs(store: Store) -> None:
    """The cloud misses an old part and has the rest; usb has nothing. The cloud's part stays."""
    await store.outbox.attach([Bound("usb")])
    await append(store, 5, size=20_000)
    for _ in range(100):
        await append(store, 1, size=20_000)
        newest = store.outbox.state().next_seq - 1
        await store.outbox.forget([(newest, newest)])
    assert await store.outbox.numbers(0, 200) == [1, 2, 3, 4, 5]
    assert store.outbox.state().evicted_batches == 0
    usb = store.outbox.consumer("usb").state()
    assert usb.evicted_batches == 105 - usb.batches > 0
    held = await store.outbox.consumer("usb").numbers(0, 200)
    assert held == [1, 2, 3, 4, 5, *range(105 - len(held) + 6, 106)]


@pytest.mark.parametrize("kind", ["sqlite", "memory"])
async def test_age_moves_a_cursor_on_once_the_clock_is_steady(kind: str, tmp_path: Path) -> None:
    passed_s = 0.0
    begin_ms = now_ms()

    def wall() -> int:
        return begin_ms + round(passed_s * 1000)

    async with AsyncExitStack() as stack:
        if kind == "memory":
            store = open_memory(LARGE, wall, lambda: passed_s)
        else:
            store = await stack.enter_async_context(open_sqlite(tmp_path, LARGE, wall, lambda: passed_s))
        await store.outbox.attach([Bound("usb", max_age_s=2 * HOUR_S)])
        for _ in range(300):
            seq = store.outbox.state().next_seq
            await store.outbox.append(StoredBatch(seq, wall(), 1, b"x"), CATALOG)
            passed_s += 60
        usb = store.outbox.consumer("usb")
        assert len(await usb.numbers(0, 999)) == 121
        assert usb.state().evicted_batches == 179
        begin_ms += 365 * 24 * HOUR_S * 1000  # the clock jumps
        await store.outbox.append(StoredBatch(301, wall(), 1, b"x"), CATALOG)
        assert usb.state().evicted_batches == 179, "a clock that has just jumped is not believed"


async def test_cursors_survive_and_cost_no_commit_of_their_own(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        await store.outbox.attach([Bound("usb")])
        await append(store, 6)
        await store.outbox.forget([(1, 2), (5, 5)])
        store.outbox.consumer("usb").passed(3)
        assert stored(tmp_path) == [1, 2, 3, 4, 5, 6], "not before the next commit"
        await append(store, 1)
        assert stored(tmp_path) == [3, 4, 5, 6, 7]
        store.outbox.consumer("usb").passed(4)
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        assert stored(tmp_path) == [3, 4, 5, 6, 7], "an agent that stops writes them too"
        await store.outbox.attach([Bound("usb")])
        assert await store.outbox.numbers(0, 9) == [3, 4, 6, 7]
        assert await store.outbox.consumer("usb").numbers(0, 9) == [5, 6, 7]
        assert store.outbox.consumer("usb").state().payload_bytes == 300


async def test_a_folder_of_the_schema_before_goes_on(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    folder = Path(__file__).parents[2] / "edge_agent" / "store" / "migrations"
    for number in range(1, 5):
        connection.executescript(next(folder.glob(f"{number:04}_*.sql")).read_text())
    connection.executescript(
        "INSERT INTO stream VALUES ('0123456789abcdef', 8, 2); INSERT INTO evicted VALUES (1, 2, 5);"
        "INSERT INTO batch VALUES (4, 1, 1, 'ab', x'00'), (6, 1, 1, 'ab', x'0000');"
        "PRAGMA user_version = 4;"
    )
    connection.close()
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        state = store.outbox.state()
        assert (state.stream, state.first_seq, state.next_seq) == ("0123456789abcdef", 4, 8)
        assert (state.batches, state.payload_bytes) == (2, 3)
        assert (state.evicted_batches, state.evicted) == (2, ((1, 2),))
        await store.outbox.attach([Bound("usb", start="oldest")])
        assert await store.outbox.consumer("usb").numbers(0, 9) == [4, 6]
        assert await store.outbox.forget([(1, 7)]) == 2
    assert stored(tmp_path) == [4, 6]


async def test_random_acknowledgements_agree_with_sets(store: Store) -> None:
    """Against the plain meaning: what each consumer has not acknowledged."""
    draw = random.Random(16)
    await store.outbox.attach([Bound("a"), Bound("b")])
    views = {"cloud": store.outbox, "a": store.outbox.consumer("a"), "b": store.outbox.consumer("b")}
    needed: dict[str, set[int]] = {name: set() for name in views}
    for newest in range(1, 201):
        await append(store, 1)
        for held in needed.values():
            held.add(newest)
        name = draw.choice(list(views))
        first = draw.randint(1, newest)
        last = min(newest, first + draw.randint(0, 20))
        acknowledged = needed[name] & set(range(first, last + 1))
        assert await views[name].forget([(first, last)]) == len(acknowledged)
        needed[name] -= acknowledged
        for one, view in views.items():
            assert await view.numbers(0, 999) == sorted(needed[one]), one
            assert view.state().batches == len(needed[one])
            assert view.state().payload_bytes == 100 * len(needed[one])


async def test_a_month_of_one_being_down(tmp_path: Path) -> None:
    """One commit an hour stands for more: the file stays small, the others miss nothing."""
    passed_s = 0.0
    begin_ms = now_ms()
    got: list[int] = []
    async with open_sqlite(
        tmp_path, 4 << 20, lambda: begin_ms + round(passed_s * 1000), lambda: passed_s
    ) as store:
        await store.outbox.attach([Bound("down", max_bytes=1 << 20), Bound("up", max_bytes=1 << 20)])
        up, down = store.outbox.consumer("up"), store.outbox.consumer("down")
        largest = 0
        for _ in range(30 * 24):
            seq = store.outbox.state().next_seq
            t_ms = begin_ms + round(passed_s * 1000)
            await store.outbox.append(StoredBatch(seq, t_ms, 1, bytes(4000)), CATALOG)
            await store.outbox.forget([(seq, seq)])
            got += [batch.seq for batch in await up.following(got[-1] if got else 0, 99)]
            up.passed(got[-1])
            passed_s += 3600
            largest = max(largest, (tmp_path / FILE).stat().st_size)
        assert got == list(range(1, 30 * 24 + 1))
        assert (store.outbox.state().evicted_batches, up.state().evicted_batches) == (0, 0)
        held = await down.numbers(0, 9999)
        assert held == list(range(30 * 24 - len(held) + 1, 30 * 24 + 1))
        assert down.state().evicted_batches == 30 * 24 - len(held)
        assert (1 << 20) - 4000 <= down.state().payload_bytes <= 1 << 20
        assert largest < 2 << 20
        print(f"largest outbox {largest} bytes, {len(held)} of {30 * 24} batches wait")
