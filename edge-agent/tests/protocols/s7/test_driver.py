"""S7 over ISO-on-TCP: what is taken for an answer, what ends a connection, what a refusal becomes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from edge_agent.config.model import Point, Slave
from edge_agent.errors import BadFrame, BadValue, DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols.s7 import codec, iso
from edge_agent.protocols.s7.planner import S7Block, plan

Link = tuple[Any, Any]
DB1 = (0x84, 1)


def point(offset: int = 0, *, area: str = "DB", data_type: str = "uint16", **address: Any) -> Point:
    place = {"area": area, "offset": offset, **({"db": 1} if area == "DB" else {}), **address}
    return Point(slave="plc", name="p", rw="readwrite", data_type=data_type, address=place)  # type: ignore[arg-type]


def block(slave: Slave, *points: Point) -> S7Block:
    (found,) = plan(slave, points)
    return found  # type: ignore[return-value]


WORD = point()


async def test_connects_with_the_tsaps_and_reads(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.areas = {DB1: bytearray(b"\x12\x34\x00\x00\x41\x48\x00\x00"), (0x82, 0): bytearray(b"\x08")}
    asked = block(slave, WORD, point(4, data_type="float"), point(0, area="Q", bit=3))
    values = dict(zip(asked.points, await driver.read(slave, asked), strict=True))
    assert values == {0: 0x1234, 1: 12.5, 2: 1}
    assert [(c.code, c.calling, c.called) for c in plc.connects] == [(iso.REQUEST, 0x0100, 0x0101)]
    assert len(plc.memory.reads) == 1
    assert await driver.read(slave, asked)
    assert len(plc.connects) == 1


async def test_writes_words_and_single_bits(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    cells = plc.memory.areas[DB1] = bytearray(4)
    await driver.write(slave, WORD, 0xABCD)
    await driver.write(slave, point(2, bit=7), 1)
    await driver.write(slave, point(2, bit=0), 1)
    await driver.write(slave, point(2, bit=7), 0)
    assert cells == b"\xab\xcd\x01\x00"
    assert plc.memory.reads == []  # no read before the write: a bit goes out alone


async def test_a_text_stays_within_the_string_of_the_plc(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    cells = plc.memory.areas[DB1] = bytearray(b"\x04\x00......")
    text = point(data_type="string", length=6)
    await driver.write(slave, text, "Ofen")
    assert cells == b"\x04\x04Ofen.."
    with pytest.raises(BadValue, match="5 bytes, the PLC's string holds 4"):
        await driver.write(slave, text, "Kessel"[:5])
    assert cells == b"\x04\x04Ofen.."
    assert await driver.read(slave, block(slave, text)) == ["Ofen"]


async def test_a_refused_item_does_not_spoil_the_others(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.areas = {DB1: bytearray(b"\x00\x07"), (0x83, 0): bytearray(b"\x00\x09")}
    asked = block(slave, WORD, point(0, db=99), point(0, area="M"))
    with pytest.raises(DeviceRefused, match="object does not exist") as refusal:
        await driver.read(slave, asked)
    good, bad = asked.split(refusal.value)
    assert dict(zip(good.points, await driver.read(slave, good), strict=True)) == {0: 7, 2: 9}
    with pytest.raises(DeviceRefused) as again:
        await driver.read(slave, bad)
    assert bad.split(again.value) == ()
    with pytest.raises(DeviceRefused, match="0x0a"):
        await driver.write(slave, point(0, db=99), 1)


async def test_an_error_of_the_job_itself_has_a_meaning(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.header = 0x8104
    with pytest.raises(DeviceRefused, match="PUT/GET may be disabled") as refusal:
        await driver.read(slave, block(slave, WORD))
    assert refusal.value.device_code == 0x8104


async def test_a_smaller_pdu_is_obeyed(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.pdu = 112
    cells = plc.memory.areas[DB1] = bytearray(range(200))
    points = [point(number * 2) for number in range(100)]
    asked = block(slave, *points)
    values = dict(zip(asked.points, await driver.read(slave, asked), strict=True))
    assert values == {n: int.from_bytes(cells[2 * n : 2 * n + 2], "big") for n in range(100)}
    assert len(plc.memory.reads) == 3
    del cells[150:]
    with pytest.raises(DeviceRefused, match="out of range") as refusal:
        await driver.read(slave, asked)
    assert refusal.value.device_code == 0x10005


async def test_several_racks_have_a_connection_each(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.areas[DB1] = bytearray(2)
    other = replace(slave, name="other", options={"model": "400", "rack": 1, "slot": 4, "pdu": 240})
    for one in (slave, other, slave, other):
        await driver.read(one, block(one, WORD))
    assert [connect.called for connect in plc.connects] == [0x0101, 0x0124]


async def test_late_and_foreign_answers_are_dropped(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    cells = plc.memory.areas[DB1] = bytearray(b"\x00\x01")
    asked = block(slave, WORD)
    assert await driver.read(slave, asked) == (1,)
    plc.delay_s = 0.12
    with pytest.raises(NoAnswer, match="80 ms"):
        await driver.read(slave, asked)
    plc.delay_s, cells[1] = 0.0, 2
    await asyncio.sleep(0.06)  # now the answer of the last request is there, with the old value
    assert await driver.read(slave, asked) == (2,)
    assert driver.strays == 1

    def another_first(wire: bytes) -> bytes:
        return wire[:11] + b"\x77\x77" + wire[13:-1] + b"\x99" + wire

    plc.spoil = another_first
    assert await driver.read(slave, asked) == (2,)
    assert len(plc.connects) == 1


async def test_an_answer_in_small_parts(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.areas[DB1] = bytearray(b"\x00\x05")

    def slowly(wire: bytes) -> None:
        """A byte every millisecond."""
        tasks.append(asyncio.create_task(drip(wire)))

    async def drip(wire: bytes) -> None:
        for byte in wire:
            await plc.line.write(bytes((byte,)))
            await asyncio.sleep(0.001)

    tasks: list[asyncio.Task[None]] = []
    plc.spoil = slowly
    assert await driver.read(slave, block(slave, WORD)) == (5,)
    await asyncio.gather(*tasks)


SPOILT = [
    pytest.param(lambda wire: b"\x55\xaa" + wire, BadFrame, "no TPKT header", id="noise"),
    pytest.param(lambda wire: wire[:9], NoAnswer, "80 ms", id="half a frame"),
    pytest.param(lambda wire: iso.tpkt(b"\x02\xf0\x80\x32\x03"), BadFrame, "no S7 PDU", id="no PDU"),
    pytest.param(lambda wire: iso.encode_connect(iso.Connect(0x80)), PortDown, "ended", id="disconnect"),
]


@pytest.mark.parametrize(("spoil", "error", "says"), SPOILT)
async def test_what_cannot_be_read_ends_the_connection(
    s7: Link, slave: Slave, spoil: Any, error: type[Exception], says: str
) -> None:
    driver, plc = s7
    plc.memory.areas[DB1] = bytearray(b"\x00\x05")
    plc.spoil = spoil
    with pytest.raises(error, match=says):
        await driver.read(slave, block(slave, WORD))
    plc.spoil = lambda wire: wire
    assert await driver.read(slave, block(slave, WORD)) == (5,)
    assert len(plc.connects) == 2


async def test_bytes_behind_an_answer_meet_the_next_one(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.areas[DB1] = bytearray(b"\x00\x05")
    plc.spoil = lambda wire: wire + b"\x00\x00"
    assert await driver.read(slave, block(slave, WORD)) == (5,)
    with pytest.raises(BadFrame, match="no TPKT header"):
        await driver.read(slave, block(slave, WORD))


async def test_an_answer_of_another_length_is_refused(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.areas[DB1] = bytearray(b"\x00\x05")

    def shorter(wire: bytes) -> bytes:
        job = codec.decode(wire[7:])
        value = codec.Value(codec.OK, codec.DATA_WORD, b"\x05")
        return iso.encode_data(codec.encode(codec.read_answer(job.reference, [value])))

    plc.spoil = shorter
    with pytest.raises(BadFrame, match="item of 1 bytes, 2 asked for"):
        await driver.read(slave, block(slave, WORD))


async def test_a_refused_tsap_is_this_slaves_trouble_only(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.confirm = iso.DISCONNECT
    with pytest.raises(NoAnswer, match="TSAP 0101 refused: wrong TSAP"):
        await driver.read(slave, block(slave, WORD))
    plc.confirm = iso.CONFIRM
    plc.memory.areas[DB1] = bytearray(2)
    assert await driver.read(slave, block(slave, WORD)) == (0,)


async def test_a_plc_that_does_not_identify_itself_is_there(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.spoil = lambda wire: None
    assert await driver.identify(slave) == ""
    plc.confirm = iso.DISCONNECT
    with pytest.raises(NoAnswer):
        await driver.identify(replace(slave, options={"model": "300"}))


async def test_silence_is_bounded(s7: Link, slave: Slave) -> None:
    driver, plc = s7
    plc.memory.areas[DB1] = bytearray(2)
    plc.spoil = lambda wire: None
    async with asyncio.timeout(1):
        with pytest.raises(NoAnswer):
            await driver.read(slave, block(slave, WORD))
