"""PPI: request, acknowledgement, polls; a line that echoes, is noisy, late or silent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from edge_agent.config.model import Point, Slave
from edge_agent.errors import BadFrame, DeviceRefused, NoAnswer
from edge_agent.protocols.s7 import ppi
from edge_agent.protocols.s7.planner import S7Block, plan
from edge_agent.protocols.s7.ppi import Telegram

Line = tuple[Any, Any]
V = (0x84, 1)


def point(offset: int = 0, *, area: str = "V", data_type: str = "uint16", **address: Any) -> Point:
    place = {"area": area, "offset": offset, **address}
    return Point(slave="plc", name="p", rw="readwrite", data_type=data_type, address=place)  # type: ignore[arg-type]


def block(slave: Slave, *points: Point) -> S7Block:
    (found,) = plan(slave, points)
    return found  # type: ignore[return-value]


async def test_the_two_steps(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.memory.areas = {V: bytearray(b"\x12\x34"), (0x1F, 0): bytearray(5 * 40), (0x06, 0): bytearray(4)}
    plc.memory.areas[0x1F, 0][37 * 5 : 38 * 5] = bytes.fromhex("02 00007FFF")
    asked = block(station, point(), point(37, area="T", data_type="uint32"), point(2, area="AI"))
    values = dict(zip(asked.points, await driver.read(station, asked), strict=True))
    assert values == {0: 0x1234, 1: 32767, 2: 0}
    assert [telegram.control for telegram in plc.heard] == [0x6C, 0x5C]


async def test_a_busy_plc_is_polled_in_turn(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.memory.areas[V] = bytearray(b"\x00\x07")
    plc.busy = 3
    assert await driver.read(station, block(station, point())) == (7,)
    assert [telegram.control for telegram in plc.heard] == [0x6C, 0x5C, 0x7C, 0x5C, 0x7C]
    plc.busy = 1000
    async with asyncio.timeout(1):
        with pytest.raises(NoAnswer, match="80 ms"):
            await driver.read(station, block(station, point()))


async def test_writes(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.memory.areas = {V: bytearray(8), (0x82, 0): bytearray(1)}
    await driver.write(station, point(2), 0x1234)
    await driver.write(station, point(0, area="Q", bit=5), 1)
    await driver.write(station, point(4, data_type="string", length=3), "ab")
    assert plc.memory.areas == {V: b"\0\0\x12\x34\x02ab\0", (0x82, 0): b"\x20"}
    with pytest.raises(DeviceRefused, match="out of range"):
        await driver.write(station, point(100), 1)


async def test_a_refused_item(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.memory.areas, plc.memory.sick = {V: bytearray(b"\x00\x07")}, {0x05: 0x03}
    asked = block(station, point(), point(0, area="SM"))
    with pytest.raises(DeviceRefused, match="access not allowed") as refusal:
        await driver.read(station, asked)
    good, _ = asked.split(refusal.value)
    assert await driver.read(station, good) == (7,)
    plc.memory.header = 0x8500
    with pytest.raises(DeviceRefused, match="length fields disagree"):
        await driver.read(station, good)


async def test_skips_its_own_echo(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.memory.areas[V], plc.echo = bytearray(b"\x00\x07"), True
    assert await driver.read(station, block(station, point())) == (7,)


def spoilt(wire: bytes, **words: Any) -> bytes:
    """The answer with other addresses, or another reference."""
    (telegram,) = ppi.Decoder().feed(wire)
    pdu = bytearray(telegram.pdu)
    pdu[5] ^= words.get("reference", 0)
    return ppi.encode(Telegram(words.get("to", telegram.to), words.get("by", telegram.by), 0x08, bytes(pdu)))


@pytest.mark.parametrize("words", [{"by": 3}, {"to": 1}], ids=str)
async def test_answers_of_and_to_others_are_passed_over(
    line: Line, station: Slave, words: dict[str, int]
) -> None:
    driver, plc = line
    plc.memory.areas[V] = bytearray(b"\x00\x07")
    plc.spoil = lambda wire: spoilt(wire, **words) + wire
    assert await driver.read(station, block(station, point())) == (7,)
    plc.spoil = lambda wire: spoilt(wire, **words)
    with pytest.raises(BadFrame, match="no whole answer"):
        await driver.read(station, block(station, point()))


async def test_an_answer_to_an_earlier_job_is_none(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.memory.areas[V] = bytearray(b"\x00\x07")
    plc.spoil = lambda wire: spoilt(wire, reference=0x40)
    with pytest.raises(NoAnswer):
        await driver.read(station, block(station, point()))
    assert driver.strays == 1
    plc.spoil = lambda wire: wire
    plc.delay_s = 0.13
    with pytest.raises(NoAnswer):
        await driver.read(station, block(station, point()))
    plc.delay_s = 0.0
    assert await driver.read(station, block(station, point())) == (7,)


@pytest.mark.parametrize(("spoil", "error", "says"), [
    pytest.param(lambda wire: wire[:-2] + bytes((wire[-2] ^ 1, 0x16)), BadFrame, "checksum", id="checksum"),
    pytest.param(lambda wire: wire[:-3], BadFrame, "no whole answer", id="half a frame"),
    pytest.param(lambda wire: None, NoAnswer, "80 ms", id="no answer to the poll"),
])  # fmt: skip
async def test_what_is_no_answer(
    line: Line, station: Slave, spoil: Any, error: type[Exception], says: str
) -> None:
    driver, plc = line
    plc.memory.areas[V] = bytearray(b"\x00\x07")
    plc.spoil = spoil
    with pytest.raises(error, match=says):
        await driver.read(station, block(station, point()))
    plc.spoil = lambda wire: wire
    assert await driver.read(station, block(station, point())) == (7,)


async def test_noise_before_the_answer_and_silence(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.memory.areas[V] = bytearray(b"\x00\x07")
    for noise in (b"\x00\xff", b"\x68\x20\x20", b"\x68\x20\x20\x68\x00\x02", b"\x10\x00"):
        plc.spoil = lambda wire, noise=noise: noise + wire  # type: ignore[misc]
        assert await driver.read(station, block(station, point())) == (7,)
    plc.mute = True
    async with asyncio.timeout(1):
        with pytest.raises(NoAnswer, match="80 ms"):
            await driver.read(station, block(station, point()))


async def test_babble_does_not_hold_the_line(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.mute = True

    async def babble() -> None:
        while True:
            await plc.line.write(b"\x55\x68")
            await asyncio.sleep(0.01)

    task = asyncio.create_task(babble())
    async with asyncio.timeout(1):
        with pytest.raises(BadFrame):
            await driver.read(station, block(station, point()))
    task.cancel()


async def test_a_flood_of_acknowledgements_does_not_hold_the_line(line: Line, station: Slave) -> None:
    driver, plc = line
    plc.mute = True
    task = asyncio.create_task(driver.read(station, block(station, point())))
    await asyncio.sleep(0.02)
    await plc.line.write(b"\xe5" * 8192)
    async with asyncio.timeout(3):
        with pytest.raises((NoAnswer, BadFrame)):
            await task


PLC, MASTER = 2, 0
WIRE = ppi.encode(Telegram(PLC, MASTER, 0x6C, bytes(range(1, 28))))
POLL = ppi.encode(Telegram(PLC, MASTER, 0x5C))


@pytest.mark.parametrize(
    ("wire", "telegrams", "discarded", "wrong_sums", "pending"),
    [
        (WIRE, 1, 0, 0, 0),
        (b"\xdc\x02\x00" + POLL + b"\xe5" + WIRE, 3, 0, 0, 0),
        (b"\x00\xff" + POLL + b"\x16", 1, 3, 0, 0),
        (b"\x68\x04\x05\x68" + POLL, 1, 4, 0, 0),
        (b"\x68\x04\x04\x00" + POLL, 1, 4, 0, 0),
        (b"\x68\x03\x03\x68" + POLL, 1, 4, 0, 0),
        (b"\x68\xfa\xfa\x68" + POLL, 1, 4, 0, 0),
        (POLL[:-1] + b"\x17" + POLL, 1, 6, 0, 0),
        (POLL[:-2] + b"\x00\x16" + POLL, 1, 6, 1, 0),
        (POLL[:5], 0, 0, 0, 5),
        (WIRE[:2], 0, 0, 0, 2),
        (WIRE[:3], 0, 0, 0, 3),
        (WIRE[:4], 0, 0, 0, 4),
        (b"\x68\xf9\xf9\x68", 0, 0, 0, 4),
        (WIRE[:-1], 0, 0, 0, len(WIRE) - 1),
        (b"\xdc\x02", 0, 0, 0, 2),
    ],
)
def test_every_byte_that_is_of_no_telegram_is_counted_once(
    wire: bytes, telegrams: int, discarded: int, wrong_sums: int, pending: int
) -> None:
    """However the bytes come in; a token between masters is no noise."""
    for size in (len(wire), 1, 2, 3, 4, 5):
        decoder = ppi.Decoder()
        found = [one for at in range(0, len(wire), size) for one in decoder.feed(wire[at : at + size])]
        counts = (len(found), decoder.discarded_bytes, decoder.checksum_errors, decoder.pending)
        assert counts == (telegrams, discarded, wrong_sums, pending), size
        assert decoder.give_up() == []
        assert (decoder.discarded_bytes, decoder.pending) == (discarded + pending, 0)


def test_a_telegram_behind_what_looked_like_a_beginning_is_decoded_in_silence() -> None:
    decoder = ppi.Decoder()
    assert decoder.feed(b"\x68\x20\x20\x68" + POLL) == []
    assert decoder.give_up() == [Telegram(PLC, MASTER, 0x5C)]
    assert (decoder.discarded_bytes, decoder.pending) == (4, 0)


@pytest.mark.parametrize("size", [1, 246])
def test_the_shortest_and_the_longest_pdu_of_a_telegram(size: int) -> None:
    telegram = Telegram(PLC, MASTER, 0x6C, bytes(range(1, size + 1)))
    wire = ppi.encode(telegram)
    assert (wire[:4], len(wire)) == (bytes((0x68, size + 3, size + 3, 0x68)), size + 9)
    assert ppi.Decoder().feed(wire) == [telegram]
    decoder = ppi.Decoder()
    assert [one for byte in wire for one in decoder.feed(bytes((byte,)))] == [telegram]
    assert ppi.LONGEST == 255


def test_an_acknowledgement_is_one_byte() -> None:
    assert ppi.encode(ppi.ACKNOWLEDGE) == b"\xe5"
    assert ppi.Decoder().feed(b"\xe5\xe5") == [ppi.ACKNOWLEDGE, ppi.ACKNOWLEDGE]
