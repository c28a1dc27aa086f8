"""What InfluxDB 1.x and 2.x do differently: writing, deleting, and what they delete by themselves.

1.x is written by POST /write, 2.x by influxdb-client in synchronous mode with ready lines (its batching
gives data up after three minutes, its datetimes are 1 ms early at times). On 2.x a token that may read and
write the one bucket is enough. The bucket must be the default that its database name is mapped to, since
InfluxQL of 2.x ignores the retention policy in much of what it does: a plain name is, a name `db/rp` is not
unless somebody mapped it. `check()` asks for both, at the start (exit code 2), before the first write and
whenever `/healthz` is asked. Deletion is by /api/v2/delete, whose range includes its end.
"""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import httpx
import msgspec
from influxdb_client.client.influxdb_client import InfluxDBClient
from influxdb_client.client.write_api import SYNCHRONOUS
from influxdb_client.domain.write_precision import WritePrecision
from influxdb_client.rest import ApiException
from urllib3.exceptions import HTTPError

from cloud.timeseries.base import TimeSeriesError, TimeSeriesMisconfigured, TimeSeriesRejected
from cloud.timeseries.influxql import OLDEST_MS, InfluxReader


class Server(Protocol):
    """One version of InfluxDB. Every failure is a TimeSeriesError."""

    async def check(self) -> None:
        """TimeSeriesError while it does not serve; TimeSeriesMisconfigured when it answers but would read and
        write different places.
        """

    async def own_limit_s(self) -> int | None:
        """Age at which the server itself deletes what it holds; None: it keeps it for ever."""

    async def post(self, body: bytes) -> None:
        """Lines; durable when it returns. TimeSeriesRejected for what will always be refused."""

    async def delete(self, measurement: str, series: int, before_ms: int) -> None:
        """Delete the points of a series with t < before_ms."""

    async def close(self) -> None: ...


class ServerV1:
    """POST /write, which makes the database when there is none; InfluxQL for the rest."""

    def __init__(self, client: httpx.AsyncClient, reader: InfluxReader, database: str) -> None:
        self._client = client
        self._reader = reader
        self._database = database

    async def check(self) -> None:
        """See Server."""
        await self.own_limit_s()

    async def own_limit_s(self) -> int | None:
        """See Server: the duration of the default retention policy."""
        (blocks,) = await self._reader.ask(f'SHOW RETENTION POLICIES ON "{self._database}"')
        for row in (row for block in blocks for row in block["values"]):
            policy = dict(zip(blocks[0]["columns"], row, strict=True))
            if policy["default"]:
                return seconds_of(str(policy["duration"]))
        return None

    async def post(self, body: bytes) -> None:
        """See Server."""
        answer = await self._write(body)
        if answer.status_code == httpx.codes.NOT_FOUND and "database not found" in answer.text:
            await self._request("/query", {"q": f'CREATE DATABASE "{self._database}"'}, b"")
            answer = await self._write(body)
        if answer.status_code != httpx.codes.NO_CONTENT:
            raise refusal(answer.status_code, answer.text)

    async def delete(self, measurement: str, series: int, before_ms: int) -> None:
        """See Server."""
        statement = (
            f'DELETE FROM "{measurement}" WHERE "series" = \'{int(series)}\' AND time < {int(before_ms)}ms'  # noqa: S608
        )
        await self._reader.ask(statement, method="POST")

    async def close(self) -> None:
        """The HTTP client belongs to the caller."""

    async def _write(self, body: bytes) -> httpx.Response:
        return await self._request("/write", {"db": self._database, "precision": "ms"}, body)

    async def _request(self, path: str, params: dict[str, str], body: bytes) -> httpx.Response:
        try:
            return await self._client.post(path, params=params, content=body)
        except httpx.HTTPError as error:
            raise TimeSeriesError(f"InfluxDB {path}: {error!r}") from error


class ServerV2:
    """influxdb-client, synchronous mode in a thread: its batching mode gives data up after three minutes.

    A token that may read and write the one bucket is enough. Deletion is by /api/v2/delete, which names the
    bucket: DELETE of InfluxQL goes where the default mapping of the database name leads.
    """

    def __init__(
        self, client: httpx.AsyncClient, url: str, token: str, org: str, bucket: str, timeout_s: float
    ) -> None:
        self._http = client
        self._org = org
        self._bucket = bucket
        self._client: Any = InfluxDBClient(url=url, token=token, org=org, timeout=int(timeout_s * 1000))
        self._writes: Any = self._client.write_api(write_options=SYNCHRONOUS)
        self._deletes: Any = self._client.delete_api()

    async def check(self) -> None:
        """See Server: the bucket by its organisation, and where its name leads InfluxQL.

        Raises TimeSeriesMisconfigured when InfluxQL reads another bucket.
        """
        bucket = await self._find_bucket()
        database = database_of(self._bucket)
        body = await self._get("/api/v2/dbrps", {"org": self._org, "db": database})
        mapped = [each for each in body.get("content") or [] if each.get("default")]
        if [each.get("bucketID") for each in mapped] != [bucket["id"]]:
            raise TimeSeriesMisconfigured(
                f'InfluxDB: InfluxQL does not find the bucket "{self._bucket}" as the default of the database'
                f' "{database}". Use a bucket without "/" in its name to which no other bucket is mapped,'
                " or map it: POST /api/v2/dbrps with default true"
            )

    async def own_limit_s(self) -> int | None:
        """See Server: the bucket's rule; InfluxQL of 2.x says "0s" whatever it is."""
        rules = (await self._find_bucket()).get("retentionRules") or []
        return max((int(rule.get("everySeconds", 0)) for rule in rules), default=0) or None

    async def post(self, body: bytes) -> None:
        """See Server."""
        await self._call(
            "write", self._writes.write, bucket=self._bucket, record=body, write_precision=WritePrecision.MS
        )

    async def delete(self, measurement: str, series: int, before_ms: int) -> None:
        """See Server. The server's range includes its end."""
        await self._call(
            "delete",
            self._deletes.delete,
            start=_rfc3339(-OLDEST_MS),
            stop=_rfc3339(min(before_ms, OLDEST_MS) - 1),
            predicate=f'_measurement="{measurement}" AND "series"="{int(series)}"',
            bucket=self._bucket,
        )

    async def close(self) -> None:
        """Close the connection pool."""
        self._writes.close()
        self._client.close()

    async def _find_bucket(self) -> dict[str, Any]:
        body = await self._get("/api/v2/buckets", {"org": self._org, "name": self._bucket})
        (bucket,) = body.get("buckets") or [None]
        if bucket is None:
            raise TimeSeriesError(
                f'InfluxDB: the token may read no bucket "{self._bucket}" in organisation "{self._org}"'
            )
        return dict(bucket)

    async def _get(self, path: str, params: dict[str, str]) -> dict[str, Any]:
        try:
            answer = await self._http.get(path, params=params)
            if answer.status_code != httpx.codes.OK:
                raise TimeSeriesError(f"InfluxDB {path}: {answer.status_code} {rule_of(answer.text)}")
            return dict(msgspec.json.decode(answer.content))
        except (httpx.HTTPError, msgspec.DecodeError) as error:
            raise TimeSeriesError(f"InfluxDB {path}: {error!r}") from error

    async def _call(self, what: str, work: Any, **given: Any) -> None:
        """To its end, though the caller is cancelled: the thread goes on, and would overtake a repetition."""
        running = asyncio.ensure_future(asyncio.to_thread(work, **given))
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait({running})  # the client has a time-out of its own
            raise
        except ApiException as error:
            raise refusal(error.status or 0, str(error.body or error.reason), what) from error
        except (HTTPError, OSError) as error:
            raise TimeSeriesError(f"InfluxDB /api/v2/{what}: {error!r}") from error


_FINAL = {400, 413, 422}
"""Statuses of a request that no repetition makes acceptable."""


def refusal(status: int, text: str, what: str = "write") -> TimeSeriesError:
    """The error for a status other than 204 and its body (JSON or plain)."""
    rule = rule_of(text)
    return (
        TimeSeriesRejected(rule) if status in _FINAL else TimeSeriesError(f"InfluxDB {what}: {status} {rule}")
    )


def rule_of(text: str) -> str:
    """What a body says is wrong: 1.x in `error`, 2.x in `message`."""
    match = re.search(r'"(?:error|message)"\s*:\s*"((?:[^"\\]|\\.)*)"', text)
    return (match.group(1).replace('\\"', '"') if match else text).strip()[:300] or "no reason given"


def database_of(bucket: str) -> str:
    """Database of InfluxQL that a bucket is mapped to by its name: `db/rp` or `db`."""
    return bucket.partition("/")[0]


def seconds_of(duration: str) -> int | None:
    """Seconds of InfluxQL's `168h0m0s`; None for 0, which is for ever."""
    units = {"h": 3600, "m": 60, "s": 1}
    return sum(int(n) * units[unit] for n, unit in re.findall(r"(\d+)([hms])", duration)) or None


def _rfc3339(t_ms: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=t_ms)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
