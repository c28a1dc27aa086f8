"""The levels of InfluxDB's samples: equal to the samples whatever arrives, fails or dies in what order."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import httpx
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from cloud.timeseries.base import SeriesColumn, TimeSeriesError
from cloud.timeseries.influx import InfluxTimeSeries, connect_v1, connect_v2
from cloud.timeseries.influx_servers import Server
from edge_contract.model import Value

from .conftest import LATER_MS, ORG, PASSWORD, USER, Influxd, Influxd2
from .recomputed import BATCHES, DAY_MS, T0, Batches, column, equals, exact, learn, reference
from .recomputed import Known as Samples

BESIDE_S = 0.5
"""Far more than a write takes."""

_numbers = itertools.count(1000)


class Failing:
    """A server that fails at some posts, before (False) or after (True) the server has done them.

    before: runs before the next post of such lines.
    """

    def __init__(self, inner: Server, failures: dict[int, bool]) -> None:
        self._inner = inner
        self._failures = failures
        self._posts = itertools.count()
        self.before: dict[str, Callable[[], Awaitable[None]]] = {}

    async def post(self, body: bytes) -> None:
        for words in [words for words in self.before if words in body.decode()]:
            await self.before.pop(words)()
        is_done = self._failures.get(next(self._posts))
        if is_done is not False:
            await self._inner.post(body)
        if is_done is not None:
            raise TimeSeriesError("the connection broke")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def connect(server: Influxd, database: str = "levels", **more: Any) -> InfluxTimeSeries:
    return connect_v1(server.url, database, USER, PASSWORD, **({"now_ms": lambda: LATER_MS} | more))


def failing(store: InfluxTimeSeries, failures: dict[int, bool]) -> Failing:
    """From now on the store's posts fail as given."""
    store._server = store._levels._server = writer = Failing(store._server, failures)
    return writer


async def repeated(work: Callable[[], Awaitable[None]]) -> None:
    """As the callers do: an error means later."""
    while True:
        try:
            return await work()
        except TimeSeriesError:
            continue


async def begun(work: Callable[[], Awaitable[None]], tasks: list[asyncio.Task[None]]) -> None:
    """Begin it, and let it end where it can: before the post of a state it may have to wait for that."""
    task = asyncio.ensure_future(work())
    tasks.append(task)
    await asyncio.wait({task}, timeout=BESIDE_S)


async def fold(store: InfluxTimeSeries, series: int) -> None:
    """Everything of the series."""
    await store.keeper._ready()
    while await store.keeper.fold(series):
        pass


STEPS = st.lists(st.sampled_from(["", "fold", "beside", "restart", "fold, restart"]), min_size=8, max_size=8)
FAILURES = st.dictionaries(st.integers(0, 25), st.booleans(), max_size=4)


@settings(max_examples=12, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(batches=BATCHES, steps=STEPS, failures=FAILURES, ends_folded=st.booleans())
def test_levels_equal_what_the_samples_give(
    influxd: Influxd, batches: Batches, steps: list[str], failures: dict[int, bool], ends_folded: bool
) -> None:
    """Late, repeated and corrected samples, written beside the work on their levels, with posts that fail on
    either side of the server and processes that die between any two of them; as the process that writes
    sees them, and one that only reads and looks after each batch.
    """
    asyncio.run(_levels_equal(influxd, batches, steps, failures, ends_folded))


async def _levels_equal(
    server: Influxd, batches: Batches, steps: list[str], failures: dict[int, bool], ends_folded: bool
) -> None:
    series = next(_numbers)
    store, looker = connect(server), connect(server)
    writer = failing(store, failures)
    known: Samples = {}
    for batch, step in zip(batches, steps, strict=False):
        sent = column(series, batch)
        write = partial(repeated, partial(store.write, [sent]))
        if step == "beside":
            beside: list[asyncio.Task[None]] = []
            writer.before["dp_level"] = partial(begun, write, beside)
            await repeated(partial(fold, store, series))
            await asyncio.gather(*beside)
        if step != "beside" or writer.before:  # there was nothing to make
            writer.before.clear()
            await write()
        learn(known, sent)
        if "fold" in step:
            await repeated(partial(fold, store, series))
        if "restart" in step:
            await store.close()
            store = connect(server)
            writer = failing(store, failures)
        await sees(looker, series, known)
    if ends_folded:
        await repeated(partial(fold, store, series))
    await equals(store, series, known)
    await sees(looker, series, known)
    await store.close()
    await looker.close()


async def sees(store: InfluxTimeSeries, series: int, known: Samples) -> None:
    """Its days are those of the samples."""
    end = T0 + 4 * DAY_MS
    days = await store.buckets(series, T0, end, DAY_MS)
    assert {day.start_ms: exact(day) for day in days} == reference(known, T0, end, T0, DAY_MS)


def minutes(series: int, count: int = 300) -> SeriesColumn:
    """A sample each second."""
    return column(series, [(1000 * n, float(n % 50), 0) for n in range(60 * count)])


LATE: list[tuple[int, Value, int]] = [(500, 1e6, 0), (5_400_500, -1e6, 0)]


async def answers(store: InfluxTimeSeries, sent: SeriesColumn, late: SeriesColumn) -> None:
    """The late samples count, whether their levels are made or not."""
    for _ in range(2):
        (day,) = await store.buckets(sent.series, T0, T0 + DAY_MS, DAY_MS)
        assert (day.count, day.min, day.max) == (len(sent.t_ms) + len(late.t_ms), -1e6, 1e6)
        await fold(store, sent.series)


async def test_a_late_sample_after_a_restart_is_noticed(influxd: Influxd) -> None:
    store, series = connect(influxd), next(_numbers)
    await store.write([minutes(series)])
    await fold(store, series)
    await store.close()
    store = connect(influxd)
    await store.write([column(series, LATE)])
    await answers(store, minutes(series), column(series, LATE))
    await store.close()


async def test_a_sample_that_comes_while_its_bucket_is_made_is_noticed(influxd: Influxd) -> None:
    """After the samples were read and before their pages are written."""
    store, series = connect(influxd), next(_numbers)
    await store.write([minutes(series)])
    failing(store, {}).before["dp_level"] = partial(store.write, [column(series, LATE)])
    await fold(store, series)
    await answers(store, minutes(series), column(series, LATE))
    await store.close()


async def test_a_level_made_while_another_process_reads_is_not_mistaken_for_the_old_one(
    influxd: Influxd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader remembers what is true before the late sample and again after its step, but not between."""
    store, looker, series = connect(influxd), connect(influxd), next(_numbers)
    await store.write([minutes(series)])
    await fold(store, series)
    await looker.buckets(series, T0, T0 + DAY_MS, DAY_MS)
    before = await store._levels.state(series)
    await store.write([column(series, LATE)])
    assert await store._levels.state(series) != before
    ask = looker._reader.ask

    async def slowly(*statements: str) -> list[list[dict[str, Any]]]:
        answers = []
        for statement in statements:
            answers += await ask(statement)
            await fold(store, series)
        return answers

    monkeypatch.setattr(looker._reader, "ask", slowly)
    (day,) = await looker.buckets(series, T0, T0 + DAY_MS, DAY_MS)
    assert (day.count, day.min, day.max) == (300 * 60 + len(LATE), -1e6, 1e6)
    assert await store._levels.state(series) == before
    await store.close()
    await looker.close()


async def test_a_chart_that_is_looked_at_again_is_one_request(influxd: Influxd) -> None:
    store, series, asked = connect(influxd), next(_numbers), list[str]()
    await store.write([minutes(series)])
    await fold(store, series)
    await store.keeper.close()  # its requests are not those of the chart

    async def count(request: httpx.Request) -> None:
        asked.append(request.url.path)

    store._client.event_hooks = {"request": [count]}
    charts = [await store.envelope(series, T0, T0 + DAY_MS, 100) for _ in range(2)]
    assert asked == ["/query"] * 3
    assert [chart.count for chart in charts] == [300 * 60] * 2
    await store.close()


@pytest.mark.parametrize("is_dirty", [False, True])
async def test_a_write_under_way_is_waited_for(influxd: Influxd, is_dirty: bool) -> None:
    """It was marked before the work began, or too new to need it; its samples come after."""
    store, series = connect(influxd), next(_numbers)
    await store.write([minutes(series)])
    if is_dirty:
        await fold(store, series)
    writing, going_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        writing.set()
        await going_on.wait()

    failing(store, {}).before["dp,"] = wait
    write = asyncio.create_task(store.write([column(series, LATE)]))
    await writing.wait()
    folding = asyncio.create_task(fold(store, series))
    await asyncio.wait({folding}, timeout=0.2)
    assert not folding.done()
    going_on.set()
    await asyncio.gather(write, folding)
    await answers(store, minutes(series), column(series, LATE))
    await store.close()


async def test_a_state_of_which_it_is_unknown_whether_it_was_written(influxd: Influxd) -> None:
    """What the server holds may be the newer one; the next late sample settles it."""
    store, series = connect(influxd), next(_numbers)
    await store.write([minutes(series)])
    writer = failing(store, {})

    async def lose() -> None:
        writer._failures = dict.fromkeys(range(100), True)

    writer.before["state="] = lose
    with pytest.raises(TimeSeriesError):
        await fold(store, series)
    assert (await store._levels.state(series)).until_ms > T0
    writer._failures = {}
    await store.write([column(series, LATE)])
    await answers(store, minutes(series), column(series, LATE))
    await store.close()


async def filled(store: InfluxTimeSeries, days: int) -> None:
    """A sample a minute, a peak in each day."""
    values = [99.0 if n % 1440 == 700 else float(n % 7) for n in range(days * 1440)]
    times = [T0 + 60_000 * n + 1234 for n in range(len(values))]
    await store.write([SeriesColumn(1, times, values, [0] * len(values))])


@pytest.mark.parametrize("version", [1, 2])
async def test_a_chart_of_whole_hours_is_made_of_levels_alone(
    request: pytest.FixtureRequest, version: int
) -> None:
    if version == 1:
        opened = partial(connect, request.getfixturevalue("influxd"), "charts")
    else:
        server: Influxd2 = request.getfixturevalue("influxd2")
        token = server.bucket("charts")["token"]
        opened = partial(connect_v2, server.url, token, ORG, "charts", now_ms=lambda: LATER_MS)
    store = opened()
    await filled(store, 4)
    await store.drain()
    await store._server.delete("dp", 1, T0 + 3 * DAY_MS)  # beside the product
    await store.close()
    store = opened()  # as another process that only reads
    chart = await store.envelope(1, T0, T0 + 4 * DAY_MS, 97)
    assert (chart.is_exact, chart.count, chart.width_ms) == (True, 4 * 1440, 60 * 60_000)
    peaks = [t for t, value in zip(chart.t_ms.tolist(), chart.value.tolist(), strict=True) if value == 99.0]
    assert peaks == [T0 + day * DAY_MS + 700 * 60_000 + 1234 for day in range(4)]
    quarters = await store.buckets(1, T0, T0 + 4 * DAY_MS, 15 * 60_000)
    assert [bucket.count for bucket in quarters] == [15] * 4 * 96
    await store.close()


async def test_a_database_without_levels_is_read_and_gets_them_behind_the_next_write(
    influxd: Influxd,
) -> None:
    store = connect(influxd, "older", fold_at=10**9)
    await filled(store, 2)
    await store.close()
    store = connect(influxd, "older", fold_at=500)
    assert (await store.envelope(1, T0, T0 + 2 * DAY_MS, 50)).count == 2880
    await store.write([SeriesColumn(2, [T0], [1.0], [0])])
    async with asyncio.timeout(30):
        while (await store._levels.state(1)).until_ms < T0 + DAY_MS:
            assert (await store.envelope(1, T0, T0 + 2 * DAY_MS, 50)).count == 2880
    await store.close()


async def test_samples_of_a_wrong_clock_do_not_make_all_others_late(influxd: Influxd) -> None:
    store = connect(influxd, "clocks", now_ms=lambda: T0 + DAY_MS, fold_at=2)
    await store.write([SeriesColumn(1, [T0, T0 + 60_000, T0 + 30 * DAY_MS], [1.0, 2.0, 3.0], [0] * 3)])
    await store.drain()
    assert (await store._levels.state(1)).until_ms <= T0 + DAY_MS
    assert [b.max for b in await store.buckets(1, T0, T0 + 40 * DAY_MS, DAY_MS)] == [2.0, 3.0]
    await store.close()


async def test_no_levels_where_influxdb_itself_deletes(
    influxd: Influxd, caplog: pytest.LogCaptureFixture
) -> None:
    influxd.administer("CREATE DATABASE passing WITH DURATION 3650d")
    store = connect(influxd, "passing", fold_at=2)
    await filled(store, 1)
    await store.drain()
    assert "no levels are kept" in caplog.text
    assert (await store._levels.state(1)).until_ms < 0
    await store.delete_before(1, T0 + DAY_MS)
    assert await store.count(1, T0, T0 + DAY_MS) == 0
    await store.close()


async def test_a_long_range_without_levels_is_read_in_bounded_parts(
    influxd: Influxd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond so many samples the server makes the buckets: every extreme, its time within its bucket."""
    monkeypatch.setattr("cloud.timeseries.influx.RAW_ROWS", 200)
    monkeypatch.setattr("cloud.timeseries.influx.RAW_READS", 4)
    store = connect(influxd, "long", fold_at=10**9)
    await filled(store, 2)
    chart = await store.envelope(1, T0, T0 + 2 * DAY_MS, 50)
    assert (chart.is_exact, chart.count, float(chart.value.max())) == (False, 2880, 99.0)
    at = int(chart.t_ms[chart.value.argmax()])
    assert abs(at - (T0 + 700 * 60_000 + 1234)) <= chart.width_ms
    await store.close()


async def test_a_range_without_levels_is_read_exactly_over_gaps_and_bursts(
    influxd: Influxd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloud.timeseries.influx.RAW_ROWS", 200)
    store = connect(influxd, "uneven", fold_at=10**9)
    begins = [(0, 60_000), (9 * DAY_MS, 10), (9 * DAY_MS + 3_600_000, 1000), (20 * DAY_MS, 90_000)]
    times = [T0 + begin + step * n for begin, step in begins for n in range(700)]
    values = [float(n * 7919 % 2801) for n in range(len(times))]
    await store.write([SeriesColumn(1, times, values, [0] * len(times))])
    chart = await store.envelope(1, T0, T0 + 30 * DAY_MS, 50)
    assert (chart.is_exact, chart.count) == (True, 2800)
    known = dict(zip(times, values, strict=True))
    shown = dict(zip(chart.t_ms.tolist(), chart.value.tolist(), strict=True))
    assert shown.items() <= known.items()
    assert (max(shown.values()), min(shown.values())) == (max(values), min(values))
    await store.close()
