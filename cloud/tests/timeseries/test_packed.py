"""The embedded store's packed part: equal to a plain list of samples whatever arrives in whatever order."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cloud.timeseries import packing, rollups
from cloud.timeseries.base import Bucket, SeriesColumn, StoredSample, TimeSeriesError
from cloud.timeseries.columns import of_rows, pack, unpack
from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_contract.model import Value

DAY_MS = 86_400_000
T0 = 20_000 * DAY_MS

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
INTS = st.integers(-(2**63), 2**63 - 1)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.integers(-500, 500).map(lambda n: n / 10), st.integers(-99, 99), st.booleans(), st.none(),
    st.sampled_from(["on", "off"]), st.just(2**60 + 1), FLOATS.filter(lambda x: abs(x) < 1e100),
)  # fmt: skip
TIMES = st.one_of(
    st.integers(0, 3 * DAY_MS), st.integers(0, 200_000), st.integers(0, 80).map(lambda n: n * 30_000)
)
BATCHES = st.lists(
    st.lists(st.tuples(TIMES, VALUES, st.sampled_from([0, 0, 0, 5])), min_size=1, max_size=40),
    min_size=1, max_size=8,
)  # fmt: skip


def column(samples: list[tuple[int, Value, int]]) -> SeriesColumn:
    """One series' samples; of equal times the last."""
    kept = {T0 + t_ms: (value, quality) for t_ms, value, quality in samples}
    times = sorted(kept)
    return SeriesColumn(1, times, [kept[t][0] for t in times], [kept[t][1] for t in times])


async def inside(store: EmbeddedTimeSeries, statement: str) -> int:
    """One number of the store's file."""
    found = await store._reader.run(lambda connection: connection.execute(statement).fetchone())
    return int(found[0])


def reference(
    known: dict[int, tuple[Value, int]], start: int, end: int, origin: int, width: int
) -> dict[int, tuple[int, float, float, float, float]]:
    """Count, lowest, highest, first and last of each bucket, from a plain dictionary of samples."""
    found: dict[int, list[float]] = {}
    for t_ms in sorted(known):
        value, quality = known[t_ms]
        if start <= t_ms < end and quality == 0 and isinstance(value, int | float):
            found.setdefault(origin + (t_ms - origin) // width * width, []).append(float(value))
    return {at: (len(v), min(v), max(v), v[0], v[-1]) for at, v in found.items()}


def exact(bucket: Bucket) -> tuple[int, float, float, float, float]:
    return bucket.count, bucket.min, bucket.max, bucket.first, bucket.last


@settings(max_examples=25, deadline=None)
@given(batches=BATCHES, packed_after=st.sets(st.integers(0, 7)))
def test_levels_equal_what_the_samples_give(
    batches: list[list[tuple[int, Value, int]]], packed_after: set[int]
) -> None:
    """Late, repeated and corrected samples included, packed or not, in tiny chunks."""
    asyncio.run(_levels_equal(batches, packed_after))


async def _levels_equal(batches: list[list[tuple[int, Value, int]]], packed_after: set[int]) -> None:
    with TemporaryDirectory() as folder:
        store = EmbeddedTimeSeries(Path(folder) / "ts.db", pack_at=10**9, chunk=16)
        await store.start()
        known: dict[int, tuple[Value, int]] = {}
        for number, batch in enumerate(batches):
            sent = column(batch)
            await store.write([sent])
            known |= {t: (v, int(q)) for t, v, q in zip(sent.t_ms, sent.values, sent.qualities, strict=True)}
            if number in packed_after:
                while await store.pack(1):
                    pass
        end = T0 + 4 * DAY_MS
        whole = [StoredSample(t, *known[t]) for t in sorted(known)]
        assert await store.samples(1, T0, end, 10_000) == whole
        assert await store.samples(1, T0, end, 7, newest_first=True) == whole[::-1][:7]
        assert await store.count(1, T0 + 1000, end) == sum(t >= T0 + 1000 for t in known)
        assert (await store.latest([1]))[1] == whole[-1]
        for width in (*rollups.LEVELS_MS, 4 * 3_600_000, 7777):
            for start in (T0, T0 + 1500):
                stop = end - 777
                got = {b.start_ms: exact(b) for b in await store.buckets(1, start, stop, width)}
                assert got == reference(known, start, stop, start, width)
        await store.close()


@settings(max_examples=50, deadline=None)
@example([], [-0.0])
@example([-(2**63), 2**63 - 1, 0], [1.5, -0.0, 5e-324, 1.7976931348623157e308])
@given(st.lists(INTS, max_size=50), st.lists(FLOATS, max_size=50))
def test_arrays_come_back_bit_by_bit(integers: list[int], floats: list[float]) -> None:
    source = packing.unsqueeze(
        packing.squeeze(packing.put_ints(np.array(integers, np.int64)), packing.put_floats(np.array(floats)))
    )
    assert packing.get_ints(source).tolist() == integers
    assert packing.get_floats(source).tobytes() == struct.pack(f"={len(floats)}d", *floats)


def test_regular_samples_take_few_bytes() -> None:
    chance = random.Random(3)
    walk = np.round(np.cumsum([chance.gauss(0, 0.1) for _ in range(4096)]) + 20, 2).tolist()
    rows = [(T0 + 1000 * n, value, 1, 0) for n, value in enumerate(walk)]
    packed = pack(of_rows(rows))
    assert len(packed) / 4096 < 2
    assert unpack(packed).number.tolist() == walk


async def test_the_rows_of_an_older_file_are_packed_once_in_steps(tmp_path: Path) -> None:
    """Its `sample` table is the tail of today: it is read at once and packed behind the next write."""
    path = tmp_path / "timeseries.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE sample (series INTEGER NOT NULL, t_ms INTEGER NOT NULL, value,"
            " kind INTEGER NOT NULL, quality INTEGER NOT NULL, PRIMARY KEY (series, t_ms)) WITHOUT ROWID"
        )
        connection.execute("CREATE TABLE latest (series INTEGER PRIMARY KEY)")
        connection.executemany(
            "INSERT INTO sample VALUES (1, ?, ?, 1, 0)", [(T0 + 1000 * n, n / 10) for n in range(40_000)]
        )
    connection.close()
    store = EmbeddedTimeSeries(path)
    await store.start()
    assert await store.count(1, T0, T0 + DAY_MS) == 40_000
    waiting = 40_000
    async with asyncio.timeout(30):
        while waiting > 1:  # beside writes that go on
            await store.write([SeriesColumn(2, [T0], [1.0], [0])])
            waiting = await inside(store, "SELECT count(*) FROM sample WHERE series = 1")
    assert await store.count(1, T0, T0 + DAY_MS) == 40_000
    assert [s.value for s in await store.samples(1, T0, T0 + 3000, 9)] == [0.0, 0.1, 0.2]
    assert (await store.latest([1]))[1].value == 3999.9
    await store.close()


async def test_packing_begins_by_itself_and_a_reader_sees_no_difference(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=100, chunk=64)
    await store.start()
    for part in range(5):
        times = [T0 + 1000 * n for n in range(part * 100, part * 100 + 100)]
        await store.write([SeriesColumn(1, times, [float(t) for t in times], [0] * 100)])
        assert await store.count(1, T0, T0 + DAY_MS) == 100 * (part + 1)
    await store.settle()
    assert await inside(store, "SELECT sum(count) FROM chunk") >= 400
    assert await inside(store, "SELECT max(count) FROM chunk") <= 2 * 64
    await store.close()


async def test_what_is_deleted_stays_deleted_and_its_levels_stand_for_it(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=10**9, chunk=256)
    await store.start()
    times = [T0 + 20_000 * n for n in range(3 * 4320)]
    await store.write([SeriesColumn(1, times, [float(n % 100) for n in range(len(times))], [0] * len(times))])
    await store.delete_before(1, T0 + 2 * DAY_MS + 5)
    await store.write([SeriesColumn(1, [T0 + 500], [1e9], [0])])
    for _ in range(2):
        assert await store.count(1, T0, T0 + 3 * DAY_MS) == 4320
        assert (await store.samples(1, T0, T0 + 3 * DAY_MS, 1))[0].t_ms == T0 + 2 * DAY_MS
        hours = await store.buckets(1, T0, T0 + 3 * DAY_MS, 3_600_000)
        assert [(hour.count, hour.max) for hour in hours] == [(180, 99.0)] * 72
        fine = await store.envelope(1, T0, T0 + 3 * DAY_MS, 4000)
        assert (fine.count, max(fine.value)) == (3 * 4320, 99.0)
        await store.pack(1)
    await store.delete_before(1, T0 + DAY_MS, rollups.LEVELS_MS[2])
    hours = await store.buckets(1, T0, T0 + 3 * DAY_MS, 3_600_000)
    assert [(hour.start_ms, hour.count) for hour in hours][:2] == [(T0, 4320), (T0 + DAY_MS, 180)]
    await store.close()


async def test_the_levels_know_every_sample_of_a_series_that_ended_long_ago(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    await store.write([SeriesColumn(1, [T0, T0 + 60_000], [1.0, 2.0], [0, 0])])
    await store.delete_before(1, T0 + 9 * DAY_MS)
    assert await store.latest([1]) == {}
    (day,) = await store.buckets(1, T0, T0 + DAY_MS, DAY_MS)
    assert exact(day) == (2, 1.0, 2.0, 1.0, 2.0)
    await store.close()


async def test_late_samples_far_apart_are_packed_in_bounded_steps(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=10**9, chunk=32)
    await store.start()
    times = [T0 + 60_000 * n for n in range(2000)]
    await store.write([SeriesColumn(1, times, [1.0] * 2000, [0] * 2000)])
    while await store.pack(1):
        pass
    await store.write([SeriesColumn(1, [t + 1 for t in times[::40]], [9.0] * 50, [0] * 50)])
    steps = [await store.pack(1)]
    while steps[-1]:
        steps.append(await store.pack(1))
    assert len(steps) > 3
    assert sum(steps) == 50
    days = await store.buckets(1, T0, T0 + 2 * DAY_MS, DAY_MS)
    assert [(day.count, day.max) for day in days] == [(1476, 9.0), (574, 9.0)]
    await store.close()


async def test_a_damaged_chunk_is_an_error_of_its_series_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=20)
    await store.start()
    times = [T0 + 1000 * n for n in range(20)]
    both = [SeriesColumn(series, times, [1.0] * 20, [0] * 20) for series in (1, 2)]
    await store.write(both)
    await store.settle()
    await store._writer.run(
        lambda c: c.execute("UPDATE chunk SET packed = x'789c00' WHERE series = 1").fetchall()
    )
    with pytest.raises(TimeSeriesError, match="unpacked"):
        await store.samples(1, T0, T0 + DAY_MS, 9)
    later = [t + 100_000 for t in times]
    await store.write([SeriesColumn(series, later, [2.0] * 20, [0] * 20) for series in (1, 2)])
    async with asyncio.timeout(30):
        while await inside(store, "SELECT count(*) FROM sample WHERE series = 2") > 1:
            await store.count(2, T0, T0 + DAY_MS)
    assert await store.count(2, T0, T0 + DAY_MS) == 40
    assert (await store.latest([1]))[1].value == 2.0
    assert "stay unpacked" in caplog.text
    await store.close()
