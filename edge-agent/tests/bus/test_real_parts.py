"""The bus on real wires: libmodbus over TCP and a serial line, with the machine's clock."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any

from libmodbus_slave import LibmodbusSlave, line_without
from simulated_plant import Sink, number_points

from edge_agent.bus import Bus
from edge_agent.bus.breaker import FIRST_PAUSE_S
from edge_agent.config.load import parse
from edge_agent.config.model import Configuration
from edge_agent.model import PointKey
from edge_agent.points import LiveTable, same_value

CYCLES = 12
TEXT = """
[gateway]
id = "gw-test"
[[ports]]
name = "p"
{port}
capture_cycle_ms = 50
[[slaves]]
name = "s"
port = "p"
protocol = "{protocol}"
address = "1"
response_timeout_ms = 5000
[[points]]
slave = "s"
name = "pressure"
data_type = "float"
tofixed = 3
address = {{ reg_type = "3X", offset = 0 }}
[[points]]
slave = "s"
name = "setpoint"
rw = "readwrite"
data_type = "int16"
ratio = 0.1
tofixed = 1
address = {{ reg_type = "4X", offset = 10 }}
[[points]]
slave = "s"
name = "burner"
type = "swh"
rw = "readwrite"
data_type = "uint8"
address = {{ reg_type = "0X", offset = 3 }}
"""


@contextlib.asynccontextmanager
async def running(configuration: Configuration) -> AsyncIterator[tuple[Bus, Sink, LiveTable]]:
    sink, live = Sink(), LiveTable()
    bus = Bus(configuration, number_points(configuration), sink, live)
    task = asyncio.create_task(bus.run())
    yield bus, sink, live
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def until(done: Any, timeout_s: float = 20.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not done():  # noqa: ASYNC110 (looks at states, which announce nothing)
            await asyncio.sleep(0.01)


async def exercise(configuration: Configuration, memory: LibmodbusSlave) -> None:
    memory.input_registers[0], memory.input_registers[1] = 0x3FC0, 0
    setpoint = next(point for point in configuration.points if point.name == "setpoint")
    async with running(configuration) as (bus, sink, live):
        await until(lambda: len(sink.samples) >= 9)
        assert live.get(1).value == 1.5
        begun_ms = time.time_ns() // 1_000_000
        sample = await bus.write(PointKey("s", "setpoint"), -12.3, 20)
        assert begun_ms <= sample.t_ms <= time.time_ns() // 1_000_000
        assert same_value(setpoint, -12.3, sample.value)
        assert memory.holding[10] == 65536 - 123
        assert (await bus.write(PointKey("s", "burner"), True, 20)).value is True
        assert memory.coils[3] == 1
        assert bus.states()[0].online
        assert bus.ports()[0].failures == 0


async def test_tcp_and_a_restart_of_the_device() -> None:
    memory = LibmodbusSlave()
    with memory.tcp() as port:
        text = TEXT.format(protocol="modbus_tcp", port=f'type = "NET"\nhost = "127.0.0.1"\nport = {port}')
        configuration = parse(text)
        await exercise(configuration, memory)
        async with running(configuration) as (bus, _, live):
            await until(lambda: live.get(1) is not None)
            bus._ports["p"]._driver._wire._stream.abort()  # type: ignore[attr-defined]
            await until(lambda: not bus.ports()[0].open)
            await until(lambda: bus.ports()[0].open and bus.states()[0].online)


async def test_serial_line_with_a_dead_neighbour() -> None:
    memory = LibmodbusSlave()
    with line_without(9) as (near, far), memory.rtu(far, 1):
        port = f'type = "COM"\ndevice = "{near}"\nbaud = 115200'
        text = TEXT.format(protocol="modbus_rtu", port=port) + (
            '[[slaves]]\nname = "dead"\nport = "p"\nprotocol = "modbus_rtu"\naddress = "9"\nretries = 0\n'
            "response_timeout_ms = 50\n"
            '[[points]]\nslave = "dead"\nname = "x"\naddress = { reg_type = "4X", offset = 0 }\n'
        )
        configuration = parse(text)
        memory.input_registers[0] = 0x3FC0
        async with running(configuration) as (bus, sink, _):
            await until(lambda: bus.states()[1].failures >= 3)
            before, failures, began_s = len(sink.samples), bus.states()[1].failures, time.monotonic()
            await until(lambda: len(sink.samples) >= before + 3 * CYCLES)
            probes = bus.states()[1].failures - failures
            assert probes <= 1 + (time.monotonic() - began_s) / FIRST_PAUSE_S, "the dead one costs no cycles"
            assert [state.online for state in bus.states()] == [True, False]
            assert [s.quality.name for s in sink.samples if s.point == 4] == ["DEVICE_OFFLINE"]
