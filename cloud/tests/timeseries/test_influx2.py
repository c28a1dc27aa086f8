"""What is particular to InfluxDB 2, on a real one: names, tokens, its own retention, deaths under load."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from cloud.__main__ import main
from cloud.settings import SettingsError, load
from cloud.timeseries import verify
from cloud.timeseries.base import SeriesColumn, TimeSeriesError, TimeSeriesMisconfigured, TimeSeriesRejected
from cloud.timeseries.influx import InfluxTimeSeries, connect_v2

from .conftest import LATER_MS, ORG, Influxd2

T0 = 1_790_000_000_000
DAY_MS = 86_400_000
ONE = [SeriesColumn(1, [T0], [1.5], [0])]


def connect(server: Influxd2, bucket: str, token: str) -> InfluxTimeSeries:
    return connect_v2(server.url, token, ORG, bucket, now_ms=lambda: LATER_MS, fold_at=2)


async def test_a_bucket_that_influxql_does_not_find_is_refused(influxd2: Influxd2, tmp_path: Path) -> None:
    """The mapping that 2.x makes of `db/rp` by itself is never the default: deletions and lists miss it."""
    token = influxd2.bucket("iot/raw")["token"]
    store = connect(influxd2, "iot/raw", token)
    with pytest.raises(TimeSeriesMisconfigured, match='does not find the bucket "iot/raw"'):
        await store.check()
    with pytest.raises(TimeSeriesMisconfigured):
        await store.write(ONE)
    await store.close()
    file = tmp_path / "token"
    file.write_text(token)
    settings = SimpleNamespace(
        data_dir=tmp_path, timeseries="influx", influx_url=influxd2.url, influx_version=2,
        influx_database=None, influx_username=None, influx_password_file=None, influx_token_file=file,
        influx_org=ORG, influx_bucket="iot/raw",
    )  # fmt: skip
    with pytest.raises(ValueError, match="Use a bucket without"):
        await verify(settings)


def test_the_program_does_not_start_on_such_a_bucket(
    influxd2: Influxd2, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "token").write_text(influxd2.bucket("site/raw")["token"])
    for name, value in {
        "DATA_DIR": str(tmp_path / "data"), "TIMESERIES": "influx", "INFLUX_URL": influxd2.url,
        "INFLUX_ORG": ORG, "INFLUX_BUCKET": "site/raw", "INFLUX_TOKEN_FILE": str(tmp_path / "token"),
    }.items():  # fmt: skip
        monkeypatch.setenv(f"EDGE_{name}", value)
    monkeypatch.setattr(sys, "argv", ["edge-cloud", "serve"])
    monkeypatch.setattr("cloud.logs.configure", lambda kind: None)
    before = os.umask(0o077)
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        os.umask(before)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(
        'edge-cloud: InfluxDB: InfluxQL does not find the bucket "site/raw"'
    )


async def test_a_bucket_with_a_default_mapping_of_its_own_is_whole(influxd2: Influxd2) -> None:
    made = influxd2.bucket("mapped/raw")
    mapping = {"bucketID": made["id"], "orgID": made["org"], "database": "mapped", "retention_policy": "raw"}
    influxd2.call("POST", "/api/v2/dbrps", json=mapping | {"default": True})
    store = connect(influxd2, "mapped/raw", made["token"])
    times = [T0 + 60_000 * n for n in range(3 * 1440)]
    await store.write([SeriesColumn(1, times, [1.0] * len(times), [0] * len(times))])
    await store.drain()
    assert (await store._levels.state(1)).until_ms > T0, "levels are made"
    await store.delete_before(1, T0 + 2 * DAY_MS)
    assert await store.count(1, T0, T0 + 3 * DAY_MS) < 2 * 1440
    await store.close()


async def test_a_deletion_leaves_the_bucket_beside_it_alone(influxd2: Influxd2) -> None:
    """InfluxQL's DELETE went to whatever was the default of the database name."""
    stores = [connect(influxd2, name, influxd2.bucket(name)["token"]) for name in ("two", "other")]
    for store in stores:
        await store.write(ONE)
    beside = influxd2.bucket("two/raw")
    influxd2.call("POST", "/api/v2/dbrps", json={
        "bucketID": beside["id"], "orgID": beside["org"], "database": "other", "retention_policy": "raw",
        "default": True,
    })  # fmt: skip
    raw = connect(influxd2, "two/raw", beside["token"])
    await raw._server.post(b"dp,series=1 q=0i 1000")
    await raw._server.delete("dp", 1, T0 * 2)
    assert await stores[0].count(1, 0, T0 * 2) == 1, "that of the same first name"
    with pytest.raises(TimeSeriesMisconfigured):
        await stores[1].check()
    for store in [*stores, raw]:
        await store.close()


async def test_a_bucket_that_deletes_by_itself_is_noticed(
    influxd2: Influxd2, caplog: pytest.LogCaptureFixture
) -> None:
    made = influxd2.bucket("passing", kept_s=3650 * 86_400)
    store = connect(influxd2, "passing", made["token"])
    assert await store.own_limit_s() == 3650 * 86_400
    times = [T0 + 60_000 * n for n in range(1440)]
    await store.write([SeriesColumn(1, times, [1.0] * 1440, [0] * 1440)])
    await store.drain()
    assert "InfluxDB deletes what is older than 3650.0 days" in caplog.text
    assert (await store._levels.state(1)).until_ms < 0
    await store.delete_before(1, T0 + DAY_MS)
    assert await store.count(1, T0, T0 + DAY_MS) < 1440
    await store.close()
    store = connect(influxd2, "plain", influxd2.bucket("plain")["token"])
    assert await store.own_limit_s() is None
    await store.close()


@pytest.mark.parametrize(
    ("org", "bucket", "words"),
    [("nobody", "healthy", 'organization name "nobody" not found'), (ORG, "none", 'bucket "none" not found')],
)
async def test_the_health_check_names_a_wrong_organisation_or_bucket(
    influxd2: Influxd2, org: str, bucket: str, words: str
) -> None:
    with contextlib.suppress(AssertionError):  # made by the other case
        influxd2.bucket("healthy")
    store = connect_v2(influxd2.url, influxd2.token, org, bucket)
    with pytest.raises(TimeSeriesError) as caught:
        await store.check()
    assert words.replace('"', "") in str(caught.value).replace("\\", "").replace('"', "")
    assert not isinstance(caught.value, TimeSeriesMisconfigured | TimeSeriesRejected)
    await store.close()


async def test_a_token_that_is_switched_off_for_a_while_loses_nothing(influxd2: Influxd2) -> None:
    made = influxd2.bucket("switched")
    store = connect(influxd2, "switched", made["token"])
    await store.write(ONE)
    path = f"/api/v2/authorizations/{made['authorization']}"
    influxd2.call("PATCH", path, json={"status": "inactive"})
    with pytest.raises(TimeSeriesError, match="token is inactive") as caught:
        await store.write([SeriesColumn(1, [T0 + 1], [2.5], [0])])
    assert not isinstance(caught.value, TimeSeriesRejected), "it is tried again"
    influxd2.call("PATCH", path, json={"status": "active"})
    await store.write([SeriesColumn(1, [T0 + 1], [2.5], [0])])
    assert [each.value for each in await store.samples(1, T0, T0 + 9, 9)] == [1.5, 2.5]
    await store.close()


async def test_kill_9_under_load_by_value(influxd2: Influxd2, tmp_path: Path) -> None:
    """Three deaths while four writers write and try again: every sample is there once, with its value."""
    server = Influxd2(influxd2.launcher, tmp_path)
    await asyncio.to_thread(server.start)
    store = connect(server, "load", server.bucket("load")["token"])
    done = dict.fromkeys(range(1, 5), 0)
    is_over = False
    written = asyncio.Event()

    async def write(series: int) -> None:
        is_open = False  # a post whose answer was lost may be stored: it is made again until it is answered
        while is_open or not is_over:
            n = done[series]
            is_open = True
            times = list(range(T0 + n, T0 + n + 100))
            values = [float(series * 1_000_000 + n + k) for k in range(100)]
            try:
                await store.write([SeriesColumn(series, times, values, [0] * 100)])
            except TimeSeriesError as error:
                assert not isinstance(error, TimeSeriesRejected)
                await asyncio.sleep(0.1)
            else:
                done[series] += 100
                is_open = False
                written.set()

    tasks = [asyncio.create_task(write(series)) for series in done]
    try:
        for _ in range(3):
            reached = min(done.values()) + 1000
            async with asyncio.timeout(60):
                while min(done.values()) < reached:
                    await written.wait()
                    written.clear()
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        is_over = True
        async with asyncio.timeout(60):
            await asyncio.gather(*tasks)
        for series, count in done.items():
            found = await store.samples(series, T0, T0 + 10**8, 10**7)
            assert [(each.t_ms, each.value) for each in found] == [
                (T0 + n, float(series * 1_000_000 + n)) for n in range(count)
            ]
    finally:
        is_over = True
        for task in tasks:
            task.cancel()
        await store.close()
        server.kill()


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    file = tmp_path / "token"
    file.write_text(" \n")
    for name, value in {
        "TIMESERIES": "influx", "INFLUX_URL": "http://127.0.0.1:1", "INFLUX_ORG": "o", "INFLUX_BUCKET": "b",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"EDGE_{name}", value)
    yield file


def test_a_missing_token_is_named_at_the_start(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="EDGE_INFLUX_TOKEN_FILE: needed"):
        load()
    monkeypatch.setenv("EDGE_INFLUX_TOKEN_FILE", str(environment))
    with pytest.raises(SettingsError, match=r"EDGE_INFLUX_TOKEN_FILE: .* is empty"):
        load()
