"""Loop writes over real connections, and their intervals on a simulated clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from libmodbus_slave import LibmodbusSlave, line_without
from simulated_plant import SimulatedClock, Sink, run_until_idle

from edge_agent.bus import Bus
from edge_agent.config.load import parse
from edge_agent.errors import NoAnswer
from edge_agent.loop_write.writer import CLOCK_LOOK_S, LoopWriter
from edge_agent.model import PointKey
from edge_agent.points import LiveTable
from edge_agent.protocols.modbus.frames import read_request, rtu
from edge_agent.system.clock import SystemClock
from edge_contract.limits import MAX_TEXT

PATIENCE_S = 60.0

SITE = """
[gateway]
id = "gw-test"
[[ports]]
name = "a"
{port}
capture_cycle_ms = 50
[[slaves]]
name = "plc"
port = "a"
protocol = "{protocol}"
address = "3"
response_timeout_ms = 2000
[[points]]
slave = "plc"
name = "p"
address = {{ reg_type = "4X", offset = 0 }}
"""
TASK = '[[loop_writes]]\nname = "{name}"\ninterval_s = {interval}\nslave = "plc"\n'
NET = 'type = "NET"\nhost = "127.0.0.1"\nport = {}\n'


def task(name: str, text: str, interval: int = 1) -> str:
    return TASK.format(name=name, interval=interval) + text + "\n"


async def until(condition: Any) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 (nothing tells of it)
            await asyncio.sleep(0.02)


@asynccontextmanager
async def writing(text: str) -> AsyncIterator[tuple[LoopWriter, Bus, LiveTable]]:
    configuration, live, clock = parse(text), LiveTable(), SystemClock()
    bus = Bus(configuration, {PointKey("plc", "p"): 1}, Sink(), live, clock=clock)
    writer = LoopWriter(configuration, bus, clock)
    tasks = [asyncio.create_task(bus.run()), asyncio.create_task(writer.run())]
    try:
        yield writer, bus, live
    finally:
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def done(writer: LoopWriter) -> bool:
    return all(state["sent"] >= 2 for state in writer.states())


async def test_registers_and_coils_of_a_real_slave() -> None:
    slave = LibmodbusSlave()
    with slave.tcp() as port:
        text = SITE.format(port=NET.format(port), protocol="modbus_tcp")
        text += task("one", 'content = "number"\nvalue = 77\noffset = 10')
        text += task("two", 'content = "hex"\nvalue = "0102 0304"\noffset = 11')
        text += task("coil", 'content = "number"\nvalue = 1\nreg_type = "0X"\noffset = 4')
        text += task("time", 'content = "real_time"\noffset = 20\ntime_zone = "UTC"')
        async with writing(text) as (writer, _, live):
            await until(lambda: done(writer))
            await until(lambda: live.get(1))
            assert all(state["outcome"] == "done" for state in writer.states())
    assert list(slave.holding[10:13]) == [77, 0x0102, 0x0304]
    assert slave.coils[4] == 1
    assert slave.holding[20] >= 2026
    assert 1 <= slave.holding[21] <= 12


async def test_a_refusal_is_a_reason_and_polling_goes_on() -> None:
    slave = LibmodbusSlave()
    with slave.tcp() as port:
        text = SITE.format(port=NET.format(port), protocol="modbus_tcp")
        text += task("beyond", 'content = "number"\nvalue = 1\noffset = 5000')
        async with writing(text) as (writer, bus, _):
            await until(lambda: writer.states()[0]["failed"] >= 1)
            reads = bus.states()[0].reads
            await until(lambda: bus.states()[0].reads > reads)
            (state,) = writer.states()
            assert (state["outcome"], state["sent"]) == ("device_error", 0)
            assert "illegal data address" in state["reason"]
            (figures,) = writer.figures()
            assert (figures.name, figures.outcome, figures.sent) == ("beyond", "device_error", 0)
            assert figures.failed >= 1
            assert "illegal data address" in figures.last_error
            assert figures.last_error_ms > 0
            assert bus.states()[0].online


async def test_a_custom_message_on_a_serial_line_between_polls() -> None:
    slave = LibmodbusSlave()
    with line_without(unit=9) as (ours, theirs), slave.rtu(theirs, 3):
        port = f'type = "COM"\ndevice = "{ours}"\nbaud = 115200\n'
        message = rtu(3, read_request(3, 0, 1)).hex()
        text = SITE.format(port=port, protocol="modbus_rtu")
        text += task(
            "frame", f'message = "custom"\ncontent = "hex"\nvalue = "{message}"\nexpect = "03 03 02"'
        )
        async with writing(text) as (writer, bus, _):
            await until(lambda: done(writer))
            reads = bus.states()[0].reads
            await until(lambda: bus.states()[0].reads > reads)
            assert writer.states()[0]["outcome"] == "done"


@pytest.mark.parametrize(
    ("answer", "outcome"), [(b"\x06ok", "done"), (b"\x15", "bad_frame"), (b"", "no_answer")]
)
async def test_a_custom_message_over_tcp_and_its_answer(answer: bytes, outcome: str) -> None:
    received: list[bytes] = []

    async def device(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            if data.startswith(b"\x02"):
                received.append(data)
                writer.write(answer)

    server = await asyncio.start_server(device, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    text = SITE.format(port=NET.format(port), protocol="modbus_rtu_tcp")
    text += task(
        "m",
        'message = "custom"\ncontent = "string"\nvalue = "\\u0002go"\nexpect = "06"\nanswer_timeout_ms = 300',
    )
    async with writing(text) as (writer, *_):
        await until(lambda: writer.states()[0]["sent"] + writer.states()[0]["failed"])
        assert writer.states()[0]["outcome"] == outcome
    server.close()
    assert received[0] == b"\x02go"


class RecordingBus:
    """Takes messages at the times of a simulated clock. takes_s: each of them."""

    def __init__(self, clock: SimulatedClock) -> None:
        self.clock = clock
        self.times: list[float] = []
        self.takes_s = 0.0
        self.error: Exception | None = None

    async def ask(self, slave: str, ask: Any, timeout_s: float) -> Any:
        self.times.append(self.clock.now)
        if self.takes_s:
            await self.clock.sleep(self.takes_s)
        if self.error is not None:
            raise self.error

    async def run_locked(self, *args: Any, **named: Any) -> Any:
        raise AssertionError


@asynccontextmanager
async def simulated(text: str, wall_ms: int | None = None) -> AsyncIterator[tuple[LoopWriter, RecordingBus]]:
    clock = SimulatedClock()
    clock.wall_ms = clock.wall_ms if wall_ms is None else wall_ms
    bus = RecordingBus(clock)
    writer = LoopWriter(parse(SITE.format(port=NET.format(1), protocol="modbus_tcp") + text), bus, clock)
    running = asyncio.create_task(writer.run())
    await run_until_idle()
    try:
        yield writer, bus
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


NUMBER = 'content = "number"\nvalue = 1\noffset = 0'


async def test_a_message_goes_out_at_once_and_in_each_interval() -> None:
    async with simulated(task("w", NUMBER, 10)) as (writer, bus):
        await bus.clock.advance(35)
        assert bus.times == [0, 10, 20, 30]
        assert (writer.states()[0]["sent"], writer.states()[0]["missed"]) == (4, 0)


async def test_missed_intervals_are_counted_and_not_made_up() -> None:
    async with simulated(task("w", NUMBER, 10)) as (writer, bus):
        bus.takes_s = 25
        await bus.clock.advance(10)
        bus.takes_s = 0
        await bus.clock.advance(40)
        assert bus.times == [0, 10, 40, 50]
        assert writer.states()[0]["missed"] == 2


async def test_the_time_waits_for_a_clock_that_is_set() -> None:
    text = task("t", 'content = "real_time"\noffset = 0', 3600)
    async with simulated(text, wall_ms=0) as (writer, bus):
        await bus.clock.advance(60)
        assert bus.times == []
        assert writer.states()[0]["outcome"] == "clock_not_set"
        bus.clock.wall_ms = 1_790_000_000_000
        await bus.clock.advance(CLOCK_LOOK_S)
        assert len(bus.times) == 1
        assert writer.states()[0]["outcome"] == "done"


async def test_down_and_up_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "edge_agent.loop_write")
    async with simulated(task("w", NUMBER, 1)) as (writer, bus):
        bus.error = NoAnswer("plc is offline")
        await bus.clock.advance(5)
        bus.error = None
        await bus.clock.advance(5)
        assert writer.states()[0]["failed"] == 5
    assert caplog.text.count("is not carried out: plc is offline") == 1
    assert caplog.text.count("is carried out again") == 1


@pytest.mark.clause("C-192")
async def test_the_newest_failure_stays_when_later_messages_arrive() -> None:
    async with simulated(task("w", NUMBER, 1)) as (writer, bus):
        bus.error = NoAnswer("x" * 500)
        await bus.clock.advance(1)
        bus.error = None
        await bus.clock.advance(2)
        (figures,) = writer.figures()
        assert (figures.outcome, figures.failed, figures.last_error) == ("done", 1, "x" * MAX_TEXT)
        assert 0 < figures.last_error_ms < figures.last_ms


async def test_a_disabled_task_or_slave_sends_nothing() -> None:
    async with simulated(task("w", NUMBER + "\nenable = false")) as (writer, bus):
        await bus.clock.advance(5)
        assert bus.times == []
        assert writer.states()[0]["outcome"] == "disabled"
