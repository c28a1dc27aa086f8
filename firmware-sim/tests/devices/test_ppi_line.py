"""Simulated S7-200 on a line: telegrams of captures, the agent's driver and python-snap7 over a pty."""

from __future__ import annotations

import asyncio
import csv
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, DeviceRefused, FieldbusError, NoAnswer
from edge_agent.protocols.s7 import ppi
from edge_agent.protocols.s7.planner import plan
from edge_agent.protocols.s7.ppi import Telegram
from edge_agent.protocols.s7.protocol import S7Protocol
from firmware_sim.behaviours import parse
from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.devices.ppi.line import PpiLine, PpiStation
from firmware_sim.lines.delivery import Segment, Station
from firmware_sim.lines.place import Place
from firmware_sim.plc.siemens import S7Plc
from firmware_sim.plc.siemens_values import S7Value
from firmware_sim.process.process import Process
from firmware_sim.process.signals import Setpoint

FRAMES = Path(__file__).resolve().parents[3] / "edge-agent" / "tests" / "protocols" / "s7"
sys.path.insert(0, str(FRAMES))
from s7_peers import Peer, python_of  # noqa: E402 (lies beside the frames)


def setpoint(area: str, address: int, **words: Any) -> tuple[Setpoint, S7Value]:
    """A signal and the place that shows it."""
    name = f"{area}{address}_{words.get('bit', '')}"
    signal = Setpoint(name=name, value=words.pop("holds"))
    return signal, S7Value(name=name, area=area, address=address, signal=name, **words)  # type: ignore[arg-type]


def plc() -> S7Plc:
    """Holds what the captures show."""
    made = [
        setpoint("Q", 0, bit=0, type="bit", holds=1, writable=True),
        setpoint("I", 0, bit=5, type="bit", holds=0),
        setpoint("SM", 34, type="uint8", holds=5),
        setpoint("V", 0, type="uint16", holds=0x1234, writable=True),
        setpoint("V", 100, type="uint32", holds=0x12345678, writable=True),
        setpoint("T", 32, holds=32767),
        setpoint("C", 5, holds=21),
        setpoint("AI", 0, type="uint16", holds=0x0102),
        setpoint("AI", 2, type="uint16", holds=0x0304),
        setpoint("M", 0, bit=0, type="bit", holds=0, writable=True),
    ]
    process = Process([signal for signal, _ in made], step_s=0.1, seed=1, day_s=0)
    return S7Plc("plc", [value for _, value in made], process, family="200")


CAPTURED = [
    row
    for row in csv.DictReader((FRAMES / "ppi-frames.csv").read_text().splitlines())
    if row["id"] in {"P1", "P2", "P3", "P8", "P9", "P11", "P12", "P15", "P16", "P17", "P18", "P21"}
]


@pytest.mark.parametrize("row", CAPTURED, ids=lambda row: row["id"])
def test_answers_captured_requests_as_captured(row: dict[str, str]) -> None:
    station = PpiStation(Station("plc", Segment("bus", LINE_KINDS["ppi"].framing)), plc().session())
    (request,) = ppi.Decoder().feed(bytes.fromhex(row["request"]))
    assert station.answer(request) == b"\xe5"
    answer = station.answer(Telegram(2, 0, 0x5C))
    assert answer == bytes.fromhex(row["answer"])
    assert station.answer(Telegram(2, 0, 0x5C)) == answer  # asked for again with the same control byte
    assert station.answer(Telegram(2, 0, 0x7C)) is None


@asynccontextmanager
async def line(tmp_path: Path) -> AsyncIterator[tuple[PpiLine, S7Plc, Station]]:
    segment = Segment("bus", LINE_KINDS["ppi"].framing)
    one, other = plc(), plc()
    stations = [Station(name, segment) for name in ("one", "other")]
    running = PpiLine(Place(tmp_path / "bus"), {2: (stations[0], one), 3: (stations[1], other)}, None)
    running.open()
    try:
        yield running, one, stations[0]
    finally:
        running.close()


@asynccontextmanager
async def agent(device: Path) -> AsyncIterator[Any]:
    port = Port(name="p", type="COM", device=str(device), baud=187500, parity="E", min_interval_ms=0)
    driver = S7Protocol("ppi").driver(port)
    await driver.connect()
    try:
        yield driver
    finally:
        await driver.close()


def point(area: str, offset: int, *, data_type: str = "uint16", **address: Any) -> Point:
    return Point(
        slave="plc", name="p", rw="readwrite", data_type=data_type,
        address={"area": area, "offset": offset, **address},
    )  # type: ignore[arg-type]  # fmt: skip


def slave(address: str = "2", timeout_ms: int = 5000) -> Slave:
    return Slave(name="plc", port="p", protocol="ppi", address=address, response_timeout_ms=timeout_ms)


async def test_the_agents_driver_over_a_pseudo_terminal(tmp_path: Path) -> None:
    points = [
        point("V", 100, data_type="uint32"), point("T", 32, data_type="uint32"), point("C", 5),
        point("AI", 2), point("SM", 34, data_type="uint8"), point("Q", 0, bit=0),
    ]  # fmt: skip
    async with line(tmp_path) as (running, one, _), agent(tmp_path / "bus") as driver:
        (block,) = plan(slave(), points)
        for address in ("2", "3"):
            values = dict(zip(block.points, await driver.read(slave(address), block), strict=True))
            assert [values[index] for index in range(6)] == [0x12345678, 32767, 21, 0x0304, 5, 1]
        await driver.write(slave(), point("V", 0), 77)
        await driver.write(slave(), point("M", 0, bit=0), 1)
        assert one.memory.read(0x84, 1, 0, 2) == b"\0M"
        assert one.memory.read(0x83, 0, 0, 1) == b"\1"
        with pytest.raises(DeviceRefused):
            await driver.write(slave(), point("V", 50), 1)
        with pytest.raises(NoAnswer):
            await driver.read(slave("9", 300), block)
        assert await driver.identify(slave()) == "S7-200, SMB6 = 00"
        assert running.checksum_errors == 0


async def test_every_byte_can_be_watched(tmp_path: Path) -> None:
    seen: list[str] = []
    async with line(tmp_path), agent(tmp_path / "bus") as driver:
        (block,) = plan(slave(), [point("V", 0)])
        driver.watch(lambda direction, data: seen.append(f"{direction} {data[0]:02X}"))
        await driver.read(slave(), block)
        assert seen == ["request 68", "answer E5", "request 10", "answer 68"]


FAULTS = [
    ("silent", NoAnswer), ("bad_checksum", BadFrame), ("half_frame", FieldbusError),
    ("wrong_address", BadFrame), ("foreign_answer", FieldbusError), ("slow:450", FieldbusError),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "error"), FAULTS, ids=[name for name, _ in FAULTS])
async def test_faults_cost_one_answer_each(tmp_path: Path, fault: str, error: type[Exception]) -> None:
    async with line(tmp_path) as (_, _, station), agent(tmp_path / "bus") as driver:
        (block,) = plan(slave(), [point("V", 0)])
        (other,) = plan(slave("3"), [point("AI", 0)])
        assert await driver.read(slave("3"), other) == (0x0102,)
        station.fault = parse(fault, LINE_KINDS["ppi"].framing)
        with pytest.raises(error):
            await driver.read(slave(timeout_ms=300), block)
        station.fault = None
        assert await driver.read(slave(), block) == (0x1234,)
        assert await driver.read(slave("3"), other) == (0x0102,)


@pytest.mark.parametrize("fault", ["echo", "noise:3", "slow:20"])
async def test_faults_that_cost_nothing(tmp_path: Path, fault: str) -> None:
    async with line(tmp_path) as (_, _, station), agent(tmp_path / "bus") as driver:
        (block,) = plan(slave(), [point("V", 0)])
        station.fault = parse(fault, LINE_KINDS["ppi"].framing, seed="1")
        assert await driver.read(slave(), block) == (0x1234,)


async def test_python_snap7_agrees(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    assert pytestconfig.cache is not None
    python = python_of("peer-requirements.txt", pytestconfig.cache)
    async with line(tmp_path) as (running, one, _):
        device = str((tmp_path / "bus").resolve())
        started = await asyncio.to_thread(Peer, python, "snap7_master.py", "ppi", device, "2")

        async def peer_result(*words: Any) -> Any:
            return await asyncio.to_thread(peer.ask, *words)

        with started as peer:
            assert await peer_result("read", "V", 100, 4) == "12345678"
            assert await peer_result("read", "AI", 0, 2) == "01020304"
            assert await peer_result("read", "SM", 34, 1) == "05"
            assert await peer_result("read", "M", 0, 1) == "00"
            assert await peer_result("write", "V", 100, "0000abcd") is None
            assert one.memory.read(0x84, 1, 100, 4) == b"\0\0\xab\xcd"
            assert "error" in await peer_result("write", "V", 50, "0001")
        assert running.checksum_errors == 0
