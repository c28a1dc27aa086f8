"""The session with a controller: what is taken for an answer, greeting, refusals, writing."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from msgspec.structs import replace

from edge_agent import transports
from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols import serial_driver
from edge_agent.protocols.fx import driver as driver_module
from edge_agent.protocols.fx.codec import Request, digits_of, framed
from edge_agent.protocols.fx.driver import FxDriver
from edge_agent.protocols.fx.planner import FxBlock, plan
from edge_agent.transports import serial as serial_module

Line = tuple[FxDriver, Any]
D0 = 0x1000


def point(area: str, offset: int, data_type: Any = "uint16", **address: Any) -> Point:
    return Point(
        slave="s", name="x", data_type=data_type, rw="readwrite",
        address={"area": area, "offset": offset, **address},
    )  # fmt: skip


def block(slave: Slave, *points: Point) -> FxBlock:
    (found,) = plan(slave, points or [point("D", 0)])
    assert isinstance(found, FxBlock)
    return found


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_module, "INTER_BYTE_S", 0.05)
    monkeypatch.setattr(serial_driver, "QUIET_S", 0.02)


async def test_greets_once_and_reads(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, bytes.fromhex("3412 FEFF"))
    both = block(slave, point("D", 0), point("D", 1, "int16"))
    assert await driver.read(slave, both) == [0x1234, -2]
    assert await driver.read(slave, both) == [0x1234, -2]
    request = Request("read", "classic", D0, 4)
    assert plc.received == [None, request, request]


async def test_without_a_handshake(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0")
    bare = replace(slave, options={"model": "FX1S", "handshake": False})
    assert await driver.read(bare, block(bare)) == [1]
    assert None not in plc.received


async def test_skips_its_own_echo(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0")
    plc.echo = True
    assert await driver.read(slave, block(slave)) == [1]
    await driver.write(slave, point("D", 0), 7)
    await driver.write(slave, point("Y", 0), 1)
    assert plc.get(D0, 2) == b"\7\0"
    plc.spoil = lambda request, wire: None
    with pytest.raises(NoAnswer):
        await driver.read(slave, block(slave))


async def test_a_foreign_answer_is_passed_over(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0")
    foreign = b"\x06\x05" + framed(b"01") + framed(b"010203") + framed(b"E7005E")
    plc.spoil = lambda request, wire: wire if request is None else foreign + wire
    assert await driver.read(slave, block(slave)) == [1]
    plc.spoil = lambda request, wire: wire if request is None else framed(b"010203")
    with pytest.raises(BadFrame, match="no whole answer to this request"):
        await driver.read(slave, block(slave))


async def test_an_answer_with_data_confirms_no_write(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.spoil = lambda request, wire: wire if request is None else framed(b"06")
    with pytest.raises(BadFrame):
        await driver.write(slave, point("Y", 0), 1)


async def test_silence_wrong_sum_half_frame_and_noise(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0")
    plc.spoil = lambda request, wire: None
    with pytest.raises(NoAnswer, match="80 ms"):
        await driver.read(slave, block(slave))
    plc.spoil = lambda request, wire: wire if request is None else wire[:-1] + b"0"
    with pytest.raises(BadFrame, match="checksum"):
        await driver.read(slave, block(slave))
    plc.spoil = lambda request, wire: wire if request is None else wire[: len(wire) // 2]
    with pytest.raises(BadFrame, match="no whole answer"):
        await driver.read(slave, block(slave))
    plc.spoil = lambda request, wire: (b"\x00\xff" if request is None else b"\x00\x02\x30") + wire
    assert await driver.read(slave, block(slave)) == [1]
    assert driver.checksum_errors == 1


async def test_after_a_failure_it_greets_again(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0")
    plc.spoil = lambda request, wire: None if request else wire
    with pytest.raises(NoAnswer):
        await driver.read(slave, block(slave))
    plc.spoil = lambda request, wire: wire
    assert await driver.read(slave, block(slave)) == [1]
    assert [request is None for request in plc.received] == [True, False, True, False]


async def test_a_late_answer_is_not_taken_for_the_next_request(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0\2\0")
    assert await driver.read(slave, block(slave)) == [1]
    plc.delay_s = 0.12
    with pytest.raises(NoAnswer):
        await driver.read(slave, block(slave, point("D", 1)))
    plc.delay_s = 0.0
    assert await driver.read(slave, block(slave)) == [1]


async def test_a_late_acknowledgement_confirms_no_later_write(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0")
    await driver.read(slave, block(slave))
    plc.delay_s = 0.12
    with pytest.raises(NoAnswer):
        await driver.write(slave, point("D", 0), 5)
    plc.delay_s = 0.03
    plc.spoil = lambda request, wire: None if request and request.data == b"\6\0" else wire
    with pytest.raises(NoAnswer):
        await driver.write(slave, point("D", 0), 6)


async def test_what_came_between_requests_is_no_answer(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0")
    await driver.read(slave, block(slave))
    plc.spoil = lambda request, wire: None
    await plc.line.write(framed(b"0900"))
    with pytest.raises(NoAnswer):
        await driver.read(slave, block(slave))


async def test_a_cancelled_request_owes_an_answer_too(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, b"\1\0\2\0")
    await driver.read(slave, block(slave))
    plc.delay_s = 0.06
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.03):
            await driver.read(slave, block(slave, point("D", 1)))
    plc.delay_s = 0.0
    assert await driver.read(slave, block(slave)) == [1]


async def test_refusal_needs_two_naks(line: Line, slave: Slave) -> None:
    driver, plc = line
    with pytest.raises(DeviceRefused, match="NAK") as refusal:
        await driver.read(slave, block(slave))
    assert refusal.value.device_code == 0x15
    assert len(plc.requests) == 2
    plc.put(D0, b"\1\0")
    disturbed = iter((b"\x15",))
    plc.spoil = lambda request, wire: wire if request is None else next(disturbed, wire)
    assert await driver.read(slave, block(slave)) == [1]


async def test_nak_to_the_greeting(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.spoil = lambda request, wire: b"\x15"
    with pytest.raises(BadFrame, match="NAK to ENQ"):
        await driver.read(slave, block(slave))


async def test_babble_does_not_hold_the_line(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.spoil = lambda request, wire: None

    async def babble() -> None:
        while True:
            await plc.line.write(b"\x55\x02\x30")
            await asyncio.sleep(0.005)

    task = asyncio.create_task(babble())
    async with asyncio.timeout(2):
        for _ in range(2):
            with pytest.raises(BadFrame):
                await driver.read(slave, block(slave))
    task.cancel()


async def test_writes(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, bytes(range(20)))
    await driver.write(slave, point("D", 0), 0x1234)
    await driver.write(slave, point("D", 1, "int32"), -2)
    await driver.write(slave, point("D", 3, bit=9), 0)
    await driver.write(slave, point("D", 4, "uint8", byte="high"), 255)
    await driver.write(slave, point("D", 5, "string", length=5), "AB")
    await driver.write(slave, point("M", 100), 1)
    await driver.write(slave, point("Y", 15), 0)
    assert plc.get(D0, 20) == bytes.fromhex("3412 FEFFFFFF 0605 08FF 4142000000 0F 10111213")
    assert [(r.operation, r.address) for r in plc.requests[-2:]] == [
        ("force_on", 0x864), ("force_off", 0x50D),
    ]  # fmt: skip


async def test_values_that_do_not_fit_are_not_sent(line: Line, slave: Slave) -> None:
    driver, plc = line
    for one, raw in (
        (point("D", 0), 65536),
        (point("M", 0), 2),
        (point("D", 0, bit=1), 3),
        (point("D", 0, "uint8"), 256),
        (point("D", 0, "string", length=2), "ABC"),
    ):
        with pytest.raises(BadValue):
            await driver.write(slave, one, raw)
    assert plc.received == []


async def test_identify(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(0x0E02, bytes.fromhex("C256"))
    assert await driver.identify(slave) == "FX1S V2.10"
    fx3 = replace(slave, options={"model": "FX3U"})
    plc.put(0x8002, (24305).to_bytes(2, "little"))
    assert await driver.identify(fx3) == "FX2N or FX3U V3.05"
    plc.put(0x8000 + 202, (16305).to_bytes(2, "little"))
    assert await driver.identify(fx3) == "FX3U V3.05"
    plc.memory.clear()
    with pytest.raises(DeviceRefused):
        await driver.identify(slave)


async def test_broken_line_is_port_down(line: Line, slave: Slave) -> None:
    driver, _ = line
    await driver.close()
    with pytest.raises(PortDown):
        await driver.read(slave, block(slave))


async def test_longest_answer_in_small_parts(line: Line, slave: Slave) -> None:
    driver, plc = line
    plc.put(D0, bytes(range(64)))
    points = [point("D", number) for number in range(32)]
    wire = framed(digits_of(bytes(range(64))))

    async def drip() -> None:
        for at in range(0, len(wire), 7):
            await plc.line.write(wire[at : at + 7])
            await asyncio.sleep(0.002)

    tasks = []

    def later(request: Request | None, answer: bytes) -> bytes | None:
        if request is None:
            return answer
        tasks.append(asyncio.create_task(drip()))
        return None

    plc.spoil = later
    found = await driver.read(slave, block(slave, *points))
    assert list(found) == [2 * n | (2 * n + 1) << 8 for n in range(32)]
    await asyncio.gather(*tasks)


async def test_the_serial_port_is_opened_with_7e1(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pseudo terminal ignores the settings, so what the port is opened with is looked at."""
    opened_with: dict[str, Any] = {}

    def opened(device: str, **words: Any) -> Any:
        opened_with.update(words, device=device)
        raise OSError(2, "seen")

    monkeypatch.setattr(serial_module, "Serial", opened)
    port = Port(name="p", type="COM", device="/dev/ttyS77", data_bits=7, parity="E")
    driver = FxDriver(port, transports.create(port))
    with pytest.raises(PortDown):
        await driver.connect()
    assert (
        opened_with["bytesize"],
        opened_with["parity"],
        opened_with["stopbits"],
        opened_with["baudrate"],
    ) == (7, "E", 1, 9600)
