"""Lines with a number alone beside lines with kind and quality: of a version before, late, corrected, of a
process that died.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from functools import partial

import pytest

from cloud.timeseries.base import SeriesColumn, TimeSeriesError
from cloud.timeseries.influx import InfluxTimeSeries, connect_v1, connect_v2
from edge_contract.model import Value

from .conftest import LATER_MS, ORG, PASSWORD, USER, Influxd, Influxd2
from .recomputed import DAY_MS, T0, Known, column, equals, learn

_numbers = itertools.count(1)

Connect = Callable[[], InfluxTimeSeries]

BEFORE: list[tuple[int, Value, int]] = [
    (0, 1.5, 0), (1000, 7, 0), (2000, True, 0), (3000, None, 5), (4000, "on", 0), (5000, 2**60 + 1, 0),
    (6000, -2.5, 5), (7000, 3.25, 0),
]  # fmt: skip
OLD_LINES = """\
dp,series=1 v=1.5,k=1i,q=0i {0}
dp,series=1 v=7.0,k=2i,q=0i {1000}
dp,series=1 v=1.0,k=3i,q=0i {2000}
dp,series=1 k=6i,q=5i {3000}
dp,series=1 text="on",k=5i,q=0i {4000}
dp,series=1 v=1.152921504606847e+18,text="1152921504606846977",k=4i,q=0i {5000}
dp,series=1 v=-2.5,k=1i,q=5i {6000}
dp,series=1 v=3.25,k=1i,q=0i {7000}"""
"""What a version before wrote of the same samples; in braces the milliseconds since T0."""


@pytest.fixture(params=[1, 2])
def connect(request: pytest.FixtureRequest) -> Connect:
    """Opens an empty database, each time as another process."""
    name = f"lines{next(_numbers)}"
    if request.param == 1:
        first: Influxd = request.getfixturevalue("influxd")
        return partial(connect_v1, first.url, name, USER, PASSWORD, now_ms=lambda: LATER_MS, fold_at=10**9)
    second: Influxd2 = request.getfixturevalue("influxd2")
    token = second.bucket(name)["token"]
    return partial(connect_v2, second.url, token, ORG, name, now_ms=lambda: LATER_MS, fold_at=10**9)


async def of_before(connect: Connect) -> tuple[InfluxTimeSeries, Known]:
    """A database with lines of a version before."""
    store, known = connect(), Known()
    body = OLD_LINES
    for t_ms, _, _ in BEFORE:
        body = body.replace(f"{{{t_ms}}}", str(T0 + t_ms))
    await store._server.post(body.encode())
    learn(known, column(1, BEFORE))
    return store, known


async def test_a_database_of_a_version_before_is_read_and_goes_on(connect: Connect) -> None:
    store, known = await of_before(connect)
    await equals(store, 1, known)
    for samples in (
        [(8000, 4.5, 0), (9000, 8, 0), (10_000, "off", 0), (11_000, 5.5, 0), (12_000, 6.5, 3)],
        [(7000, 9.75, 0), (3000, 0.5, 0), (4000, 0.25, 0), (0, "text", 0), (1000, 1.25, 7)],
        [(2500, 33.5, 0), (13_000, 1.0, 0)],
    ):
        await store.write([column(1, samples)])
        learn(known, column(1, samples))
        await equals(store, 1, known)
        await store.newest.learn()
    await store.drain()
    while await store.keeper.fold(1):
        pass
    await equals(store, 1, known)
    assert await store.older([1, 2], T0 + DAY_MS) == {1}
    await store.close()


async def test_what_was_a_short_line_is_corrected_by_a_process_that_knows_nothing_of_it(
    connect: Connect,
) -> None:
    """Fields that a line does not name stay: a short one would keep the quality of what it replaces."""
    known = Known()
    for value, quality in ((1.5, 0), (2.5, 6), (None, 6), ("on", 0), (7, 0), (3.5, 0), (3.5, 4), (3.5, 0)):
        store = connect()
        await store.write([column(2, [(1000, 0.5, 0)])])
        await store.newest.learn()
        later = [(1000, value, quality), (2000, 0.5, 0)]
        await store.write([column(1, later)])
        await store.newest.learn()
        later.append((3000, 0.5, 0))
        await store.write([column(1, later[2:])])
        learn(known, column(1, later))
        await equals(store, 1, known)
        await store.close()


async def test_what_a_failed_post_may_have_stored_is_not_repeated_by_a_short_line(connect: Connect) -> None:
    store, known = connect(), Known()
    await store.write([column(1, [(0, 0.5, 0)])])
    await store.newest.learn()
    post = store._server.post
    bodies: list[bytes] = []

    async def broken(body: bytes) -> None:
        bodies.append(body)
        await post(body)
        raise TimeSeriesError("the connection broke")

    store._server.post = broken  # type: ignore[method-assign]
    with pytest.raises(TimeSeriesError, match="broke"):
        await store.write([column(1, [(1000, 1.5, 9)])])
    store._server.post = post  # type: ignore[method-assign]
    again = [(1000, 1.5, 0)]
    await store.write([column(1, again)])
    assert b",q=9i" in bodies[0] and b"k=" not in bodies[0], "it was a short one"
    learn(known, column(1, [(0, 0.5, 0), *again]))
    await equals(store, 1, known)
    await store.close()


@pytest.mark.parametrize("is_mixed", [False, True])
async def test_a_long_range_is_exact_where_the_server_cannot_tell_what_counts(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, is_mixed: bool
) -> None:
    """Where all or none of the lines have a quality the server makes the buckets, else they are read."""
    monkeypatch.setattr("cloud.timeseries.influx.RAW_ROWS", 10)
    monkeypatch.setattr("cloud.timeseries.influx.RAW_READS", 2)
    store, known = connect(), Known()
    await store.write([column(1, [(0, 0.0, 0)])])
    await store.newest.learn()
    samples: list[tuple[int, Value, int]] = [(1000 * n, float(n * 7 % 31), 0) for n in range(200)]
    await store.write([column(1, samples)])
    late: list[tuple[int, Value, int]] = [(150_000, 99.0, 5), (160_500, 77.0, 0), (170_000, "on", 0)]
    for sent in (samples, late if is_mixed else []):
        await store.write([column(1, sent)])
        learn(known, column(1, sent))
    await equals(store, 1, known)
    chart = await store.envelope(1, T0, T0 + 200_000, 10)
    numbers = [v for v, q in known.values() if q == 0 and isinstance(v, float)]
    assert (chart.count, float(chart.value.max())) == (len(numbers), max(numbers))
    await store.close()


async def test_the_columns_of_a_write_are_equally_long(connect: Connect) -> None:
    store = connect()
    with pytest.raises(ValueError, match="equally many"):
        await store.write([SeriesColumn(1, [T0], [1.0], [])])
    await store.close()


async def test_lines_are_short_when_the_server_was_asked_for_what_an_earlier_run_wrote(
    connect: Connect,
) -> None:
    store = connect()
    await store.write([column(1, [(5000, 0.5, 0)])])
    await store.close()
    store, bodies = connect(), list[str]()
    post = store._server.post

    async def seen(body: bytes) -> None:
        bodies.append(body.decode())
        await post(body)

    store._server.post = seen  # type: ignore[method-assign]
    await store.write([column(1, [(1000, 1.5, 0)])])
    async with asyncio.timeout(30):
        while 1 not in store.newest.known:  # noqa: ASYNC110 - the task has no event for others
            await asyncio.sleep(0.01)
    assert store.newest.known == {1: T0 + 5000}
    await store.write([column(1, [(2000, 1.5, 0)])])
    await store.write([column(1, [(6000, 1.5, 0)])])
    assert ["q=0i" in body for body in bodies] == [True, True, False]
    await store.close()
