"""What scripts/bench measures of the gateway's own store over an hour, in compressed time."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.history import T0
from benchmarks.ingest import Figures
from edge_agent.history.archive import Archive
from edge_agent.history.place import Disk
from edge_agent.history.storing import StoredSlave, Storing
from edge_agent.model import PointKey, Row, Sample
from edge_agent.store.base import Store, StoredBatch
from edge_agent.store.committer import Committer
from edge_agent.store.sqlite import FILE, open_sqlite

SECONDS = int(os.environ.get("EDGE_BENCH_STORE_S", "3600"))
SLAVE_POINTS = 50
"""One slave answers so many in one request: one row."""
HISTORY_CYCLE_S = 10
OUTBOX_BYTES = HISTORY_BYTES = 64 << 20
CATALOG = "ab" * 8
HISTORY_FILE = "history.sqlite"
STAGES = ("encode", "commit", "send", "acknowledge", "history")
YARDSTICK_PRAGMAS = (
    "page_size = 4096",
    "journal_mode = WAL",
    "synchronous = FULL",
    "wal_autocheckpoint = 1000",
    "journal_size_limit = 4194304",
    "cache_size = -2048",
)


COUNTERS = os.open("/proc/self/io", os.O_RDONLY)


def written_bytes() -> int:
    """What this process had the kernel write to disks; opened once, as it is asked at each stage."""
    text = os.pread(COUNTERS, 512, 0).decode()
    return int(text.partition("\nwrite_bytes: ")[2].partition("\n")[0])


@dataclass(frozen=True)
class Case:
    """points: each second. away: no batch is acknowledged."""

    points: int
    interval_s: int
    away: bool = False

    @property
    def label(self) -> str:
        return f"{self.points} points, {self.interval_s} s{', cloud away' if self.away else ''}"


CASES = (
    Case(50, 1),
    Case(50, 15),
    Case(500, 1),
    Case(500, 15),
    Case(50, 1, away=True),
    Case(500, 15, away=True),
)


class SimulatedClock:
    """system.clock.Clock that the benchmark moves."""

    def __init__(self) -> None:
        self.seconds = 0

    def now_ms(self) -> int:
        return T0 + 1000 * self.seconds

    def monotonic(self) -> float:
        return float(self.seconds)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


@dataclass
class Spent:
    """CPU seconds and bytes written, by stage."""

    cpu_s: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    written: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STAGES, 0))

    @contextmanager
    def stage(self, name: str, within: str = "") -> Iterator[None]:
        """Count what the block takes. within: the stage that it is part of, to be counted less."""
        written, cpu_s = written_bytes(), time.process_time()
        yield
        cpu_s, written = time.process_time() - cpu_s, written_bytes() - written
        self.cpu_s[name] += cpu_s
        self.written[name] += written
        if within:
            self.cpu_s[within] -= cpu_s
            self.written[within] -= written


def values_of(points: int) -> list[list[float]]:
    """A row for each second: measurements with two decimals, half of which rest for most of the time."""
    noise = np.random.default_rng(5)
    steps = noise.normal(0, 0.05, (SECONDS, points))
    steps[:, ::2] *= noise.random((SECONDS, (points + 1) // 2)) < 0.1
    rows: list[list[float]] = np.round(20 + np.cumsum(steps, axis=0), 2).tolist()
    return rows


class Hour:
    """One case: rows into the committer, batches to the cloud and away, newest values to the history."""

    def __init__(self, case: Case, store: Store, folder: Path, clock: SimulatedClock) -> None:
        self._case = case
        self._clock = clock
        self._outbox = store.outbox
        self.spent = Spent()
        self.blobs: list[bytes] = []
        self._committer = Committer(store.outbox, CATALOG, float(case.interval_s), clock.now_ms)
        self._count_appends()
        numbers = range(1, case.points + 1)
        parts = [numbers[at : at + SLAVE_POINTS] for at in range(0, case.points, SLAVE_POINTS)]
        self._parts = [tuple(part) for part in parts]
        self._slaves = [
            StoredSlave(f"s{at}", HISTORY_CYCLE_S, {n: PointKey(f"s{at}", f"p{n}") for n in part})
            for at, part in enumerate(self._parts)
        ]
        self._newest: dict[int, Sample] = {}
        place = Disk(folder / HISTORY_FILE, HISTORY_BYTES, lambda _: True, clock.now_ms)
        self._archive = Archive(place)
        self._storing = Storing(self._slaves, self._newest.get, self._archive, 30, clock)
        self.history_samples = 0

    def _count_appends(self) -> None:
        append = self._outbox.append

        async def counted(batch: StoredBatch, catalog: str) -> None:
            self.blobs.append(batch.payload)
            with self.spent.stage("commit", within="encode"):
                await append(batch, catalog)

        self._outbox.append = counted  # type: ignore[method-assign]

    async def run(self) -> None:
        with self.spent.stage("history"):
            await self._storing.tick([])
        for values in values_of(self._case.points):
            self._clock.seconds += 1
            self._collect(values)
            if self._clock.seconds % self._case.interval_s == 0:
                await self._commit()
            if self._clock.seconds % HISTORY_CYCLE_S == 0:
                self.history_samples += len(values)
                with self.spent.stage("history"):
                    await self._storing.tick(self._slaves)
        with self.spent.stage("history"):
            await self._storing.close()
            await self._archive.close()

    def _collect(self, values: list[float]) -> None:
        now_ms = self._clock.now_ms()
        for part in self._parts:
            read = tuple(values[part[0] - 1 : part[-1]])
            self._committer.put(Row(part, now_ms, read))
            for number, value in zip(part, read, strict=True):
                self._newest[number] = Sample(number, now_ms, value)

    async def _commit(self) -> None:
        """What the committer does each interval, and the sender once the batch is there."""
        first = self._outbox.state().next_seq
        with self.spent.stage("encode"):
            await self._committer.flush()
        if self._case.away:
            return
        sent = range(first, self._outbox.state().next_seq)
        with self.spent.stage("send"):
            held = await self._outbox.read([(seq, seq) for seq in sent], len(sent))
        assert len(held) == len(sent)
        with self.spent.stage("acknowledge"):
            await self._outbox.forget([(sent[0], sent[-1])])


def sizes(folder: Path, name: str) -> int:
    """Bytes of a database with its write-ahead log, as they lie on the disk."""
    return sum(path.stat().st_blocks * 512 for path in folder.glob(f"{name}*"))


async def _hour(case: Case, folder: Path) -> tuple[Figures, list[bytes]]:
    clock = SimulatedClock()
    begun = written_bytes()
    async with open_sqlite(folder, OUTBOX_BYTES, clock.now_ms, clock.monotonic) as store:
        opened = written_bytes()
        hour = Hour(case, store, folder, clock)
        await hour.run()
        closing = written_bytes()
        running = sizes(folder, FILE)
    closed = written_bytes() - closing
    spent, count = hour.spent, case.points * SECONDS
    written = {**spent.written, "close": closed}
    outbox = sum(written.values()) - written["history"]
    figures: Figures = {
        "bytes of payload a sample": sum(map(len, hour.blobs)) / count,
        "outbox: bytes written a sample": outbox / count,
        "history: bytes written a sample of it": written["history"] / hour.history_samples,
        "all: bytes written a sample": (outbox + written["history"]) / count,
        "outbox: bytes written a commit": outbox / len(hour.blobs),
        "opening: bytes written": opened - begun,
        "outbox at rest: bytes a sample": sizes(folder, FILE) / count,
        "outbox while it runs: bytes": running,
        "history at rest: bytes a sample of it": sizes(folder, HISTORY_FILE) / hour.history_samples,
    }
    for name in STAGES:
        figures[f"CPU microseconds a sample: {name}"] = 1e6 * spent.cpu_s[name] / count
    figures["CPU microseconds a sample: all"] = 1e6 * sum(spent.cpu_s.values()) / count
    return figures, hour.blobs


def _measured(work: Callable[[], None], samples: int, name: str) -> Figures:
    written, cpu_s = written_bytes(), time.process_time()
    work()
    cpu_s = time.process_time() - cpu_s
    return {
        f"{name}: bytes written a sample": (written_bytes() - written) / samples,
        f"{name}: CPU microseconds a sample": 1e6 * cpu_s / samples,
    }


def bare_inserts(folder: Path, blobs: list[bytes]) -> Callable[[], None]:
    """One INSERT of each batch as durable as the store's, in SQLite's own pages of 4096 bytes."""

    def work() -> None:
        connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
        for pragma in YARDSTICK_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("CREATE TABLE batch (seq INTEGER PRIMARY KEY, payload BLOB NOT NULL)")
        for blob in blobs:
            connection.execute("INSERT INTO batch (payload) VALUES (?)", (blob,))
        connection.close()

    return work


def bare_appends(folder: Path, blobs: list[bytes]) -> Callable[[], None]:
    """Each batch at the end of a file, and a flush."""

    def work() -> None:
        handle = os.open(folder / "bare.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for blob in blobs:
            os.write(handle, blob)
            os.fsync(handle)
        os.close(handle)

    return work


def check_disk(folder: Path) -> None:
    """RuntimeError where the kernel counts no bytes: on a file system in memory."""
    before = written_bytes()
    with (folder / "probe").open("wb") as file:
        file.write(bytes(1 << 16))
        os.fsync(file.fileno())
    if written_bytes() - before < 1 << 16:
        raise RuntimeError(f"{folder} lies on no disk: set TMPDIR to a folder on one")


def gateway_store() -> Figures:
    """An hour of points each second in the gateway's outbox and history: bytes and CPU a sample."""
    figures: Figures = {}
    for case in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            check_disk(folder)
            seen, blobs = asyncio.run(_hour(case, folder))
            samples = case.points * SECONDS
            seen |= _measured(bare_inserts(folder, blobs), samples, "bare INSERT")
            seen |= _measured(bare_appends(folder, blobs), samples, "bare append")
            ours = float(seen["outbox: bytes written a sample"])
            seen["written, ratio to bare INSERT"] = ours / float(seen["bare INSERT: bytes written a sample"])
            seen["written, ratio to bare append"] = ours / float(seen["bare append: bytes written a sample"])
        figures |= {f"{case.label}: {key}": value for key, value in seen.items()}
    return figures


GATEWAY_STORE_BENCHMARKS: dict[str, Callable[[], Figures]] = {"gateway_store": gateway_store}
