"""Looking for devices on a port, from the page: one scan at a time.

GET and POST /api/tools/scan, POST /api/tools/scan/stop. A refused start stays on the page until the
next start; a result bears the port and protocol it belongs to.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from aiohttp import web

from edge_agent.commissioning import scan, target
from edge_agent.config.model import Configuration, Port
from edge_agent.errors import AgentError
from edge_agent.localweb.guard import answer
from edge_agent.localweb.refusals import guarded, refused
from edge_agent.localweb.tools import WAIT_S, PortLender
from edge_agent.system.clock import Clock

log = logging.getLogger(__name__)


class ScanRequest(msgspec.Struct, forbid_unknown_fields=True):
    port: str
    protocol: str = ""
    addresses: str = ""
    bauds: list[int] = []
    parities: list[str] = []
    timeout_ms: int = 200
    options: dict[str, Any] = {}  # none: those of a configured slave on the port


@dataclass
class Searched:
    """The scan under way, or the last one. error: why it ended early."""

    port: Port
    protocol: str
    progress: scan.ScanProgress
    error: str = ""
    code: str = ""


class Scans:
    """close() ends what is under way."""

    def __init__(self, configuration: Configuration, bus: PortLender, clock: Clock) -> None:
        self._configuration = configuration
        self._bus = bus
        self._clock = clock
        self._scan: asyncio.Task[None] | None = None
        self._searched: Searched | None = None

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/tools/scan", self._scanned),
            web.post("/api/tools/scan", guarded(self._start_scan)),
            web.post("/api/tools/scan/stop", self._stop_scan),
        ]

    async def close(self) -> None:
        if self._scan is not None:
            self._scan.cancel()
            await asyncio.wait({self._scan})

    async def _scanned(self, request: web.Request) -> web.Response:
        running = self._scan is not None and not self._scan.done()
        last = self._searched
        if last is None:
            return answer(200, {"running": False, "error": "", "progress": None})
        progress = asdict(last.progress)
        del progress["results"]
        progress["found"] = [scan.as_table(one) for one in last.progress.results]
        return answer(
            200,
            {
                "running": running,
                "error": last.error,
                "code": last.code,
                "port": last.port.name,
                "type": last.port.type,
                "protocol": last.protocol,
                "progress": progress,
            },
        )

    async def _start_scan(self, body: bytes, who: str) -> web.Response:
        wanted = msgspec.json.decode(body, type=ScanRequest)
        if self._scan is not None and not self._scan.done():
            return refused(409, "scan", "one is under way")
        port = target.configured_port(self._configuration, wanted.port)
        protocol = wanted.protocol or target.protocol_on(self._configuration, port.name)
        plan = scan.ScanPlan(
            protocol=protocol,
            addresses=scan.ranges(wanted.addresses),
            bauds=tuple(wanted.bauds),
            parities=tuple(wanted.parities),
            timeout_ms=wanted.timeout_ms,
            options=wanted.options or target.usual_options(self._configuration, port.name, protocol),
        )
        progress = scan.progress_of(plan, port)
        searched = self._searched = Searched(port, protocol, progress)
        log.info("audit: %s scans port %s for %s", who, port.name, plan.protocol)

        async def work(locked_port: Port, seen: Any) -> None:
            await scan.scan(plan, locked_port, progress, self._clock, seen)

        async def run() -> None:
            try:
                await self._bus.run_locked(port.name, work, scan.longest_s(plan, port), WAIT_S, who)
            except AgentError as error:
                searched.error, searched.code = str(error), getattr(error, "code", "")
            except Exception:  # supervisor of one scan: the page says that it failed, the log says why
                log.exception("the scan of port %s failed", port.name)
                searched.error = "the scan failed, the log says why"

        self._scan = asyncio.create_task(run(), name="scan")
        return answer(202, {"total": progress.total})

    async def _stop_scan(self, request: web.Request) -> web.Response:
        if self._scan is not None:
            self._scan.cancel()
        return answer(200, {})
