"""The commissioning tools on the page: memory as it lies, one read, one write, the frames of a port.

GET /api/tools: what can be chosen. GET /api/tools/trace?port, /trace.txt?port. POST /api/tools/raw,
/read, /write.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import asdict
from typing import Any, Protocol, TypeVar

import msgspec
from aiohttp import web

from edge_agent.bus.commands import Work
from edge_agent.bus.trace import TracedFrame
from edge_agent.commissioning import frames, once, target
from edge_agent.commissioning.interpretation import Interpretation
from edge_agent.config.model import Configuration, Port
from edge_agent.errors import BadValue, ConfigError
from edge_agent.localweb.guard import answer
from edge_agent.localweb.refusals import guarded, refused
from edge_agent.model import PointKey, PointKind, Sample, Value
from edge_agent.protocols import PROTOCOLS
from edge_agent.system.clock import Clock

log = logging.getLogger(__name__)

WAIT_S = 10.0
"""How long a tool waits for a port whose owner is in the middle of a request."""
LONGEST_ONCE_S = 30.0
NEWEST_FRAMES = 100
MAX_READINGS = 200
EXACT_IN_BROWSER = 2**53

T = TypeVar("T")


class PortLender(Protocol):
    """The bus, as far as tools need it."""

    async def read(self, key: PointKey, timeout_s: float) -> Sample: ...

    async def run_locked(self, port: str, work: Work[T], max_s: float, wait_s: float, who: str = "") -> T: ...

    def trace(self, port: str) -> list[TracedFrame]: ...


class Device(msgspec.Struct, forbid_unknown_fields=True):
    """A configured slave by name, or a port with what a slave would say."""

    slave: str = ""
    port: str = ""
    protocol: str = ""
    address: str = "1"
    options: dict[str, Any] = {}  # none: those of a configured slave on the port
    timeout_ms: int = 1000


class RawRequest(msgspec.Struct, forbid_unknown_fields=True):
    device: Device
    at: dict[str, Any]
    count: int = 4
    expected: float | None = None


class PointRequest(msgspec.Struct, forbid_unknown_fields=True):
    """point: name of a configured one, or a table as in the configuration. value: of a write."""

    device: Device
    point: str | dict[str, Any]
    value: Value = None


class Tools:
    """Each waits for its port like a command does."""

    def __init__(self, configuration: Configuration, bus: PortLender, clock: Clock) -> None:
        self._configuration = configuration
        self._bus = bus
        self._clock = clock

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/tools", self._about),
            web.get("/api/tools/trace", self._trace),
            web.get("/api/tools/trace.txt", self._trace_file),
            web.post("/api/tools/raw", guarded(self._raw)),
            web.post("/api/tools/read", guarded(self._read)),
            web.post("/api/tools/write", guarded(self._write)),
        ]

    async def _about(self, request: web.Request) -> web.Response:
        """What the forms offer."""
        spoken = {slave.port: slave.protocol for slave in self._configuration.slaves}
        return answer(
            200,
            {
                "ports": [
                    {
                        "name": port.name, "type": port.type, "baud": port.baud, "parity": port.parity,
                        "protocol": spoken.get(port.name, ""),
                    }
                    for port in self._configuration.ports
                ],
                "slaves": [
                    {"name": slave.name, "title": slave.title or slave.name, "port": slave.port,
                     "protocol": slave.protocol, "address": slave.address}
                    for slave in self._configuration.slaves
                ],
                "protocols": [
                    {
                        "name": protocol.name, "port_types": sorted(protocol.description.port_types),
                        "raw": protocol.raw_rule is not None, "schema": protocol.schema()["address"],
                        "options": protocol.schema()["options"],
                        "connection": msgspec.to_builtins(protocol.description.connection),
                        "items": protocol.schema().get("items", []),
                    }
                    for protocol in PROTOCOLS.values()
                ],
            },
        )  # fmt: skip

    async def _trace(self, request: web.Request) -> web.Response:
        port = request.query.get("port", "")
        try:
            seen = self._bus.trace(port)
        except BadValue as error:
            return refused(404, "port", str(error))
        protocol = self._protocol_on(port)
        return answer(200, {"frames": frames.described(protocol, seen, NEWEST_FRAMES)})

    async def _trace_file(self, request: web.Request) -> web.Response:
        port = request.query.get("port", "")
        try:
            seen = self._bus.trace(port)
        except BadValue as error:
            return refused(404, "port", str(error))
        text = "".join(line + "\n" for line in frames.lines(port, self._protocol_on(port), seen))
        name = f"trace-{port}-{self._clock.now_ms()}.txt"
        return web.Response(text=text, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    def _protocol_on(self, port: str) -> Any:
        with contextlib.suppress(ConfigError):
            return PROTOCOLS[target.protocol_on(self._configuration, port)]
        return None

    async def _raw(self, body: bytes, who: str) -> web.Response:
        wanted = msgspec.json.decode(body, type=RawRequest)
        if not 1 <= wanted.count <= once.MAX_CELLS:
            raise ConfigError("count", f"must be from 1 to {once.MAX_CELLS}")
        port, device = self._device(wanted.device)

        async def work(locked_port: Port, seen: Any) -> once.RawBlock:
            return await once.read_raw(
                locked_port, device, wanted.at, wanted.count, wanted.expected, self._clock, seen
            )

        block = await self._bus.run_locked(port.name, work, LONGEST_ONCE_S, WAIT_S, who)
        return answer(
            200,
            {
                "data": block.data.hex(" ").upper(),
                "took_ms": block.took_ms,
                "readings": [_reading(one) for one in block.readings[:MAX_READINGS]],
                "texts": block.texts,
                "meets": block.meets,
            },
        )

    async def _read(self, body: bytes, who: str) -> web.Response:
        wanted = msgspec.json.decode(body, type=PointRequest)
        port, device, point = self._point(wanted, "readonly")
        if point.type is PointKind.CALCULATED:
            sample = await self._bus.read(PointKey(point.slave, point.name), WAIT_S)
            return answer(200, once.Once(None, sample.value, sample.quality, 0.0))

        async def work(locked_port: Port, seen: Any) -> once.Once:
            return await once.read_once(locked_port, device, point, self._clock, seen)

        return answer(200, await self._bus.run_locked(port.name, work, LONGEST_ONCE_S, WAIT_S, who))

    async def _write(self, body: bytes, who: str) -> web.Response:
        wanted = msgspec.json.decode(body, type=PointRequest)
        port, device, point = self._point(wanted, "readwrite")

        async def work(locked_port: Port, seen: Any) -> once.Once:
            return await once.write_once(locked_port, device, point, wanted.value, self._clock, seen)

        what = (
            f"{wanted.value!r} to {device.protocol.name} {device.slave.address} {point.address or point.name}"
        )
        log.info("audit: %s writes %s on port %s", who, what, port.name)
        done = await self._bus.run_locked(port.name, work, LONGEST_ONCE_S, WAIT_S, who)
        log.info("audit: %s wrote %s: read back %r", who, what, done.value)
        return answer(200, done)

    def _device(self, wanted: Device) -> tuple[Port, target.Target]:
        if wanted.slave:
            return target.configured_slave(self._configuration, wanted.slave)
        port = target.configured_port(self._configuration, wanted.port)
        protocol = wanted.protocol or target.protocol_on(self._configuration, port.name)
        table = {
            "protocol": protocol,
            "address": wanted.address,
            "response_timeout_ms": wanted.timeout_ms,
            "options": wanted.options or target.usual_options(self._configuration, port.name, protocol),
        }
        return port, target.target_of(table, port)

    def _point(self, wanted: PointRequest, rw: str) -> tuple[Port, target.Target, Any]:
        if isinstance(wanted.point, str):
            return target.configured(self._configuration, PointKey(wanted.device.slave, wanted.point))
        port, device = self._device(wanted.device)
        return port, device, target.point_of({"rw": rw, **wanted.point}, device)


def _reading(one: Interpretation) -> dict[str, Any]:
    """A browser's numbers lose the last digits of long integers, so these are texts."""
    table = asdict(one)
    if isinstance(one.value, int) and abs(one.value) > EXACT_IN_BROWSER:
        table["value"] = str(one.value)
    return table
