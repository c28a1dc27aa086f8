"""Independent masters, pymodbus and mbpoll, against a gateway with a libmodbus slave behind it."""

from __future__ import annotations

import asyncio
import logging
import struct
from typing import Any

import pytest
from pymodbus.client import AsyncModbusTcpClient
from slave_gateway import until

TOTAL_S = 120.0


@pytest.fixture
async def master(gateway: Any) -> Any:
    client = AsyncModbusTcpClient("127.0.0.1", port=gateway.port, timeout=30, retries=0)
    assert await client.connect()
    yield client
    client.close()


async def stream(gateway: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", gateway.port)


async def all_of(reader: asyncio.StreamReader) -> bytes:
    """What comes until the gateway closes the connection."""
    try:
        async with asyncio.timeout(TOTAL_S):
            return await reader.read()
    except ConnectionResetError:
        return b""


def request(transaction: int, unit: int = 7, pdu: str = "03 0064 0001") -> bytes:
    body = bytes.fromhex(pdu)
    return struct.pack(">HHHB", transaction, 0, len(body) + 1, unit) + body


async def test_a_master_reads_what_the_gateway_has(gateway: Any, master: AsyncModbusTcpClient) -> None:
    answer = await master.read_holding_registers(100, count=3, device_id=7)
    assert answer.registers == [215, 0x0000, 0x41AC]  # 21.5, and 21.5 as CDAB
    assert (await master.read_holding_registers(102, count=1, device_id=7)).registers == [0x41AC]
    assert (await master.read_input_registers(0, count=2, device_id=7)).registers == [1, 2]
    assert (await master.read_coils(3, count=1, device_id=7)).bits[0] is False
    for unit in (0, 255):
        assert (await master.read_input_registers(0, count=1, device_id=unit)).registers == [1]


async def test_mbpoll_reads_and_writes(gateway: Any) -> None:
    async def mbpoll(*words: str) -> str:
        command = ("mbpoll", "-m", "tcp", "-p", str(gateway.port), "-a", "7", "-0", "-1", "-o", "10", *words)
        process = await asyncio.create_subprocess_exec(*command, stdout=-1, stderr=-2)
        output, _ = await process.communicate()
        return output.decode()

    assert "[100]: \t215" in await mbpoll("-t", "4", "-r", "100", "127.0.0.1")
    assert "Written 1 references" in await mbpoll("-t", "4", "-r", "100", "127.0.0.1", "--", "300")
    assert gateway.behind.holding[0] == 300
    assert "Illegal data address" in await mbpoll("-t", "4", "-r", "99", "127.0.0.1")


async def test_writes_reach_the_device_verified_and_audited(
    gateway: Any, master: AsyncModbusTcpClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        assert not (await master.write_register(100, 400, device_id=7)).isError()
    assert gateway.behind.holding[0] == 400
    assert "audit: internal slave (127.0.0.1:" in caplog.text
    assert "writes 40 to plc.level: done" in caplog.text
    words = struct.unpack(">HH", struct.pack(">f", 0.1))
    assert not (await master.write_registers(100, [500, words[1], words[0]], device_id=7)).isError()
    assert gateway.behind.holding[0] == 500
    assert (gateway.behind.holding[2], gateway.behind.holding[3]) == words
    assert not (await master.write_coil(3, True, device_id=7)).isError()
    assert gateway.behind.coils[5] == 1
    assert not (await master.write_coils(3, [False], device_id=7)).isError()
    assert gateway.behind.coils[5] == 0
    assert gateway.slave.state().counts.values_written == 5


@pytest.mark.parametrize(
    ("pdu", "code"),
    [
        ("03 0063 0001", 2), ("03 0064 0004", 2), ("01 0000 0001", 2), ("06 0063 0001", 2),
        ("06 0065 0001", 2), ("10 0065 0001 02 0000", 2), ("05 0004 ff00", 2),
        ("06 0064 2711", 3), ("10 0065 0002 04 0000 7fc0", 3), ("05 0003 1234", 3), ("03 0064 0000", 3),
        ("03 0064 007e", 3), ("10 0064 0001 04 0001", 3), ("0f 0003 0001 02 01", 3), ("03 0064", 3),
        ("41", 1), ("2b 0e 01 00", 1),
    ],
)  # fmt: skip
async def test_what_is_refused_has_the_exception_of_the_standard(gateway: Any, pdu: str, code: int) -> None:
    reader, writer = await stream(gateway)
    writer.write(request(9, pdu=pdu))
    function = int(pdu[:2], 16)
    expected = struct.pack(">HHHBBB", 9, 0, 3, 7, function | 0x80, code)
    assert await reader.readexactly(len(expected)) == expected
    assert gateway.behind.holding[0] == 215
    assert gateway.slave.state().counts.exceptions == 1
    writer.close()


async def test_requests_of_one_connection_are_answered_in_order(gateway: Any) -> None:
    reader, writer = await stream(gateway)
    writer.write(request(1) + request(2, unit=9) + request(3)[:5])
    head = await reader.readexactly(11 + 9)
    assert head == bytes.fromhex("0001 0000 0005 07 03 02 00d7 0002 0000 0003 09 83 0b")
    writer.write(request(3)[5:])
    assert (await reader.readexactly(11))[:2] == b"\0\3"
    writer.close()


async def test_a_silent_device_is_an_exception_and_comes_back(
    gateway: Any, master: AsyncModbusTcpClient
) -> None:
    gateway.behind.delay_s = 4.0
    await until(lambda: gateway.value("level") is None)
    answer = await master.read_holding_registers(100, count=1, device_id=7)
    assert answer.exception_code == 4
    assert (await master.write_register(100, 1, device_id=7)).exception_code == 4
    assert "plc.level" in gateway.slave.state().counts.last_error
    figures = gateway.slave.figures()
    assert (figures.id, figures.exceptions, figures.values_written) == (7, 2, 0)
    assert figures.requests >= 2
    assert [one.peer.partition(":")[0] for one in figures.masters] == ["127.0.0.1"]
    assert (figures.listens, figures.fault) == (gateway.slave.state().listens, "")
    assert "plc.level" in figures.last_error
    assert figures.last_error_ms > 0
    gateway.behind.delay_s = 0.0
    await until(lambda: gateway.value("level") is not None)
    assert not (await master.read_holding_registers(100, count=1, device_id=7)).isError()


@pytest.mark.parametrize("gateway", ['bad_values = "last"', 'bad_values = "fill"'], indirect=True)
async def test_instead_of_an_exception_the_last_or_a_fill_value(
    gateway: Any, master: AsyncModbusTcpClient, request: pytest.FixtureRequest
) -> None:
    gateway.behind.delay_s = 4.0
    await until(lambda: gateway.value("level") is None)
    answer = await master.read_holding_registers(100, count=1, device_id=7)
    gateway.behind.delay_s = 0.0
    assert answer.registers == [215 if '"last"' in request.node.name else 0xFFFF]


@pytest.mark.parametrize("gateway", ["max_writes_per_min = 1"], indirect=True)
async def test_more_writes_than_allowed_are_busy(gateway: Any, master: AsyncModbusTcpClient) -> None:
    assert (await master.write_registers(100, [1, 0, 0], device_id=7)).exception_code == 6
    assert gateway.behind.holding[0] == 215
    assert not (await master.write_register(100, 300, device_id=7)).isError()
    assert (await master.write_register(100, 310, device_id=7)).exception_code == 6
    assert gateway.behind.holding[0] == 300


@pytest.mark.parametrize(
    "garbage", [b"GET / HTTP/1.1\r\n\r\n", bytes(64), b"\xff" * 3000, b"\0\1\0\0\0\xff\7"]
)
async def test_bytes_that_are_no_frame_end_the_connection(gateway: Any, garbage: bytes) -> None:
    reader, writer = await stream(gateway)
    writer.write(garbage)
    assert await all_of(reader) == b""
    assert gateway.slave.state().bad_frames == 1
    await until(lambda: not gateway.slave.state().masters)


@pytest.mark.parametrize("gateway", ["idle_timeout_s = 1"], indirect=True)
async def test_silence_and_half_requests_end_the_connection(gateway: Any) -> None:
    for begun in (b"", request(1)[:7]):
        reader, writer = await stream(gateway)
        writer.write(begun)
        assert await all_of(reader) == b""


@pytest.mark.parametrize("gateway", ['max_clients = 2\nbad_values = "last"'], indirect=True)
async def test_a_thousand_connections_do_not_keep_a_master_out(
    gateway: Any, master: AsyncModbusTcpClient
) -> None:
    assert not (await master.read_holding_registers(100, count=1, device_id=7)).isError()
    others = []
    for number in range(1000):
        others.append(await stream(gateway))
        assert len(gateway.slave.state().masters) <= 2
        if number % 20 == 0:
            assert not (await master.read_holding_registers(100, count=1, device_id=7)).isError()
    await until(lambda: gateway.slave.state().refused >= 900)
    assert not (await master.read_holding_registers(100, count=1, device_id=7)).isError()
    for _, writer in others:
        writer.close()


@pytest.mark.parametrize("gateway", ['allow = ["10.1.2.3"]'], indirect=True)
async def test_only_named_masters_are_served(gateway: Any) -> None:
    reader, writer = await stream(gateway)
    writer.write(request(1))
    assert await all_of(reader) == b""
    assert gateway.slave.state().refused == 1
