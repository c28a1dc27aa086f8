"""Network channels between a real server and real lines: a pseudo terminal, a Modbus slave that is polled."""

from __future__ import annotations

import asyncio
import os
import pty
import tty
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
from libmodbus_slave import LibmodbusSlave, line_without
from simulated_plant import SimulatedClock, Sink, run_until_idle

from edge_agent.bus import Bus
from edge_agent.channels.channel import DOWN, OFF, UP, NetworkChannel
from edge_agent.channels.packets import packet_of, registration_of
from edge_agent.channels.runner import NetworkChannels
from edge_agent.config.load import configuration_of
from edge_agent.config.model import Channel, Port
from edge_agent.model import PointKey
from edge_agent.points import LiveTable
from edge_agent.protocols.modbus.frames import read_request, rtu
from edge_agent.system.clock import SystemClock

PATIENCE_S = 60.0


class Server:
    """Takes connections of channels. received: of all of them, in order."""

    def __init__(self) -> None:
        self.received = b""
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        while data := await reader.read(4096):
            self.received += data

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for writer in self.writers:
                writer.transport.abort()


def document(server_port: int, port: dict[str, Any], **channel: Any) -> dict[str, Any]:
    return {
        "gateway": {"id": "gw-test"},
        "ports": [{"name": "line", "capture_cycle_ms": 50, **port}],
        "registration": {"format": "text", "content": "hello;"},
        "channels": [
            {
                "name": "c", "server": "127.0.0.1", "server_port": server_port, "port": "line",
                "heartbeat_interval_s": 0, **channel,
            }
        ],
    }  # fmt: skip


@asynccontextmanager
async def running(tables: dict[str, Any]) -> AsyncIterator[tuple[NetworkChannels, Bus]]:
    configuration, clock = configuration_of(tables), SystemClock()
    bus = Bus(configuration, {PointKey("plc", "p"): 1}, Sink(), LiveTable(), clock=clock)
    channels = NetworkChannels(configuration, bus, clock)
    tasks = [asyncio.create_task(bus.run()), asyncio.create_task(channels.run())]
    try:
        yield channels, bus
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until(condition: Any) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 (nothing tells of it)
            await asyncio.sleep(0.02)


@contextmanager
def terminal() -> Iterator[tuple[int, str]]:
    """Our end of a line, and the device at the other."""
    master, slave = pty.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    os.set_blocking(master, False)
    try:
        yield master, os.ttyname(slave)
    finally:
        os.close(master)
        os.close(slave)


def read_line(master: int) -> bytes:
    try:
        return os.read(master, 1000)
    except BlockingIOError:
        return b""


async def test_a_line_of_its_own_carries_bytes_both_ways() -> None:
    server = Server()
    with terminal() as (line, device):
        async with server.listening() as port:
            tables = document(port, {"type": "COM", "device": device, "read_timeout_ms": 10})
            async with running(tables) as (channels, _):
                await until(lambda: server.received == b"hello;")
                server.writers[0].write(b"question")
                taken = b""

                def question_came() -> bool:
                    nonlocal taken
                    taken += read_line(line)
                    return taken == b"question"

                await until(question_came)
                os.write(line, b"unsolicited")
                await until(lambda: server.received == b"hello;unsolicited")
                (state,) = channels.states()
                assert (state.condition, state.sent_bytes, state.received_bytes) == (UP, 17, 8)


async def test_a_request_of_the_server_goes_between_the_polls() -> None:
    server, slave = Server(), LibmodbusSlave()
    slave.holding[0] = 0x1234
    with line_without(unit=9) as (ours, theirs), slave.rtu(theirs, 3):
        async with server.listening() as port:
            tables = document(port, {"type": "COM", "device": ours, "baud": 115200})
            tables["slaves"] = [
                {"name": "plc", "port": "line", "protocol": "modbus_rtu", "address": "3"},
            ]
            tables["points"] = [{"slave": "plc", "name": "p", "address": {"reg_type": "4X", "offset": 0}}]
            async with running(tables) as (channels, bus):
                await until(lambda: server.received == b"hello;")
                await until(lambda: bus.states()[0].reads)
                server.writers[0].write(rtu(3, read_request(3, 0, 1)))
                await until(lambda: server.received[6:11] == bytes.fromhex("03 03 02 12 34"))
                reads = bus.states()[0].reads
                await until(lambda: bus.states()[0].reads > reads)
                assert channels.states()[0].failed == 0


async def test_a_line_that_cannot_be_opened_costs_no_connection() -> None:
    server = Server()
    async with server.listening() as port:
        tables = document(port, {"type": "COM", "device": "/dev/no-such-line"})
        async with running(tables) as (channels, _):
            await until(lambda: channels.states()[0].failed)
            (state,) = channels.states()
            assert state.condition == UP
            assert "/dev/no-such-line" in state.reason
            assert len(server.writers) == 1


async def test_a_server_that_closes_is_connected_again() -> None:
    server = Server()
    with terminal() as (_, device):
        async with (
            server.listening() as port,
            running(document(port, {"type": "COM", "device": device})) as (channels, _bus),
        ):
            await until(lambda: server.received == b"hello;")
            server.writers[0].close()
            await until(lambda: channels.states()[0].condition == DOWN)
            assert channels.states()[0].reason == "closed by the server"
            await until(lambda: server.received == b"hello;hello;")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tunnels": {"enable": False}}, "tunnels are switched off on this gateway"),
        ({"channel": {"enable": False}}, "disabled"),
        ({"port": {"enable": False}}, "its port is disabled"),
    ],
)
def test_a_channel_that_is_off_says_why(change: dict[str, Any], reason: str) -> None:
    tables = document(
        9, {"type": "COM", "device": "/dev/x", **change.get("port", {})}, **change.get("channel", {})
    )
    tables |= {name: each for name, each in change.items() if name == "tunnels"}
    channels = NetworkChannels(configuration_of(tables), None, SystemClock())  # type: ignore[arg-type]
    (state,) = channels.states()
    assert (state.condition, state.reason, channels.any) == (OFF, reason, False)


class SilentLine:
    """A line that nobody uses."""

    async def run_locked(self, *args: Any, **named: Any) -> Any:
        await asyncio.Event().wait()


async def test_heartbeats_go_out_while_nothing_else_does() -> None:
    """On a simulated clock: each 120 s after what was sent last."""
    server, clock = Server(), SimulatedClock()
    async with server.listening() as port:
        channel = Channel(
            name="c",
            server="127.0.0.1",
            server_port=port,
            port="line",
            heartbeat="70 0A",
            heartbeat_format="hex",
        )
        made = NetworkChannel(
            channel, Port(name="line", type="COM"), b"hello;", SilentLine(), clock, is_polled=True
        )
        task = asyncio.create_task(made.run())
        await until(lambda: server.received == b"hello;")
        await run_until_idle()
        await clock.advance(119)
        assert server.received == b"hello;"
        await clock.advance(2)
        await until(lambda: server.received == b"hello;p\n")
        await clock.advance(120)
        await until(lambda: server.received == b"hello;p\np\n")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_packet_ends_with_a_pause() -> None:
    parts = [b"ab", b"cd", b"", b"ef", b""]

    async def read_some(timeout_s: float) -> bytes:
        return parts.pop(0)

    assert await packet_of(read_some, 5, 0.02) == b"abcd"
    assert await packet_of(read_some, 5, 0) == b"ef"
    assert await packet_of(read_some, 5, 0.02) == b""


def test_registration_is_a_text_bytes_or_the_serial_number() -> None:
    def registered(section: dict[str, Any] | None) -> bytes:
        tables: dict[str, Any] = {"gateway": {"id": "gw-7"}}
        return registration_of(
            configuration_of(tables | ({"registration": section} if section is not None else {}))
        )

    assert registered(None) == b""
    assert registered({}) == b"gw-7"
    assert registered({"enable": False}) == b""
    assert registered({"format": "hex", "content": "AA 01"}) == b"\xaa\x01"
    assert registered({"format": "text", "content": "注册"}) == "注册".encode()
