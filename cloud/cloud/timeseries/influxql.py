"""Reads and deletions through InfluxQL: the one query language of 1.x and (by DBRP mapping) 2.x.

The language has no bound parameters in every version; all that is put into a statement is an integer.
"""
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from cloud.timeseries.base import Bucket, StoredSample, TimeSeriesError
from cloud.timeseries.lines import MEASUREMENT
from cloud.timeseries.values import LAST_NUMERIC, restore

SERIES_PER_QUERY = 200
"""Series in one `latest` statement; keeps the query string far below the 8 KiB that proxies allow."""


class InfluxReader:
    """Typed answers of one database. client: base URL and credentials are set on it; may_be_absent: the first
    write makes the database, so until then it is empty and not a failure.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        database: str,
        retention_policy: str | None,
        *,
        may_be_absent: bool = False,
    ) -> None:
        self._client = client
        self._may_be_absent = may_be_absent
        self._scope = {"db": database, "epoch": "ms"} | ({"rp": retention_policy} if retention_policy else {})

    async def latest(self, series: Sequence[int]) -> dict[int, StoredSample]:
        """Newest sample of each series that has one."""
        found: dict[int, StoredSample] = {}
        for start in range(0, len(series), SERIES_PER_QUERY):
            wanted = " OR ".join(
                f"\"series\" = '{int(item)}'" for item in series[start : start + SERIES_PER_QUERY]
            )
            for block in await self._query(
                f'SELECT "v", "text", "k", "q" FROM "{MEASUREMENT}" WHERE {wanted}'
                ' GROUP BY "series" ORDER BY time DESC LIMIT 1'
            ):
                found[int(block["tags"]["series"])] = _sample(block["values"][0])
        return found

    async def samples(
        self, series: int, start_ms: int, end_ms: int, limit: int, newest_first: bool
    ) -> list[StoredSample]:
        """Raw samples with start_ms <= t < end_ms, at most limit."""
        order = "DESC" if newest_first else "ASC"
        if limit <= 0:  # LIMIT 0 means no limit here
            return []
        blocks = await self._query(
            f'SELECT "v", "text", "k", "q" FROM "{MEASUREMENT}" WHERE {_range(series, start_ms, end_ms)}'
            f" ORDER BY time {order} LIMIT {int(limit)}"
        )
        return [_sample(row) for block in blocks for row in block["values"]]

    async def count(self, series: int, start_ms: int, end_ms: int) -> int:
        """How many samples the range holds."""
        blocks = await self._query(
            f'SELECT count("q") FROM "{MEASUREMENT}" WHERE {_range(series, start_ms, end_ms)}'
        )
        return int(blocks[0]["values"][0][1]) if blocks else 0

    async def buckets(self, series: int, start_ms: int, end_ms: int, width_ms: int) -> list[Bucket]:
        """Aggregates by rising start; starts are start_ms + n * width_ms."""
        blocks = await self._query(
            f'SELECT count("v"), min("v"), max("v"), mean("v"), first("v"), last("v") FROM "{MEASUREMENT}"'
            f' WHERE {_range(series, start_ms, end_ms)} AND "q" = 0 AND "k" <= {int(LAST_NUMERIC)}'
            f" GROUP BY time({int(width_ms)}ms, {start_ms % width_ms}ms) fill(none)"
        )
        return [
            Bucket(row[0], int(row[1]), *(float(item) for item in row[2:]))
            for block in blocks
            for row in block["values"]
        ]

    async def extremes(
        self, series: int, start_ms: int, end_ms: int, width_ms: int
    ) -> list[tuple[float, ...]]:
        """Start, first, lowest, highest and last of each bucket: half the work of what buckets() asks for."""
        blocks = await self._query(
            f'SELECT first("v"), min("v"), max("v"), last("v") FROM "{MEASUREMENT}"'
            f' WHERE {_range(series, start_ms, end_ms)} AND "q" = 0 AND "k" <= {int(LAST_NUMERIC)}'
            f" GROUP BY time({int(width_ms)}ms, {start_ms % width_ms}ms) fill(none)"
        )
        return [tuple(row) for block in blocks for row in block["values"]]

    async def delete_before(self, series: int, t_ms: int) -> None:
        """Delete the samples with t < t_ms."""
        statement = f'DELETE FROM "{MEASUREMENT}" WHERE "series" = \'{int(series)}\' AND time < {int(t_ms)}ms'
        await self._query(statement, method="POST")

    async def _query(self, statement: str, method: str = "GET") -> list[dict[str, Any]]:
        """Series blocks of one statement; TimeSeriesError for any failure."""
        try:
            answer = await self._client.request(method, "/query", params=self._scope | {"q": statement})
            body = answer.json() if answer.content else {}
        except (httpx.HTTPError, ValueError) as error:
            raise TimeSeriesError(f"InfluxDB query: {error!r}") from error
        result = (body.get("results") or [{}])[0]
        if answer.status_code != httpx.codes.OK or "error" in body or "error" in result:
            reason = str(body.get("error") or result.get("error"))
            if self._may_be_absent and reason.startswith("database not found"):
                return []
            raise TimeSeriesError(f"InfluxDB query: {answer.status_code} {reason}")
        return list(result.get("series", []))


def _range(series: int, start_ms: int, end_ms: int) -> str:
    return f"\"series\" = '{int(series)}' AND time >= {int(start_ms)}ms AND time < {int(end_ms)}ms"


def _sample(row: Sequence[Any]) -> StoredSample:
    t_ms, number, text, kind, quality = row
    return StoredSample(int(t_ms), restore(int(kind), number, text), int(quality))
