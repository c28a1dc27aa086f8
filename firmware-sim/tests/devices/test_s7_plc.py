"""A simulated Siemens PLC: memory, answers, and its masters over TCP: the agent's driver and python-snap7."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols.s7 import codec
from edge_agent.protocols.s7.codec import Item, Message, Value
from edge_agent.protocols.s7.planner import plan
from edge_agent.protocols.s7.protocol import S7Protocol
from firmware_sim.behaviours import parse
from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.devices.s7.tcp import S7Tcp
from firmware_sim.lines.delivery import Segment, Station
from firmware_sim.plc.siemens import S7Plc
from firmware_sim.plc.siemens_values import S7Value, value_errors
from firmware_sim.process.process import Process
from firmware_sim.process.signals import Setpoint

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "edge-agent" / "tests" / "protocols" / "s7"))
from s7_peers import Peer, python_of  # noqa: E402 (lies beside the agent's tests)

VALUES = [
    S7Value(name="pressure", area="DB", db=1, address=0, type="float", signal="pressure"),
    S7Value(name="setpoint", area="DB", db=1, address=4, type="int16", signal="setpoint", scale=0.1,
            writable=True, min=0, max=100),
    S7Value(name="pump", area="Q", address=0, bit=3, type="bit", signal="pump", writable=True),
    S7Value(name="alarm", area="M", address=10, bit=7, type="bit", value=1),
    S7Value(name="recipe", area="DB", db=1, address=8, type="string", length=10, text="Ofen", writable=True),
    S7Value(name="dwell", area="T", address=5, signal="dwell"),
    S7Value(name="boxes", area="C", address=2, signal="boxes", writable=True),
]  # fmt: skip
SMART = [
    S7Value(name="level", area="V", address=100, type="int32", signal="boxes"),
    S7Value(name="tension", area="AI", address=16, type="int16", signal="setpoint", scale=0.1),
    S7Value(name="seal", area="T", address=37, signal="dwell"),
    S7Value(name="count", area="C", address=5, signal="boxes"),
    S7Value(name="step", area="S", address=1, bit=2, type="bit", value=1),
    S7Value(name="text", area="V", address=200, type="string", length=4, text="ab"),
]


def process() -> Process:
    signals = {"pressure": 1.5, "setpoint": 20.0, "pump": 0.0, "dwell": 12300.0, "boxes": 45.0}
    return Process(
        [Setpoint(name=name, value=value) for name, value in signals.items()], step_s=0.1, seed=1, day_s=0
    )


def ask(plc: S7Plc, job: Message) -> Message:
    answer = plc.session().answer(codec.encode(job))
    assert answer is not None
    return codec.decode(answer)


def read(plc: S7Plc, *items: Item) -> list[Value]:
    return codec.read_values(ask(plc, codec.read_job(7, items)), items)


def write(plc: S7Plc, item: Item, data: bytes) -> int:
    value = Value(0, codec.DATA_BIT if item.transport == codec.BIT else codec.DATA_WORD, data)
    return codec.write_codes(ask(plc, codec.write_job(7, [item], [value])), 1)[0]


def test_memory_shows_the_process() -> None:
    plant = process()
    plc = S7Plc("plc", VALUES, plant, family="300")
    items = [
        Item(2, 6, 1, 0x84, 0), Item(1, 1, 0, 0x82, 3), Item(2, 1, 0, 0x83, 80), Item(0x1D, 1, 0, 0x1D, 5),
        Item(0x1C, 1, 0, 0x1C, 2), Item(2, 12, 1, 0x84, 64),
    ]  # fmt: skip
    assert [value.data for value in read(plc, *items)] == [
        bytes.fromhex("3FC00000 00C8"), b"\0", b"\x80", b"\x11\x23", b"\x00\x45", b"\x0a\x04Ofen" + bytes(6),
    ]  # fmt: skip
    plant.set("pump", 1)
    plc.refresh()
    assert read(plc, items[1])[0].data == b"\1"


def test_the_200_family() -> None:
    plc = S7Plc("plc", SMART, process(), family="200")
    items = [
        Item(2, 4, 1, 0x84, 800), Item(4, 1, 0, 0x06, 128), Item(0x1F, 1, 0, 0x1F, 37),
        Item(0x1E, 1, 0, 0x1E, 5), Item(1, 1, 0, 4, 10), Item(2, 3, 1, 0x84, 1600),
    ]  # fmt: skip
    assert [value.data.hex() for value in read(plc, *items)] == [
        "0000002d", "00c8", "020000300c", "00002d", "01", "026162",
    ]  # fmt: skip


def test_writes_reach_the_process_whole_or_not_at_all() -> None:
    plant = process()
    plc = S7Plc("plc", VALUES, plant, family="300")
    assert write(plc, Item(2, 2, 1, 0x84, 32), b"\x01\xf4") == 0xFF
    assert write(plc, Item(1, 1, 0, 0x82, 3), b"\1") == 0xFF
    assert write(plc, Item(0x1C, 1, 0, 0x1C, 2), b"\x00\x99") == 0xFF
    assert [plant.value(name) for name in ("setpoint", "pump", "boxes")] == [50, 1, 99]
    assert write(plc, Item(2, 2, 1, 0x84, 32), b"\x03\xe9") == 0x03  # 100.1 is above its limit
    assert write(plc, Item(2, 4, 1, 0x84, 0), bytes(4)) == 0x03  # a measured value
    assert write(plc, Item(1, 1, 0, 0x82, 4), b"\1") == 0x03  # no output here
    assert write(plc, Item(2, 8, 1, 0x84, 32), bytes(8)) == 0x03  # half of it is nothing
    assert write(plc, Item(2, 2, 1, 0x84, 32), b"\1") == 0x07
    assert read(plc, Item(2, 2, 1, 0x84, 32))[0].data == b"\x01\xf4"
    assert write(plc, Item(2, 5, 1, 0x84, 72), b"\x04Bier") == 0xFF
    plc.restart()
    assert [plant.value(name) for name in ("setpoint", "pump", "boxes")] == [20, 0, 45]
    assert read(plc, Item(2, 4, 1, 0x84, 72))[0].data == b"\x04Ofe"


def test_refusals() -> None:
    plc = S7Plc("plc", VALUES, process(), family="300")
    codes = [value.code for value in read(
        plc, Item(2, 1, 9, 0x84, 0), Item(2, 2, 1, 0x84, 1000), Item(2, 2, 0, 0x1D, 5), Item(2, 1, 0, 0x81, 0)
    )]  # fmt: skip
    assert codes == [0x0A, 0x05, 0x07, 0xFF]
    assert read(S7Plc("plc", SMART, process(), family="200"), Item(2, 1, 9, 0x84, 0))[0].code == 0x03
    assert ask(plc, codec.read_job(7, [Item(2, 250, 1, 0x83, 0)] * 21)).error == 0x8500
    assert ask(plc, codec.read_job(7, [Item(2, 250, 0, 0x83, 0)])).error == 0x8500  # more than a PDU
    plc.protected = True
    assert ask(plc, codec.read_job(7, [Item(2, 1, 0, 0x83, 0)])).error == 0x8104
    assert plc.session().answer(b"\x32\x01") is None
    assert plc.session().answer(codec.encode(codec.read_answer(1, []))) is None


def test_wrong_values_are_named() -> None:
    wrong = [
        S7Value(name="a", area="V", address=0, value=1),
        S7Value(name="a", area="DB", address=0, type="bit", signal="x", text="y"),
        S7Value(name="b", area="T", address=0, type="string", length=1, text="xy"),
        S7Value(name="c", area="M", address=0, value=1, writable=True),
    ]
    assert [error.field for error in value_errors(wrong, "300")] == [
        "values[0].area", "values[1].db", "values[1].signal", "values[1].text", "values[1].bit",
        "values[1].name", "values[2].length", "values[2].type", "values[3].writable",
    ]  # fmt: skip
    assert list(value_errors(VALUES, "300")) == list(value_errors(SMART, "200")) == []


@asynccontextmanager
async def listening(**words: Any) -> AsyncIterator[tuple[S7Tcp, S7Plc, Station]]:
    plc = S7Plc("plc", VALUES, process(), family="300", **words)
    station = Station("plc", Segment("lan", LINE_KINDS["s7"].framing))
    server = S7Tcp(0, {0x0102: (station, plc)}, None)
    await server.open()
    try:
        yield server, plc, station
    finally:
        server.close()


def point(area: str, offset: int, *, data_type: str = "uint16", **address: Any) -> Point:
    return Point(
        slave="plc", name="p", rw="readwrite", data_type=data_type,
        address={"area": area, "offset": offset, **address},
    )  # type: ignore[arg-type]  # fmt: skip


def slave(timeout_ms: int = 5000, **options: Any) -> Slave:
    return Slave(
        name="plc", port="p", protocol="s7", address="1", response_timeout_ms=timeout_ms,
        options={"model": "300", **options},
    )  # fmt: skip


@asynccontextmanager
async def agent(server: S7Tcp) -> AsyncIterator[Any]:
    port = Port(name="p", type="NET", host="127.0.0.1", port=server.port, min_interval_ms=0)
    driver = S7Protocol("s7").driver(port)
    await driver.connect()
    try:
        yield driver
    finally:
        await driver.close()


async def test_the_agents_driver_reads_and_writes_over_tcp() -> None:
    points = [
        point("DB", 0, db=1, data_type="float"), point("DB", 4, db=1, data_type="int16"),
        point("DB", 8, db=1, data_type="string", length=10), point("Q", 0, bit=3), point("M", 10, bit=7),
        point("T", 5), point("C", 2),
    ]  # fmt: skip
    async with listening() as (server, plc, _), agent(server) as driver:
        (block,) = plan(slave(), points)
        values = dict(zip(block.points, await driver.read(slave(), block), strict=True))
        assert [values[index] for index in range(7)] == [1.5, 200, "Ofen", 0, 1, 12300, 45]
        await driver.write(slave(), points[1], 345)
        await driver.write(slave(), points[2], "Kessel")
        await driver.write(slave(), points[3], 1)
        plc.refresh()
        values = dict(zip(block.points, await driver.read(slave(), block), strict=True))
        assert [values[index] for index in (1, 2, 3)] == [345, "Kessel", 1]
        with pytest.raises(DeviceRefused, match="access not allowed"):
            await driver.write(slave(), points[0], 9.0)


@pytest.mark.parametrize("number", ["6ES7 314-1AG14-0AB0", ""])
async def test_it_says_what_it_is(number: str) -> None:
    async with listening(order_number=number) as (server, _, _), agent(server) as driver:
        assert await driver.identify(slave()) == number


async def test_a_wrong_slot_is_let_go() -> None:
    async with listening() as (server, _, _), agent(server) as driver:
        (block,) = plan(slave(slot=3), [point("M", 0)])
        with pytest.raises(NoAnswer, match="TSAP 0103 refused"):
            await driver.read(slave(slot=3), block)


@pytest.mark.parametrize("fault", ["silent", "half_frame", "foreign_answer", "slow:300"])
async def test_faults_cost_one_answer_each(fault: str) -> None:
    async with listening() as (server, _, station), agent(server) as driver:
        (block,) = plan(slave(), [point("DB", 4, db=1)])
        assert await driver.read(slave(), block) == (200,)
        station.fault = parse(fault, LINE_KINDS["s7"].framing)
        with pytest.raises(NoAnswer):
            await driver.read(slave(200), block)
        station.fault = None
        await asyncio.sleep(0.12)
        assert await driver.read(slave(), block) == (200,)


async def test_every_byte_can_be_watched() -> None:
    seen: list[tuple[str, int]] = []
    async with listening() as (server, _, _), agent(server) as driver:
        (block,) = plan(slave(), [point("DB", 4, db=1)])
        driver.watch(lambda direction, data: seen.append((direction, len(data))))
        await driver.read(slave(), block)
        assert seen == [
            ("request", 22), ("answer", 22), ("request", 25), ("answer", 27), ("request", 31), ("answer", 27),
        ]  # fmt: skip
        driver.watch(None)
        await driver.read(slave(), block)
        assert len(seen) == 6
        driver.watch(lambda direction, data: seen.append((direction, len(data))))
        await driver.connect()
        await driver.read(slave(), block)
        assert len(seen) == 12


async def test_a_lost_connection_is_made_again() -> None:
    async with listening() as (server, _, _), agent(server) as driver:
        (block,) = plan(slave(), [point("DB", 4, db=1)])
        assert await driver.read(slave(), block) == (200,)
        server.disconnect()
        with pytest.raises(PortDown):
            await driver.read(slave(), block)
        assert await driver.read(slave(), block) == (200,)


@pytest.fixture
def python(pytestconfig: pytest.Config) -> Iterator[Path]:
    assert pytestconfig.cache is not None
    yield python_of("peer-requirements.txt", pytestconfig.cache)


async def test_python_snap7_agrees(python: Path) -> None:
    async with listening(pdu=480) as (server, plc, _):
        started = await asyncio.to_thread(Peer, python, "snap7_master.py", "tcp", str(server.port), "0", "2")

        async def peer_result(*words: Any) -> Any:
            return await asyncio.to_thread(peer.ask, *words)

        with started as peer:
            assert await peer_result("pdu") == 480
            assert await peer_result("read", "DB", 1, 0, 6) == "3fc0000000c8"
            assert await peer_result("read", "MK", 0, 10, 1) == "80"
            assert await peer_result("read", "TM", 0, 5, 1) == "1123"
            assert await peer_result("read", "CT", 0, 2, 1) == "0045"
            assert await peer_result("many", ["DB", 1, 0, 4], ["DB", 1, 14, 1], ["MK", 0, 10, 1]) == [
                "3fc00000", "00", "80",
            ]  # fmt: skip
            assert await peer_result("write", "DB", 1, 4, "01f4") is None
            assert await peer_result("bit", "PA", 0, 3, 1) is None
            assert plc.memory.read(0x84, 1, 4, 2) == b"\x01\xf4"
            assert plc.memory.read(0x82, 0, 0, 1) == b"\x08"
            assert "error" in await peer_result("read", "DB", 99, 0, 2)
            assert "error" in await peer_result("write", "DB", 1, 0, "00000000")
