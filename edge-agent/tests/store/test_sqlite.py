"""What only a file can do: survive, be damaged, be full, be locked."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge_agent.errors import StoreError, StoreFull
from edge_agent.model import PointKey, Row
from edge_agent.store.base import StoredBatch
from edge_agent.store.committer import Committer
from edge_agent.store.database import Database
from edge_agent.store.lock import SingleInstanceLock
from edge_agent.store.reserve_file import RESERVE_BYTES
from edge_agent.store.sqlite import FILE, open_sqlite
from edge_contract import batch

CATALOG = "ab" * 8
LARGE = 64 * 1024 * 1024

CHILD = """
import asyncio, sys, time
from pathlib import Path
from edge_agent.model import Row
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import open_sqlite
async def main():
    now = lambda: time.time_ns() // 1_000_000
    async with open_sqlite(Path(sys.argv[1]), 64 << 20, now, time.monotonic) as store:
        committer = Committer(store.outbox, "ab" * 8, 1.0, now)
        number = 0
        while True:
            number += 1
            committer.put(Row((1,), now(), (number,)))
            await committer.flush()
            print(store.outbox.state().next_seq - 1, flush=True)
asyncio.run(main())
"""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@pytest.mark.clause("C-021")
def test_kill_in_the_middle_of_commits_keeps_every_committed_batch(tmp_path: Path) -> None:
    """Three kills of the same store; what the child reported as committed is there, without a hole."""
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(40)]
        os.kill(child.pid, signal.SIGKILL)
        lines += child.stdout.readlines()
        child.wait()
        reported = max(int(line) for line in lines if line.endswith("\n"))

        async def check(least: int) -> None:
            async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
                held = await store.outbox.following(0, 100_000)
                assert [row.seq for row in held] == list(range(1, len(held) + 1))
                assert len(held) >= least
                assert all(batch.read_header(row.payload).seq == row.seq for row in held)

        asyncio.run(check(reported))


async def test_everything_is_there_after_reopening(tmp_path: Path) -> None:
    key = PointKey("s", "p")
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        stream = store.outbox.state().stream
        number = (await store.numbers.assign([PointKey("s", "first"), key]))[key]
        await store.catalogs.keep(CATALOG, b"catalog")
        for seq in (1, 2, 3):
            await store.outbox.append(StoredBatch(seq, seq, 1, b"x" * seq), CATALOG)
        await store.outbox.forget([(1, 1), (3, 3)])
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        state = store.outbox.state()
        assert (state.stream, state.first_seq, state.next_seq, state.batches) == (stream, 2, 4, 1)
        assert state.payload_bytes == 2
        assert (await store.numbers.assign([key]))[key] == number
        await store.catalogs.keep("cd" * 8, b"new")
        assert await store.catalogs.payload(CATALOG) == b"catalog", "batch 2 still refers to it"
        await store.outbox.forget([(1, 9)])
        await store.catalogs.keep("cd" * 8, b"new")
        assert await store.catalogs.payload(CATALOG) is None
    connection = sqlite3.connect(tmp_path / FILE)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA page_size").fetchone() == (1024,)
    connection.close()


def damage(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(5 * 4096))


def set_aside(folder: Path) -> list[Path]:
    return list(folder.glob(f"{FILE}.bad-*"))


async def test_a_damaged_file_is_set_aside_and_a_new_stream_begins(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        stream = store.outbox.state().stream
        for seq in range(1, 40):
            await store.outbox.append(StoredBatch(seq, seq, 1, os.urandom(3000)), CATALOG)
    damage(tmp_path / FILE)
    async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic) as store:
        assert store.outbox.state().stream != stream
        assert store.outbox.state().next_seq == 1
    assert len(set_aside(tmp_path)) == 1
    assert "a new stream begins" in caplog.text


async def test_a_store_of_a_newer_agent_is_refused_and_left_untouched(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="schema 99"):
        async with open_sqlite(tmp_path, LARGE, now_ms, time.monotonic):
            pass
    assert set_aside(tmp_path) == []


def test_one_agent_for_each_folder(tmp_path: Path) -> None:
    with SingleInstanceLock(tmp_path / "data"), pytest.raises(StoreError, match=f"process {os.getpid()}"):
        SingleInstanceLock(tmp_path / "data")
    with SingleInstanceLock(tmp_path / "data"):
        pass


async def test_evicted_ranges_are_stored_as_evidence(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path, 1 << 20, now_ms, time.monotonic) as store:
        for seq in range(1, 101):
            await store.outbox.append(StoredBatch(seq, seq, 1, bytes(20_000)), CATALOG)
        evicted = store.outbox.state().evicted_batches
    connection = sqlite3.connect(tmp_path / FILE)
    assert connection.execute("SELECT first_seq, last_seq FROM evicted").fetchall() == [(1, evicted)]
    connection.close()
    assert (tmp_path / FILE).stat().st_size <= 1 << 20


async def test_eviction_is_said_once_and_again_after_the_outbox_was_empty(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_sqlite(tmp_path, 1 << 20, now_ms, time.monotonic) as store:

        async def fill_outbox(first: int) -> int:
            for seq in range(first, first + 100):
                await store.outbox.append(StoredBatch(seq, seq, 1, bytes(20_000)), CATALOG)
            return caplog.text.count("the oldest batches are dropped unsent")

        assert await fill_outbox(1) == 1
        held = await store.outbox.numbers(0, 1000)
        await store.outbox.forget([(held[0], held[-2])])
        assert await fill_outbox(101) == 1, "it was never empty"
        await store.outbox.forget([(1, 200)])
        state = store.outbox.state()
        assert (state.batches, state.first_seq, state.payload_bytes) == (0, 201, 0)
        assert await fill_outbox(201) == 2


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 32 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(folder)], check=False)
    if done.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(path: Path) -> None:
    """A stranger's file takes all room that is left."""
    with path.open("wb", buffering=0) as stranger:
        for size in (65536, 4096):
            with contextlib.suppress(OSError):
                while stranger.write(bytes(size)) == size:
                    pass


async def collect(committer: Committer, count: int) -> None:
    for number in range(count):
        committer.put(Row((1,), now_ms(), (f"{number} {os.urandom(20_000).hex()}",)))
        await committer.flush()


async def test_full_medium_with_batches_goes_on_by_evicting(small_disk: Path) -> None:
    async with open_sqlite(small_disk, LARGE, now_ms, time.monotonic) as store:
        committer = Committer(store.outbox, CATALOG, 1.0, now_ms)
        await collect(committer, 30)
        assert (small_disk / "ballast").stat().st_size == RESERVE_BYTES
        fill(small_disk / "stranger")
        await collect(committer, 600)
        state = committer.state()
        assert not (small_disk / "ballast").exists(), "the ballast gave its room"
        assert (state.full, state.pending_samples, state.dropped_samples) == (False, 0, 0)
        assert state.next_seq == 631
        assert state.evicted_batches == 630 - state.batches > 0
        (small_disk / "stranger").unlink()
        await collect(committer, 200)
        assert committer.state().batches > 200, "it grows again"


async def test_full_medium_without_batches_keeps_samples_in_memory_and_recovers(
    small_disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_sqlite(small_disk, LARGE, now_ms, time.monotonic) as store:
        committer = Committer(store.outbox, CATALOG, 1.0, now_ms)
        (small_disk / "ballast").unlink()
        fill(small_disk / "stranger")
        await collect(committer, 5)
        state = committer.state()
        assert (state.full, state.pending_samples, state.next_seq) == (True, 5, 1)
        assert caplog.text.count("nothing can be committed") == 1, "said once"
        (small_disk / "stranger").unlink()
        await committer.flush()
        state = committer.state()
        assert (state.full, state.pending_samples, state.dropped_samples) == (False, 0, 0)
        assert sum(row.samples for row in await store.outbox.following(0, 9)) == 5


async def test_what_a_power_cut_may_undo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading the cursors and deleting what was acknowledged; no batch, and no count of evicted ones."""
    seen: list[bool] = []
    attempt = Database.attempt

    async def noted(database: Database, work: Any, durable: bool, committed: Any = None) -> Any:
        seen.append(durable)
        return await attempt(database, work, durable, committed)

    monkeypatch.setattr(Database, "attempt", noted)
    async with open_sqlite(tmp_path, 1 << 20, time.time_ns, time.monotonic) as store:
        assert seen == [True, False], "a new stream, and its cursors"
        seen.clear()
        await store.outbox.append(StoredBatch(1, 1, 1, bytes(20_000)), CATALOG)
        await store.outbox.forget([(1, 1)])
        assert seen == [True, False]
        while store.outbox.state().evicted_batches == 0:
            seen.clear()
            seq = store.outbox.state().next_seq
            await store.outbox.append(StoredBatch(seq, 1, 1, bytes(20_000)), CATALOG)
        assert seen == [True, True, True], "refused, evicted, stored"


async def test_nothing_to_evict_is_a_full_store(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path, 1 << 20, now_ms, time.monotonic) as store:
        with pytest.raises(StoreFull):
            await store.outbox.append(StoredBatch(1, 1, 1, bytes(2 << 20)), CATALOG)
        await store.outbox.append(StoredBatch(1, 1, 1, b"fits"), CATALOG)
        assert await store.outbox.numbers(0, 5) == [1]


async def test_a_store_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(StoreError, match=rf"^{tmp_path / FILE}: the medium refuses to be written: unable to"):
        async with open_sqlite(tmp_path, LARGE, lambda: 1, time.monotonic):
            pass
