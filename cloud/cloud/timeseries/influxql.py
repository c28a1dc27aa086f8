"""Reads through InfluxQL: the one query language of 1.x and (by DBRP mapping) 2.x.

The language has no bound parameters in every version; all that is put into a statement is an integer.
"""
# ruff: noqa: S608

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import httpx
import msgspec
import numpy as np

from cloud.timeseries.base import StoredSample, TimeSeriesError
from cloud.timeseries.line_protocol import MEASUREMENT
from cloud.timeseries.packing import Floats, Ints
from cloud.timeseries.rollups import NOTHING, SUM, Rollup
from cloud.timeseries.values import LAST_NUMERIC, ValueKind, restore

Edge = Literal["first", "last"]

Blocks = Sequence[dict[str, Any]]
"""What one statement is answered with: `values` are rows, their first column the time."""

SERIES_PER_QUERY = 200
"""Series in one `latest` statement; keeps the query string far below the 8 KiB that proxies allow."""

STATEMENTS = 16
"""Statements of one request, for the same reason."""

HEADERS = {"Accept": "application/x-msgpack", "Accept-Encoding": "identity"}
"""A server that knows no msgpack answers JSON. Compressed, an answer takes the server four times as long."""

LONG_BYTES = 65_536
LONG_ROWS = 2048
"""Answers beyond this are decoded on a thread."""

EVER_MS = 2**62
OLDEST_MS = 9_223_372_036_854
"""InfluxDB counts nanoseconds in 64 bits: the years 1677 to 2262."""

_NUMERIC = f' AND "q" = 0 AND "k" <= {int(LAST_NUMERIC)}'
"""Of lines that have both; a comparison with a field that a line does not have is false."""

_NOT_EXECUTED = "not executed"

_NO_NUMBER = f' AND "k" > {int(LAST_NUMERIC)}'


class Numbers(NamedTuple):
    """Times and values of the numeric samples of good quality among some rows; last_ms: of the last row."""

    t_ms: Ints
    value: Floats
    rows: int = 0
    last_ms: int = 0


class InfluxReader:
    """Typed answers of one database. client: base URL and credentials are set on it; may_be_absent: the first
    write makes the database, so until then it is empty and not a failure.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        database: str,
        *,
        may_be_absent: bool = False,
    ) -> None:
        self._client = client
        self._may_be_absent = may_be_absent
        self._scope = {"db": database, "epoch": "ms"}

    async def latest(self, series: Sequence[int]) -> dict[int, StoredSample]:
        """Newest sample of each series that has one."""
        result: dict[int, StoredSample] = {}
        for start in range(0, len(series), SERIES_PER_QUERY):
            wanted = any_of(series[start : start + SERIES_PER_QUERY])
            (blocks,) = await self.ask(
                f'SELECT "v", "text", "k", "q" FROM "{MEASUREMENT}" WHERE {wanted}'
                ' GROUP BY "series" ORDER BY time DESC LIMIT 1'
            )
            for block in blocks:
                result[int(block["tags"]["series"])] = _sample(block["values"][0])
        return result

    async def older(
        self,
        series: Sequence[int],
        t_ms: int,
        measurement: str = MEASUREMENT,
        field: str = '"v", "q"',
        condition: str = "",
    ) -> set[int]:
        """Those with t < t_ms, of samples unless another measurement is named."""
        result: set[int] = set()
        high = max(-OLDEST_MS, min(OLDEST_MS, int(t_ms)))
        for start in range(0, len(series), SERIES_PER_QUERY):
            wanted = any_of(series[start : start + SERIES_PER_QUERY])
            also = f" AND {condition}" if condition else ""
            (blocks,) = await self.ask(
                f'SELECT {field} FROM "{measurement}" WHERE ({wanted}) AND time < {high}ms{also}'
                ' GROUP BY "series" LIMIT 1'
            )
            result |= {int(block["tags"]["series"]) for block in blocks}
        return result

    async def samples(
        self, series: int, start_ms: int, end_ms: int, limit: int, newest_first: bool
    ) -> list[StoredSample]:
        """Raw samples with start_ms <= t < end_ms, at most limit."""
        order = "DESC" if newest_first else "ASC"
        if limit <= 0:  # LIMIT 0 means no limit here
            return []
        (blocks,) = await self.ask(
            f'SELECT "v", "text", "k", "q" FROM "{MEASUREMENT}" WHERE {within(series, start_ms, end_ms)}'
            f" ORDER BY time {order} LIMIT {int(limit)}"
        )
        return [_sample(row) for block in blocks for row in block["values"]]

    async def count(self, series: int, start_ms: int, end_ms: int) -> int:
        """How many samples the range holds: every one has a number or, if it is none, a quality; what was a
        number before it was corrected has both.
        """
        there = f'FROM "{MEASUREMENT}" WHERE {within(series, start_ms, end_ms)}'
        numbers, others, both = await self.ask(
            f'SELECT count("v") {there}',
            f'SELECT count("q") {there}{_NO_NUMBER}',
            f'SELECT count("v") {there}{_NO_NUMBER}',
        )
        return _counted(numbers) + _counted(others) - _counted(both)

    async def numbers(self, series: int, start_ms: int, end_ms: int, limit: int | None = None) -> Numbers:
        """Among the oldest samples in the range, at most limit."""
        (blocks,) = await self.ask(numbers_query(series, start_ms, end_ms, limit))
        return await numbers_of(blocks)

    async def grouped(
        self, series: int, start_ms: int, end_ms: int, origin_ms: int, width_ms: int
    ) -> Rollup | None:
        """Buckets of the same samples, made by the server: their extremes have the time of their bucket. None
        where it cannot tell which samples count: some have a quality, others only a number.
        """
        there = f'FROM "{MEASUREMENT}" WHERE {within(series, start_ms, end_ms)}'
        *counts, both = await self.ask(
            *(f'SELECT count("{field}") {there}' for field in ("v", "k", "q")),
            f'SELECT count("v") {there} AND "q" >= 0',
        )
        numbers, kinds, qualities = map(_counted, counts)
        are_plain = not kinds and not qualities
        if not are_plain and _counted(both) < numbers:
            return None
        condition = "" if are_plain else _NUMERIC
        (blocks,) = await self.ask(
            'SELECT count("v"), first("v"), min("v"), max("v"), last("v"), mean("v")'
            f" {there}{condition} GROUP BY time({int(width_ms)}ms, {origin_ms % width_ms}ms) fill(none)"
        )
        return parse_grouped(blocks)

    async def edge_ms(self, series: int, start_ms: int, end_ms: int, which: Edge) -> int | None:
        """Time of the oldest or newest sample of the range, of any kind and quality."""
        answers = await self.ask(
            *(
                f'SELECT {which}("{field}") FROM "{MEASUREMENT}" WHERE {within(series, start_ms, end_ms)}'
                for field in ("v", "q")
            )
        )
        times = [int(blocks[0]["values"][0][0]) for blocks in answers if blocks]
        return (min(times) if which == "first" else max(times)) if times else None

    async def newest_ms(self, series: Sequence[int], from_ms: int) -> dict[int, int]:
        """Time of the newest sample of each series that has one since from_ms."""
        result: dict[int, int] = {}
        low = max(-OLDEST_MS, min(OLDEST_MS, int(from_ms)))
        for start in range(0, len(series), SERIES_PER_QUERY):
            wanted = any_of(series[start : start + SERIES_PER_QUERY])
            (blocks,) = await self.ask(
                f'SELECT "v", "q" FROM "{MEASUREMENT}" WHERE ({wanted}) AND time >= {low}ms'
                ' GROUP BY "series" ORDER BY time DESC LIMIT 1'
            )
            for block in blocks:
                result[int(block["tags"]["series"])] = int(block["values"][0][0])
        return result

    async def series(self, after: int, limit: int) -> list[int]:
        """Series that have samples, by their place in the server's list, from the `after`-th on."""
        (blocks,) = await self.ask(
            f'SHOW TAG VALUES FROM "{MEASUREMENT}" WITH KEY = "series" LIMIT {int(limit)} OFFSET {int(after)}'
        )
        return [int(row[1]) for block in blocks for row in block["values"]]

    async def waiting(self, wanted: Sequence[tuple[int, int]], max_count: int) -> list[int]:
        """Samples of each series since a time, counted up to most; of a series of numbers and texts those of
        one of the two.
        """
        answers = await self.ask(
            *(
                f'SELECT count("v"), count("q") FROM (SELECT "v", "q" FROM "{MEASUREMENT}"'
                f" WHERE {within(series, start_ms, EVER_MS)} LIMIT {int(max_count)})"
                for series, start_ms in wanted
            )
        )
        return [
            max(int(count or 0) for count in blocks[0]["values"][0][1:]) if blocks else 0
            for blocks in answers
        ]

    async def ask(self, *statements: str, method: str = "GET") -> list[list[dict[str, Any]]]:
        """Series blocks of each statement; TimeSeriesError for any failure."""
        answers: list[list[dict[str, Any]]] = []
        for at in range(0, len(statements), STATEMENTS):
            answers += await self._ask(statements[at : at + STATEMENTS], method)
        return answers

    async def _ask(self, statements: Sequence[str], method: str) -> list[list[dict[str, Any]]]:
        results, reason = await self._request(statements, method)
        if reason == _NOT_EXECUTED and len(statements) > 1:  # all that 1.x says when the first of them failed
            reason = (await self._request(statements[:1], method))[1] or reason
        if reason:
            if self._may_be_absent and reason.startswith("database not found"):
                return [[] for _ in statements]
            raise TimeSeriesError(f"InfluxDB query: {reason}")
        by_statement = {result.get("statement_id", 0): result.get("series", []) for result in results}
        return [by_statement.get(number, []) for number in range(len(statements))]

    async def _request(self, statements: Sequence[str], method: str) -> tuple[list[dict[str, Any]], str]:
        """Results, and why there are none or some are missing."""
        params = self._scope | {"q": "; ".join(statements)}
        try:
            answer = await self._client.request(method, "/query", params=params, headers=HEADERS)
            body = await _decoded(answer)
        except (httpx.HTTPError, msgspec.DecodeError) as error:
            raise TimeSeriesError(f"InfluxDB query: {error!r}") from error
        results = body.get("results") or [{}]
        reason = body.get("error") or body.get("message")  # 1.x, 2.x
        reason = reason or next((result["error"] for result in results if "error" in result), "")
        if answer.status_code != httpx.codes.OK:
            reason = f"{answer.status_code} {reason}"
        return results, str(reason)


def any_of(series: Sequence[int]) -> str:
    """Condition: one of the series."""
    return " OR ".join(f"\"series\" = '{int(each)}'" for each in series)


def within(series: int, start_ms: int, end_ms: int) -> str:
    """Condition: one series, start_ms <= t < end_ms, in what InfluxDB takes for a time."""
    low, high = (max(-OLDEST_MS, min(OLDEST_MS, int(t_ms))) for t_ms in (start_ms, end_ms))
    return f"\"series\" = '{int(series)}' AND time >= {low}ms AND time < {high}ms"


def numbers_query(series: int, start_ms: int, end_ms: int, limit: int | None) -> str:
    """Statement of InfluxReader.numbers."""
    limit_clause = "" if limit is None else f" LIMIT {int(limit)}"
    return f'SELECT "v", "k", "q" FROM "{MEASUREMENT}" WHERE {within(series, start_ms, end_ms)}{limit_clause}'


async def numbers_of(blocks: Blocks) -> Numbers:
    """Its answer."""
    is_long = bool(blocks) and len(blocks[0]["values"]) > LONG_ROWS
    return await asyncio.to_thread(_columns, blocks) if is_long else _columns(blocks)


def _columns(blocks: Blocks) -> Numbers:
    if not blocks:
        return Numbers(np.empty(0, np.int64), np.empty(0))
    t_ms, value, kind, quality = np.array(blocks[0]["values"], np.float64).T
    with np.errstate(invalid="ignore"):
        is_other = (kind > LAST_NUMERIC) | (np.abs(quality) > 0)  # false for what a row does not have
    times = t_ms.astype(np.int64)
    good = ~is_other
    return Numbers(times[good], value[good], len(times), int(times[-1]))


def _counted(blocks: Blocks) -> int:
    return int(blocks[0]["values"][0][1] or 0) if blocks else 0


def parse_grouped(blocks: Blocks) -> Rollup:
    """Answer of InfluxReader.grouped."""
    if not blocks:
        return NOTHING
    rows = np.array(blocks[0]["values"], np.float64)
    start, count = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    values = rows[:, 2:].T.copy()
    values[SUM] *= count
    return Rollup(start, count, np.stack([start] * 4), values)


async def _decoded(answer: httpx.Response) -> dict[str, Any]:
    is_packed = answer.headers.get("Content-Type", "").startswith(HEADERS["Accept"])
    decode = msgspec.msgpack.decode if is_packed else msgspec.json.decode
    if len(answer.content) > LONG_BYTES:
        return dict(await asyncio.to_thread(decode, answer.content))
    return dict(decode(answer.content)) if answer.content else {}


def _sample(row: Sequence[Any]) -> StoredSample:
    t_ms, number, text, kind, quality = row
    which = ValueKind.FLOAT if kind is None else int(kind)
    return StoredSample(int(t_ms), restore(which, number, text), int(quality or 0))
