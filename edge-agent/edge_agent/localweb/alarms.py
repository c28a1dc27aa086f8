"""Alarms of the rules that are evaluated here, with the cloud or without it; only to look at.

GET /api/alarms: {open: [{title, raised_ms, value}], events: [{seq, kind, title, t_ms, value, code}]}, the
newest first. code: of a linkage why a write was not done, of an end its cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Handler

from edge_agent.localweb.guard import answer
from edge_agent.localweb.refusals import guarded
from edge_contract.alarms.state import RuleState
from edge_contract.edge_rules import GatewayRule, RuleEvent

MAX_EVENTS_ON_PAGE = 100
"""Events."""


class AlarmSource(Protocol):
    """alarms.runner.RuleRunner, as far as the page needs it."""

    def open_alarms(self) -> list[tuple[GatewayRule, RuleState]]: ...

    def title(self, rule: int) -> str: ...

    async def newest(self, limit: int) -> Sequence[RuleEvent]: ...


class AlarmPages:
    """Routes of the page's server."""

    def __init__(self, alarms: AlarmSource) -> None:
        self._alarms = alarms

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/alarms", self._handler())]

    def _handler(self) -> Handler:
        async def handler(_body: bytes, _who: str) -> web.Response:
            return answer(
                200,
                {
                    "open": [
                        {"title": rule.title, "raised_ms": state.raised_ms, "value": state.value}
                        for rule, state in self._alarms.open_alarms()[:MAX_EVENTS_ON_PAGE]
                    ],
                    "events": [self._event(event) for event in await self._alarms.newest(MAX_EVENTS_ON_PAGE)],
                },
            )

        return guarded(handler)

    def _event(self, event: RuleEvent) -> dict[str, object]:
        return {
            "seq": event.seq,
            "kind": event.kind.value,
            "title": self._alarms.title(event.rule),
            "t_ms": event.t_ms,
            "value": event.value,
            "code": event.code or event.cause,
        }
