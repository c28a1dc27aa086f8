"""The local history on the page: what is stored, a chart's values, and sending a range to the cloud again.

GET /api/history/points: what is stored; without state nothing is. GET
/api/history?point&from_ms&to_ms&pixels: few values of one point. POST /api/history/resend {from_ms,
to_ms, slave}.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from edge_agent.errors import BadValue, StoreError
from edge_agent.history import Envelope, ResendBusy, StoredPoint
from edge_agent.localweb.connections import body_of
from edge_agent.localweb.guard import answer
from edge_agent.model import PointKey
from edge_agent.rules import request_fault

log = logging.getLogger(__name__)

VALUES_A_PIXEL = 3
"""The lowest, the highest and a gap."""
LATEST_MS = 2**53


class HistorySource(Protocol):
    """history.LocalHistory, as far as the page needs it."""

    async def points(self) -> list[StoredPoint]: ...

    async def series(self, key: PointKey, from_ms: int, to_ms: int, max_values: int) -> Envelope: ...

    async def resend(self, from_ms: int, to_ms: int, slave: str | None = None) -> int: ...

    async def state(self) -> dict[str, Any]: ...


class ResendRequest(msgspec.Struct, forbid_unknown_fields=True):
    from_ms: int
    to_ms: int
    slave: str | None = None


class HistoryPages:
    """Routes of the page's server. history: None when the configuration stores nothing."""

    def __init__(self, history: HistorySource | None) -> None:
        self._history = history

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/history", self._guarded(self._series)),
            web.get("/api/history/points", self._offered),
            web.post("/api/history/resend", self._guarded(self._resend)),
        ]

    def _guarded(self, work: Callable[[HistorySource, web.Request], Awaitable[web.Response]]) -> Handler:
        async def handler(request: web.Request) -> web.StreamResponse:
            if self._history is None:
                return refused(404, "history", "no slave has a storage cycle")
            try:
                return await work(self._history, request)
            except ResendBusy as error:
                return refused(409, "resend", str(error))
            except BadValue as error:
                field, _, rule = str(error).partition(": ")
                return refused(400, field, rule)
            except msgspec.MsgspecError as error:
                return refused(400, *request_fault(error, "request"))
            except StoreError as error:
                return refused(503, "history", str(error))

        return handler

    async def _offered(self, request: web.Request) -> web.StreamResponse:
        """Where nothing is stored: no points and no state, which is an answer and not a fault."""
        if self._history is None:
            return answer(200, {"points": [], "state": None})
        return await self._guarded(self._points)(request)

    async def _points(self, history: HistorySource, request: web.Request) -> web.Response:
        """A medium that cannot be read has no points; its state says why."""
        points: list[StoredPoint] = []
        with contextlib.suppress(StoreError):
            points = await history.points()
        return answer(200, {"points": points, "state": await history.state()})

    async def _series(self, history: HistorySource, request: web.Request) -> web.Response:
        """?point=slave.point&from_ms&to_ms&pixels: rows of time, value, quality by rising time."""
        slave, _, point = request.query.get("point", "").partition(".")
        from_ms = integer_of(request, "from_ms", 0, 0, LATEST_MS)
        to_ms = integer_of(request, "to_ms", LATEST_MS, from_ms, LATEST_MS)
        pixels = integer_of(request, "pixels", 600, 10, 2000)
        series = await history.series(PointKey(slave, point), from_ms, to_ms, pixels * VALUES_A_PIXEL)
        values = [(one.t_ms, one.value, one.quality) for one in series.chosen()]
        return answer(200, {"samples": series.samples, "reduced": series.reduced, "values": values})

    async def _resend(self, history: HistorySource, request: web.Request) -> web.Response:
        wanted = msgspec.json.decode(await body_of(request), type=ResendRequest)
        samples = await history.resend(wanted.from_ms, wanted.to_ms, wanted.slave)
        log.info("audit: admin at %s sends %d samples of the local history again", request.remote, samples)
        return answer(202, {"samples": samples})


def refused(status: int, field: str, rule: str) -> web.Response:
    return answer(status, {"error": {"field": field, "rule": rule}})


def integer_of(request: web.Request, name: str, default: int, lowest: int, highest: int) -> int:
    """A whole number of the query. BadValue names it."""
    text = request.query.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= 16 and lowest <= int(text) <= highest):
        raise BadValue(f"{name}: must be a whole number from {lowest} to {highest}")
    return int(text)
