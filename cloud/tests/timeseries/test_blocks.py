"""The tail of the embedded store: blocks of a partition, their order, damage, and files of older versions."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud.timeseries import packer, tables, tail
from cloud.timeseries.base import SeriesColumn, StoredSample
from cloud.timeseries.blocks import (
    BLOCK_SAMPLES,
    PARTITION_SERIES,
    Block,
    WrittenBlock,
    folded,
    of_columns,
    read,
    write_packed,
    write_plain,
)
from cloud.timeseries.embedded import EmbeddedTimeSeries
from cloud.timeseries.unpacked import FOLD_AT
from edge_contract.model import Quality, Value

from .recomputed import DAY_MS, T0, VALUES, Known, equals, learn
from .test_packed import inside, unpacked

OLDER_FILE = Path(__file__).with_name("data_folder_of_0_1.sql")
"""What a version wrote whose tail was a row a sample: chunks, rollups, rows, and a deletion."""

SERIES = st.integers(-40, 100)
SAMPLES = st.lists(st.tuples(SERIES, st.integers(0, 2000), VALUES, st.sampled_from([0, 5])), min_size=1)


def columns_of(samples: list[tuple[int, int, Value, int]]) -> list[SeriesColumn]:
    return [SeriesColumn(series, [T0 + t], [value], [quality]) for series, t, value, quality in samples]


def content(blocks: Iterator[tuple[int, Block]]) -> dict[int, list[StoredSample]]:
    return {series: samples.stored() for _, block in blocks for series, samples in block.each()}


@given(SAMPLES)
def test_a_block_holds_what_it_was_made_of_whichever_way_it_was_written(
    samples: list[tuple[int, int, Value, int]],
) -> None:
    known: dict[int, dict[int, StoredSample]] = {}
    for series, t, value, quality in samples:
        known.setdefault(series, {})[T0 + t] = StoredSample(T0 + t, value, quality)
    expected = {series: [found[t] for t in sorted(found)] for series, found in known.items()}
    plain = write_plain(of_columns(columns_of(samples)))
    packed = [write_packed(read(row.partition, row.packed)) for row in plain]
    for rows in (plain, packed):
        again = [(row.partition, read(row.partition, row.packed)) for row in rows]
        found = content(iter(again))
        assert found == expected
        assert {s: [type(x.value) for x in found[s]] for s in found} == {
            s: [type(x.value) for x in expected[s]] for s in expected
        }
        for row in rows:
            mine = {s: expected[s] for s in expected if s // PARTITION_SERIES == row.partition}
            times = [sample.t_ms for each in mine.values() for sample in each]
            assert (row.first_ms, row.last_ms, row.samples) == (min(times), max(times), len(times))
            assert row.series_mask == sum(1 << s % PARTITION_SERIES for s in mine)


@given(st.lists(SAMPLES, min_size=1, max_size=5))
def test_of_folded_blocks_the_later_stands(parts: list[list[tuple[int, int, Value, int]]]) -> None:
    one = folded([of_columns(columns_of(part)) for part in parts])
    together = of_columns([column for part in parts for column in columns_of(part)])
    assert content(iter([(0, one)])) == content(iter([(0, together)]))


def test_what_has_no_number_is_out_of_range() -> None:
    nan, inf = float("nan"), float("inf")
    block = of_columns([SeriesColumn(1, [1, 2, 3], [nan, -inf, 2.0], [0, 3, 0])])
    assert [(s.value, s.quality) for _, part in block.each() for s in part.stored()] == [
        (None, Quality.OUT_OF_RANGE),
        (None, 3),
        (2.0, 0),
    ]


def test_a_long_write_is_cut_into_blocks() -> None:
    """Within a series, and a partition of several series where it comes."""
    count = 2 * BLOCK_SAMPLES + 5
    times = list(range(T0, T0 + count))
    columns = [
        SeriesColumn(series, times[:length], [series + 0.5] * length, [0] * length)
        for series, length in ((7, count), (8, 3), (9, BLOCK_SAMPLES), (40, 2), (70, BLOCK_SAMPLES))
    ]
    rows = write_plain(of_columns(columns))
    assert [(row.partition, row.samples) for row in rows] == [
        (0, BLOCK_SAMPLES), (0, BLOCK_SAMPLES), (0, BLOCK_SAMPLES), (0, 8), (1, 2), (2, BLOCK_SAMPLES)
    ]  # fmt: skip
    assert [row.series_mask for row in rows[:4]] == [1 << 7, 1 << 7, 0b111 << 7, 1 << 9]
    found: dict[int, list[int]] = {}
    for row in rows:
        for series, samples in read(row.partition, row.packed).each():
            assert set(samples.number.tolist()) == {series + 0.5}
            found.setdefault(series, []).extend(samples.t_ms.tolist())
    assert found == {column.series: column.t_ms for column in columns}
    assert write_plain(of_columns([])) == []


@pytest.mark.parametrize("write", [lambda block: write_plain(block)[0], write_packed])
def test_a_changed_byte_is_noticed(write: Callable[[Block], WrittenBlock]) -> None:
    data = write(of_columns([SeriesColumn(3, [T0, T0 + 9], [1.25, "text"], [0, 5])])).packed
    for at in range(len(data)):
        spoiled = bytearray(data)
        spoiled[at] ^= 0x10
        with pytest.raises(ValueError, match="checksum"):
            read(0, bytes(spoiled))


def test_a_column_of_unequal_lengths_is_refused() -> None:
    with pytest.raises(ValueError, match="equally many"):
        of_columns([SeriesColumn(1, [T0, T0 + 1], [1.0], [0, 0])])


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_partitions_in_any_order_of_folding_and_packing_give_what_was_written(seed: int) -> None:
    """Several series, late and corrected samples, a reopened file in between."""
    asyncio.run(_in_any_order(random.Random(seed)))


async def _in_any_order(rng: random.Random) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ts.db"
        store = EmbeddedTimeSeries(path, pack_at=10**9, chunk=16)
        await store.start()
        known: dict[int, Known] = {series: {} for series in (1, 2, 31, 32)}
        for _ in range(25):
            match rng.randrange(8):
                case 0:
                    await store._writer.run(partial(store._fold, partition=rng.randrange(2)))
                case 1:
                    await store._pack(rng.randrange(2), rng.choice([1, 5, 20]))
                case 2:
                    await store.close()
                    store = EmbeddedTimeSeries(path, pack_at=10**9, chunk=16)
                    await store.start()
                case _:
                    sent = [
                        SeriesColumn(
                            series,
                            times := sorted(T0 + t for t in rng.sample(range(0, 400_000, 5000), 6)),
                            [rng.choice([rng.randint(-9, 9) / 4, 3, None, "on"]) for _ in times],
                            [rng.choice([0, 0, 5]) for _ in times],
                        )
                        for series in rng.sample(sorted(known), rng.randint(1, 4))
                    ]
                    await store.write(sent)
                    for column in sent:
                        learn(known[column.series], column)
        for series, samples in known.items():
            if samples:
                await equals(store, series, samples)
        await store.close()


async def test_blocks_are_folded_so_that_a_reading_has_few(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    for n in range(5 * FOLD_AT):
        await store.write([SeriesColumn(s, [T0 + n], [n / 4], [0]) for s in range(1, 9)])
    await store.drain()
    assert await inside(store, "SELECT count(*) FROM block") <= 2 * FOLD_AT
    assert await inside(store, "SELECT sum(count) FROM block") == 5 * FOLD_AT * 8
    assert await store.count(8, T0, T0 + DAY_MS) == 5 * FOLD_AT
    await store.close()


async def test_a_write_is_a_row_for_each_partition_it_touches(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    await store.write([SeriesColumn(s, [T0], [1.0], [0]) for s in range(PARTITION_SERIES * 3)])
    assert await inside(store, "SELECT count(*) FROM block") == 3
    assert await inside(store, "SELECT count(*) FROM sample") == 0
    await store.close()


async def test_a_series_of_few_samples_stays_when_its_partition_is_packed(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=100)
    await store.start()
    times = [T0 + 1000 * n for n in range(400)]
    await store.write([SeriesColumn(1, times, [1.0] * 400, [0] * 400), SeriesColumn(2, [T0], [2.0], [0])])
    await store.drain()
    assert [await unpacked(store, 1), await unpacked(store, 2)] == [0, 1]
    assert [await inside(store, f"SELECT count(*) FROM chunk WHERE series = {s}") for s in (1, 2)] == [1, 0]
    assert {s: found.value for s, found in (await store.latest([1, 2, 3])).items()} == {1: 1.0, 2: 2.0}
    await store.close()


async def test_a_damaged_block_is_left_out_told_and_goes_with_its_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=10)
    await store.start()
    await store.write([SeriesColumn(1, [T0, T0 + 5], [1.0, 2.0], [0, 0])])
    await store._writer.run(lambda c: c.execute("UPDATE block SET packed = x'00' RETURNING 1").fetchall())
    await store.write([SeriesColumn(1, [T0 + 7 + n for n in range(20)], [3.0] * 20, [0] * 20)])
    assert await store.count(1, T0, T0 + DAY_MS) == 20
    assert await store.damage(1, T0, T0 + DAY_MS) == [(T0, T0 + 5)]
    assert caplog.text.count("are damaged") == 1
    await store.drain()
    assert await inside(store, "SELECT count FROM chunk") == 20  # it holds up nothing
    assert await store.count(1, T0, T0 + DAY_MS) == 20
    await store.write([SeriesColumn(1, [T0 + DAY_MS], [4.0], [0])])
    await store.delete_before(1, T0 + DAY_MS)
    assert await store.damage(1, T0, T0 + 2 * DAY_MS) == []
    assert await store.older([1], T0 + DAY_MS) == set()
    await store.close()


async def test_rows_of_an_older_version_stand_before_nothing_that_came_since(tmp_path: Path) -> None:
    path = tmp_path / "ts.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(tables.SCHEMA)
        connection.executemany("INSERT INTO sample VALUES (1, ?, 1.5, 1, 0)", [(T0 + n,) for n in range(30)])
    connection.close()
    store = EmbeddedTimeSeries(path)
    await store.start()
    await store.write([SeriesColumn(1, [T0 + 3], [99.0], [0])])
    for _ in range(2):
        values = [sample.value for sample in await store.samples(1, T0, T0 + DAY_MS, 99)]
        assert values == [1.5] * 3 + [99.0] + [1.5] * 26
        await store.drain()
    assert await inside(store, "SELECT count(*) FROM sample") == 0
    await store.close()


async def test_a_data_folder_of_the_version_before_answers_as_it_did(tmp_path: Path) -> None:
    path = tmp_path / "ts.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(OLDER_FILE.read_text())
    connection.close()
    values: list[Value] = [1.5, 7, True, None, "运行", 2**60, -0.0, 20.25]
    known: dict[int, Known] = {
        series: {
            T0 + 30_000 * n: (n / 4 if series == 1 else values[n % 8], 5 if n % 8 == 3 else 0)
            for n in range(90)
        }
        | {T0 + 15_000: (100.0, 0), T0 + 30_000 * 95: (200.0, 0)}
        for series in (1, 2, 40)
    }
    store = EmbeddedTimeSeries(path, pack_at=10)
    await store.start()
    for series in known:
        await equals(store, series, known[series])
    sent = SeriesColumn(1, [T0 + 30_000, T0 + 30_000 * 96], [-5.0, 300.0], [0, 0])
    await store.write([sent])
    learn(known[1], sent)
    await store.drain()
    for series in known:
        while await store.pack(series):
            pass
        await equals(store, series, known[series])
    assert await inside(store, "SELECT count(*) FROM sample") == 0
    await store.close()


async def test_a_step_ends_though_the_first_blocks_cannot_move(tmp_path: Path) -> None:
    """What stays in the tail, being few of its series, keeps nothing behind it from being packed."""
    with sqlite3.connect(tmp_path / "ts.db") as connection:
        connection.executescript(tables.SCHEMA)
        few = of_columns([SeriesColumn(s, [T0], [1.0], [0]) for s in range(20)])
        many = of_columns([SeriesColumn(21, list(range(T0, T0 + 50)), [1.0] * 50, [0] * 50)])
        tail.put(connection, [(1, write_packed(few)), (2, write_packed(many))])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(packer, "STEP_SAMPLES", 10)
            packed = packer.pack_tail(connection, 0, min_samples=5)
        assert {series: one.moved for series, one in packed.items()} == {21: 50}
        assert tail.head_of(connection, 0).samples == 20
    connection.close()


async def test_readings_beside_packing_see_one_state_of_the_file(tmp_path: Path) -> None:
    """A block that is found is there to be read, whatever the packing does meanwhile."""
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=2)
    await store.start()
    series = list(range(1, 30))

    async def write() -> None:
        for n in range(60):
            await store.write([SeriesColumn(s, [T0 + n], [float(n)], [0]) for s in series])
            await store.drain()

    writing = asyncio.create_task(write())
    while not writing.done():
        older = await store.older(series, T0 + DAY_MS)
        assert older in (set(), set(series))
        samples = await store.latest(series)
        assert len({sample.t_ms for sample in samples.values()}) <= 1
        assert await store.count(7, T0, T0 + DAY_MS) <= 60
    await writing
    assert await store.count(7, T0, T0 + DAY_MS) == 60
    await store.close()


async def test_a_write_without_samples_changes_nothing(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    await store.write([])
    await store.write([SeriesColumn(1, [], [], []), SeriesColumn(2, [], [], [])])
    await store.write([SeriesColumn(1, [], [], []), SeriesColumn(2, [T0], [1.0], [0])])
    assert [await store.count(series, T0, T0 + DAY_MS) for series in (1, 2)] == [0, 1]
    await store.close()


async def test_late_samples_of_more_than_a_step_are_all_summed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody sees them before they are in the rollups, so no step may forget that there are more."""
    monkeypatch.setattr(packer, "STEP_SAMPLES", 5)
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    await store.write([SeriesColumn(1, [T0 + 5 * DAY_MS], [1.0], [0])])
    await store.delete_before(1, T0 + 5 * DAY_MS)
    for n in range(8):
        times = [T0 + 60_000 * (4 * n + k) for k in range(4)]
        await store.write([SeriesColumn(1, times, [1.0] * 4, [0] * 4)])
    await store.drain()
    (day,) = await store.buckets(1, T0, T0 + DAY_MS, DAY_MS)
    assert day.count == 32
    await store.close()


async def test_a_reader_remembers_blocks_within_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And answers from what is written, whatever was folded, corrected or deleted since."""
    monkeypatch.setattr(tail, "CACHED_SAMPLES", 10)
    store = EmbeddedTimeSeries(tmp_path / "ts.db", pack_at=10**9)
    await store.start()
    for n in range(12):
        await store.write([SeriesColumn(s, [T0 + n], [float(n)], [0]) for s in (1, 2, 3)])
        assert await store.count(2, T0, T0 + DAY_MS) == n + 1
        assert store._read_blocks._samples <= 10
    await store._writer.run(partial(store._fold, partition=0))
    await store.write([SeriesColumn(2, [T0 + 5], [99.0], [0])])
    values = [sample.value for sample in await store.samples(2, T0, T0 + DAY_MS, 99)]
    assert values == [99.0 if n == 5 else float(n) for n in range(12)]
    await store.close()
