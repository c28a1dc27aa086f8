"""The session with a PLC over TCP: what is taken for an answer, and what becomes of the rest."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from edge_agent.config.model import Point, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols.mc.config import habits_of, place_of
from edge_agent.protocols.mc.driver import McDriver
from edge_agent.protocols.mc.planner import McBlock, plan

Line = tuple[McDriver, Any, Slave]


def at(area: str, offset: int, data_type: str = "uint16", **more: Any) -> Point:
    return Point(
        slave="s",
        name="x",
        data_type=data_type,  # type: ignore[arg-type]
        rw="readwrite",
        address={"area": area, "offset": offset, **more},
    )


def code(slave: Slave, area: str) -> int:
    return place_of(at(area, 0), habits_of(slave)).area.code


def block(slave: Slave, *points: Point) -> McBlock:
    (found,) = plan(slave, points)
    assert isinstance(found, McBlock)
    return found


def filled(plc: Any, slave: Slave, *words: int) -> None:
    plc.words |= {(code(slave, "D"), n): word for n, word in enumerate(words)}


async def test_reads_words_and_bits(line: Line) -> None:
    driver, plc, slave = line
    filled(plc, slave, 0x5678, 0x1234, 7)
    assert await driver.read(slave, block(slave, at("D", 0, "uint32"), at("D", 2))) == [0x12345678, 7]
    plc.bits[code(slave, "Y"), 16] = 1
    found = block(slave, at("Y", 17), at("Y", 20), at("Y", 21))
    assert dict(zip(found.points, await driver.read(slave, found), strict=True)) == {0: 0, 1: 1, 2: 0}
    assert plc.connections == 1


async def test_writes_every_kind(line: Line) -> None:
    driver, plc, slave = line
    d = code(slave, "D")
    await driver.write(slave, at("D", 10, "float"), 1.5)
    assert (plc.words[d, 10], plc.words[d, 11]) == (0, 0x3FC0)
    await driver.write(slave, at("M", 5), 1)
    assert plc.bits == {(code(slave, "M"), 5): 1}
    await driver.write(slave, at("M", 5), 0)
    assert plc.bits == {(code(slave, "M"), 5): 0}
    await driver.write(slave, at("D", 20, "string", length=5), "abc")
    assert [plc.words[d, n] for n in (20, 21, 22)] == [0x6261, 0x63, 0]
    plc.words[d, 30] = 0x8001
    await driver.write(slave, at("D", 30, bit=4), 1)
    await driver.write(slave, at("D", 30, bit=0), 0)
    await driver.write(slave, at("D", 30, "uint8", byte="high"), 0x12)
    assert plc.words[d, 30] == 0x1210


async def test_wrong_values_leave_nothing_written(line: Line) -> None:
    driver, plc, slave = line
    for point, raw in ((at("M", 5), 2), (at("D", 1), 70000), (at("D", 1, bit=3), 2), (at("D", 1), "x")):
        with pytest.raises(BadValue):
            await driver.write(slave, point, raw)
    assert [request for request in plc.received if request.command == "write"] == []


async def test_identifies_its_model(line: Line) -> None:
    driver, _, slave = line
    assert await driver.identify(slave) == ("FX3U" if slave.protocol == "mc_1e" else "FX5U-32MR/ES")


async def test_an_end_code_is_a_refusal_with_words_and_keeps_the_connection(line: Line) -> None:
    driver, plc, slave = line
    plc.refusal, words = (0x58, "head device") if slave.protocol == "mc_1e" else (0xC056, "out of range")
    with pytest.raises(DeviceRefused, match=words) as error:
        await driver.read(slave, block(slave, at("D", 0)))
    assert error.value.device_code == plc.refusal
    plc.refusal = 0x99
    with pytest.raises(DeviceRefused, match="unknown end code"):
        await driver.write(slave, at("D", 0), 1)
    plc.refusal = 0
    assert await driver.read(slave, block(slave, at("D", 0))) == [0]
    assert plc.connections == 1


async def test_abnormal_code_and_a_silent_plc(line: Line) -> None:
    driver, plc, slave = line
    if slave.protocol != "mc_1e":
        return
    for plc.refusal, words in ((0x5B10, "PC number"), (0x5B17, "cannot answer")):
        with pytest.raises(DeviceRefused, match=words) as error:
            await driver.read(slave, block(slave, at("D", 0)))
        assert error.value.device_code == plc.refusal
    plc.refusal = 0x60
    with pytest.raises(NoAnswer, match="in time"):
        await driver.read(slave, block(slave, at("D", 0)))


async def test_an_answer_in_many_parts_is_one_answer(line: Line) -> None:
    driver, plc, slave = line
    filled(plc, slave, 0x1234, 0x5678)
    plc.spoil = lambda wire: [(0.001, wire[n : n + 1]) for n in range(len(wire))]
    assert await driver.read(slave, block(slave, at("D", 0), at("D", 1))) == [0x1234, 0x5678]


async def test_silence_and_half_an_answer(line: Line) -> None:
    driver, plc, slave = line
    filled(plc, slave, 9)
    plc.spoil = lambda wire: []
    begun = asyncio.get_running_loop().time()
    with pytest.raises(NoAnswer, match="200 ms"):
        await driver.read(slave, block(slave, at("D", 0)))
    plc.spoil = lambda wire: [(0.0, wire[:-1])]
    with pytest.raises(BadFrame, match="broke off"):
        await driver.read(slave, block(slave, at("D", 0)))
    assert asyncio.get_running_loop().time() - begun < 1.0
    plc.spoil = lambda wire: [(0.0, wire)]
    assert await driver.read(slave, block(slave, at("D", 0))) == [9]
    assert plc.connections == 3


async def test_a_late_answer_never_meets_the_next_request(line: Line) -> None:
    driver, plc, slave = line
    filled(plc, slave, 1, 2)
    plc.spoil = lambda wire: [(0.25, wire)]
    with pytest.raises(NoAnswer):
        await driver.read(slave, block(slave, at("D", 0)))
    plc.spoil = lambda wire: [(0.0, wire)]
    assert await driver.read(slave, block(slave, at("D", 1))) == [2]
    assert driver.reconnects == 1


async def test_bytes_that_nobody_requested_lead_to_a_new_connection(line: Line) -> None:
    driver, plc, slave = line
    filled(plc, slave, 3)
    plc.spoil = lambda wire: [(0.0, wire), (0.02, wire)]  # twice
    assert await driver.read(slave, block(slave, at("D", 0))) == [3]
    async with asyncio.timeout(5):
        while plc.sent < 2:  # noqa: ASYNC110 (a counter announces nothing)
            await asyncio.sleep(0.005)
    await asyncio.sleep(0.05)
    plc.words.clear()
    plc.spoil = lambda wire: [(0.0, wire)]
    assert await driver.read(slave, block(slave, at("D", 0))) == [0]
    assert plc.connections == 2


@pytest.mark.parametrize("spoil", ["twice", "noise", "echo", "cut and filled"])
async def test_garbage_is_no_value(line: Line, spoil: str) -> None:
    driver, plc, slave = line
    filled(plc, slave, 5)
    wanted = block(slave, at("D", 0))
    echo = wanted.frame.encode_request(wanted.request)
    plc.spoil = {
        "twice": lambda wire: [(0.0, wire + wire)],
        "noise": lambda wire: [(0.0, b"\x55" + wire)],
        "echo": lambda wire: [(0.0, echo + wire)],
        "cut and filled": lambda wire: [(0.0, wire[1:] + b"\x55")],
    }[spoil]
    for _ in range(2):
        with pytest.raises(BadFrame):
            await driver.read(slave, wanted)
    plc.spoil = lambda wire: [(0.0, wire)]
    assert await driver.read(slave, wanted) == [5]


async def test_another_plcs_answer_is_no_value(line: Line) -> None:
    driver, plc, slave = line
    if slave.protocol != "mc_3e":
        return
    front, other = (2, b"\x01") if plc.frame.code == "binary" else (4, b"01")
    plc.spoil = lambda wire: [(0.0, wire[:front] + other + wire[front + len(other) :])]
    with pytest.raises(BadFrame, match="route"):
        await driver.read(slave, block(slave, at("D", 0)))


async def test_a_gone_plc_is_port_down_and_comes_back(line: Line) -> None:
    driver, plc, slave = line
    await driver.close()
    with pytest.raises(PortDown):
        await driver.read(slave, block(slave, at("D", 0)))
    assert await driver.read(slave, block(slave, at("D", 0))) == [0]
    assert plc.connections == 2


async def test_what_is_sent_and_received_can_be_watched_and_described(line: Line) -> None:
    driver, plc, slave = line
    seen: list[tuple[str, bytes]] = []
    driver.watch(lambda direction, data: seen.append((direction, data)))
    await driver.read(slave, block(slave, at("D", 0)))
    driver.watch(None)
    await driver.read(slave, block(slave, at("D", 0)))
    assert [direction for direction, _ in seen] == ["request", "answer"]
    assert plc.frame.decode_request(seen[0][1]) == plc.received[0]
