"""The driver against libmodbus over TCP and a serial line, and against a peer that answers wrongly."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from libmodbus_slave import LibmodbusSlave, serial_pair

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols.modbus.driver import ModbusDriver
from edge_agent.protocols.modbus.planner import plan
from edge_agent.protocols.modbus.wire import silence_s

from ...ports import free_port

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def net(port: int) -> Port:
    return Port(name="p", type="NET", host="127.0.0.1", port=port, min_interval_ms=0)


def unit(protocol: str = "modbus_tcp", timeout_ms: int = 5000, **options: Any) -> Slave:
    return Slave(
        name="s", port="p", protocol=protocol, address="1", response_timeout_ms=timeout_ms, options=options
    )


def point(offset: int, data_type: Any = "uint16", reg_type: str = "4X", **address: Any) -> Point:
    return Point(
        slave="s", name="x", data_type=data_type, address={"reg_type": reg_type, "offset": offset} | address
    )


async def read(driver: ModbusDriver, slave: Slave, *points: Point) -> list[Any]:
    """Values in the order of the points."""
    values: list[Any] = [None] * len(points)
    for block in plan(slave, points):
        for index, value in zip(block.points, await driver.read(slave, block), strict=True):  # type: ignore[arg-type]
            values[index] = value
    return values


@pytest.fixture(params=["tcp", "rtu"])
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[LibmodbusSlave, Port, Slave]]:
    slave = LibmodbusSlave()
    if request.param == "tcp":
        with slave.tcp() as number:
            yield slave, net(number), unit()
        return
    with serial_pair(tmp_path) as (near, far), slave.rtu(far, 1):
        port = Port(name="p", type="COM", device=near, baud=115200, min_interval_ms=1)
        yield slave, port, unit("modbus_rtu")


async def test_all_areas_and_writes(peer: tuple[LibmodbusSlave, Port, Slave]) -> None:
    memory, port, slave = peer
    memory.coils[3], memory.inputs[9] = 1, 1
    memory.input_registers[4] = 0xFFFE
    memory.holding[10], memory.holding[11] = 0x4148, 0
    driver = ModbusDriver(slave.protocol, port)
    await driver.connect()
    try:
        values = await read(
            driver,
            slave,
            point(3, reg_type="0X"),
            point(9, reg_type="1X"),
            point(4, "int16", "3X"),
            point(10, "float"),
        )
        assert values == [1, 1, -2, 12.5]
        await driver.write(slave, point(5, reg_type="0X"), 1)
        await driver.write(slave, point(20), 4660)
        await driver.write(slave, point(30, "uint32", endian="CDAB"), 0x12345678)
        memory.holding[40] = 0x00F0
        await driver.write(slave, point(40, bit=0), 1)
        await driver.write(slave, point(40, "uint8", byte="high"), 0xAB)
        await driver.write(slave, point(50, "string", length=3), "VFD")
        await driver.write(unit(slave.protocol, write_multiple=True), point(60), 7)
        assert memory.coils[5] == 1
        assert memory.holding[20] == 4660
        assert list(memory.holding[30:32]) == [0x5678, 0x1234]
        assert memory.holding[40] == 0xABF1
        assert list(memory.holding[50:53]) == [0x5646, 0x4400, 0]
        assert memory.holding[60] == 7
    finally:
        await driver.close()


async def test_wide_numbers_bits_and_several_coils(peer: tuple[LibmodbusSlave, Port, Slave]) -> None:
    memory, port, slave = peer
    driver = ModbusDriver(slave.protocol, port)
    await driver.connect()
    try:
        for at, value in enumerate((1, 0, 1, 1), 70):
            memory.coils[at] = value
        held = {80: 0x0506, 81: 0x0304, 82: 0x0102, 91: 0x8000, 95: 0x0056, 96: 0x0046, 97: 0x0044}
        for at, value in held.items():
            memory.holding[at] = value
        coils = point(70, "uint8", "0X", length=4)
        energy = point(80, "var", length=3, endian="CDAB")
        highest = point(90, "uint32", bit=31, endian="CDAB")
        text = point(95, "string", length=3, byte="low")
        assert await read(driver, slave, coils, energy, highest, text) == [0b1101, 0x010203040506, 1, "VFD"]
        requests = memory.requests
        await driver.write(slave, coils, 0b0010)
        assert memory.requests == requests + 1
        assert list(memory.coils[69:75]) == [0, 0, 1, 0, 0, 0]
        await driver.write(slave, energy, 7)
        await driver.write(slave, highest, 0)
        await driver.write(slave, point(90, "uint32", bit=16, endian="CDAB"), 1)
        await driver.write(slave, text, "AB")
        assert list(memory.holding[80:83]) == [7, 0, 0]
        assert list(memory.holding[90:92]) == [0, 1]
        assert list(memory.holding[95:98]) == [0x41, 0x42, 0]
        await driver.write(unit(slave.protocol, write_multiple=True), point(75, reg_type="0X"), 1)
        assert list(memory.coils[74:77]) == [0, 1, 0]
        with pytest.raises(BadValue, match="no number of 4 bits"):
            await driver.write(slave, coils, 16)
    finally:
        await driver.close()


async def test_identify(peer: tuple[LibmodbusSlave, Port, Slave]) -> None:
    """libmodbus answers function 11, and refuses 2B/0E."""
    _, port, slave = peer
    driver = ModbusDriver(slave.protocol, port)
    await driver.connect()
    assert await driver.identify(slave) == ("" if slave.protocol == "modbus_tcp" else "LMB3.1.6")
    await driver.close()


async def test_exception_at_the_edge_of_the_map(peer: tuple[LibmodbusSlave, Port, Slave]) -> None:
    _, port, slave = peer
    driver = ModbusDriver(slave.protocol, port)
    await driver.connect()
    try:
        with pytest.raises(DeviceRefused, match="illegal data address") as refusal:
            await read(driver, slave, point(199), point(200))
        assert refusal.value.device_code == 2
        assert await read(driver, slave, point(199)) == [0]
    finally:
        await driver.close()


async def test_another_unit_on_the_line_is_silence(tmp_path: Path) -> None:
    with serial_pair(tmp_path) as (near, far), LibmodbusSlave().rtu(far, 9):
        driver = ModbusDriver("modbus_rtu", Port(name="p", type="COM", device=near, baud=115200))
        await driver.connect()
        with pytest.raises(NoAnswer, match="100 ms"):
            await read(driver, unit("modbus_rtu", 100), point(0))
        await driver.close()


async def test_what_cannot_be_opened_is_port_down(tmp_path: Path) -> None:
    unused = free_port()
    with pytest.raises(PortDown, match=f"127.0.0.1:{unused}"):
        await ModbusDriver("modbus_tcp", net(unused)).connect()
    missing = Port(name="p", type="COM", device=str(tmp_path / "ttyS9"))
    with pytest.raises(PortDown, match="no such device"):
        await ModbusDriver("modbus_rtu", missing).connect()
    with pytest.raises(PortDown):
        await read(ModbusDriver("modbus_tcp", net(1)), unit(), point(0))


def test_silence_between_frames() -> None:
    assert silence_s(Port(name="p", type="COM", baud=9600)) == pytest.approx(0.00401, abs=1e-5)
    assert silence_s(Port(name="p", type="COM", baud=115200)) == 0.00175


Answer = Callable[[bytes], bytes]


@pytest.fixture
async def wrong_peer() -> AsyncIterator[Any]:
    """A Modbus TCP server whose PDU answers the test chooses; serve(answer) returns a connected driver."""
    servers, drivers = [], []

    async def serve(
        answer: Answer, protocol: str = "modbus_tcp", delay_s: list[float] | None = None
    ) -> ModbusDriver:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            size = 12 if protocol == "modbus_tcp" else 8
            tasks = []
            while data := await reader.read(size):

                async def reply(data: bytes, wait: float) -> None:
                    await asyncio.sleep(wait)
                    if protocol == "modbus_tcp":
                        pdu = answer(data[7:])
                        writer.write(data[:4] + struct.pack(">H", len(pdu) + 1) + data[6:7] + pdu)
                    else:
                        body = data[:1] + answer(data[1:-2])
                        writer.write(body + crc(body))

                tasks.append(asyncio.create_task(reply(data, delay_s.pop(0) if delay_s else 0.0)))
            writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        servers.append(server)
        driver = ModbusDriver(protocol, net(server.sockets[0].getsockname()[1]))
        drivers.append(driver)
        await driver.connect()
        return driver

    yield serve
    for driver in drivers:
        await driver.close()
    for server in servers:
        server.close()


def crc(data: bytes) -> bytes:
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return value.to_bytes(2, "little")


def registers(*values: int) -> bytes:
    return bytes((3, 2 * len(values))) + struct.pack(f">{len(values)}H", *values)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda pdu: b"\x04\x02\x00\x01", BadFrame, "function 4, asked 3"),
        (lambda pdu: registers(1, 2), BadFrame, "4 data bytes, 2 expected"),
        (lambda pdu: b"\x03\x04\x00\x01", BadFrame, "2 data bytes, 2 expected"),
        (lambda pdu: b"\x84\x02", BadFrame, "function 132, asked 3"),
        (lambda pdu: b"\x83\x06", DeviceRefused, "busy"),
        (lambda pdu: b"\x83\x63", DeviceRefused, "unknown exception"),
        (lambda pdu: b"\x83\x0b", NoAnswer, "gateway target"),
    ],
)
async def test_wrong_answers_to_a_read(
    wrong_peer: Any, answer: Answer, error: type[Exception], words: str
) -> None:
    driver = await wrong_peer(answer)
    with pytest.raises(error, match=words):
        await read(driver, unit(), point(0))


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        (point(5), lambda pdu: pdu[:4] + b"\x00"),
        (point(5), lambda pdu: b"\x06\x00\x06" + pdu[3:]),
        (point(5, "uint32"), lambda pdu: b"\x10\x00\x05\x00\x01"),
        (point(5, reg_type="0X"), lambda pdu: b"\x05\x00\x05\x00\x00"),
        (point(5), lambda pdu: registers(1)),
    ],
)
async def test_wrong_echo_of_a_write(wrong_peer: Any, target: Point, answer: Answer) -> None:
    driver = await wrong_peer(answer)
    with pytest.raises(BadFrame):
        await driver.write(unit(), target, 1)


async def test_a_late_rtu_answer_is_not_taken_for_the_next_request(wrong_peer: Any) -> None:
    """RTU frames carry no number: the value of register 1 must never be filed under register 2."""
    driver = await wrong_peer(
        lambda pdu: registers(struct.unpack(">H", pdu[1:3])[0]), "modbus_rtu_tcp", delay_s=[0.25, 0.12, 0.0]
    )
    slave = unit("modbus_rtu_tcp", 200)
    with pytest.raises(NoAnswer):
        await read(driver, slave, point(1))
    patient = unit("modbus_rtu_tcp")
    assert await read(driver, patient, point(2)) == [2]
    assert await read(driver, patient, point(3)) == [3]


async def test_a_late_tcp_answer_is_recognised_by_its_number(wrong_peer: Any) -> None:
    driver = await wrong_peer(
        lambda pdu: registers(struct.unpack(">H", pdu[1:3])[0]), delay_s=[0.15, 0.1, 0.0]
    )
    with pytest.raises(NoAnswer):
        await read(driver, unit(timeout_ms=100), point(1))
    assert await read(driver, unit(), point(2)) == [2]


async def test_a_broken_connection_is_port_down(wrong_peer: Any) -> None:
    driver = await wrong_peer(lambda pdu: b"")
    driver._wire._stream.abort()
    await asyncio.sleep(0.01)
    with pytest.raises(PortDown):
        await read(driver, unit(timeout_ms=100), point(1))
