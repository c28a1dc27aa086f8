"""What scripts/bench measures of history: a long series to a chart, beside the limit and other stores."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.ingest import Figures, influxd, wait_for
from cloud.domains.telemetry.packed import Drawn, encode
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries
from cloud.timeseries.influx import connect_v1

SIZES = [int(size) for size in os.environ.get("EDGE_BENCH_HISTORY", "1000000,10000000").split(",")]
PIXELS = 1000
"""Two values each, the lowest and the highest: 2,000 points; the product answers up to four."""
REPEATS = 5
KINDS_POINTS = 300_000
YEAR_S = 365 * 86_400
YEAR_POINTS = 16
WRITE_ROWS = 16_000
MAX_UNMADE = 1_000_000
"""InfluxDB makes a chart of so many samples without levels within its time-out."""
T0 = 1_700_000_040_000

Floats = NDArray[np.float64]


def walk(count: int, seed: int = 1) -> Floats:
    """A temperature with two decimals."""
    steps = np.random.default_rng(seed).normal(0, 0.05, count)
    return np.round(20 + np.cumsum(steps) * 0.2, 2)


def columns(values: Floats, step_ms: int, jitter_ms: int = 0, series: int = 1) -> Iterator[SeriesColumn]:
    """A series in parts."""
    chance = np.random.default_rng(2)
    for at in range(0, len(values), WRITE_ROWS):
        part = values[at : at + WRITE_ROWS]
        times = T0 + step_ms * np.arange(at, at + len(part)) + chance.integers(0, jitter_ms + 1, len(part))
        yield SeriesColumn(series, times.tolist(), part.tolist(), [0] * len(part))


async def best_ms(work: Callable[[], Awaitable[object]]) -> float:
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        await work()
        times.append(time.perf_counter() - begun)
    return min(times) * 1000


def forget_cached(path: Path) -> None:
    """Ask the kernel to drop the file from memory."""
    os.sync()
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def is_written_out(home: Path, begun_s: float) -> bool:
    """Whether a server that was begun then has written its cache to files, in every shard that has a log. The
    log itself stays until it is full.
    """
    shards = {log.parent.relative_to(home / "wal") for log in home.rglob("*.wal")}
    return all(
        any(file.stat().st_mtime > begun_s for file in (home / "data" / shard).glob("*.tsm"))
        for shard in shards
    )


def used_bytes(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        pages, free, size = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)


async def filled(
    path: Path, values: Floats, step_ms: int, jitter_ms: int = 0
) -> tuple[EmbeddedTimeSeries, Figures]:
    """An embedded store with one series, all packed; what its writes and its packing took."""
    store = EmbeddedTimeSeries(path, pack_at=10**12)
    await store.start()
    return store, await fill(store, values, step_ms, jitter_ms)


async def fill(
    store: EmbeddedTimeSeries, values: Floats, step_ms: int, jitter_ms: int = 0, series: int = 1
) -> Figures:
    """Write a series and pack all of it."""
    written = packed = 0.0
    for part in columns(values, step_ms, jitter_ms, series):
        begun = time.perf_counter()
        await store.write([part])
        middle = time.perf_counter()
        while await store.pack(series) > 0:
            pass
        written += middle - begun
        packed += time.perf_counter() - middle
    return {
        "samples/s written durably": len(values) / written,
        "samples/s packed behind it": len(values) / packed,
    }


async def embedded(folder: Path, size: int) -> Figures:
    path = folder / f"packed{size}.db"
    store, figures = await filled(path, walk(size), 1000)
    end = T0 + size * 1000
    figures = {f"embedded, {key}": value for key, value in figures.items()}
    await store.close()
    cold = []
    for _ in range(3):
        forget_cached(path)
        store = EmbeddedTimeSeries(path)
        begun = time.perf_counter()
        await store.start()
        await store.envelope(1, T0, end, PIXELS)
        cold.append(time.perf_counter() - begun)
        await store.close()
    store = EmbeddedTimeSeries(path)
    await store.start()
    figures["embedded, cold file and fresh process' store, ms"] = min(cold) * 1000
    figures["embedded, through levels, ms"] = await best_ms(lambda: store.envelope(1, T0, end, PIXELS))
    figures["embedded, from the samples (buckets of no level), ms"] = await best_ms(
        lambda: store.buckets(1, T0, end, size + 1)
    )
    figures["embedded, bytes a point with its levels"] = used_bytes(path) / size
    await store.close()
    return figures


async def mapped(folder: Path, size: int) -> Figures:
    """The limit: lowest and highest of each pixel of a memory-mapped array."""
    path = folder / "mapped"
    walk(size).tofile(path)

    async def reduce() -> object:
        values = np.memmap(path, np.float64, "r").reshape(PIXELS, -1)
        return values.min(axis=1), values.max(axis=1)

    return {"memory-mapped limit, ms": await best_ms(reduce)}


async def rows(folder: Path, size: int) -> Figures:
    """A row a sample in SQLite, clustered by series and time: what most programs do."""
    path = folder / "rows.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(
            "CREATE TABLE sample (series INTEGER, t_ms INTEGER, value REAL, PRIMARY KEY (series, t_ms))"
            " WITHOUT ROWID"
        )
        for part in columns(walk(size), 1000):
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO sample VALUES (1, ?, ?)", zip(part.t_ms, part.values, strict=True)
            )
            connection.execute("COMMIT")
        width = size * 1000 // PIXELS
        begun = time.perf_counter()
        connection.execute(
            "SELECT (t_ms - ?) / ? AS n, min(value), max(value) FROM sample WHERE series = 1 GROUP BY n",
            (T0, width),
        ).fetchall()
        seconds = time.perf_counter() - begun
    return {
        "SQLite rows, GROUP BY, ms": seconds * 1000,
        "SQLite rows, bytes a point": used_bytes(path) / size,
    }


async def influx(folder: Path, size: int) -> Figures:
    home = folder / f"influx{size}"
    home.mkdir()
    with influxd(home) as (env, _):
        store = connect_v1(env["EDGE_INFLUX_URL"], "edge", "", "", fold_at=10**12)
        begun = time.perf_counter()
        for part in columns(walk(size), 1000):
            await store.write([part])
        written = time.perf_counter() - begun
        end = T0 + size * 1000
        figures: Figures = {}
        if size <= MAX_UNMADE:
            begun = time.perf_counter()
            await store.envelope(1, T0, end, PIXELS)
            figures["InfluxDB, before there are levels, ms"] = 1000 * (time.perf_counter() - begun)
        begun = time.perf_counter()
        while await store.keeper.fold(1):
            pass
        made = time.perf_counter() - begun
        warm = await best_ms(lambda: store.envelope(1, T0, end, PIXELS))
        await store.close()
    cold = []
    for _ in range(3):
        for file in home.rglob("*.tsm"):
            forget_cached(file)
        with influxd(home) as (env, _):
            store = connect_v1(env["EDGE_INFLUX_URL"], "edge", "", "")
            begun = time.perf_counter()
            await store.envelope(1, T0, end, PIXELS)
            cold.append(time.perf_counter() - begun)
            await store.close()
    begun = time.time()
    with influxd(home, cached_s=1) as (env, _):
        wait_for(lambda: is_written_out(home / "influx", begun), "its cache is written out")
        store = connect_v1(env["EDGE_INFLUX_URL"], "edge", "", "")
        written_out = await best_ms(lambda: store.envelope(1, T0, end, PIXELS))
        await store.close()
    return figures | {
        "InfluxDB, through levels, ms": warm,
        "InfluxDB, through levels, newest week out of the server's write cache, ms": written_out,
        "InfluxDB, first question to a server begun anew on cold files, ms": min(cold) * 1000,
        "InfluxDB, samples/s written": size / written,
        "InfluxDB, samples/s that get their levels": size / made,
    }


async def kinds(folder: Path) -> Figures:
    """Bytes a point, levels and the file's own pages included."""
    chance = np.random.default_rng(5)
    smooth = 20 + np.cumsum(chance.normal(0, 0.1, KINDS_POINTS))
    made = {
        "two decimals, walking": np.round(smooth, 2),
        "one decimal, noise over 1,000 values": np.round(chance.uniform(0, 100, KINDS_POINTS), 1),
        "32-bit sensor, walking": smooth.astype(np.float32).astype(np.float64),
        "64-bit, all digits": smooth,
        "counter": np.cumsum(chance.integers(0, 5, KINDS_POINTS)).astype(np.float64),
        "switch": (np.cumsum(chance.random(KINDS_POINTS) < 0.01) % 2).astype(np.float64),
    }
    figures: Figures = {}
    for step_ms in (1000, 10_000):
        for number, (name, values) in enumerate(made.items()):
            path = folder / f"kind{step_ms}-{number}.db"
            store, _ = await filled(path, values, step_ms, jitter_ms=8)
            await store.close()
            figures[f"bytes a point each {step_ms // 1000} s: {name}"] = used_bytes(path) / KINDS_POINTS
    return figures


async def year(folder: Path) -> Figures:
    """A year of sixteen points each minute, as the API answers them, and of one each 10 s."""
    store = EmbeddedTimeSeries(folder / "year.db", pack_at=10**12)
    await store.start()
    for series in range(1, YEAR_POINTS + 1):
        await fill(store, walk(YEAR_S // 60, seed=series), 60_000, series=series)
    end = T0 + YEAR_S * 1000

    async def all_points() -> bytes:
        parts = [
            Drawn(dsid, await store.envelope(dsid, T0, end, PIXELS)) for dsid in range(1, YEAR_POINTS + 1)
        ]
        if not all(len(part.envelope.t_ms) for part in parts):
            raise RuntimeError("a point without samples")
        return encode(parts, T0, end)

    figures: Figures = {
        "a year each minute, sixteen points, ms": await best_ms(all_points),
        "a year each minute, sixteen points, kB": len(await all_points()) / 1000,
    }
    await store.close()
    store, _ = await filled(folder / "fine.db", walk(YEAR_S // 10), 10_000)
    figures["a year each 10 s, one point, ms"] = await best_ms(lambda: store.envelope(1, T0, end, PIXELS))
    figures["the last day of it, ms"] = await best_ms(
        lambda: store.envelope(1, end - 86_400_000, end, PIXELS)
    )
    await store.close()
    return figures


def history() -> Figures:
    """One series each second to 1,000 pixels: embedded, limit, SQLite rows, InfluxDB; size and payload."""
    figures: Figures = {"load average": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in SIZES:
            for part in (mapped, embedded, rows, influx):
                for key, value in asyncio.run(part(folder, size)).items():
                    figures[f"{size:.0e} points: {key}"] = value
                for file in folder.glob("*.db*"):
                    file.unlink()
        figures |= asyncio.run(kinds(folder))
        figures |= asyncio.run(year(folder))
    return figures


HISTORY_BENCHMARKS: dict[str, Callable[[], Figures]] = {"history": history}
