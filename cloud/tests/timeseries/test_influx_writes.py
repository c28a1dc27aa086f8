"""A write to InfluxDB in several posts: the later sample stays, one post's failure is none of the others'."""

from __future__ import annotations

import asyncio
import itertools
import random
import threading
import time
from typing import Any

import pytest

from cloud.timeseries.base import SeriesColumn, TimeSeriesError, TimeSeriesRejected
from cloud.timeseries.influx import InfluxTimeSeries, connect_v1, connect_v2
from cloud.timeseries.influx_servers import Server

from .conftest import LATER_MS, ORG, PASSWORD, USER, Influxd, Influxd2

T0 = 1_790_000_000_000

STARTS_S = 60.0

_numbers = itertools.count(1)


class Watched:
    """A server that counts the posts under way; the posts of these numbers fail after the server stored them
    (True) or before (False).
    """

    def __init__(self, inner: Server, failures: dict[int, bool], delay_s: float = 0.0) -> None:
        self._inner = inner
        self._failures = failures
        self._delay_s = delay_s
        self.posts = 0
        self.under_way = 0
        self.begun = asyncio.Event()

    async def post(self, body: bytes) -> None:
        number, self.posts = self.posts, self.posts + 1
        self.under_way += 1
        self.begun.set()
        try:
            if number not in self._failures:
                await asyncio.sleep(self._delay_s)
            if self._failures.get(number) is not False:
                await self._inner.post(body)
            if number in self._failures:
                raise TimeSeriesError("the connection broke")
        finally:
            self.under_way -= 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@pytest.fixture(params=[1, 2])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> InfluxTimeSeries:
    """An empty database, written 10 lines a post."""
    monkeypatch.setattr("cloud.timeseries.influx.LINES_PER_POST", 10)
    name = f"writes{next(_numbers)}"
    if request.param == 1:
        first: Influxd = request.getfixturevalue("influxd")
        return connect_v1(first.url, name, USER, PASSWORD, now_ms=lambda: LATER_MS, fold_at=10**9)
    second: Influxd2 = request.getfixturevalue("influxd2")
    token = second.bucket(name)["token"]
    return connect_v2(second.url, token, ORG, name, now_ms=lambda: LATER_MS, fold_at=10**9)


def watched(store: InfluxTimeSeries, failures: dict[int, bool], delay_s: float = 0.0) -> Watched:
    watch = Watched(store._server, failures, delay_s)
    store._server = watch
    return watch


def repeated_times() -> tuple[list[SeriesColumn], dict[int, dict[int, float]]]:
    """Columns that write ten times of seven series again and again, alone and several at once; and what must
    be there in the end.
    """
    chance = random.Random(5)
    numbers = itertools.count()
    columns, last = [], {series: dict[int, float]() for series in range(1, 8)}
    for _ in range(150):
        series, count = chance.randint(1, 7), chance.choice([1, 1, 1, 4, 25])
        times = [T0 + chance.randrange(10) for _ in range(count)]
        values = [float(next(numbers)) for _ in range(count)]
        columns.append(SeriesColumn(series, times, values, [0] * count))
        last[series] |= dict(zip(times, values, strict=True))
    return columns, last


async def stored(store: InfluxTimeSeries) -> dict[int, dict[int, Any]]:
    return {
        series: {sample.t_ms: sample.value for sample in await store.samples(series, T0, T0 + 99, 99)}
        for series in range(1, 8)
    }


async def test_of_equal_times_in_several_posts_the_later_sample_stays(store: InfluxTimeSeries) -> None:
    watch = watched(store, {})
    for _ in range(3):
        columns, last = repeated_times()
        await store.write(columns)
        assert await stored(store) == last
    assert watch.posts > 9
    await store.close()


async def test_a_small_write_is_one_post(store: InfluxTimeSeries) -> None:
    watch = watched(store, {})
    await store.write([SeriesColumn(series, [T0], [1.0], [0]) for series in range(1, 8)])
    assert watch.posts == 1
    await store.write([])
    assert watch.posts == 1
    await store.close()


@pytest.mark.parametrize("is_stored", [False, True])
async def test_after_a_post_that_failed_no_other_is_under_way_and_a_repetition_puts_all_right(
    store: InfluxTimeSeries, is_stored: bool
) -> None:
    """Were one left behind, it would overtake the repetition."""
    columns, last = repeated_times()
    watch = watched(store, dict.fromkeys((1, 8, 13), is_stored), delay_s=0.02)
    failures = 0
    while True:
        try:
            await store.write(columns)
        except TimeSeriesError as error:
            assert not isinstance(error, TimeSeriesRejected)
            failures += 1
            assert watch.under_way == 0
            posts = watch.posts
            await asyncio.sleep(0.05)
            assert watch.posts == posts, "none follows"
        else:
            break
    assert failures == 3
    assert await stored(store) == last
    await store.close()


async def test_a_write_that_is_cancelled_leaves_no_post_under_way(store: InfluxTimeSeries) -> None:
    columns, last = repeated_times()
    watch = watched(store, {}, delay_s=0.02)
    task = asyncio.create_task(store.write(columns))
    await asyncio.wait_for(watch.begun.wait(), STARTS_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert watch.under_way == 0
    await store.write(columns)
    assert await stored(store) == last
    await store.close()


async def test_a_thread_that_posts_to_2_x_has_ended_when_its_caller_is_cancelled(influxd2: Influxd2) -> None:
    name = f"writes{next(_numbers)}"
    token = influxd2.bucket(name)["token"]
    store = connect_v2(influxd2.url, token, ORG, name, now_ms=lambda: LATER_MS, fold_at=10**9)
    await store.check()
    server: Any = store._server
    write, posting, ended = server._writes.write, threading.Event(), threading.Event()

    def slowly(**given: Any) -> None:
        posting.set()
        time.sleep(0.2)
        write(**given)
        ended.set()

    server._writes.write = slowly
    task = asyncio.create_task(store.write([SeriesColumn(1, [T0], [1.0], [0])]))
    assert await asyncio.to_thread(posting.wait, STARTS_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    assert await store.count(1, T0, T0 + 1) == 1
    await store.close()


@pytest.mark.parametrize("version", [1, 2])
async def test_a_refused_part_keeps_no_other_from_being_stored(
    request: pytest.FixtureRequest, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloud.timeseries.influx.LINES_PER_POST", 10)
    if version == 1:
        first: Influxd = request.getfixturevalue("influxd")
        first.administer("CREATE DATABASE refusing WITH DURATION 1d")
        store = connect_v1(first.url, "refusing", USER, PASSWORD)
    else:
        second: Influxd2 = request.getfixturevalue("influxd2")
        token = second.bucket("refusing", kept_s=86_400)["token"]
        store = connect_v2(second.url, token, ORG, "refusing")
    future_ms = 4_000_000_000_000
    columns = [SeriesColumn(n, [future_ms + n], [float(n)], [0]) for n in range(1, 101)]
    columns[30:30] = [SeriesColumn(n, [1000], [0.0], [0]) for n in range(1, 5)]
    with pytest.raises(TimeSeriesRejected, match="retention policy"):
        await store.write(columns)
    found = await store.latest(range(1, 101))
    assert {series: sample.value for series, sample in found.items()} == {n: float(n) for n in range(1, 101)}
    await store.close()
