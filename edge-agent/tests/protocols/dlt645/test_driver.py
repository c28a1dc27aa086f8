"""The session with a meter: what is taken for an answer, follow-up frames, the relay."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from edge_agent.config.model import Point, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols.dlt645 import driver as driver_module
from edge_agent.protocols.dlt645 import session as session_module
from edge_agent.protocols.dlt645.codec import Frame, encode
from edge_agent.protocols.dlt645.driver import Dlt645Driver
from edge_agent.protocols.dlt645.planner import MeterBlock, plan

Line = tuple[Dlt645Driver, Any]
UA = "02010100"


def block(slave: Slave, *names: str) -> MeterBlock:
    found = plan(slave, [Point(slave="m", name=name, address={"item": name}) for name in names])
    assert len(found) == 1
    return found[0]  # type: ignore[return-value]


RELAY = Point(slave="m", name="relay", rw="readwrite", address={"item": "ONOFF"})


async def test_reads_an_item_and_a_block(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.data = {UA: bytes.fromhex("0110"), "0201FF00": bytes.fromhex("012298211422")}
    assert await driver.read(slave, block(slave, "Ua")) == [100.1]
    assert await driver.read(slave, block(slave, "Ua", "Ub", "Uc")) == [220.1, 219.8, 221.4]


async def test_joins_follow_up_frames(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.data = {"0001FF00": bytes.fromhex("50000100 10000100 20000200 10000300 10000400")}
    meter.frame_bytes = 8
    values = await driver.read(slave, block(slave, "EPF", "EPF1", "EPF2", "EPF3", "EPF4"))
    assert values == [100.5, 100.1, 200.2, 300.1, 400.1]
    assert [frame.control for frame in meter.received] == [0x11, 0x12, 0x12]
    assert [frame.data[4:] for frame in meter.received] == [b"", b"\x01", b"\x02"]


async def test_follow_up_frame_with_another_number_is_refused(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.data, meter.frame_bytes = {"0001FF00": bytes(20)}, 8
    meter.spoil = lambda request, wire: (
        wire
        if request.control == 0x11
        else encode(Frame(meter.address, 0x92, request.data[:4] + b"\x00\x07"))
    )
    with pytest.raises(BadFrame, match="follow-up frame 7, asked 1"):
        await driver.read(slave, block(slave, "EPF", "EPF1"))


async def test_skips_its_own_echo(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.data, meter.echo = {UA: bytes.fromhex("0110")}, True
    assert await driver.read(slave, block(slave, "Ua")) == [100.1]
    meter.spoil = lambda request, wire: None
    with pytest.raises(NoAnswer):  # an echo is no sign of life
        await driver.read(slave, block(slave, "Ua"))


FOREIGN = [
    pytest.param(Frame("202311150043", 0x91, bytes.fromhex("00010102 9999")), id="another meter"),
    pytest.param(Frame("202311150042", 0x91, bytes.fromhex("00020102 9999")), id="another identifier"),
    pytest.param(Frame("202311150042", 0x94, bytes.fromhex("00010102 9999")), id="another function"),
    pytest.param(Frame("202311150042", 0x91, bytes.fromhex("0001")), id="shorter than an identifier"),
]


@pytest.mark.parametrize("foreign", FOREIGN)
async def test_ignores_what_is_no_answer_to_the_request(line: Line, slave: Slave, foreign: Frame) -> None:
    driver, meter = line
    meter.data = {UA: bytes.fromhex("0110")}
    meter.spoil = lambda request, wire: encode(foreign) + wire
    assert await driver.read(slave, block(slave, "Ua")) == [100.1]
    meter.spoil = lambda request, wire: encode(foreign)
    with pytest.raises(BadFrame):
        await driver.read(slave, block(slave, "Ua"))


async def test_error_byte_has_a_meaning(line: Line, slave: Slave) -> None:
    driver, meter = line
    with pytest.raises(DeviceRefused, match="no such data") as refusal:
        await driver.read(slave, block(slave, "HZ"))
    assert refusal.value.device_code == 2
    meter.spoil = lambda request, wire: encode(Frame(meter.address, 0xD1))
    with pytest.raises(DeviceRefused, match="no reason given"):
        await driver.read(slave, block(slave, "HZ"))


async def test_silence_wrong_checksum_and_cut_frame(
    line: Line, slave: Slave, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "INTER_BYTE_S", 0.05)
    driver, meter = line
    meter.data = {UA: bytes.fromhex("0110")}
    meter.spoil = lambda request, wire: None
    with pytest.raises(NoAnswer, match="80 ms"):
        await driver.read(slave, block(slave, "Ua"))
    meter.spoil = lambda request, wire: wire[:-2] + bytes((wire[-2] ^ 1, 0x16))
    with pytest.raises(BadFrame, match="checksum"):
        await driver.read(slave, block(slave, "Ua"))
    meter.spoil = lambda request, wire: wire[:-3]
    with pytest.raises(BadFrame, match="no whole answer"):
        await driver.read(slave, block(slave, "Ua"))
    meter.spoil = lambda request, wire: b"\x68\x00\x12" + wire
    assert await driver.read(slave, block(slave, "Ua")) == [100.1]
    assert driver.checksum_errors == 1


async def test_babble_does_not_hold_the_line(line: Line, slave: Slave) -> None:
    driver, meter = line

    async def babble() -> None:
        while True:
            await meter.line.write(b"\x55\x68")
            await asyncio.sleep(0.01)

    meter.spoil = lambda request, wire: None
    task = asyncio.create_task(babble())
    async with asyncio.timeout(4):
        for _ in range(2):  # the second one waits for the late answer to the first
            with pytest.raises(BadFrame):
                await driver.read(slave, block(slave, "Ua"))
    task.cancel()


async def test_a_late_refusal_is_not_taken_for_the_next_request(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.data, meter.delay_s = {UA: bytes.fromhex("0110")}, 0.12
    with pytest.raises(NoAnswer):
        await driver.read(slave, block(slave, "HZ"))
    meter.delay_s = 0.0
    assert await driver.read(slave, block(slave, "Ua")) == [100.1]


async def test_shortened_address(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.data = {UA: bytes.fromhex("0110")}
    short = replace(slave, address="AAAAAA150042")
    assert await driver.read(short, block(short, "Ua")) == [100.1]
    assert meter.received[0].address == "AAAAAA150042"


@pytest.mark.parametrize(("raw", "code", "state"), [(0, 0x1A, 0), (1, 0x1C, 1)])
async def test_relay(line: Line, slave: Slave, raw: int, code: int, state: int) -> None:
    driver, meter = line
    meter.set_clock(datetime(2025, 12, 31, 23, 57, 30, tzinfo=UTC))
    meter.data["04000503"] = b"\x10\x00" if raw else b"\x00\x00"
    meter.relay_delay_s = 0.05
    await driver.write(slave, RELAY, raw)
    (sent,) = [frame for frame in meter.received if frame.control == 0x1C]
    assert sent.data == bytes.fromhex("02 563412 21430000") + bytes((code, 0)) + bytes.fromhex("300200010126")
    assert await driver.read(slave, block(slave, "ONOFF")) == [state]


async def test_relay_that_does_not_move_is_recognised_by_the_read_back(
    line: Line, slave: Slave, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver_module, "RELAY_WAIT_S", 0.1)
    monkeypatch.setattr(driver_module, "RELAY_LOOK_S", 0.02)
    driver, meter = line
    meter.set_clock(datetime(2026, 1, 1, tzinfo=UTC))
    meter.data["04000503"], meter.relay_delay_s = b"\x00\x00", 10.0
    await driver.write(slave, RELAY, 0)
    assert await driver.read(slave, block(slave, "ONOFF")) == [1]
    assert len([frame for frame in meter.received if frame.control == 0x1C]) == 1


async def test_relay_refusals(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.set_clock(datetime(2026, 1, 1, tzinfo=UTC))
    wrong = replace(slave, options={"password": "000000"})
    with pytest.raises(DeviceRefused, match="password"):
        await driver.write(wrong, RELAY, 0)
    meter.data["04000101"] = bytes.fromhex("FFFFFFFF")
    with pytest.raises(BadFrame, match="clock"):
        await driver.write(slave, RELAY, 0)
    with pytest.raises(BadValue, match="opened with 0"):
        await driver.write(slave, RELAY, 2)
    with pytest.raises(BadValue, match="02010100 can only be read"):
        await driver.write(slave, Point(slave="m", name="x", address={"item": "Ua"}), 1)


async def test_broken_line_is_port_down(line: Line, slave: Slave) -> None:
    driver, _ = line
    await driver.close()
    with pytest.raises(PortDown):
        await driver.read(slave, block(slave, "Ua"))
