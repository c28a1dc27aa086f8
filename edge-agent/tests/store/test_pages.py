"""A file with the pages of an earlier agent: a small one is written anew, a large one stays as it is."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from edge_agent.history.base import StoredSample
from edge_agent.history.place import Disk
from edge_agent.history.sqlite import SqliteHistoryStore
from edge_agent.history.storing import note, noted_on, seal
from edge_agent.model import PointKey
from edge_agent.store import database
from edge_agent.store.base import Bound, Store, StoredBatch
from edge_agent.store.sqlite import FILE, open_sqlite

CATALOG = "ab" * 8
LARGE = 64 << 20
MEGABYTE = 1 << 20
OLD_BYTES = 4096
OPENING = """
import asyncio, sys, time
from pathlib import Path
from edge_agent.store.sqlite import open_sqlite
async def main():
    print("begins", flush=True)
    async with open_sqlite(Path(sys.argv[1]), 64 << 20, lambda: 1, time.monotonic):
        pass
asyncio.run(main())
"""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def page_bytes(path: Path) -> int:
    """As the header of the file says."""
    with path.open("rb") as file:
        return int.from_bytes(file.read(18)[16:], "big")


@asynccontextmanager
async def earlier_agent(monkeypatch: pytest.MonkeyPatch, folder: Path) -> AsyncIterator[Store]:
    """The store as the agent opened it that had pages of 4096 bytes."""
    with monkeypatch.context() as patched:
        patched.setattr(database, "PAGE_BYTES", OLD_BYTES)
        async with open_sqlite(folder, LARGE, now_ms, time.monotonic) as store:
            yield store


async def fill(store: Store, count: int, size: int) -> dict[int, bytes]:
    """Payloads by number."""
    stored = {}
    for _ in range(count):
        seq = store.outbox.state().next_seq
        stored[seq] = os.urandom(size)
        await store.outbox.append(StoredBatch(seq, seq, 3, stored[seq]), CATALOG)
    return stored


async def held(store: Store) -> dict[int, bytes]:
    return {one.seq: one.payload for one in await store.outbox.following(0, 10_000)}


def open_and_kill(folder: Path, after_s: float) -> None:
    with subprocess.Popen([sys.executable, "-c", OPENING, str(folder)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(after_s)
        child.kill()


async def test_a_small_file_gets_small_pages_and_keeps_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [PointKey("s", "a"), PointKey("s", "b")]
    async with earlier_agent(monkeypatch, tmp_path) as store:
        await store.outbox.attach([Bound("usb")])
        await store.catalogs.keep(CATALOG, b"catalog")
        numbers = await store.numbers.assign(keys)
        stored = await fill(store, 60, 9000)
        await store.outbox.forget([(1, 10), (60, 60)])
        before = store.outbox.state()
    assert page_bytes(tmp_path / FILE) == OLD_BYTES
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        await store.outbox.attach([Bound("usb")])
        after = store.outbox.state()
        assert (after.stream, after.first_seq, after.next_seq) == (before.stream, 11, 61)
        assert (after.batches, after.payload_bytes) == (before.batches, before.payload_bytes)
        assert await held(store) == {seq: stored[seq] for seq in range(11, 60)}
        assert len(await store.outbox.consumer("usb").numbers(0, 99)) == 60
        assert await store.numbers.assign([*keys, PointKey("s", "c")]) == {**numbers, PointKey("s", "c"): 3}
        assert await store.catalogs.payload(CATALOG) == b"catalog"
    assert page_bytes(tmp_path / FILE) == database.PAGE_BYTES
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


async def test_a_large_file_keeps_its_pages_within_the_same_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = 6 * MEGABYTE
    async with earlier_agent(monkeypatch, tmp_path) as store:
        stored = await fill(store, 50, 100_000)
    async with open_sqlite(tmp_path, bound, now_ms, time.monotonic) as store:
        assert await held(store) == stored
        stored |= await fill(store, 50, 100_000)
        kept = await held(store)
        assert kept == {seq: stored[seq] for seq in kept} and max(kept) == 100
        assert store.outbox.state().evicted_batches == 100 - len(kept) > 0
    assert page_bytes(tmp_path / FILE) == OLD_BYTES
    assert (tmp_path / FILE).stat().st_size <= bound


async def test_a_kill_while_pages_are_changed_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(5)
    async with earlier_agent(monkeypatch, tmp_path) as store:
        stored = await fill(store, 300, 9000)
    for _ in range(8):
        await asyncio.to_thread(open_and_kill, tmp_path, chance.random() * 0.06)
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        assert await held(store) == stored
    assert page_bytes(tmp_path / FILE) == database.PAGE_BYTES


async def test_without_space_for_it_the_pages_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with earlier_agent(monkeypatch, tmp_path) as store:
        stored = await fill(store, 20, 9000)
    connection = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA max_page_count = 10")

    class Refusing:
        def execute(self, sql: str) -> sqlite3.Cursor:
            if sql == "VACUUM":
                raise sqlite3.OperationalError("database or disk is full")
            return connection.execute(sql)

    assert database.fit_pages(Refusing()) == OLD_BYTES  # type: ignore[arg-type]
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        assert await held(store) == stored


def test_a_small_history_gets_small_pages_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.sqlite"
    samples = [StoredSample(PointKey("s", "a"), 1000 * number, number, 0) for number in range(500)]
    with monkeypatch.context() as patched:
        for module in ("edge_agent.store.database", "edge_agent.history.sqlite"):
            patched.setattr(f"{module}.PAGE_BYTES", OLD_BYTES)
        store = SqliteHistoryStore.open(path, MEGABYTE)
        seal(store, samples[:300])
        note(store, samples[300:])
        chunks = store.chunks(None, 0, 2**53, 0, 2**53, 99)
        store.close()
    assert page_bytes(path) == OLD_BYTES
    opened = Disk(path, MEGABYTE, lambda _: True, now_ms).open()
    assert opened.chunks(None, 0, 2**53, 0, 2**53, 99) == chunks
    assert noted_on(opened) == samples[300:]
    usage = opened.usage()
    assert (usage.samples, usage.capacity_bytes) == (300, MEGABYTE)
    opened.close()
    assert page_bytes(path) == database.PAGE_BYTES
    assert [one.name for one in tmp_path.iterdir()] == ["history.sqlite"]
