"""InfluxDB 1.x and 2.x: one reader (InfluxQL), two writers, the same lines."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice

import httpx
import numpy as np

from cloud.timeseries.base import Bucket, Envelope, SeriesColumn, StoredSample, TimeSeriesRejected
from cloud.timeseries.influx_writers import LineWriter, WriterV1, WriterV2
from cloud.timeseries.influxql import InfluxReader
from cloud.timeseries.lines import encode
from cloud.timeseries.rollups import drawn, summarise

LINES_PER_POST = 5000
"""Fastest size of a write (1.6.7: 202,000 points a second; 1,000 and 20,000 are slower)."""

EXACT_MOST = 20_000
"""Samples up to which an envelope is made of them (50 ms); beyond, of GROUP BY time(), which gives an extreme
without its time."""

DAY_MS = 86_400_000

TIMEOUT_S = 30.0
"""A query or write that takes longer is given up; a 24 h aggregate of 50 series takes 2 s."""


class InfluxTimeSeries:
    """TimeSeries in InfluxDB. Nothing connects before the first call: the server may be down at the start."""

    def __init__(self, client: httpx.AsyncClient, reader: InfluxReader, writer: LineWriter) -> None:
        self._client = client
        self._reader = reader
        self._writer = writer

    async def start(self) -> None:
        """Nothing to do; each call connects by itself."""

    async def close(self) -> None:
        """Close the connections."""
        await self._writer.close()
        await self._client.aclose()

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        """Post in parts; a refused part does not keep the others from being stored."""
        lines = encode(columns)
        rejected: TimeSeriesRejected | None = None
        while part := await asyncio.to_thread(lambda: list(islice(lines, LINES_PER_POST))):
            try:
                await self._writer.post(part)
            except TimeSeriesRejected as error:
                rejected = error
        if rejected is not None:
            raise rejected

    async def latest(self, series: Sequence[int]) -> dict[int, StoredSample]:
        """Newest sample of each series that has one."""
        return await self._reader.latest(series)

    async def samples(
        self, series: int, start_ms: int, end_ms: int, limit: int, *, newest_first: bool = False
    ) -> list[StoredSample]:
        """Raw samples with start_ms <= t < end_ms, at most limit."""
        return await self._reader.samples(series, start_ms, end_ms, limit, newest_first)

    async def count(self, series: int, start_ms: int, end_ms: int) -> int:
        """How many samples the range holds."""
        return await self._reader.count(series, start_ms, end_ms)

    async def buckets(self, series: int, start_ms: int, end_ms: int, width_ms: int) -> list[Bucket]:
        """Aggregates by rising start; starts are start_ms + n * width_ms."""
        return await self._reader.buckets(series, start_ms, end_ms, width_ms)

    async def envelope(self, series: int, start_ms: int, end_ms: int, pixels: int) -> Envelope:
        """The range for a chart of so many pixels."""
        count = await self.count(series, start_ms, end_ms)
        if count <= max(4 * pixels, EXACT_MOST):
            found = await self.samples(series, start_ms, end_ms, count)
            return _exact(found, start_ms, end_ms, pixels)
        width = -(-(end_ms - start_ms) // pixels)
        return _spread(await self._reader.extremes(series, start_ms, end_ms, width), width, count)

    async def delete_before(self, series: int, t_ms: int, width_ms: int = 0) -> None:
        """Samples; there are no stored buckets. What arrives late is kept until the next deletion."""
        if width_ms == 0:
            await self._reader.delete_before(series, t_ms // DAY_MS * DAY_MS)


def _exact(samples: Sequence[StoredSample], start_ms: int, end_ms: int, pixels: int) -> Envelope:
    """All of them when they fit, else the extremes of each bucket."""
    times = np.array([sample.t_ms for sample in samples], np.int64)
    values = np.array([_number(sample) for sample in samples], np.float64)
    if len(samples) <= 4 * pixels:
        return Envelope(times, values, 0, len(samples))
    width, is_number = -(-(end_ms - start_ms) // pixels), ~np.isnan(values)
    return drawn(summarise(times[is_number], values[is_number], start_ms, width), start_ms, end_ms, width)


def _number(sample: StoredSample) -> float:
    is_number = sample.quality == 0 and isinstance(sample.value, float | int)
    return float(sample.value or 0) if is_number else np.nan


def _spread(buckets: Sequence[Sequence[float]], width_ms: int, count: int) -> Envelope:
    """Four values a bucket: first and last at its ends, the extremes between; one where all are equal."""
    rows = np.array(buckets, np.float64).reshape(-1, 5)
    at, values = rows[:, 0].astype(np.int64), rows[:, 1:]
    offsets = np.array([0, width_ms // 3, width_ms - width_ms // 3 - 1, width_ms - 1], np.int64)
    times = at[:, None] + offsets
    kept = np.repeat((values.min(axis=1) < values.max(axis=1))[:, None], 4, axis=1)
    kept[:, 0] = True
    return Envelope(times[kept], values[kept], width_ms, count, is_exact=False)


def connect_v1(url: str, database: str, username: str, password: str) -> InfluxTimeSeries:
    """InfluxDB 1.x; an empty user name sends no credentials."""
    auth = httpx.BasicAuth(username, password) if username else None
    client = httpx.AsyncClient(base_url=url, auth=auth, timeout=TIMEOUT_S)
    reader = InfluxReader(client, database, None, may_be_absent=True)
    return InfluxTimeSeries(client, reader, WriterV1(client, database))


def connect_v2(url: str, token: str, org: str, bucket: str) -> InfluxTimeSeries:
    """InfluxDB 2.x. A bucket `db/rp` is read as database db, retention policy rp: its automatic mapping."""
    database, _, policy = bucket.partition("/")
    client = httpx.AsyncClient(base_url=url, headers={"Authorization": f"Token {token}"}, timeout=TIMEOUT_S)
    reader = InfluxReader(client, database, policy or None)
    return InfluxTimeSeries(client, reader, WriterV2(url, token, org, bucket, TIMEOUT_S))
