"""One damaged chunk: what does not belong into it is packed and deleted as ever."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries
from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS

from .recomputed import DAY_MS, T0
from .test_packed import inside, unpacked

MINUTE_MS = 60_000


def column(times: range | list[int], value: float = 1.0) -> SeriesColumn:
    return SeriesColumn(1, times, [value] * len(times), [0] * len(times))


async def damage(store: EmbeddedTimeSeries, which: int) -> tuple[int, int]:
    """Flip a byte of one of the chunks; its first and last time."""

    def flip(connection: sqlite3.Connection) -> tuple[int, int]:
        number, first, last, packed = connection.execute(
            "SELECT id, start_ms, end_ms, packed FROM chunk ORDER BY start_ms LIMIT 1 OFFSET ?", (which,)
        ).fetchone()
        flipped = bytearray(packed)
        flipped[len(flipped) // 2] ^= 0x55
        connection.execute("UPDATE chunk SET packed = ? WHERE id = ?", (bytes(flipped), number))
        return first, last

    return await store._writer.run(flip)


async def opened(folder: Path) -> EmbeddedTimeSeries:
    store = EmbeddedTimeSeries(folder / "ts.db", pack_at=20, chunk=100)
    await store.start()
    return store


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    """Where four chunks of 100 samples of a day are, one each ten seconds; the newest is in the tail."""
    store = await opened(tmp_path)
    await store.write([column(range(T0, T0 + 4_010_000, 10_000))])
    await store.drain()
    assert await inside(store, "SELECT count(*) FROM chunk") == 4
    await store.close()
    return tmp_path


async def test_only_what_belongs_into_it_stays_in_the_tail(
    filled: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = await opened(filled)
    first, last = await damage(store, 1)
    at = T0 + 4_010_000
    for _ in range(3):  # late ones before, in and behind it, then new ones
        await store.write([column([T0 + 15_000, first + 5000, last - 5000, last + 65_000], 7.0)])
        await store.write([column(range(at, at + 1_000_000, 10_000))])
        await store.drain()
        at += 1_000_000
    assert await unpacked(store) == 2
    assert await store.damage(1, T0, T0 + DAY_MS) == [(first, last)]
    assert caplog.text.count("are damaged") == 1
    assert "unpacked" not in caplog.text
    assert await store.count(1, T0, T0 + DAY_MS) == 701 - 100 + 4
    found = await store.samples(1, first, last + 1, 9)
    assert [(sample.t_ms, sample.value) for sample in found] == [(first + 5000, 7.0), (last - 5000, 7.0)]
    await store.close()
    store = await opened(filled)
    await store.write([column(range(at, at + 1_000_000, 10_000))])
    await store.drain()
    assert await unpacked(store) == 2
    await store.close()


async def test_the_levels_keep_what_they_know_of_it(filled: Path) -> None:
    """A bucket at its edge cannot be made anew: what is new in it waits, and is added when the chunk goes."""
    store = await opened(filled)
    _, last = await damage(store, 3)
    await store.write([column(range(T0 + 4_010_000, T0 + 6_000_000, 10_000))])
    await store.drain()
    behind = (last // MINUTE_MS + 1) * MINUTE_MS
    assert await inside(store, f"SELECT count(*) FROM chunk WHERE start_ms = {behind}") == 1
    assert await unpacked(store) == (behind - last) // 10_000 - 1
    assert (await store.latest([1]))[1].t_ms == T0 + 5_990_000
    assert await store.count(1, behind, T0 + DAY_MS) == (T0 + 6_000_000 - behind) // 10_000
    await store.write([column([T0 + 2 * DAY_MS])])
    await store.delete_before(1, T0 + DAY_MS)
    assert await unpacked(store) == 0
    for width in ROLLUP_WIDTHS_MS:
        assert sum(each.count for each in await store.buckets(1, T0, T0 + DAY_MS, width)) == 600
    await store.close()


async def test_it_goes_when_it_lies_before_the_limit(filled: Path) -> None:
    store = await opened(filled)
    _, last = await damage(store, 1)
    await store.write([column([last - 5000, last + 1], 7.0)])
    await store.write([column(range(T0 + DAY_MS, T0 + DAY_MS + 1_000_000, 10_000))])
    await store.drain()
    for again in range(2):
        await store.delete_before(1, T0 + DAY_MS)
        assert await inside(store, f"SELECT count(*) FROM chunk WHERE start_ms < {T0 + DAY_MS}") == 0
        assert await unpacked(store) == 0
        assert await store.older([1], T0 + DAY_MS) == set()
        assert await store.damage(1, T0, T0 + 2 * DAY_MS) == []
        # the levels keep what they knew; what may have been counted is refused
        days = await store.buckets(1, T0, T0 + DAY_MS, DAY_MS)
        assert [day.count for day in days] == [401]
        if not again:
            await store.close()
            store = await opened(filled)
    await store.close()


async def test_one_on_both_sides_of_the_limit_stays_till_it_is_older(filled: Path) -> None:
    store = await opened(filled)
    await store.write([column(range(T0 + DAY_MS - 2_050_000, T0 + DAY_MS + 1_950_000, 10_000))])
    await store.drain()
    before = await inside(store, f"SELECT count(*) FROM chunk WHERE end_ms < {T0 + DAY_MS}")
    first, last = await damage(store, before)
    assert first < T0 + DAY_MS < last
    late = [T0 + DAY_MS - 5000, T0 + DAY_MS + 5000]
    await store.write([column(late)])
    await store.delete_before(1, T0 + DAY_MS)
    assert await inside(store, "SELECT min(start_ms) FROM chunk") == first
    assert await unpacked(store) == 1
    assert [sample.t_ms for sample in await store.samples(1, T0, last + 1, 9)] == late[1:]
    await store.write([column([T0 + 3 * DAY_MS])])
    await store.delete_before(1, T0 + 2 * DAY_MS)
    assert await store.older([1], T0 + 2 * DAY_MS) == set()
    assert await store.count(1, T0, T0 + 4 * DAY_MS) == 1
    await store.close()


async def test_more_rows_than_a_step_in_damaged_chunks_do_not_hold_up_the_rest(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened(filled)
    monkeypatch.setattr("cloud.timeseries.packer.STEP_SAMPLES", 30)
    spans = [await damage(store, which) for which in (0, 2)]
    late = [t for first, last in spans for t in range(first + 1, last, 10_000)]
    await store.write([column(late)])
    await store.write([column(range(T0 + 4_020_000, T0 + 5_000_000, 10_000))])
    await store.drain()
    assert await unpacked(store) - len(late) < 10
    assert await store.damage(1, T0, T0 + DAY_MS) == spans
    await store.close()
