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

from cloud.timeseries import packing, tail
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.columns import of_rows, pack, unpack
from cloud.timeseries.embedded import EmbeddedTimeSeries

from .recomputed import BATCHES, DAY_MS, FLOATS, T0, Batches, Known, column, equals, learn

INTS = st.integers(-(2**63), 2**63 - 1)


async def inside(store: EmbeddedTimeSeries, statement: str) -> int:
    """One number of the store's file."""
    found = await store._reader.run(lambda connection: connection.execute(statement).fetchone())
    return int(found[0])


async def unpacked(store: EmbeddedTimeSeries, series: int = 1) -> int:
    """Samples of a series that are not in chunks yet."""
    return await store._reader.read(
        lambda connection: len(tail.samples_of(connection, series, -(2**62), 2**62, lambda _: None))
    )


@settings(max_examples=25, deadline=None)
@given(batches=BATCHES, packed_after=st.sets(st.integers(0, 7)))
def test_levels_equal_what_the_samples_give(batches: Batches, packed_after: set[int]) -> None:
    """Late, repeated and corrected samples included, packed or not, in tiny chunks."""
    asyncio.run(_levels_equal(batches, packed_after))


async def _levels_equal(batches: Batches, packed_after: set[int]) -> None:
    with TemporaryDirectory() as folder:
        store = EmbeddedTimeSeries(Path(folder) / "ts.db", pack_at=10**9, chunk=16)
        await store.start()
        known: Known = {}
        for number, batch in enumerate(batches):
            sent = column(1, batch)
            await store.write([sent])
            learn(known, sent)
            if number in packed_after:
                while await store.pack(1):
                    pass
        await equals(store, 1, known)
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
        while waiting:  # beside writes that go on
            await store.write([SeriesColumn(2, [T0], [1.0], [0])])
            waiting = await unpacked(store)
    assert await inside(store, "SELECT count(*) FROM sample") == 0
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
    await store.drain()
    assert await inside(store, "SELECT sum(count) FROM chunk") >= 400
    assert await inside(store, "SELECT max(count) FROM chunk") <= 2 * 64
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


async def test_a_damaged_chunk_is_left_out_and_told_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=20)
    await store.start()
    times = [T0 + 1000 * n for n in range(20)]
    both = [SeriesColumn(series, times, [1.0] * 20, [0] * 20) for series in (1, 2)]
    await store.write(both)
    await store.drain()
    await store._writer.run(
        lambda c: c.execute("UPDATE chunk SET packed = x'789c00' WHERE series = 1").fetchall()
    )
    (first, last) = times[0], times[19]
    await store.write([SeriesColumn(1, [last + 1000], [1.0], [0])])
    for newest_first in (False, True):
        found = await store.samples(1, T0, T0 + DAY_MS, 9, newest_first=newest_first)
        assert [sample.t_ms for sample in found] == [last + 1000]
    assert (await store.envelope(1, T0, T0 + DAY_MS, 100)).count == 1
    assert await store.damage(1, T0, T0 + 1) == await store.damage(1, last, T0 + DAY_MS) == [(first, last)]
    assert await store.damage(1, last + 1, T0 + DAY_MS) == await store.damage(2, T0, T0 + DAY_MS) == []
    assert caplog.text.count("are damaged") == 1
    assert "zlib" not in caplog.text and "decompress" not in caplog.text
    later = [first + 5, *(t + 100_000 for t in times)]
    await store.write([SeriesColumn(series, later, [2.0] * 21, [0] * 21) for series in (1, 2)])
    async with asyncio.timeout(30):
        while await unpacked(store, 2):
            await store.count(2, T0, T0 + DAY_MS)
    assert await store.count(2, T0, T0 + DAY_MS) == 41
    assert await unpacked(store) == 2  # of its minute
    assert [await store.count(1, T0, later[1]), await store.count(1, later[1], T0 + DAY_MS)] == [2, 20]
    assert (await store.latest([1]))[1].value == 2.0
    assert caplog.text.count("are damaged") == 1
    await store.close()


async def test_a_damaged_page_of_a_level_is_made_of_the_finer_ones(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=20)
    await store.start()
    times = [T0 + 60_000 * n for n in range(3000)]
    await store.write([SeriesColumn(1, times, [float(n) for n in range(3000)], [0] * 3000)])
    await store.drain()
    whole = [await store.buckets(1, T0, T0 + 3 * DAY_MS, width) for width in (3_600_000, DAY_MS)]
    await store._writer.run(
        lambda c: c.execute("UPDATE level SET packed = x'789c00' WHERE width_ms > 60000").fetchall()
    )
    assert [await store.buckets(1, T0, T0 + 3 * DAY_MS, width) for width in (3_600_000, DAY_MS)] == whole
    assert await store.damage(1, T0, T0 + 3 * DAY_MS) == []
    await store.close()


async def test_a_mean_has_a_number_where_the_sum_has_none(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    values = [1.7e308, 1.7e308, 1.7e308, -1.7e308, -1.7e308, -1.7e308]
    await store.write([SeriesColumn(1, range(T0, T0 + 6), values, [0] * 6)])
    for first, last, mean in ((0, 3, 1.7e308), (3, 6, -1.7e308)):
        (bucket,) = await store.buckets(1, T0 + first, T0 + last, DAY_MS)
        assert bucket.mean == mean
    (bucket,) = await store.buckets(1, T0, T0 + 6, DAY_MS)
    assert bucket.min <= bucket.mean <= bucket.max
    await store.close()


STEADY = [10**15 + 1000 * n for n in range(1000)]


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ([], 14),
        ([5], 14),
        ([5, 6], 14 + 2),
        ([7] * 1000, 14),
        (STEADY, 14 + 8),
        ([n * n for n in range(1000)], 14 + 16),
        ([n % 256 for n in range(0, 70_000, 77)], 14 + 910),
        ([0, 255] * 8, 14 + 16),
        ([0, 256] * 8, 14 + 32),
        ([-1, 254] * 8, 14 + 16),
        ([n**5 * 0x9E3779B97F4A7C15 % 2**64 - 2**63 for n in range(1, 17)], 14 + 128),
    ],
    ids=[
        "none",
        "one",
        "two",
        "equal",
        "steady",
        "growing",
        "bytes",
        "one byte",
        "two bytes",
        "negative",
        "all bits",
    ],
)
def test_integers_lose_their_trend_their_base_and_empty_bytes(values: list[int], size: int) -> None:
    """14 bytes of head, 8 for each order of the trend, and the bytes that are not zero in all of them."""
    packed = packing.put_ints(np.array(values, np.int64))
    assert len(packed) == size
    source = packing.Reader(packed)
    assert packing.get_ints(source).tolist() == values and source.at == len(packed)


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([1.0, 2.0], 0), ([0.1, 2.0], 1), ([0.25], 2), ([0.125, 3.0], 3), ([0.0625], 4), ([0.03125], 5),
        ([0.015625], 6), ([float(np.float32(1 / 3))], 32), ([1 / 3], 64), ([0.0000001], 64), ([-0.0], 32),
        ([2.0**53 - 1], 0), ([2.0**53], 32), ([2.0**53 + 2], 64), ([float("nan")], 32), ([], 0),
        ([1.5] * 16 + [0.25], 2), ([1.0] * 16 + [0.5], 1),
    ],
)  # fmt: skip
def test_floats_are_held_in_the_smallest_form_that_gives_back_every_bit(
    values: list[float], form: int
) -> None:
    """Whole numbers with up to six digits behind the point, 32 bits, or 64."""
    packed = packing.put_floats(np.array(values))
    assert packed[0] == form
    found = packing.get_floats(packing.Reader(packed))
    assert found.tobytes() == struct.pack(f"={len(values)}d", *values)


def test_bytes_stand_behind_their_length() -> None:
    source = packing.Reader(packing.put_bytes(b"abc") + packing.put_bytes(b"") + b"d")
    assert (packing.get_bytes(source), packing.get_bytes(source), source.take(9)) == (b"abc", b"", b"d")
