"""What scripts/bench measures of the embedded store over a day of a few gateways, in compressed time."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.history import T0, best_ms, used_bytes
from benchmarks.ingest import Figures
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries

GATEWAYS = int(os.environ.get("EDGE_BENCH_STORAGE", "4"))
POINTS = 50
HOURS = 24
WRITE_S = 10
"""Seconds of samples that one write holds, of all gateways."""
HOUR_S = 3600
HOUR_MS = HOUR_S * 1000
YEAR_SAMPLES = 50_000 * 365 * 86_400
REPORTED_HOURS = (1, 4, 8, 12, 16, 20, 24)


def walks(hours: int) -> NDArray[np.float64]:
    """Temperatures with two decimals, a row for each point."""
    steps = np.random.default_rng(5).normal(0, 0.05, (GATEWAYS * POINTS, hours * HOUR_S))
    return np.round(20 + np.cumsum(steps, axis=1) * 0.2, 2)


def written_bytes() -> int:
    """What this process had the kernel write to disks."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("write_bytes")).split()[1])


async def write_hour(store: EmbeddedTimeSeries, hour: int, values: NDArray[np.float64]) -> float:
    """An hour of all gateways; the CPU seconds that it took, packing included."""
    begun = time.process_time()
    for at in range(0, HOUR_S, WRITE_S):
        times = [T0 + hour * HOUR_MS + 1000 * second for second in range(at, at + WRITE_S)]
        good = [0] * WRITE_S
        columns = [
            SeriesColumn(series, times, part, good)
            for series, part in enumerate(values[:, at : at + WRITE_S].tolist(), 1)
        ]
        await store.write(columns)
    await store.drain()
    return time.process_time() - begun


def last_hour(store: EmbeddedTimeSeries, end_ms: int) -> Callable[[], Awaitable[None]]:
    """A chart of the last hour of every point of one gateway."""

    async def read() -> None:
        for series in range(1, POINTS + 1):
            await store.envelope(series, end_ms - HOUR_MS, end_ms, 1000)

    return read


async def _storage(folder: Path) -> Figures:
    path = folder / "day.db"
    store = EmbeddedTimeSeries(path)
    await store.start()
    samples_an_hour = GATEWAYS * POINTS * HOUR_S
    figures: Figures = {"points": GATEWAYS * POINTS, "samples": samples_an_hour * HOURS}
    day = walks(HOURS)
    before, spent = written_bytes(), 0.0
    for hour in range(HOURS):
        spent += await write_hour(store, hour, day[:, hour * HOUR_S : (hour + 1) * HOUR_S])
        if hour + 1 in REPORTED_HOURS:
            end_ms = T0 + (hour + 1) * HOUR_MS
            count = samples_an_hour * (hour + 1)
            label = f"after {hour + 1} h"
            figures |= {
                f"{label}: bytes a sample": used_bytes(path) / count,
                f"{label}: last hour of {POINTS} points, ms": await best_ms(last_hour(store, end_ms)),
                f"{label}: all of one point, ms": await best_ms(
                    lambda upto=end_ms: store.envelope(1, T0, upto, 1000)  # type: ignore[misc]
                ),
            }
    count = samples_an_hour * HOURS
    await store.close()
    at_rest = used_bytes(path) / count
    return figures | {
        "CPU microseconds a sample, packing included": 1e6 * spent / count,
        "bytes written to the disk a sample": (written_bytes() - before) / count,
        "written for each byte at rest": (written_bytes() - before) / count / at_rest,
        "year of 50,000 points by this day, GB": at_rest * YEAR_SAMPLES / 1e9,
    }


def storage() -> Figures:
    """A day of points each second, written ten seconds at a time: size, writing and readings as it grows."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_storage(Path(folder)))


STORAGE_BENCHMARKS: dict[str, Callable[[], Figures]] = {"storage": storage}
