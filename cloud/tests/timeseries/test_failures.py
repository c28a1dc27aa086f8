"""What happens when the store is away, refuses, or is killed."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.timeseries import create
from cloud.timeseries.base import SeriesColumn, TimeSeriesError, TimeSeriesRejected
from cloud.timeseries.embedded import EmbeddedTimeSeries
from cloud.timeseries.influx import InfluxTimeSeries, connect_v1, connect_v2
from cloud.timeseries.line_protocol import encode, quote
from cloud.timeseries.series_table import SeriesTable

from .conftest import ORG, PASSWORD, USER, Influxd, Influxd2, free_port

T0 = 1_790_000_000_000
ONE = [SeriesColumn(1, [T0], [1.5], [0])]

WRITER = """
import asyncio, sys
from pathlib import Path
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries

async def main():
    store = EmbeddedTimeSeries(Path(sys.argv[1]))
    await store.start()
    n = 0
    while True:
        await store.write([SeriesColumn(s, [n], [float(n)], [0]) for s in range(20)])
        n += 1
        print(n, flush=True)

asyncio.run(main())
"""


def write_until_killed(path: Path) -> int:
    """How many writes the child had acknowledged when it was killed."""
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    acknowledged = 0
    for line in child.stdout:
        acknowledged = int(line)
        if acknowledged >= 50:
            break
    os.kill(child.pid, signal.SIGKILL)
    acknowledged = max([acknowledged, *(int(line) for line in child.stdout if line.endswith("\n"))])
    child.wait()
    child.stdout.close()
    return acknowledged


async def test_acknowledged_writes_survive_kill_9_of_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "ts.db"
    acknowledged = await asyncio.to_thread(write_until_killed, path)
    store = EmbeddedTimeSeries(path)
    await store.start()
    counts = [await store.count(series, 0, 10**9) for series in range(20)]
    newest = await store.latest(range(20))
    await store.close()
    assert len(set(counts)) == 1  # a transaction is there whole or not at all
    assert acknowledged <= counts[0] <= acknowledged + 1
    assert {sample.t_ms for sample in newest.values()} == {counts[0] - 1}


async def test_influxd_killed_and_back(tmp_path: Path) -> None:
    """Writes fail with TimeSeriesError while it is away; what it acknowledged is there afterwards."""
    if shutil.which("influxd") is None:
        pytest.skip("influxd is not installed")
    server = Influxd(tmp_path)
    server.start()
    store = connect_v1(server.url, "plant", USER, PASSWORD)
    try:
        for n in range(30):
            await store.write([SeriesColumn(1, [T0 + n], [float(n)], [0])])
        server.kill()
        with pytest.raises(TimeSeriesError) as caught:
            await store.write(ONE)
        assert not isinstance(caught.value, TimeSeriesRejected)
        with pytest.raises(TimeSeriesError):
            await store.latest([1])
        await asyncio.to_thread(server.start)
        assert await store.count(1, T0, T0 + 100) == 30
        await store.write(ONE)
    finally:
        await store.close()
        server.kill()


@pytest.mark.parametrize(
    ("version", "words"), [(1, "beyond retention policy"), (2, "outside retention policy")]
)
async def test_a_refused_sample_is_named_and_the_others_are_stored(
    request: pytest.FixtureRequest, version: int, words: str
) -> None:
    """A partial write: points older than the retention policy are refused, the rest of the call is kept."""
    store: InfluxTimeSeries
    if version == 1:
        first: Influxd = request.getfixturevalue("influxd")
        first.administer("CREATE DATABASE short WITH DURATION 1d")
        store = connect_v1(first.url, "short", USER, PASSWORD)
    else:
        second: Influxd2 = request.getfixturevalue("influxd2")
        token = second.bucket("short", kept_s=86_400)["token"]
        store = connect_v2(second.url, token, ORG, "short")
    with pytest.raises(TimeSeriesRejected, match=words) as caught:
        await store.write([SeriesColumn(1, [1000, 4_000_000_000_000], [1.0, 2.0], [0, 0])])
    assert re.search("dropped[ =]1", caught.value.rule)
    assert await store.count(1, 0, 5_000_000_000_000) == 1
    await store.close()


@pytest.mark.parametrize(("version", "words"), [(1, "401 authorization failed"), (2, "401 (U|u)nauthorized")])
async def test_wrong_credentials_can_be_put_right(
    request: pytest.FixtureRequest, version: int, words: str
) -> None:
    """Errors of a server say what it said; 1.x and 2.x have it in fields of other names."""
    server: Influxd | Influxd2 = request.getfixturevalue("influxd" if version == 1 else "influxd2")
    store = (
        connect_v1(server.url, "db0", USER, "wrong")
        if version == 1
        else connect_v2(server.url, "wrong", ORG, "db0")
    )
    with pytest.raises(TimeSeriesError, match=words) as caught:
        await store.write(ONE)
    assert not isinstance(caught.value, TimeSeriesRejected)
    with pytest.raises(TimeSeriesError, match=words):
        await store.latest([1])
    await store.close()


async def test_nobody_listens() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    for store in (connect_v1(url, "db", "", ""), connect_v2(url, "t", "o", "b")):
        await store.start()
        with pytest.raises(TimeSeriesError):
            await store.write(ONE)
        await store.close()


async def test_embedded_full_disk_is_an_error_that_can_pass(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    await store._writer.run(lambda connection: connection.execute("PRAGMA max_page_count = 12").fetchall())
    big = [SeriesColumn(s, list(range(500)), [1.5] * 500, [0] * 500) for s in range(50)]
    with pytest.raises(TimeSeriesError, match="full"):
        await store.write(big)
    assert await store.count(1, 0, 1000) == 0
    await store._writer.run(
        lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchall()
    )
    await store.write(big)
    assert await store.count(49, 0, 1000) == 500
    await store.close()


async def test_embedded_readers_do_not_wait_for_the_writer(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    await store.write(ONE)
    await store._writer.run(lambda connection: connection.execute("BEGIN IMMEDIATE"))
    try:
        async with asyncio.timeout(10):
            assert (await store.latest([1]))[1].value == 1.5
    finally:
        await store._writer.run(lambda connection: connection.execute("ROLLBACK"))
        await store.close()


async def test_embedded_refuses_what_no_column_holds(tmp_path: Path) -> None:
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    with pytest.raises(TimeSeriesError, match="not open"):
        await store.write(ONE)
    await store.start()
    with pytest.raises(TimeSeriesRejected):
        await store.write([SeriesColumn(2**70, [1], [1.0], [0])])
    with pytest.raises(TimeSeriesRejected):
        await store.write([SeriesColumn(1, [1], ["\ud800"], [0])])
    await store.write(ONE)
    await store.close()


@given(st.text())
def test_quoted_text_reads_back(text: str) -> None:
    """Read as a server does: backslash escapes a backslash or a quote, an unescaped quote ends the string."""
    line = encode(SeriesTable([7], [1], [T0], [text], [3]), {}).decode()
    assert line.startswith('dp,series=7 text="')
    assert line.endswith(f'",k=5i,q=3i {T0}')
    inner, out, i = quote(text), [], 0
    while i < len(inner):
        if inner[i] == "\\" and inner[i + 1] in '\\"':
            i += 1
        else:
            assert inner[i] not in '\\"'
        out.append(inner[i])
        i += 1
    assert "".join(out) == text


class Settings:
    data_dir = Path("data")
    timeseries = "influx"
    influx_url: str | None = "http://127.0.0.1:1"
    influx_version = 1
    influx_database: str | None = None
    influx_username = None
    influx_password_file = None
    influx_token_file = None
    influx_org: str | None = None
    influx_bucket: str | None = "b"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"influx_url": None}, "influx_url"),
        ({}, "influx_database"),
        ({"influx_version": 2}, "influx_org"),
        ({"influx_version": 2, "influx_org": "o"}, "influx_token_file"),
    ],
)
def test_a_missing_setting_is_named(change: dict[str, Any], named: str) -> None:
    settings = type("Changed", (Settings,), change)()
    with pytest.raises(ValueError, match=named):
        create(settings)
