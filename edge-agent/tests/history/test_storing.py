"""The local storage cycle on a simulated clock."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from history_gateway import ENERGY, LEVEL, NOW, POWER, HandClock, Values, chunks_in, slaves, storing_at

from edge_agent.history import storing as module
from edge_agent.history.archive import Archive
from edge_agent.history.base import StoredSample
from edge_agent.history.place import Disk, HistoryPlace
from edge_agent.history.storing import StoredSlave, Storing
from edge_agent.model import PointKey, Quality, Sample
from edge_agent.system.expiry import DAY_MS, STEADY_S, Expiry


async def run_until(storing: Storing, clock: HandClock, seconds: float) -> None:
    """Let the cycles run for simulated seconds."""
    running = asyncio.ensure_future(storing.run())
    for _ in range(10_000):
        await asyncio.sleep(0.001)
        if clock.seconds >= seconds:
            break
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


async def test_each_slave_in_its_own_cycle(make_place: Callable[..., HistoryPlace], clock: HandClock) -> None:
    ticks: dict[str, list[float]] = {"meter": [], "tank": []}

    class Watched(Storing):
        async def tick(self, due: list[StoredSlave]) -> None:
            for slave in due:
                ticks[slave.name].append(clock.seconds - 1000)
            await super().tick(due)

    archive = Archive(make_place())
    storing = Watched(slaves(), lambda _: None, archive, 30, clock)
    await run_until(storing, clock, 1095)
    assert ticks["meter"][:9] == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert ticks["tank"][:3] == [30, 60, 90]
    await archive.close()


async def test_a_sample_is_stored_once_with_its_own_time(
    make_place: Callable[..., HistoryPlace], clock: HandClock
) -> None:
    values = Values(clock)
    storing, archive = storing_at(make_place(), values, clock)
    first = values.show(POWER, 7)
    clock.seconds += 3
    second = values.show(ENERGY, 1.5)
    await storing.tick(slaves())
    await storing.tick(slaves())
    clock.seconds += 10
    third = values.show(POWER, 7)
    await storing.tick(slaves())
    await storing.close()
    assert sorted(await chunks_in(archive), key=repr) == [
        StoredSample(ENERGY, second.t_ms, 1.5, 0),
        StoredSample(POWER, first.t_ms, 7, 0),
        StoredSample(POWER, third.t_ms, 7, 0),
    ]
    await archive.close()


async def test_a_point_without_value_is_stored_when_that_begins_and_not_each_cycle(
    make_place: Callable[..., HistoryPlace], clock: HandClock
) -> None:
    values = Values(clock)
    storing, archive = storing_at(make_place(), values, clock)
    for value, quality in [(1, Quality.GOOD), *[(None, Quality.DEVICE_OFFLINE)] * 3,
                           (None, Quality.PORT_DOWN), (2, Quality.GOOD)]:  # fmt: skip
        clock.seconds += 10
        values.show(POWER, value, quality)
        await storing.tick(slaves())
    await storing.close()
    assert [(one.value, one.quality) for one in await chunks_in(archive)] == [
        (1, 0),
        (None, 5),
        (None, 7),
        (2, 0),
    ]
    await archive.close()


async def test_what_was_noted_is_there_after_a_kill(tmp_path: Path, clock: HandClock) -> None:
    values = Values(clock)
    place = Disk(tmp_path / "history.sqlite", 1024 * 1024, lambda _: True, clock.now_ms)
    storing, archive = storing_at(place, values, clock)
    await storing.tick([])
    shown = []
    for number in range(5):
        clock.seconds += 10
        shown.append(values.show(POWER, number))
        await storing.tick(slaves())
    await archive.close()  # nothing was sealed: as after a kill
    storing, archive = storing_at(place, Values(clock), clock)
    await storing.tick([])
    assert [(one.t_ms, one.value) for one in await chunks_in(archive)] == [(s.t_ms, s.value) for s in shown]
    await archive.close()


async def test_notes_become_chunks_of_up_to_six_bytes_a_sample(tmp_path: Path, clock: HandClock) -> None:
    keys = {number: PointKey("line", f"p{number}") for number in range(1, 51)}
    place = Disk(tmp_path / "history.sqlite", 8 * 1024 * 1024, lambda _: True, clock.now_ms)
    archive = Archive(place)
    newest: dict[int, Sample] = {}
    storing = Storing([StoredSlave("line", 10, keys)], newest.get, archive, 30, clock)
    noise = random.Random(5)
    for _ in range(180):
        clock.seconds += 10
        for number in keys:
            newest[number] = Sample(
                number, clock.now_ms() - number % 5 * 20, round(20 + noise.random(), 1 + number % 2)
            )
        await storing.tick([StoredSlave("line", 10, keys)])
    await storing.close()
    usage = await archive.call(lambda store: store.usage())
    assert usage.samples == 50 * 180
    assert usage.used_bytes / usage.samples <= 6
    assert await archive.call(lambda store: store.noted()) == []
    await archive.close()


async def test_memory_is_bounded_while_nothing_can_be_stored(
    tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 5)
    values = Values(clock)
    there = False
    storing, archive = storing_at(
        Disk(tmp_path / "h.sqlite", 1024 * 1024, lambda _: there, clock.now_ms), values, clock
    )
    for number in range(8):
        clock.seconds += 10
        values.show(POWER, number)
        await storing.tick(slaves())
    assert (storing.waiting_samples, storing.lost_samples) == (5, 3)
    there = True
    await storing.tick(slaves())
    assert [one.value for one in await chunks_in(archive)] == [3, 4, 5, 6, 7]
    await archive.close()


@pytest.mark.clause("C-054")
async def test_samples_of_a_clock_that_is_not_set_are_stored_once_it_is(
    make_place: Callable[..., HistoryPlace], clock: HandClock
) -> None:
    values = Values(clock)
    storing, archive = storing_at(make_place(), values, clock)
    clock.offset_ms = -NOW
    for number in range(3):
        clock.seconds += 10
        values.show(POWER, number, Quality.UNCERTAIN_TIME)
        await storing.tick(slaves())
    assert await chunks_in(archive) == []
    assert storing.waiting_samples == 3
    clock.offset_ms = 0
    clock.seconds += 10
    await storing.tick(slaves())
    await storing.close()
    assert await chunks_in(archive) == [
        StoredSample(POWER, NOW + 10_000 * (number + 1), number, Quality.UNCERTAIN_TIME)
        for number in range(3)
    ]
    await archive.close()


async def test_days_end_by_a_clock_that_is_believed(
    make_place: Callable[..., HistoryPlace], clock: HandClock
) -> None:
    values = Values(clock)
    storing, archive = storing_at(make_place(), values, clock, days=1)
    values.show(POWER, 1)
    await storing.tick(slaves())
    clock.seconds += 1000
    await storing.tick(slaves())  # sealed
    for _ in range(26 * 6):
        clock.seconds += 600
        await storing.tick([])
    assert await chunks_in(archive) == []
    await archive.close()


def test_a_jump_into_the_future_deletes_nothing() -> None:
    expiry = Expiry(1, NOW, 0)
    for minute in range(0, 70, 10):
        before = expiry.before_ms(NOW + minute * 60_000, minute * 60)
    assert before == NOW + 3_600_000 - DAY_MS
    assert expiry.before_ms(NOW + 70 * 365 * DAY_MS, 71 * 60) is None
    assert expiry.before_ms(NOW + 70 * 365 * DAY_MS + 60_000, 72 * 60) is None
    assert expiry.before_ms(NOW + 80 * 60_000, 80 * 60) is None, "back again is a jump too"
    assert expiry.before_ms(NOW + 80 * 60_000 + int(STEADY_S) * 1000, 80 * 60 + STEADY_S) is not None


async def test_a_point_that_was_never_read_is_not_stored(
    make_place: Callable[..., HistoryPlace], clock: HandClock
) -> None:
    storing, archive = storing_at(make_place(), Values(clock), clock)
    await storing.tick(slaves())
    await storing.close()
    assert await chunks_in(archive) == []
    assert LEVEL not in (await archive.call(lambda store: store.keys())).values()
    await archive.close()
