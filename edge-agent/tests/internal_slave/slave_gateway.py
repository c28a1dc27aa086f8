"""A gateway with a slave of libmodbus behind it, and its own internal slave in front."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from libmodbus_slave import LibmodbusSlave
from ports import free_port

from edge_agent.bus import Bus
from edge_agent.config.load import parse
from edge_agent.internal_slave.slave import ModbusInternalSlave
from edge_agent.model import PointKey
from edge_agent.points import LiveTable, same_value
from edge_agent.remote.execution import Execution
from edge_agent.store.base import SampleSink
from edge_agent.system.clock import SystemClock

PATIENCE_S = 60.0

SITE = """
[gateway]
id = "gw-test"
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = {behind}
capture_cycle_ms = 50
[[slaves]]
name = "plc"
port = "lan"
protocol = "modbus_tcp"
address = "1"
response_timeout_ms = 1500
retries = 0
[[points]]
slave = "plc"
name = "level"
rw = "readwrite"
ratio = 0.1
max = 1000
address = {{ reg_type = "4X", offset = 0 }}
[[points]]
slave = "plc"
name = "flow"
rw = "readwrite"
data_type = "float"
address = {{ reg_type = "4X", offset = 2 }}
[[points]]
slave = "plc"
name = "pump"
type = "swh"
rw = "readwrite"
address = {{ reg_type = "0X", offset = 5 }}
[[points]]
slave = "plc"
name = "count"
data_type = "uint32"
address = {{ reg_type = "3X", offset = 4 }}
[internal_slave]
id = 7
port = {port}
{settings}
[[internal_slave_points]]
slave = "plc"
name = "level"
reg_type = "4X"
offset = 100
ratio = 0.1
writable = true
[[internal_slave_points]]
slave = "plc"
name = "flow"
reg_type = "4X"
offset = 101
data_type = "float"
endian = "CDAB"
writable = true
[[internal_slave_points]]
slave = "plc"
name = "pump"
reg_type = "0X"
offset = 3
writable = true
[[internal_slave_points]]
slave = "plc"
name = "count"
reg_type = "3X"
offset = 0
data_type = "uint32"
"""


class NoSink(SampleSink):
    """What is stored does not matter here."""

    def put(self, row: object) -> None:
        pass


@dataclass
class Gateway:
    """behind: the device; slave: what masters see of the gateway; port: where."""

    behind: LibmodbusSlave
    slave: ModbusInternalSlave
    live: LiveTable
    numbers: dict[PointKey, int]
    port: int

    def value(self, point: str) -> object:
        sample = self.live.get(self.numbers[PointKey("plc", point)])
        return sample and sample.value


async def until(condition: Callable[[], object]) -> None:
    """Wait for it, as long as a loaded machine may need."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 (nothing tells of it)
            await asyncio.sleep(0.02)


@asynccontextmanager
async def running(behind: LibmodbusSlave, at: int, settings: str) -> AsyncIterator[Gateway]:
    port = free_port()
    configuration = parse(SITE.format(behind=at, port=port, settings=settings))
    points = {PointKey(point.slave, point.name): point for point in configuration.points}
    numbers = {key: number for number, key in enumerate(points, start=1)}
    live, clock = LiveTable(), SystemClock()
    bus = Bus(configuration, numbers, NoSink(), live, clock=clock)
    execution = Execution(points, bus, same_value, clock)
    settings_of = configuration.internal_slave
    assert settings_of is not None
    slave = ModbusInternalSlave(settings_of, configuration, points, numbers, live.get, live.last, execution)
    tasks = [asyncio.create_task(bus.run()), asyncio.create_task(slave.run())]
    gateway = Gateway(behind, slave, live, numbers, port)
    try:
        await until(lambda: all(gateway.value(key.point) is not None for key in points))
        await until(lambda: slave.listener is None or slave.listener.address)
        yield gateway
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
