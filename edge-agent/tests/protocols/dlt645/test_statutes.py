"""1997 and 2007 meters on one driver: addresses, follow-up frames, writes, what the wire hears."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.dlt645.codec import WILDCARD, Decoder, Frame, encode
from edge_agent.protocols.dlt645.driver import Dlt645Driver
from edge_agent.protocols.dlt645.planner import MeterBlock, plan

Line = tuple[Dlt645Driver, Any]


def block(slave: Slave, *names: str) -> MeterBlock:
    (found,) = plan(slave, [Point(slave="m", name=name, address={"item": name}) for name in names])
    return found  # type: ignore[return-value]


@pytest.fixture
def old(line: Line, slave: Slave) -> Slave:
    line[1].statute = "1997"
    return replace(slave, protocol="dlt645_1997")


@pytest.fixture
def unknown(slave: Slave) -> Slave:
    return replace(slave, address=WILDCARD)


async def test_reads_a_meter_of_1997(line: Line, old: Slave) -> None:
    driver, meter = line
    meter.data = {"B611": bytes.fromhex("2002"), "B62F": bytes.fromhex("3412 0100 0000 AA")}
    assert await driver.read(old, block(old, "Ua")) == [220]
    assert await driver.read(old, block(old, "Ia", "Ib", "Ic")) == [12.34, 0.01, 0.0]
    assert [(frame.control, frame.data.hex()) for frame in meter.received] == [(0x01, "11b6"), (0x01, "2fb6")]
    with pytest.raises(DeviceRefused, match="no such identifier"):
        await driver.read(old, block(old, "PF"))


async def test_follow_up_frames_of_1997_have_no_number(line: Line, old: Slave) -> None:
    driver, meter = line
    meter.data = {"901F": bytes.fromhex("50000100 10000100 20000200 10000300 10000400")}
    meter.frame_bytes = 8
    values = await driver.read(old, block(old, "EPF", "EPF1", "EPF2", "EPF3", "EPF4"))
    assert values == [100.5, 100.1, 200.2, 300.1, 400.1]
    assert [(frame.control, frame.data.hex()) for frame in meter.received] == [
        (0x01, "1f90"),
        (0x02, "1f90"),
        (0x02, "1f90"),
    ]


async def test_meters_of_both_statutes_share_a_line(line: Line, slave: Slave, old: Slave) -> None:
    driver, meter = line
    meter.data = {"02010100": bytes.fromhex("0122"), "B611": bytes.fromhex("2002")}
    assert await driver.read(old, block(old, "Ua")) == [220]
    meter.statute = "2007"
    assert await driver.read(slave, block(slave, "Ua")) == [220.1]
    by_option = replace(slave, options={**slave.options, "statute": "1997"})
    meter.statute = "1997"
    assert await driver.read(by_option, block(by_option, "Ua")) == [220]


async def test_an_answer_of_the_other_statute_is_none(line: Line, old: Slave) -> None:
    driver, meter = line
    meter.data = {"B611": bytes.fromhex("2002")}
    meter.spoil = lambda request, wire: encode(Frame(meter.address, 0x91, bytes.fromhex("11B60122")))
    with pytest.raises(BadFrame, match="1 frames came, none of them the answer"):
        await driver.read(old, block(old, "Ua"))


async def test_the_address_is_read(line: Line, unknown: Slave) -> None:
    driver, meter = line
    assert await driver.read_address(unknown) == "202311150042"
    assert await driver.identify(unknown) == "202311150042"
    assert [(frame.address, frame.control) for frame in meter.received] == [(WILDCARD, 0x13)] * 2


async def test_the_address_of_1997_is_in_its_answer(line: Line, old: Slave, unknown: Slave) -> None:
    driver, meter = line
    anyone = replace(unknown, protocol="dlt645_1997")
    assert await driver.read_address(anyone) == "202311150042"  # in a refusal too: it has no data
    assert [frame.address for frame in meter.received] == [WILDCARD]
    meter.spoil = lambda request, wire: None if request.address == WILDCARD else wire
    assert await driver.read_address(anyone) == "202311150042"
    assert meter.received[-1].address == "999999999999"
    meter.spoil = lambda request, wire: None
    with pytest.raises(NoAnswer):
        await driver.read_address(anyone)


async def test_a_meter_that_is_known_is_identified_by_a_read(line: Line, slave: Slave) -> None:
    driver, meter = line
    short = replace(slave, address="AAAAAA150042")
    assert await driver.identify(short) == "202311150042"  # a refusal, and an answer
    meter.data = {"00010000": bytes(4)}
    assert await driver.identify(short) == "202311150042"
    with pytest.raises(NoAnswer):
        await driver.identify(replace(slave, address="202311150043"))


async def test_several_meters_at_once_are_no_address(line: Line, unknown: Slave) -> None:
    driver, meter = line
    meter.spoil = lambda request, wire: encode(Frame("202311150042", 0x93, bytes.fromhex("0F0015112320")))
    with pytest.raises(BadFrame, match="several meters"):
        await driver.read_address(unknown)
    meter.spoil = lambda request, wire: bytes(byte & 0x6F for byte in wire)
    with pytest.raises(BadFrame):
        await driver.read_address(unknown)


TIME = Point(slave="m", name="t", rw="readwrite", data_type="string", address={"item": "TIME"})


async def test_write_2007(line: Line, slave: Slave) -> None:
    driver, meter = line
    await driver.write(slave, TIME, "153045")
    assert meter.received[0].control == 0x14
    assert meter.received[0].data == bytes.fromhex("02010004 02 563412 21430000 453015")
    assert await driver.read(slave, plan(slave, [TIME])[0]) == ["153045"]
    limit = Point(
        slave="m",
        name="limit",
        rw="readwrite",
        data_type="double",
        address={"di": "04001003", "length": 4, "decimals": 2},
    )
    await driver.write(slave, limit, 1234.5)
    assert meter.data["04001003"] == bytes.fromhex("50341200")
    with pytest.raises(BadValue, match=r"from 0 to 999999\.99"):
        await driver.write(slave, limit, -1)
    assert len(meter.received) == 3


async def test_write_1997_has_no_operator(line: Line, old: Slave) -> None:
    driver, meter = line
    await driver.write(old, TIME, "153045")
    assert meter.received[0].control == 0x04
    assert meter.received[0].data == bytes.fromhex("11C0 02 563412 453015")
    wrong = replace(old, options={"password": "654321"})
    with pytest.raises(DeviceRefused, match="wrong password"):
        await driver.write(wrong, TIME, "153045")


async def test_a_write_is_never_repeated(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.spoil = lambda request, wire: None
    with pytest.raises(NoAnswer):
        await driver.write(slave, TIME, "153045")
    assert [frame.control for frame in meter.received] == [0x14]


async def test_a_relay_on_a_line_with_echo(line: Line, slave: Slave) -> None:
    driver, meter = line
    meter.echo = True
    meter.set_clock(datetime(2026, 1, 1, tzinfo=UTC))
    meter.data["04000503"] = b"\x10\x00"
    relay = Point(slave="m", name="relay", rw="readwrite", address={"item": "ONOFF"})
    await driver.write(slave, relay, 1)
    assert len([frame for frame in meter.received if frame.control == 0x1C]) == 1
    assert meter.data["04000503"] == b"\x00\x00"


@pytest.mark.parametrize("wake_up", [0, 4, 16])
async def test_wake_up_bytes(line: Line, slave: Slave, wake_up: int) -> None:
    driver, meter = line
    meter.data = {"02010100": bytes.fromhex("0110")}
    meter.spoil = lambda request, wire: b"\xfe" * wake_up + wire
    roused = replace(slave, options={**slave.options, "wake_up": wake_up})
    assert await driver.read(roused, block(roused, "Ua")) == [100.1]
    assert meter.heard[0] == b"\xfe" * wake_up + encode(Frame(slave.address, 0x11, b"\0\1\1\2"), 0)


async def test_what_is_sent_and_received_is_seen_on_a_converter(line: Line, slave: Slave) -> None:
    _, meter = line
    meter.data = {"02010100": bytes.fromhex("0110")}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        decoder = Decoder()
        while data := await reader.read(100):
            for request in decoder.feed(data):
                writer.write(encode(meter.answer(request)))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = Port(name="p", type="NET", host="127.0.0.1", port=server.sockets[0].getsockname()[1])
    protocol = PROTOCOLS["dlt645_2007"]
    driver, seen = protocol.driver(port), list[tuple[Any, bytes]]()
    driver.watch(lambda direction, data: seen.append((direction, data)))
    await driver.connect()
    try:
        await driver.read(slave, block(slave, "Ua"))
        assert [direction for direction, _ in seen] == ["request", "answer"]
        assert [protocol.describe(data, direction).get("value") for direction, data in seen] == [None, 100.1]
        driver.watch(None)
        await driver.read(slave, block(slave, "Ua"))
        assert len(seen) == 2
    finally:
        await driver.close()
        server.close()
