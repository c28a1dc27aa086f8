"""Slaves and meters on their transports, asked by masters that share no code with them."""

from __future__ import annotations

import asyncio
import os
import select
import struct
import time
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from edge_agent.protocols.dlt645.codec import Decoder, Frame, encode
from firmware_sim.devices.modbus.codec import rtu
from firmware_sim.devices.modbus.tcp import ModbusConnection, ModbusTcp
from firmware_sim.errors import StartError

PLANT = """
title: t
signals:
  - {name: x, kind: setpoint, value: 12.5, min: 0, max: 100}
  - {name: switch, kind: setpoint, value: 1}
  - {name: grows, kind: integral, of: {switch: 1}}
lines:
  - {name: lan, kind: modbus_tcp}
  - {name: com1, kind: modbus_rtu}
  - {name: com2, kind: dlt645}
devices:
  - &slave
    name: tcp
    kind: modbus
    line: lan
    unit: 1
    registers:
      - {name: x, area: 4X, address: 0, type: float, signal: x, writable: true}
      - {name: grows, area: 3X, address: 0, signal: grows}
      - {name: fixed, area: 3X, address: 1, value: 7, count: 124}
      - {name: switch, area: 0X, address: 0, type: bit, signal: switch, writable: true}
      - {name: nothing, area: 0X, address: 1, type: bit, value: 0}
      - {name: input, area: 1X, address: 0, type: bit, signal: switch}
  - {<<: *slave, name: other, unit: 9}
  - {<<: *slave, name: rtu1, line: com1, unit: 3}
  - {<<: *slave, name: rtu2, line: com1, unit: 4, turnaround_ms: 20}
  - {name: m1, kind: dlt645, line: com2, address: "202311150042", wake_up: 0, items: [{item: Ua, signal: x}]}
  - {name: m2, kind: dlt645, line: com2, address: "202311150043", items: [{item: HZ, signal: x}]}
"""

COMES_S = 20.0
Master = Callable[..., Any]


async def until(done: Callable[[], object]) -> None:
    async with asyncio.timeout(COMES_S):
        while not done():  # noqa: ASYNC110 (lines announce nothing)
            await asyncio.sleep(0.005)


@pytest.fixture(params=["tcp", "rtu"])
async def spoken_to(request: pytest.FixtureRequest, running: Any, libmodbus: Master) -> tuple[Any, Any, int]:
    """Simulator, master and unit, over both transports."""
    simulator = await running(PLANT)
    if request.param == "tcp":
        return simulator, libmodbus(port=simulator.port("lan")), 1
    return simulator, libmodbus(device=simulator.link("com1")), 3


async def test_reads(spoken_to: tuple[Any, Any, int]) -> None:
    simulator, master, unit = spoken_to
    assert await master.registers(unit, 0, 2) == [0x4148, 0]
    assert await master.registers(unit, 0, 125, inputs=True) == [0] + [7] * 124
    assert await master.bits(unit, 0, 2) == [1, 0]
    assert await master.bits(unit, 0, 1, inputs=True) == [1]
    simulator.advance(5)
    assert await master.registers(unit, 0, 1, inputs=True) == [5]


async def test_writes(spoken_to: tuple[Any, Any, int]) -> None:
    simulator, master, unit = spoken_to
    await master.write_registers(unit, 0, list(struct.unpack(">HH", struct.pack(">f", 50.5))))
    assert simulator.process.value("x") == 50.5
    await master.write_register(unit, 0, 0x4120)
    await master.write_bit(unit, 0, 0)
    assert simulator.process.value("switch") == 0
    await master.write_bits(unit, 0, [1])
    assert simulator.process.value("switch") == 1


async def test_exceptions(spoken_to: tuple[Any, Any, int]) -> None:
    _, master, unit = spoken_to
    for request, code in (
        (master.registers(unit, 2, 1), 2),
        (master.registers(unit, 0, 3), 2),
        (master.write_register(unit, 0, 0x7FC0), 3),
        (master.write_bit(unit, 1, 1), 2),
    ):
        with pytest.raises(Exception, match="errno") as caught:
            await request
        assert getattr(caught.value, "code", 0) == code
    assert await master.registers(unit, 0, 1) == [0x4148]


async def test_two_slaves_share_a_line_and_a_stranger_is_silent(running: Any, libmodbus: Master) -> None:
    simulator = await running(PLANT)
    master = libmodbus(device=simulator.link("com1"))
    for unit in (3, 4, 3):
        assert await master.registers(unit, 0, 1) == [0x4148]
    master.wait_for(0.2)
    with pytest.raises(Exception, match="errno") as caught:
        await master.registers(5, 0, 1)
    master.wait_for(10)
    assert getattr(caught.value, "code", 0) is None
    assert await master.registers(4, 0, 1) == [0x4148]


async def test_a_master_may_leave_and_another_come(running: Any, libmodbus: Master) -> None:
    simulator = await running(PLANT)
    link = simulator.link("com1")
    for _ in range(3):
        master = libmodbus(device=link)
        assert await master.registers(3, 0, 1) == [0x4148]


async def test_noise_on_the_line_costs_one_request(running: Any, libmodbus: Master) -> None:
    simulator = await running(PLANT)
    line = simulator.lines["com1"]
    end = os.open(simulator.link("com1"), os.O_RDWR | os.O_NOCTTY)
    tty.setraw(end)
    os.write(end, b"\xff\x00" + rtu(3, bytes.fromhex("0300000001")))
    await until(lambda: line.checksum_errors == 1)
    os.close(end)
    master = libmodbus(device=simulator.link("com1"))
    master.flush()
    assert await master.registers(3, 0, 1) == [0x4148]


async def test_tcp_takes_requests_in_any_portions_and_answers_in_order(running: Any) -> None:
    simulator = await running(PLANT)
    reader, writer = await asyncio.open_connection("127.0.0.1", simulator.port("lan"))
    one = bytes.fromhex("0000 0006 01 0300000002")
    requests = b"".join(number.to_bytes(2, "big") + one for number in range(20))
    for at in range(0, len(requests), 7):
        writer.write(requests[at : at + 7])
        await asyncio.sleep(0)
    async with asyncio.timeout(COMES_S):
        answers = await reader.readexactly(20 * 13)
    expected = bytes.fromhex("0000 0007 01 0304 41480000")
    assert answers == b"".join(number.to_bytes(2, "big") + expected for number in range(20))
    writer.write(b"GET / HTTP/1.1\r\n\r\n")
    async with asyncio.timeout(COMES_S):
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
    assert simulator.lines["lan"].bad_frames == 1
    writer.close()


async def test_a_taken_port_is_said(running: Any, tmp_path: Path) -> None:
    simulator = await running(PLANT)
    with pytest.raises(StartError, match="Modbus port"):
        await ModbusTcp(simulator.port("lan"), {}, None).open()
    with pytest.raises(StartError, match="in use"):
        await running(PLANT)


async def test_meters_share_a_line(running: Any) -> None:
    simulator = await running(PLANT)
    line = simulator.lines["com2"]
    end = os.open(simulator.link("com2"), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(end)

    async def ask(request: bytes, *, answered: bool = True) -> bytes:
        os.write(end, request)
        if answered:
            await until(lambda: select.select([end], [], [], 0)[0])
        await asyncio.sleep(0.05)
        try:
            return os.read(end, 1000)
        except BlockingIOError:
            return b""

    voltage = encode(Frame("202311150042", 0x11, bytes.fromhex("00010102")))
    assert await ask(voltage) == encode(Frame("202311150042", 0x91, bytes.fromhex("00010102 2501")), 0)
    frequency = encode(Frame("202311150043", 0x11, bytes.fromhex("02008002")), 0)
    assert await ask(frequency) == encode(Frame("202311150043", 0x91, bytes.fromhex("02008002 5012")), 4)
    damaged = frequency[:-2] + bytes((frequency[-2] ^ 1, 0x16))
    assert await ask(damaged, answered=False) == b""
    await until(lambda: line.checksum_errors == 1)
    stranger = encode(Frame("202311150044", 0x11, bytes.fromhex("02008002")))
    assert await ask(stranger, answered=False) == b""
    collision = await ask(encode(Frame("AAAAAAAAAAAA", 0x13)))
    assert collision
    assert Decoder().feed(collision) == []
    os.close(end)


async def test_closing_leaves_no_link(running: Any) -> None:
    simulator = await running(PLANT)
    link = simulator.link("com1")
    assert link.is_symlink()
    simulator.close()
    assert not link.is_symlink()


class Sink(asyncio.Transport):
    """Takes what is written and forgets it."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = 0

    def write(self, data: Any) -> None:
        self.taken += len(data)

    def is_closing(self) -> bool:
        return False

    def abort(self) -> None:
        return


async def test_the_slave_is_no_brake(running: Any) -> None:
    """From bytes to bytes, 10,000 requests of 100 registers take well under a second of processor time."""
    simulator = await running(PLANT)
    connection, sink = ModbusConnection(simulator.lines["lan"]), Sink()
    connection.connection_made(sink)
    request = bytes.fromhex("0001 0000 0006 01 04 0000 0064")
    start = time.process_time()
    for _ in range(10_000):
        connection.data_received(request)
    seconds = time.process_time() - start
    connection.connection_lost(None)
    assert sink.taken == 10_000 * 209
    assert seconds < 1.0
