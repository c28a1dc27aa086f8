"""Bytes that cost their time, and serial lines behind a TCP port."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import tty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from firmware_sim.devices.modbus.codec import rtu
from firmware_sim.errors import StartError
from firmware_sim.lines.device_server import MAX_CONNECTIONS
from firmware_sim.lines.pace import Pace

REQUEST = rtu(1, bytes.fromhex("0300000064"))
ANSWER_BYTES = 205
CHARACTER_S = 10 / 9600
TRIES = 4
"""A busy machine makes one late, hardly all of them."""

PLANT = """
title: t
lines:
  - {name: com1, kind: modbus_rtu, baud: 9600}
  - {name: com2, kind: modbus_rtu, baud: 19200, char_bits: 11, over: tcp}
  - {name: com3, kind: modbus_rtu, over: tcp}
devices:
  - &slave
    {name: a, kind: modbus, line: com1, unit: 1, turnaround_ms: 20, registers: [
      {name: v, area: 4X, address: 0, value: 7, count: 100}]}
  - {<<: *slave, name: b, line: com2}
  - {<<: *slave, name: c, line: com3, turnaround_ms: 0}
"""


def test_an_answer_begins_behind_its_request_and_the_turnaround() -> None:
    pace = Pace(0.001)
    pace.heard(8, now=10.0)  # is through at 10.008
    assert pace.through_at(20, now=10.05) == pytest.approx(10.05 + 0.008 + 0.020)  # 50 ms of turnaround
    pace.heard(8, now=10.2)
    assert pace.through_at(5, now=10.2) == pytest.approx(10.213)
    assert pace.through_at(5, now=10.2) == pytest.approx(10.218)  # behind the one before


def test_requests_too_take_their_turn() -> None:
    pace = Pace(0.001)
    pace.heard(8, now=10.0)
    pace.heard(8, now=10.0)
    assert pace.through_at(10, now=10.0) == pytest.approx(10.026)


@asynccontextmanager
async def pty_master(link: Any) -> AsyncIterator[int]:
    end = os.open(link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(end)
    yield end
    os.close(end)


async def answered(end: int, loop: asyncio.AbstractEventLoop) -> tuple[float, bytes]:
    """Seconds from request to the answer's last byte, and the answer."""
    arrived = asyncio.Event()
    got = b""

    def readable() -> None:
        nonlocal got
        got += os.read(end, 4096)
        if len(got) >= ANSWER_BYTES:
            arrived.set()

    loop.add_reader(end, readable)
    start = loop.time()
    os.write(end, REQUEST)
    async with asyncio.timeout(20):
        await arrived.wait()
    loop.remove_reader(end)
    return loop.time() - start, got


async def test_9600_baud_cost_what_they_cost(running: Any) -> None:
    simulator = await running(PLANT)
    loop = asyncio.get_running_loop()
    wanted_s = (len(REQUEST) + ANSWER_BYTES) * CHARACTER_S + 0.020
    async with pty_master(simulator.link("com1")) as end:
        answers = [await answered(end, loop) for _ in range(TRIES)]
    assert {answer for _, answer in answers} == {rtu(1, b"\x03\xc8" + b"\0\7" * 100)}
    assert wanted_s <= min(seconds for seconds, _ in answers) < wanted_s + 0.1


async def test_a_device_server_has_its_byte_time_too(running: Any) -> None:
    simulator = await running(PLANT)
    loop = asyncio.get_running_loop()
    wanted_s = (len(REQUEST) + ANSWER_BYTES) * 11 / 19200 + 0.020
    with socket.create_connection(("127.0.0.1", simulator.port("com2"))) as master:
        master.setblocking(False)
        answers = [await answered(master.fileno(), loop) for _ in range(TRIES)]
    assert wanted_s <= min(seconds for seconds, _ in answers) < wanted_s + 0.1


async def test_all_masters_of_a_device_server_hear_the_line(running: Any) -> None:
    simulator = await running(PLANT)
    port = simulator.port("com3")
    loop = asyncio.get_running_loop()
    ends = [socket.create_connection(("127.0.0.1", port)) for _ in range(MAX_CONNECTIONS + 1)]
    for end in ends:
        end.setblocking(False)
    await asyncio.sleep(0.05)
    answer = b""
    for _ in range(TRIES):  # a pause that grew too long makes two frames of it
        await loop.sock_sendall(ends[0], REQUEST[:3])
        await asyncio.sleep(0.005)
        await loop.sock_sendall(ends[0], REQUEST[3:])
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                answer = await loop.sock_recv(ends[0], 1000)
                break
    async with asyncio.timeout(20):
        assert len(answer) == len(await loop.sock_recv(ends[1], 1000)) == ANSWER_BYTES
        assert await loop.sock_recv(ends[-1], 1000) == b""  # one too many
    ends[0].close()
    await asyncio.sleep(0.02)
    async with asyncio.timeout(20):
        await loop.sock_sendall(ends[1], REQUEST)
        assert len(await loop.sock_recv(ends[1], 1000)) == ANSWER_BYTES
    for end in ends:
        end.close()


async def test_a_taken_port_is_said(running: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=f"port {port}"):
            await running(PLANT.replace("over: tcp}\ndevices", f"over: tcp, port: {port}}}\ndevices"))
