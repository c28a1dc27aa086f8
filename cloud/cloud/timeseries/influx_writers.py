"""Two ways to post the same lines: /write of InfluxDB 1.x, /api/v2/write of 2.x through influxdb-client."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Protocol

import httpx
from influxdb_client.client.influxdb_client import InfluxDBClient
from influxdb_client.client.write_api import SYNCHRONOUS
from influxdb_client.domain.write_precision import WritePrecision
from influxdb_client.rest import ApiException
from urllib3.exceptions import HTTPError

from cloud.timeseries.base import TimeSeriesError, TimeSeriesRejected


class LineWriter(Protocol):
    """Posts lines; durable when it returns."""

    async def post(self, lines: Sequence[str]) -> None:
        """TimeSeriesRejected for what will always be refused, TimeSeriesError for everything else."""

    async def close(self) -> None: ...


class WriterV1:
    """POST /write. Makes the database when the server says that there is none."""

    def __init__(self, client: httpx.AsyncClient, database: str) -> None:
        self._client = client
        self._database = database

    async def post(self, lines: Sequence[str]) -> None:
        """See LineWriter."""
        answer = await self._write(lines)
        if answer.status_code == httpx.codes.NOT_FOUND and "database not found" in answer.text:
            await self._request("/query", {"q": f'CREATE DATABASE "{self._database}"'}, b"")
            answer = await self._write(lines)
        if answer.status_code != httpx.codes.NO_CONTENT:
            raise refusal(answer.status_code, answer.text)

    async def close(self) -> None:
        """The HTTP client belongs to the caller."""

    async def _write(self, lines: Sequence[str]) -> httpx.Response:
        body = "\n".join(lines).encode()
        return await self._request("/write", {"db": self._database, "precision": "ms"}, body)

    async def _request(self, path: str, params: dict[str, str], body: bytes) -> httpx.Response:
        try:
            return await self._client.post(path, params=params, content=body)
        except httpx.HTTPError as error:
            raise TimeSeriesError(f"InfluxDB {path}: {error!r}") from error


class WriterV2:
    """influxdb-client, synchronous mode in a thread: its batching mode gives data up after three minutes."""

    def __init__(self, url: str, token: str, org: str, bucket: str, timeout_s: float) -> None:
        self._bucket = bucket
        self._client: Any = InfluxDBClient(url=url, token=token, org=org, timeout=int(timeout_s * 1000))
        self._api: Any = self._client.write_api(write_options=SYNCHRONOUS)

    async def post(self, lines: Sequence[str]) -> None:
        """See LineWriter."""
        body = "\n".join(lines)
        try:
            await asyncio.to_thread(
                self._api.write, bucket=self._bucket, record=body, write_precision=WritePrecision.MS
            )
        except ApiException as error:
            raise refusal(error.status or 0, str(error.body or error.reason)) from error
        except (HTTPError, OSError) as error:
            raise TimeSeriesError(f"InfluxDB /api/v2/write: {error!r}") from error

    async def close(self) -> None:
        """Close the connection pool."""
        self._api.close()
        self._client.close()


_FINAL = {400, 413, 422}
"""Statuses of a request that no repetition makes acceptable."""


def refusal(status: int, text: str) -> TimeSeriesError:
    """The error for a status other than 204 and its body (JSON or plain)."""
    found = re.search(r'"(?:error|message)"\s*:\s*"((?:[^"\\]|\\.)*)"', text)
    rule = (found.group(1).replace('\\"', '"') if found else text).strip()[:300] or "no reason given"
    return (
        TimeSeriesRejected(rule) if status in _FINAL else TimeSeriesError(f"InfluxDB write: {status} {rule}")
    )
