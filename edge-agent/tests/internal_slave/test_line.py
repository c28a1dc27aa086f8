"""RTU requests among what a serial line brings, and a master on one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libmodbus_slave import line_without
from pymodbus.client import AsyncModbusSerialClient
from slave_gateway import running, until

from edge_agent.internal_slave.requests import MAX_HELD_BYTES, RtuRequests
from edge_agent.protocols.modbus.frames import read_request, rtu, write_registers

READ = read_request(3, 100, 1)
WRITE = write_registers(100, b"\1\2\3\4")


@pytest.mark.parametrize("pdu", [READ, WRITE])
@pytest.mark.parametrize("unit", [7, 0])
def test_a_request_byte_by_byte(pdu: bytes, unit: int) -> None:
    requests, frame = RtuRequests(7), rtu(unit, pdu)
    assert [requests.feed(frame[at : at + 1]) for at in range(len(frame) - 1)] == [None] * (len(frame) - 1)
    assert requests.feed(frame[-1:]) == (unit, pdu)
    assert not requests.pending


def test_other_slaves_are_passed_over() -> None:
    requests = RtuRequests(7)
    assert requests.feed(rtu(8, READ) + rtu(8, b"\3\2\0\7") + rtu(7, READ)) == (7, READ)
    assert requests.feed(rtu(8, WRITE)) is None
    assert requests.silence() is None
    assert requests.feed(rtu(7, READ) + rtu(8, READ)) is None  # the master did not wait for us


def test_noise_around_a_request() -> None:
    requests = RtuRequests(7)
    assert requests.feed(b"\0\xff" + rtu(7, READ)) is None
    assert requests.silence() == (7, READ)
    assert requests.feed(rtu(7, READ) + b"\xff") == (7, READ)
    assert requests.feed(rtu(7, READ)[:-1] + b"\0") is None
    assert requests.silence() is None
    assert requests.discarded_bytes == 10


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_garbage_neither_stays_nor_hides_the_next_request(chunks: list[bytes]) -> None:
    requests = RtuRequests(7)
    for chunk in chunks:
        requests.feed(chunk)
        assert len(requests._held) <= MAX_HELD_BYTES
    requests.silence()
    assert requests.feed(rtu(7, READ)) == (7, READ)


async def test_a_master_on_a_serial_line(device: Any) -> None:
    with line_without(unit=8) as (ours, theirs):
        async with running(*device, f'tcp = false\ndevice = "{ours}"\nbaud = 115200') as gateway:
            await until(lambda: not gateway.slave.state().fault)
            master = AsyncModbusSerialClient(theirs, baudrate=115200, timeout=30, retries=0)
            assert await master.connect()
            try:
                assert (await master.read_holding_registers(100, count=1, device_id=7)).registers == [215]
                assert not (await master.write_register(100, 300, device_id=7)).isError()
                assert gateway.behind.holding[0] == 300
                assert (await master.read_coils(9, count=1, device_id=7)).exception_code == 2
            finally:
                master.close()
            assert gateway.slave.state().counts.values_written == 1
