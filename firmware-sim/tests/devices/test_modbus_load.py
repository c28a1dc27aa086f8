"""Slaves for load: right answers, values that move, and speed."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from firmware_sim.devices.modbus.load import MAX_DELAYED, LoadConnection, LoadServer
from firmware_sim.errors import StartError

READ_50 = bytes.fromhex("0001 0000 0006 01 03 0000 0064")
PER_SECOND = 20_000


class Sink(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[bytes] = []
        self.aborted = False

    def write(self, data: Any) -> None:
        self.taken.append(bytes(data))

    def is_closing(self) -> bool:
        return self.aborted

    def abort(self) -> None:
        self.aborted = True


@asynccontextmanager
async def opened(**words: Any) -> AsyncIterator[LoadServer]:
    server = LoadServer(**words)
    await server.open()
    try:
        yield server
    finally:
        server.close()


def connected(**words: Any) -> tuple[LoadServer, LoadConnection, Sink]:
    server = LoadServer(slaves=1, points=100, **words)
    connection, sink = LoadConnection(server, server.slaves[0]), Sink()
    connection.connection_made(sink)
    return server, connection, sink


def floats(registers: list[int]) -> list[float]:
    data = struct.pack(f">{len(registers)}H", *registers)
    return list(struct.unpack(f">{len(data) // 4}f", data))


async def test_a_real_master_reads_values_that_move(libmodbus: Callable[..., Any]) -> None:
    async with opened(slaves=2, points=100) as server:
        assert len(set(server.ports)) == 2
        for port in server.ports:
            master = libmodbus(port=port)
            first = floats(await master.registers(1, 0, 100))
            second = floats(await master.registers(1, 0, 100, inputs=True))
            assert all(10 <= value <= 90 for value in first + second)
            assert all(old != new for old, new in zip(first, second, strict=True))
            assert len(set(first)) > 40
            with pytest.raises(Exception, match="errno") as caught:
                await master.registers(1, 198, 3)
            assert getattr(caught.value, "code", 0) == 2
            assert len(await master.registers(1, 198, 2)) == 2
            with pytest.raises(Exception, match="errno") as caught:
                await master.write_register(1, 0, 1)
            assert getattr(caught.value, "code", 0) == 1
        assert server.figures() == {"requests": 10, "refused": 4, "dropped": 0}


def test_requests_may_come_in_chunks_and_together() -> None:
    _, connection, sink = connected()
    for at in range(len(READ_50)):
        connection.data_received(READ_50[at : at + 1])
    assert [len(answer) for answer in sink.taken] == [209]
    connection.data_received(READ_50 * 3 + READ_50[:5])
    assert [len(answer) for answer in sink.taken] == [209, 3 * 209]
    connection.data_received(READ_50[5:])
    assert len(sink.taken) == 3
    assert sink.taken[0][:9].hex() == "0001000000cb0103c8"


@pytest.mark.parametrize(
    ("request_pdu", "answer_pdu"),
    [
        ("0300000000", "8303"),
        ("030000007e", "8303"),
        ("2b0e0100", "ab01"),
        ("0100000001", "8101"),
        ("03000000010000", "8303"),
    ],
)
def test_refusals(request_pdu: str, answer_pdu: str) -> None:
    _, connection, sink = connected()
    pdu = bytes.fromhex(request_pdu)
    connection.data_received(b"\0\7\0\0" + (len(pdu) + 1).to_bytes(2, "big") + b"\5" + pdu)
    assert sink.taken == [bytes.fromhex("00070000000305" + answer_pdu)]


def test_what_is_no_modbus_is_let_go() -> None:
    _, connection, sink = connected()
    connection.data_received(b"GET / HTTP/1.1\r\n\r\n")
    assert sink.aborted
    assert sink.taken == []


async def test_latency_and_its_bound() -> None:
    server, connection, sink = connected(latency_s=(0.02, 0.03))
    loop = asyncio.get_running_loop()
    start = loop.time()
    for _ in range(MAX_DELAYED + 2):
        connection.data_received(READ_50)
    assert (sink.taken, server.dropped) == ([], 2)
    while len(sink.taken) < MAX_DELAYED:
        assert loop.time() - start < 20
        await asyncio.sleep(0.005)
        assert not sink.taken or loop.time() - start >= 0.02
    connection.data_received(READ_50)
    connection.connection_lost(None)
    await asyncio.sleep(0.04)
    assert len(sink.taken) == MAX_DELAYED


def test_speed_of_a_slave() -> None:
    """From bytes to bytes, without the kernel's part: twice what a slave must reach with it."""
    _, connection, sink = connected()
    start = time.process_time()
    for _ in range(PER_SECOND):
        connection.data_received(READ_50)
    seconds = time.process_time() - start
    assert len(sink.taken) == PER_SECOND
    assert seconds < 0.5


async def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=f"port {port} of slave 1"):
            await LoadServer(slaves=1, points=1, base_port=port).open()
    with pytest.raises(StartError, match="end above 65535"):
        await LoadServer(slaves=3, points=1, base_port=65_534).open()


def test_the_program() -> None:
    command = [sys.executable, "-m", "firmware_sim", "modbus-load", "--slaves", "3", "--points", "50"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        assert (ready["ready"], ready["points"], len(ready["ports"])) == (True, 50, 3)
        with socket.create_connection(("127.0.0.1", ready["ports"][2]), timeout=30) as master:
            master.sendall(READ_50)
            assert len(master.recv(1000)) == 209
        process.send_signal(signal.SIGTERM)
        assert json.loads(process.communicate(timeout=30)[0]) == {"requests": 1, "refused": 0, "dropped": 0}
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait(timeout=30)


@pytest.mark.parametrize(
    "word", ["--slaves=0", "--points=32769", "--latency-ms=50-20", "--latency-ms=x", "--port=65536"]
)
def test_the_command_line_is_checked(word: str) -> None:
    command = [sys.executable, "-m", "firmware_sim", "modbus-load", word]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 2
    assert word.partition("=")[0] in done.stderr
