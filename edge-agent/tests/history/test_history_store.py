"""One suite for memory and medium: numbers, notes, chunks, retention by days and by size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from history_gateway import DAY_MS, ENERGY, LEVEL, NOW, POWER

from edge_agent.errors import StoreError
from edge_agent.history.base import Chunk, Extent, StoredSample
from edge_agent.history.chunk import chunks_of, decoded, encoded, extents_of
from edge_agent.history.place import Disk, HistoryPlace
from edge_agent.history.storing import seal
from edge_agent.model import PointKey


def day(number: int, values: int = 100) -> list[StoredSample]:
    """Samples of a day of the meter."""
    return [
        StoredSample(POWER, NOW + number * DAY_MS + at * 10_000, at + number / 7, 0) for at in range(values)
    ]


def test_a_number_belongs_to_one_point_for_ever(make_place: Callable[..., HistoryPlace]) -> None:
    store = make_place().open()
    first = store.numbers([POWER, ENERGY, POWER])
    again = store.numbers([LEVEL, ENERGY])
    assert again[ENERGY] == first[ENERGY]
    assert len({first[POWER], first[ENERGY], again[LEVEL]}) == 3
    store.close()
    store = make_place().open()
    assert store.keys() == {number: key for key, number in {**first, **again}.items()}
    store.close()


def test_chunks_hold_exactly_the_samples(make_place: Callable[..., HistoryPlace]) -> None:
    samples = [
        StoredSample(POWER, NOW, 1, 0),
        StoredSample(POWER, NOW + 10_000, 1.0, 0),
        StoredSample(POWER, NOW + 20_000, None, 5),
        StoredSample(ENERGY, NOW, "run", 0),
        StoredSample(ENERGY, NOW, True, 8),
        StoredSample(LEVEL, NOW + 5, 2**63, 0),
    ]
    store = make_place().open()
    seal(store, samples)
    stored = store.chunks(None, 0, 2**53, 0, 2**53, 10)
    assert [chunk.slave for chunk in stored] == ["meter", "tank"]
    found = [one for chunk in stored for one in decoded(chunk.payload, store.keys())]
    assert sorted(map(repr, found)) == sorted(map(repr, samples))
    only = [one for chunk in stored for one in decoded(chunk.payload, store.keys(), ENERGY)]
    assert {one.key for one in only} == {ENERGY}
    numbers = store.numbers([POWER, LEVEL])
    assert store.extents()[numbers[POWER]] == Extent(NOW, NOW + 20_000)
    assert store.usage().samples == 6
    assert store.usage().oldest_ms == NOW
    store.close()


def test_chunks_are_selected_by_slave_time_and_age(make_place: Callable[..., HistoryPlace]) -> None:
    store = make_place().open()
    for number in range(4):
        seal(store, [*day(number), StoredSample(LEVEL, NOW + number * DAY_MS, 1, 0)])
    two_days = store.chunks("meter", NOW + DAY_MS + 990_000, NOW + 2 * DAY_MS, 0, 99, 10)
    assert [chunk.first_ms for chunk in two_days] == [NOW + DAY_MS, NOW + 2 * DAY_MS]
    assert store.chunks("fan", 0, 2**53, 0, 99, 10) == []
    assert len(store.chunks(None, 0, 2**53, 0, store.newest_id(), 99)) == 8
    assert len(store.chunks(None, 0, 2**53, 2, 5, 99)) == 3
    assert len(store.chunks(None, 0, 2**53, 0, 99, 3)) == 3
    store.close()


def test_chunks_expire_as_units_and_extents_follow(make_place: Callable[..., HistoryPlace]) -> None:
    store = make_place().open()
    for number in range(3):
        seal(store, day(number))
    assert store.expire(NOW + DAY_MS + 5000) == 100, "a chunk with one sample of the time to keep is kept"
    assert store.usage().samples == 200
    assert store.usage().evicted_samples == 0
    [extent] = store.extents().values()
    assert extent.first_ms == NOW + DAY_MS
    assert store.expire(2**53) == 200
    assert store.extents() == {}
    store.close()


def test_when_full_the_oldest_chunks_go_and_are_counted(make_place: Callable[..., HistoryPlace]) -> None:
    store = make_place(256 * 1024).open()
    texts = [[StoredSample(POWER, NOW + n * DAY_MS + i, f"{n * 7919 * (i + 1):x}" * 4, 0) for i in range(200)]
             for n in range(200)]  # fmt: skip
    for samples in texts:
        seal(store, samples)
    usage = store.usage()
    stored = store.chunks(None, 0, 2**53, 0, 2**53, 1000)
    assert usage.samples + usage.evicted_samples == 200 * 200
    assert usage.samples == sum(chunk.samples for chunk in stored)
    assert [chunk.first_ms for chunk in stored] == [s[0].t_ms for s in texts[-len(stored) :]]
    assert usage.used_bytes > usage.capacity_bytes * 0.7, "no more goes than must"
    assert usage.used_bytes <= usage.capacity_bytes
    store.close()


def test_what_is_noted_outlives_the_process_until_it_is_in_a_chunk(tmp_path: Path) -> None:
    place = Disk(tmp_path / "history.sqlite", 1024 * 1024, lambda _: True, lambda: NOW)
    store = place.open()
    numbers = store.numbers([POWER])
    store.note([payload for _, payload in encoded(day(0, 3), numbers)])
    store.note([payload for _, payload in encoded(day(1, 2), numbers)])
    store.close()
    store = place.open()
    noted = [one for payload in store.noted() for one in decoded(payload, store.keys())]
    assert noted == [*day(0, 3), *day(1, 2)]
    store.seal(chunks_of(noted, numbers), extents_of(noted, numbers))
    assert store.noted() == []
    store.close()


def test_a_newer_file_is_refused_and_not_touched(tmp_path: Path) -> None:
    place = Disk(tmp_path / "history.sqlite", 1024 * 1024, lambda _: True, lambda: NOW)
    store = place.open()
    store._connection.execute("PRAGMA user_version = 99")  # type: ignore[attr-defined]
    store.close()
    with pytest.raises(StoreError, match="schema 99"):
        place.open()
    assert list(tmp_path.glob("*.bad-*")) == []


def test_points_without_a_chunk_are_no_trouble(make_place: Callable[..., HistoryPlace]) -> None:
    store = make_place().open()
    store.seal([], {})
    store.seal([Chunk(0, "meter", NOW, NOW, 1, b"rubbish")], {})
    store.numbers([PointKey("fan", "speed")])
    assert store.extents() == {}
    store.close()
