"""Rules of data exchange that run here, with the cloud or without it; only to look at.

GET /api/exchange: {rules: [{title, source, target, t_ms, value, outcome, code, problem}]}, by their numbers.
source, target: slave and point; outcome, code: of the newest write, null before the first; problem: why the
rule does not run, empty when it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Handler

from edge_agent.exchange.runner import ExchangeRow
from edge_agent.localweb.guard import answer
from edge_agent.localweb.refusals import guarded


class ExchangeSource(Protocol):
    """exchange.runner.ExchangeRunner, as far as the page needs it."""

    def rows(self) -> Sequence[ExchangeRow]: ...


class ExchangePages:
    """Routes of the page's server."""

    def __init__(self, exchange: ExchangeSource) -> None:
        self._exchange = exchange

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/exchange", self._handler())]

    def _handler(self) -> Handler:
        async def handler(_body: bytes, _who: str) -> web.Response:
            return answer(200, {"rules": [_row(each) for each in self._exchange.rows()]})

        return guarded(handler)


def _row(row: ExchangeRow) -> dict[str, object]:
    result = row.result
    return {
        "title": row.title,
        "source": row.source,
        "target": row.target,
        "t_ms": None if result is None else result.t_ms,
        "value": None if result is None else result.value,
        "outcome": None if result is None else result.outcome,
        "code": None if result is None else result.code,
        "problem": row.problem,
    }
