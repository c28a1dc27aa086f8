"""The driver on serial lines that misbehave: echo, damage, halves, other slaves; the settings of the port."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import select
import termios
import threading
import time
import tty
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Literal

import pytest
from libmodbus_slave import START_TIMEOUT_S, LibmodbusSlave

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, DeviceRefused, NoAnswer
from edge_agent.protocols.modbus import rtu as rtu_file
from edge_agent.protocols.modbus.driver import ModbusDriver
from edge_agent.protocols.modbus.frames import rtu
from edge_agent.protocols.modbus.planner import plan

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

REGISTER = Point(slave="s", name="r", data_type="uint16", address={"reg_type": "4X", "offset": 5})
COIL = Point(slave="s", name="c", data_type="uint8", address={"reg_type": "0X", "offset": 5})
ANSWER = rtu(1, bytes.fromhex("03 02 12 34"))
READ = rtu(1, bytes.fromhex("03 00 05 00 01"))
WRITE = rtu(1, bytes.fromhex("06 00 05 00 07"))


def slave(unit: int = 1, timeout_ms: int = 250, protocol: str = "modbus_rtu_tcp") -> Slave:
    return Slave(name="s", port="p", protocol=protocol, address=str(unit), response_timeout_ms=timeout_ms)


async def read(driver: ModbusDriver, requested: Slave, point: Point = REGISTER) -> Any:
    (block,) = plan(requested, [point])
    return (await driver.read(requested, block))[0]  # type: ignore[arg-type]


@contextlib.contextmanager
def echoing_line() -> Iterator[tuple[str, str]]:
    """Two joined serial devices; the near one hears what it sends, as a two-wire adapter may."""
    pairs = [pty.openpty(), pty.openpty()]
    for handle in (handle for pair in pairs for handle in pair):
        tty.setraw(handle)
    (near, near_end), (far, far_end) = pairs
    stop = threading.Event()

    def copy() -> None:
        while not stop.is_set():
            for source in select.select([near, far], [], [], 0.05)[0]:
                data = os.read(source, 1024)
                os.write(near, data)
                if source == near:
                    os.write(far, data)

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    try:
        yield os.ttyname(near_end), os.ttyname(far_end)
    finally:
        stop.set()
        thread.join(START_TIMEOUT_S)
        for handle in (near, near_end, far, far_end):
            os.close(handle)


async def test_an_adapter_that_hears_itself() -> None:
    memory = LibmodbusSlave()
    with echoing_line() as (near, far), memory.rtu(far, 1):
        driver = ModbusDriver("modbus_rtu", Port(name="p", type="COM", device=near, baud=115200))
        await driver.connect()
        there, silent = slave(1, 5000, "modbus_rtu"), slave(9, 100, "modbus_rtu")
        await driver.write(there, REGISTER, 7)  # the first request of all: the line is heard before
        assert memory.holding[5] == 7
        for value in (8, 9):
            await driver.write(there, REGISTER, value)
            assert await read(driver, there) == value == memory.holding[5]
        await driver.write(there, COIL, 1)
        assert await read(driver, there, COIL) == 1 == memory.coils[5]
        outside = Point(slave="s", name="o", address={"reg_type": "4X", "offset": 200})
        with pytest.raises(DeviceRefused, match="illegal data address"):
            await driver.write(there, outside, 1)
        with pytest.raises(NoAnswer, match="only the echo"):
            await driver.write(silent, REGISTER, 5)
        with pytest.raises(NoAnswer, match="only the echo"):
            await read(driver, silent)
        await driver.close()


Piece = tuple[float, bytes]
Script = Callable[[bytes], Sequence[Piece]]


@pytest.fixture
async def line() -> AsyncIterator[Any]:
    """line(script) is a driver on RTU over TCP. script: request to pieces, each with seconds before it."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(script: Script) -> ModbusDriver:
            async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                with contextlib.suppress(ConnectionError):
                    while data := await reader.read(300):
                        for pause_s, piece in script(data):
                            await asyncio.sleep(pause_s)
                            writer.write(piece)
                writer.close()

            server = await asyncio.start_server(talk, "127.0.0.1", 0)
            stack.callback(server.close)
            number = server.sockets[0].getsockname()[1]
            port = Port(name="p", type="NET", host="127.0.0.1", port=number, min_interval_ms=0)
            driver = ModbusDriver("modbus_rtu_tcp", port)
            stack.push_async_callback(driver.close)
            await driver.connect()
            return driver

        yield start


DAMAGED = ANSWER[:-1] + b"\0"


@pytest.mark.parametrize(
    ("parts", "error", "words"),
    [
        ([(0, DAMAGED)], BadFrame, "checksum .* expected"),
        ([(0, DAMAGED[:3]), (0.01, DAMAGED[3:])], BadFrame, "checksum .* expected"),
        ([(0, rtu(1, b"\x83\x02")[:-1] + b"\0")], BadFrame, "checksum .* expected"),
        ([(0, ANSWER[:4])], BadFrame, "half an answer, 4 of 7 bytes"),
        ([(0, rtu(2, ANSWER[1:-2]))], BadFrame, "answer of unit 2, asked 1"),
        ([(0, b"\xff\x55\xaa")], BadFrame, "no frame of unit 1"),
        ([], NoAnswer, "no answer within 250 ms"),
    ],
)
async def test_what_is_not_the_answer(line: Any, parts: Any, error: type[Exception], words: str) -> None:
    driver = await line(lambda request: parts)
    with pytest.raises(error, match=words):
        await read(driver, slave())


async def test_a_damaged_answer_does_not_cost_the_time_out(line: Any) -> None:
    driver = await line(lambda request: [(0, DAMAGED)])
    begun = time.monotonic()
    with pytest.raises(BadFrame, match="checksum"):
        await read(driver, slave(timeout_ms=20_000))
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    "parts",
    [
        [(0, ANSWER)],
        [(0, ANSWER[at : at + 1]) for at in range(len(ANSWER))],
        [(0, ANSWER[:4]), (0.1, ANSWER[4:])],
        [(0, b"\xff\x00" + ANSWER)],
        [(0, b"\x01\x03\xff" + ANSWER)],
        [(0, ANSWER + b"\xff\xff")],
        [(0, READ + ANSWER)],
        [(0, READ), (0.05, ANSWER)],
        [(0, rtu(2, ANSWER[1:-2])), (0.05, ANSWER)],
        [(0, DAMAGED[:-2]), (0, ANSWER)],
        [(0, bytes(3000)), (0.01, ANSWER)],
    ],
)
async def test_the_answer_is_recognised(line: Any, parts: Any) -> None:
    driver = await line(lambda request: parts)
    assert await read(driver, slave(timeout_ms=5000)) == 0x1234
    assert await read(driver, slave(timeout_ms=5000)) == 0x1234


async def test_after_a_damaged_answer_the_next_one_is_read(line: Any) -> None:
    answers = iter([DAMAGED, ANSWER, ANSWER[:3], ANSWER])
    driver = await line(lambda request: [(0, next(answers))])
    for _ in range(2):
        with pytest.raises(BadFrame):
            await read(driver, slave(timeout_ms=100))
        assert await read(driver, slave(timeout_ms=5000)) == 0x1234


async def test_the_first_write_of_all_is_preceded_by_a_read(line: Any) -> None:
    requested: list[bytes] = []

    def script(request: bytes) -> Sequence[Piece]:
        requested.append(request)
        return [(0, ANSWER if request == READ else request)]

    driver = await line(script)
    await driver.write(slave(timeout_ms=5000), REGISTER, 7)
    await driver.write(slave(timeout_ms=5000), REGISTER, 7)
    assert requested == [READ, WRITE, WRITE]


async def test_a_dead_slave_on_an_echoing_line_confirms_nothing(line: Any) -> None:
    driver = await line(lambda request: [(0, request)])
    for _ in range(2):
        with pytest.raises(NoAnswer, match="only the echo"):
            await driver.write(slave(timeout_ms=50), REGISTER, 7)


async def test_a_wrong_confirmation_is_no_confirmation(line: Any) -> None:
    other = rtu(1, bytes.fromhex("06 00 05 00 08"))
    driver = await line(lambda request: [(0, ANSWER if request == READ else other)])
    with pytest.raises(BadFrame, match="was answered with 06 00 05 00 08"):
        await driver.write(slave(), REGISTER, 7)


async def test_what_is_seen(line: Any) -> None:
    driver = await line(lambda request: [(0, ANSWER[:3]), (0.02, ANSWER[3:])])
    seen: list[tuple[str, bytes]] = []
    driver.watch(lambda direction, data: seen.append((direction, data)))
    await read(driver, slave(timeout_ms=5000))
    driver.watch(None)
    await read(driver, slave(timeout_ms=5000))
    assert seen == [("request", READ), ("answer", ANSWER[:3]), ("answer", ANSWER[3:])]


@pytest.mark.parametrize(
    ("baud", "parity", "stop_bits"), [(2400, "E", 1), (9600, "N", 2), (19200, "O", 1), (115200, "N", 1)]
)
async def test_settings_reach_the_port(
    baud: int, parity: Literal["N", "O", "E"], stop_bits: Literal[1, 2], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pseudo terminal heeds no setting and refuses some, so its driver is asked for nothing: what the port
    object holds is looked at, and what it would have set."""
    wanted: list[Any] = []
    monkeypatch.setattr(rtu_file, "framing", lambda port: (port.data_bits, port.parity))
    monkeypatch.setattr(termios, "tcsetattr", lambda handle, when, attributes: wanted.append(attributes))
    master, end = pty.openpty()
    port = Port(name="p", type="COM", device=os.ttyname(end), baud=baud, parity=parity, stop_bits=stop_bits)
    wire = rtu_file.RtuWire(port)
    await wire.open()
    assert wire._client is not None
    opened = wire._client.ctx.transport.sync_serial  # type: ignore[attr-defined]
    assert (opened.baudrate, opened.bytesize, opened.parity, opened.stopbits) == (baud, 8, parity, stop_bits)
    assert opened.exclusive is True
    assert (opened.xonxoff, opened.rtscts, opened.dsrdtr) == (False, False, False)
    flags, speeds = wanted[0][2], wanted[0][4:6]
    assert speeds == [getattr(termios, f"B{baud}")] * 2
    assert flags & termios.CSIZE == termios.CS8
    assert bool(flags & termios.PARENB) is (parity != "N")
    assert bool(flags & termios.PARODD) is (parity == "O")
    assert bool(flags & termios.CSTOPB) is (stop_bits == 2)
    await wire.close()
    os.close(master)
    os.close(end)
