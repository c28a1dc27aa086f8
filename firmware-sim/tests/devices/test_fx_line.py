"""A controller on a pseudo terminal and behind a TCP port, asked by the agent's own driver."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, DeviceRefused, FieldbusError, NoAnswer
from edge_agent.protocols import PROTOCOLS
from firmware_sim.behaviours import parse
from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.devices.fx.cells import FxCell
from firmware_sim.devices.fx.line import FxLine
from firmware_sim.devices.fx.plc import FxPlc
from firmware_sim.lines.delivery import Segment, Station
from firmware_sim.lines.place import Place
from firmware_sim.process.process import Process
from firmware_sim.process.signals import Setpoint

FX = PROTOCOLS["fx"]
CELLS = [
    {"name": "setpoint", "area": "D", "offset": 100, "type": "float", "signal": "setpoint", "writable": True},
    {"name": "valve", "area": "Y", "offset": 17, "type": "bit", "signal": "valve", "writable": True},
    {"name": "strokes", "area": "CN", "offset": 200, "type": "int32", "value": -100_000},
    {"name": "recipe", "area": "D", "offset": 200, "type": "string", "text": "PUMPE"},
    {"name": "status", "area": "D", "offset": 300, "value": 0x8001},
    {"name": "running", "area": "M", "offset": 8000, "type": "bit", "value": 1},
    {"name": "type", "area": "D", "offset": 8101, "value": 16305},
]


def point(area: str, offset: int, data_type: Any = "uint16", **address: Any) -> Point:
    return Point(
        slave="plc", name="v", data_type=data_type, rw="readwrite",
        address={"area": area, "offset": offset, **address},
    )  # fmt: skip


POINTS = [
    point("D", 100, "float"), point("Y", 17), point("CN", 200, "int32"), point("D", 200, "string", length=6),
    point("D", 300, bit=15), point("D", 300, bit=14), point("M", 8000), point("D", 0), point("Y", 16),
]  # fmt: skip
VALUES = [12.5, 1, -100_000, "PUMPE", 1, 0, 1, 0, 0]
SETPOINT, VALVE = POINTS[:2]


class Rig:
    """A simulated controller and the agent's driver."""

    def __init__(self, place: Place) -> None:
        signals = [Setpoint(name="setpoint", value=12.5, min=0, max=100), Setpoint(name="valve", value=1)]
        self.process = Process(signals, step_s=0.1, seed=1, day_s=0)
        self.station = Station("plc", Segment("line", LINE_KINDS["fx"].framing))
        cells = [msgspec.convert(each, FxCell) for each in CELLS]
        self.plc = FxPlc("plc", "FX3U", cells, self.process)
        self.line = FxLine(place, self.station, self.plc)
        self.slave = Slave(
            name="plc", port="p", protocol="fx", address="0", response_timeout_ms=400, retries=0,
            options={"model": "FX3U"},
        )  # fmt: skip
        self.driver: Any = None

    def port(self) -> Port:
        if self.line.place.port is not None:
            return Port(name="p", type="NET", host="127.0.0.1", port=self.line.place.port, min_interval_ms=0)
        device = str(self.line.place.link)
        return Port(name="p", type="COM", device=device, data_bits=7, parity="E", min_interval_ms=0)

    async def read(self, *points: Point) -> list[Any]:
        by_index: dict[int, Any] = {}
        slave = self.slave
        if self.station.fault is None:
            slave = msgspec.structs.replace(slave, response_timeout_ms=5000)  # the answer has to come
        for block in FX.plan(slave, points):
            by_index.update(zip(block.points, await self.driver.read(slave, block), strict=True))
        return [by_index[index] for index in range(len(points))]

    def fault(self, text: str) -> None:
        self.station.fault = parse(text, LINE_KINDS["fx"].framing, seed="1")


@asynccontextmanager
async def opened(place: Place) -> AsyncIterator[Rig]:
    rig = Rig(place)
    rig.line.open()
    try:
        port = rig.port()
        FX.validate_slave(rig.slave, port)
        rig.driver = FX.driver(port)
        await rig.driver.connect()
        yield rig
        await rig.driver.close()
    finally:
        rig.line.close()


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with opened(Place(tmp_path / "com1")) as made:
        yield made


async def test_reads_and_writes_over_a_pseudo_terminal(rig: Rig) -> None:
    await check_reads_and_writes(rig)


async def test_reads_and_writes_behind_a_serial_device_server() -> None:
    async with opened(Place(None)) as rig:
        await check_reads_and_writes(rig)


async def check_reads_and_writes(rig: Rig) -> None:
    assert await rig.read(*POINTS) == VALUES
    assert await rig.driver.identify(rig.slave) == "FX3U V3.05"
    await rig.driver.write(rig.slave, SETPOINT, 55.5)
    await rig.driver.write(rig.slave, VALVE, 0)
    await rig.driver.write(rig.slave, point("D", 300, bit=14), 1)
    await rig.driver.write(rig.slave, point("D", 7998, "int32"), -5)
    assert (rig.process.value("setpoint"), rig.process.value("valve")) == (55.5, 0)
    assert await rig.read(SETPOINT, VALVE, point("D", 7998, "int32")) == [55.5, 0, -5]


async def test_the_trace_sees_both_directions(rig: Rig) -> None:
    seen: list[tuple[str, bytes]] = []
    rig.driver.watch(lambda direction, data: seen.append((direction, bytes(data))))
    assert await rig.read(VALVE) == [1]
    sent = [data for direction, data in seen if direction == "request"]
    came = b"".join(data for direction, data in seen if direction == "answer")
    assert [FX.describe(data, "request").get("command", "ENQ") for data in sent] == ["ENQ", "read"]
    assert came[:1] == b"\x06"
    assert FX.describe(came[1:], "answer")["data"] == "80"


OUTCOMES: dict[str, tuple[bool, tuple[type[FieldbusError], ...]]] = {
    "silent": (False, (NoAnswer,)),
    "slow:20-60": (True, ()),
    "slow:600": (False, (NoAnswer,)),
    "bad_checksum": (False, (BadFrame,)),
    "half_frame": (False, (BadFrame, NoAnswer)),
    "echo": (True, ()),
    "noise:3": (True, (BadFrame, NoAnswer)),
}


@pytest.mark.parametrize("text", OUTCOMES)
async def test_no_fault_becomes_a_value(rig: Rig, text: str) -> None:
    may_be_right, errors = OUTCOMES[text]
    assert await rig.read(SETPOINT) == [12.5]
    rig.fault(text)
    for _ in range(2):
        with suppress(*errors):
            assert (await rig.read(SETPOINT), may_be_right) == ([12.5], True)
    rig.fault("none")
    rig.process.set("setpoint", 77)
    rig.plc.refresh()
    assert (await rig.read(SETPOINT, VALVE)) == [77, 1]


async def test_a_hole_is_refused(rig: Rig) -> None:
    rig.slave = msgspec.structs.replace(rig.slave, options={"model": "FX1S"})
    with pytest.raises(DeviceRefused, match="NAK"):
        await rig.read(point("D", 0))


async def test_a_request_with_a_wrong_sum_is_answered_with_nak(tmp_path: Path) -> None:
    rig = Rig(Place(tmp_path / "com1"))
    rig.line.open()
    master = os.open(tmp_path / "com1", os.O_RDWR | os.O_NOCTTY)
    try:
        for sent, answer in (
            (b"\x02E00400002\x03C1", b"\x15"),
            (b"\x02E00400002\x03CE", b"\x020000\x03C3"),
            (b"\x05\x05", b"\x06\x06"),
        ):
            os.write(master, sent)
            await readable(master)
            assert os.read(master, 64) == answer
        assert rig.line.checksum_errors == 1
        os.write(master, b"\x02E0040")
        await asyncio.sleep(0.15)  # breaks off
        os.write(master, b"\x05")
        await readable(master)
        assert os.read(master, 64) == b"\x06"
    finally:
        os.close(master)
        rig.line.close()


async def readable(end: int) -> None:
    """A read that waits would hold up who answers."""
    async with asyncio.timeout(20):
        while not select.select([end], [], [], 0)[0]:  # noqa: ASYNC110 (a reader would have to read)
            await asyncio.sleep(0.005)


async def test_byte_time(tmp_path: Path) -> None:
    """At 9600 baud a read of 62 bytes takes its 142 characters."""
    async with opened(Place(tmp_path / "com1", char_s=10 / 9600)) as rig:
        points = [point("D", number) for number in range(31)]
        await rig.read(points[0])
        loop, took = asyncio.get_running_loop(), []
        for _ in range(4):  # a busy machine makes one late, hardly all of them
            begin = loop.time()
            assert len(await rig.read(*points)) == 31
            took.append(loop.time() - begin)
        assert 0.135 < min(took) < 0.3
