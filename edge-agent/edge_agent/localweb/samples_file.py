"""Stored samples as a CSV file: all of them, however long the range, in portions.

GET /api/history/samples.csv?point&from_ms&to_ms: all samples of up to four points. Numbers stay numbers;
a text that a spreadsheet would take for a formula begins with an apostrophe.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from aiohttp import web

from edge_agent.errors import BadValue, StoreError
from edge_agent.history.base import StoredSample
from edge_agent.history.history import MAX_VALUES
from edge_agent.localweb.guard import HEADERS
from edge_agent.localweb.history import LATEST_MS, HistorySource, integer_of, refused
from edge_agent.model import PointKey, Quality

log = logging.getLogger(__name__)

MAX_POINTS = 4
FILL = 0.7
"""Share of what one answer can hold that a portion is cut for; what still is too much is halved."""
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")


class SamplesFile:
    """history: None when the configuration stores nothing."""

    def __init__(self, history: HistorySource | None) -> None:
        self._history = history

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/history/samples.csv", self._file)]

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """?point=slave.point (up to four) &from_ms&to_ms: rows of time, slave, point, value, quality."""
        if self._history is None:
            return refused(404, "history", "no slave has a storage cycle")
        try:
            keys = [key_of(text) for text in request.query.getall("point", [])][:MAX_POINTS]
            from_ms = integer_of(request, "from_ms", 0, 0, LATEST_MS)
            to_ms = integer_of(request, "to_ms", LATEST_MS, from_ms, LATEST_MS)
            stored = {PointKey(one.slave, one.point): one for one in await self._history.points()}
            missing = next((key for key in keys if key not in stored), None)
            if missing is not None or not keys:
                return refused(400, "point", "must be one that is stored")
        except BadValue as error:
            field, _, rule = str(error).partition(": ")
            return refused(400, field, rule)
        except StoreError as error:
            return refused(503, "history", str(error))
        name = f"{keys[0]}{'-and-more' if keys[1:] else ''}.csv"
        response = web.StreamResponse(headers={"Content-Disposition": f'attachment; filename="{name}"'})
        response.content_type, response.charset = "text/csv", "utf-8"
        response.headers.update({**HEADERS, "Cache-Control": "no-store"})
        await response.prepare(request)
        await response.write("\ufefftime,slave,point,value,quality\r\n".encode())
        try:
            for key in keys:
                first, last = max(from_ms, stored[key].first_ms), min(to_ms, stored[key].last_ms)
                async for part in portions(self._history, key, first, last):
                    await response.write("".join(row(one) for one in part).encode())
        except StoreError as error:
            log.warning("a file of the local history is broken off: %s", error)
            if request.transport is not None:
                request.transport.abort()  # half a file must not look like a whole one
            return response
        await response.write_eof()
        return response


async def portions(
    history: HistorySource, key: PointKey, from_ms: int, to_ms: int
) -> AsyncIterator[list[StoredSample]]:
    """Every sample of [from_ms, to_ms] by rising time, none left out."""
    if from_ms > to_ms:
        return
    full_range = await history.series(key, from_ms, to_ms, MAX_VALUES)
    if not full_range.reduced:
        yield full_range.chosen()
        return
    parts = max(2, -(-full_range.samples // int(MAX_VALUES * FILL)))
    step_ms = max(1, -(-(to_ms - from_ms + 1) // parts))
    if from_ms == to_ms:
        yield full_range.chosen()
        return
    for start in range(from_ms, to_ms + 1, step_ms):
        async for part in portions(history, key, start, min(start + step_ms - 1, to_ms)):
            yield part


def key_of(text: str) -> PointKey:
    slave, _, point = text.partition(".")
    return PointKey(slave, point)


def row(one: StoredSample) -> str:
    moment = datetime.fromtimestamp(one.t_ms / 1000, UTC).isoformat(timespec="milliseconds")
    value = "" if one.value is None else str(one.value).lower() if isinstance(one.value, bool) else one.value
    if isinstance(value, str):
        value = cell(value)
    return f"{moment},{one.key.slave},{one.key.point},{value},{Quality(one.quality).name.lower()}\r\n"


def cell(text: str) -> str:
    """A text that a spreadsheet would take for a formula begins with an apostrophe; quoted where CSV asks."""
    if text.startswith(FORMULA) and NUMBER.fullmatch(text) is None:
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"\r\n') else text
