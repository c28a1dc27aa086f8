"""Live values, the state of everything, and writing one value.

GET /api/points: what is configured. GET /api/live: rows of number, time, value, quality. GET /api/status:
gateway, link, outbox, ports, slaves. GET /api/budget: planned load of each port. POST /api/write {slave,
point, value}: the result of the command.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import msgspec
from aiohttp import web

from edge_agent.localweb.connections import body_of
from edge_agent.localweb.guard import answer
from edge_agent.localweb.refusals import refused, who_asks
from edge_agent.localweb.view import GatewayView
from edge_agent.model import Value
from edge_agent.rules import request_fault
from edge_contract.limits import COMMAND_EXPIRY_S
from edge_contract.payloads import Command, CommandAction


class WriteRequest(msgspec.Struct, forbid_unknown_fields=True):
    slave: str
    point: str
    value: Value


class LivePages:
    """What the page asks each second."""

    def __init__(self, plant: GatewayView) -> None:
        self._plant = plant
        self._clock = plant.clock
        self._budget: list[dict[str, Any]] | None = None
        self._reckoning = asyncio.Lock()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/points", self._points),
            web.get("/api/live", self._live),
            web.get("/api/status", self._status),
            web.get("/api/budget", self._port_budget),
            web.post("/api/write", self._write),
        ]

    async def _points(self, request: web.Request) -> web.Response:
        return answer(200, self._plant.points())

    async def _live(self, request: web.Request) -> web.Response:
        return answer(200, self._plant.live())

    async def _status(self, request: web.Request) -> web.Response:
        return answer(200, self._plant.status())

    async def _port_budget(self, request: web.Request) -> web.Response:
        """What the configuration will cost each port; reckoned once, beside the loop."""
        async with self._reckoning:
            if self._budget is None:
                self._budget = [
                    {"port": load.port, "used_percent": load.used_percent, "fits": load.fits}
                    for load in await asyncio.to_thread(self._plant.budget)
                ]
        return answer(200, {"ports": self._budget})

    async def _write(self, request: web.Request) -> web.Response:
        try:
            wanted = msgspec.json.decode(await body_of(request), type=WriteRequest)
        except msgspec.MsgspecError as error:
            return refused(400, *request_fault(error, "value"))
        command = Command(
            id=f"local-{secrets.token_hex(8)}",
            slave=wanted.slave,
            point=wanted.point,
            action=CommandAction.WRITE,
            expires_ms=self._clock.now_ms() + round(COMMAND_EXPIRY_S * 1000),
            value=wanted.value,
        )
        # A browser that goes away does not undo a write: it runs to its end and is logged.
        outcome = await asyncio.shield(self._plant.execution.execute(command, who_asks(request)))
        return answer(200, outcome)
