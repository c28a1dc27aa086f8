"""The page over real HTTP on a free port, with a bus of a few lines behind it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp.test_utils import TestClient, TestServer

from edge_agent.bus import PortState
from edge_agent.bus.commands import Work
from edge_agent.bus.trace import TracedFrame
from edge_agent.config.load import parse
from edge_agent.config.model import LocalPage, Point
from edge_agent.errors import BadValue
from edge_agent.forwarding.cloud.link import LinkState
from edge_agent.localweb import passwords
from edge_agent.localweb.server import LocalWeb
from edge_agent.localweb.tools import Tools
from edge_agent.localweb.view import Plant
from edge_agent.model import DeviceState, PointKey, Quality, Sample, Value
from edge_agent.points import same_value
from edge_agent.remote.execution import Execution
from edge_agent.store.memory import open_memory
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "protocols" / "modbus"))

NOW = 1_800_000_000_000


class MovableClock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now_ms(self) -> int:
        return NOW + round(self.seconds * 1000)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


CONFIGURATION = parse("""
[gateway]
id = "gw-test-1"
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = 502
[[ports]]
name = "line"
type = "COM"
device = "/dev/ttyS9"
[[slaves]]
name = "boiler"
title = "锅炉 Boiler"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[points]]
slave = "boiler"
name = "sp"
rw = "readwrite"
data_type = "float"
address = { reg_type = "4X", offset = 2 }
[[points]]
slave = "boiler"
name = "twice"
type = "cal"
formula = "sp * 2"
[[ports]]
name = "plc"
type = "NET"
host = "127.0.0.1"
port = 102
[[slaves]]
name = "press"
port = "plc"
protocol = "s7"
address = "1"
options = { model = "1200" }
[[ports]]
name = "meters"
type = "COM"
device = "/dev/ttyS8"
[[slaves]]
name = "meter"
port = "meters"
protocol = "dlt645_2007"
address = "000000000001"
options = { password = "123456" }
""")


class FakeBus:
    """A bus whose one port leads to tcp_port."""

    def __init__(self) -> None:
        self.written: list[Value] = []
        self.tcp_port = 1
        self.frames: list[TracedFrame] = []

    async def borrow(self, port: str, work: Work[Any], longest_s: float, wait_s: float) -> Any:
        (lent,) = (one for one in CONFIGURATION.ports if one.name == port)
        seen: list[TracedFrame] = self.frames
        return await work(
            msgspec.structs.replace(lent, port=self.tcp_port),
            lambda direction, data: seen.append(TracedFrame(NOW, direction, data)),
        )

    def trace(self, port: str) -> list[TracedFrame]:
        if port not in ("lan", "meters"):
            raise BadValue(f"{port}: no such port")
        return self.frames

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        if value == 99:
            raise BadValue("sp: must be at most 10")
        self.written.append(value)
        return Sample(1, NOW, value)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        assert key == PointKey("boiler", "twice"), "the page reads nothing else from the bus"
        return Sample(3, NOW, 47.0)


@dataclass
class Page:
    client: TestClient
    password: str
    clock: MovableClock
    bus: FakeBus
    folder: Path

    async def sign_in(self, password: str | None = None) -> int:
        body = {"password": self.password if password is None else password}
        reply = await self.client.post("/api/login", json=body, headers={"X-Edge": "1"})
        return reply.status


def plant_of(clock: MovableClock, bus: FakeBus) -> Plant:
    slaves = [SlaveEntry(name="boiler", title="锅炉 Boiler", protocol="modbus_tcp", port="lan", address="1")]
    points = [
        PointEntry(
            id=1,
            slave="boiler",
            name="sp",
            title="设定 Setpoint",
            kind="num",
            rw="readwrite",
            data_type="float",
        ),
        PointEntry(
            id=2, slave="boiler", name="t", title="温度 T", kind="num", rw="readonly", data_type="float"
        ),
    ]
    keys = {PointKey("boiler", "sp"): Point(slave="boiler", name="sp", rw="readwrite", data_type="float")}
    keys[PointKey("boiler", "t")] = Point(slave="boiler", name="t")
    return Plant(
        gateway="gw-test-1",
        title="站点 Site",
        agent="0.1.0",
        started_ms=NOW - 5000,
        catalog=Catalog(hash=catalog_hash(slaves, points), t_ms=1, slaves=slaves, points=points),
        snapshot=lambda: [Sample(1, NOW, 5.5), Sample(2, NOW, None, Quality.DEVICE_OFFLINE)],
        ports=lambda: [PortState("lan", "NET", "10.0.0.9:502", True, True, 9, 1, 12.345, "")],
        slaves=lambda: [DeviceState("boiler", True, NOW, "ok", 9, 1, 4.2)],
        outbox=open_memory(1 << 20).outbox.state,
        link=LinkState(connected=True),
        execution=Execution(keys, bus, same_value, clock),
        clock=clock,
    )


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    password = passwords.ensure(tmp_path)
    assert password is not None
    clock, bus = MovableClock(), FakeBus()
    tools = Tools(CONFIGURATION, bus, clock)
    web = LocalWeb(LocalPage(), tmp_path, plant_of(clock, bus), tools)
    async with TestClient(TestServer(web.app(), host="127.0.0.1")) as client:
        yield Page(client, password, clock, bus, tmp_path)
    await tools.close()
