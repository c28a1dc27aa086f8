"""InfluxDB 1.x and 2.x: one reader (InfluxQL), two writers, the same lines; rollups of our own beside them.

Measurement `dp`, tag `series`, fields v (float), text, k (kind), q (quality). Numbers are always floats in
v because InfluxDB fixes a field's type by its first write; k and q are in every line that may replace another
(`line_protocol.py`), so that a sample written again with another type reads as the last one. Times are
integer milliseconds. Of a retention of the server's own (default policy of 1.x, rule of the bucket of 2.x)
`own_limit_s()` gives the length; no rollups are kept then. Samples of a deleted time are refused and counted:
adding to pages that several posts write would count twice after a death between them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import httpx
import numpy as np

from cloud.timeseries.base import (
    Damage,
    DownsampledSeries,
    SampleBucket,
    SeriesColumn,
    StoredSample,
    TimeSeriesRejected,
)
from cloud.timeseries.influx_newest import NewestTimes
from cloud.timeseries.influx_queries import RollupQueries
from cloud.timeseries.influx_rollup_worker import FOLD_AT, RollupWorker
from cloud.timeseries.influx_rollups import RollupTable, parse_pages
from cloud.timeseries.influx_servers import Server, ServerV1, ServerV2, database_of
from cloud.timeseries.influxql import (
    InfluxReader,
    numbers_of,
    numbers_query,
)
from cloud.timeseries.line_protocol import encode
from cloud.timeseries.plan import RAW, Segment, planned, snapped, widest
from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS, Rollup, combine, drawn, joined, listed, summarise
from cloud.timeseries.series_table import SeriesTable

LINES_PER_POST = 5000
"""Fastest size of a write (1.6.7: 202,000 points a second; 1,000 and 20,000 are slower)."""

RAW_ROWS = 65_536
RAW_READS = 64
"""Samples that an envelope reads one by one where no level fits or none is made yet: 4.2 million. The rest is
GROUP BY time(), which gives an extreme without its time."""

DAY_MS = 86_400_000

TIMEOUT_S = 30.0
"""A query or write that takes longer is given up; a 24 h aggregate of 50 series takes 2 s."""


class InfluxTimeSeries:
    """TimeSeries in InfluxDB. Nothing connects before the first call: the server may be down at the start."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        reader: InfluxReader,
        server: Server,
        *,
        now_ms: Callable[[], int],
        fold_at: int,
    ) -> None:
        self._client = client
        self._reader = reader
        self._server = server
        self._is_checked = False
        self.newest = NewestTimes(reader)
        self._posting = asyncio.Lock()  # a short line must not come behind a full one of the same sample
        self._levels = RollupTable(reader, server)
        self._questions = RollupQueries(reader, now_ms)
        self.keeper = RollupWorker(reader, server, self._levels, now_ms=now_ms, fold_at=fold_at)

    async def start(self) -> None:
        """Nothing to do; each call connects by itself."""

    async def close(self) -> None:
        """End the work on rollups and close the connections."""
        await self.newest.close()
        await self.keeper.close()
        await self._server.close()
        await self._client.aclose()

    async def check(self) -> None:
        """The server's own check, and a reading."""
        await self._server.check()
        await self._reader.latest([1])
        self._is_checked = True

    async def own_limit_s(self) -> int | None:
        """By the server's rule."""
        return await self._server.own_limit_s()

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        """Post in parts; a refused part does not keep the others from being stored. Nothing is posted before
        the server was found to read and write the same place.
        """
        if not self._is_checked:
            await self.check()
        rejected: TimeSeriesRejected | None = None
        async with self.keeper.writing(SeriesTable.of(columns)) as wanted, self._posting:
            singles = wanted.singles()
            self.newest.note(singles)
            for part in singles.cut(LINES_PER_POST):
                try:
                    await self._server.post(encode(part, self.newest.known))
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

    async def buckets(self, series: int, start_ms: int, end_ms: int, width_ms: int) -> list[SampleBucket]:
        """Aggregates by rising start; starts are start_ms + n * width_ms."""
        rollup, _, _ = await self._timed(series, start_ms, end_ms, start_ms, width_ms)
        return listed(rollup)

    async def envelope(self, series: int, start_ms: int, end_ms: int, pixels: int) -> DownsampledSeries:
        """Made of rollups when a pixel is a minute wide or more, and of samples where they all fit."""
        width, origin = snapped(start_ms, end_ms, pixels)
        rollup, is_exact, from_ms = await self._timed(series, start_ms, end_ms, origin, width)
        most = 4 * pixels
        if int(rollup.count.sum()) <= most and start_ms >= from_ms:
            found = await self.samples(series, start_ms, end_ms, most + 1)
            if len(found) <= most:
                return _all_samples(found)
        return replace(drawn(rollup, start_ms, end_ms, width), is_exact=is_exact)

    async def older(self, series: Sequence[int], t_ms: int, width_ms: int = 0) -> set[int]:
        """Which of them have something that delete_before() would forget."""
        day_ms = t_ms // DAY_MS * DAY_MS
        found = await self._reader.older(series, day_ms)
        if not width_ms:
            return found
        rest = [each for each in series if each not in found]
        return found | await self._levels.older(rest, ROLLUP_WIDTHS_MS.index(width_ms), day_ms)

    async def damage(self, series: int, start_ms: int, end_ms: int) -> list[Damage]:
        """None: InfluxDB keeps the samples, and a level that cannot be unpacked is DamagedSeries."""
        return []

    async def delete_before(self, series: int, t_ms: int, width_ms: int = 0) -> None:
        """Forget; samples are summed up in the rollups first."""
        level = ROLLUP_WIDTHS_MS.index(width_ms) if width_ms else RAW
        await self.keeper.delete_before(series, t_ms // DAY_MS * DAY_MS, level)

    async def drain(self) -> None:
        """Make the rollups that are due, what an earlier run left included, and learn what it wrote last."""
        while await self.newest.learn():
            pass
        await self.keeper.drain()

    async def _timed(
        self, series: int, start_ms: int, end_ms: int, origin_ms: int, width_ms: int
    ) -> tuple[Rollup, bool, int]:
        """Buckets with the times of their samples, whether all times are exact, and since when there are
        samples.
        """
        told = await self._questions.ask(
            series,
            lambda known: planned(widest(origin_ms, width_ms), start_ms, end_ms, known),
            lambda segment, among: numbers_query(series, segment.start_ms, segment.end_ms, RAW_ROWS // among),
        )
        parts, are_exact = [], True
        for segment, blocks in told.segments:
            if segment.level != RAW:
                parts.append(parse_pages(segment, blocks))
                continue
            found = await numbers_of(blocks)
            parts.append(summarise(found.t_ms, found.value, origin_ms, width_ms))
            if found.rows == RAW_ROWS // told.raw_segments:
                more = replace(segment, start_ms=found.last_ms + 1)
                span_ms = more.start_ms - int(blocks[0]["values"][0][0])
                rollup, is_exact = await self._read(series, more, span_ms, origin_ms, width_ms)
                parts.append(rollup)
                are_exact = are_exact and is_exact
        return combine(joined(parts), origin_ms, width_ms), are_exact, told.known.from_ms[0]

    async def _read(
        self, series: int, segment: Segment, span_ms: int, origin_ms: int, width_ms: int
    ) -> tuple[Rollup, bool]:
        """Of samples that are more than one reading brings. span_ms: time that held about one reading of
        them; without an end a statement costs the server two to three times as much, whatever LIMIT says.
        """
        at, parts, reads = segment.start_ms, list[Rollup](), 1
        while at < segment.end_ms:
            if reads == RAW_READS:
                rest = await self._reader.grouped(series, at, segment.end_ms, origin_ms, width_ms)
                if rest is not None:
                    return joined([*parts, _spread(rest, width_ms)]), len(rest) == 0
            end_ms = min(at + span_ms, segment.end_ms)
            found = await self._reader.numbers(series, at, end_ms, RAW_ROWS)
            parts.append(summarise(found.t_ms, found.value, origin_ms, width_ms))
            if found.rows == RAW_ROWS:
                end_ms = found.last_ms + 1
            elif found.rows < RAW_ROWS // 2:
                span_ms *= 2
            at, reads = end_ms, reads + 1
        return joined(parts), True


def _all_samples(samples: Sequence[StoredSample]) -> DownsampledSeries:
    times = np.array([sample.t_ms for sample in samples], np.int64)
    values = np.array([_number(sample) for sample in samples], np.float64)
    return DownsampledSeries(times, values, 0, len(samples))


def _number(sample: StoredSample) -> float:
    is_number = sample.quality == 0 and isinstance(sample.value, float | int)
    return float(sample.value or 0) if is_number else np.nan


def _spread(rollup: Rollup, width_ms: int) -> Rollup:
    """With times: first and last at the ends of their bucket, the extremes between."""
    offsets = np.array([0, width_ms // 3, width_ms - width_ms // 3 - 1, width_ms - 1], np.int64)
    return replace(rollup, times=rollup.start_ms + offsets[:, None])


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def connect_v1(
    url: str,
    database: str,
    username: str,
    password: str,
    *,
    now_ms: Callable[[], int] = _now_ms,
    fold_at: int = FOLD_AT,
) -> InfluxTimeSeries:
    """InfluxDB 1.x; an empty user name sends no credentials. fold_at: see RollupWorker."""
    auth = httpx.BasicAuth(username, password) if username else None
    client = httpx.AsyncClient(base_url=url, auth=auth, timeout=TIMEOUT_S)
    reader = InfluxReader(client, database, may_be_absent=True)
    server = ServerV1(client, reader, database)
    return InfluxTimeSeries(client, reader, server, now_ms=now_ms, fold_at=fold_at)


def connect_v2(
    url: str,
    token: str,
    org: str,
    bucket: str,
    *,
    now_ms: Callable[[], int] = _now_ms,
    fold_at: int = FOLD_AT,
) -> InfluxTimeSeries:
    """InfluxDB 2.x. The bucket must be the default that its name is mapped to (ServerV2.check)."""
    client = httpx.AsyncClient(base_url=url, headers={"Authorization": f"Token {token}"}, timeout=TIMEOUT_S)
    reader = InfluxReader(client, database_of(bucket))
    server = ServerV2(client, url, token, org, bucket, TIMEOUT_S)
    return InfluxTimeSeries(client, reader, server, now_ms=now_ms, fold_at=fold_at)
