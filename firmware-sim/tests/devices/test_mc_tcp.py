"""A simulated Mitsubishi PLC over real TCP: the agent's driver, its faults, and masters of other hands."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.base import Driver
from edge_agent.protocols.mc.codec import Route
from edge_agent.protocols.mc.config import FRAMES
from firmware_sim.behaviours import parse
from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.devices.mc.cells import McCell
from firmware_sim.devices.mc.plc import McPlc
from firmware_sim.devices.mc.tcp import McTcp
from firmware_sim.lines.delivery import Segment, Station
from firmware_sim.process.process import Process
from firmware_sim.process.signals import Setpoint

HERE = Path(__file__).parent
BUILD_TIMEOUT_S = 60
MASTER_TIMEOUT_S = 10

CELLS = [
    McCell(name="wanted", area="D", offset=100, type="float", signal="wanted", writable=True),
    McCell(name="valve", area="Y", offset=17, type="bit", signal="valve", writable=True),
    McCell(name="level", area="D", offset=102, type="int32", value=-100_000),
    McCell(name="name", area="D", offset=110, type="string", text="Ofen 2"),
    McCell(name="status", area="D", offset=120, value=0x8001),
]


def point(area: str, offset: int, data_type: str = "uint16", **more: Any) -> Point:
    return Point(
        slave="plc",
        name="v",
        data_type=data_type,  # type: ignore[arg-type]
        rw="readwrite",
        address={"area": area, "offset": offset, **more},
    )


POINTS = [
    point("D", 100, "float"), point("D", 102, "int32"), point("D", 110, "string", length=6),
    point("D", 120, bit=15), point("D", 120, bit=1), point("Y", 17), point("D", 0), point("D", 7999),
]  # fmt: skip
VALUES = [12.5, -100_000, "Ofen 2", 1, 0, 1, 0, 0]


class Rig:
    """A simulated PLC and the agent's driver for it. other: a second PLC, at PC number 1."""

    def __init__(self, frame: Any, code: Any) -> None:
        signals = [Setpoint(name="wanted", value=12.5, min=0, max=100), Setpoint(name="valve", value=1)]
        self.process = Process(signals, step_s=0.1, seed=1, day_s=0)
        segment = Segment("line", LINE_KINDS[f"mc_{frame}"].framing)
        self.station, self.other = Station("plc", segment), Station("other", segment)
        model: Any = "FX3U" if frame == "1e" else "FX5"
        plcs = {
            Route(): (self.station, McPlc("plc", model, CELLS, self.process)),
            Route(pc=1): (self.other, McPlc("other", model, [], self.process)),
        }
        self.server = McTcp(0, FRAMES[frame, code], plcs, None)
        self.protocol = PROTOCOLS[f"mc_{frame}"]
        self.slave = self.at_pc(255, frame, code)
        self.neighbour = self.at_pc(1, frame, code)
        self.stranger = self.at_pc(9, frame, code)
        self.driver: Driver

    def at_pc(self, pc: int, frame: str, code: str) -> Slave:
        options: dict[str, Any] = {"code": code, "pc": pc}
        if frame == "3e":
            options["series"] = "FX5"
        return Slave(
            name="plc",
            port="p",
            protocol=f"mc_{frame}",
            address="0",
            response_timeout_ms=300,
            options=options,
        )

    async def read(self, *points: Point, slave: Slave | None = None) -> list[Any]:
        addressed = slave or self.slave
        if self.station.fault is None and addressed is not self.stranger:
            addressed = msgspec.structs.replace(addressed, response_timeout_ms=5000)  # the answer has to come
        values: dict[int, Any] = {}
        for block in self.protocol.plan(addressed, points):
            values.update(zip(block.points, await self.driver.read(addressed, block), strict=True))
        return [values[index] for index in range(len(points))]

    def fault(self, text: str) -> None:
        self.station.fault = parse(text, self.station.segment.framing)


@asynccontextmanager
async def running(frame: str, code: str) -> AsyncIterator[Rig]:
    rig = Rig(frame, code)
    await rig.server.open()
    port = Port(name="p", type="NET", host="127.0.0.1", port=rig.server.port, min_interval_ms=0)
    rig.driver = rig.protocol.driver(port)
    await rig.driver.connect()
    yield rig
    await rig.driver.close()
    rig.server.close()


@pytest.fixture(params=FRAMES, ids="-".join)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    async with running(*request.param) as made:
        yield made


async def test_reads_and_writes_through_the_agents_driver(rig: Rig) -> None:
    assert await rig.read(*POINTS) == VALUES
    await rig.driver.write(rig.slave, POINTS[0], 20.0)
    await rig.driver.write(rig.slave, POINTS[5], 0)
    await rig.driver.write(rig.slave, POINTS[4], 1)  # of a word that the program puts back
    await rig.driver.write(rig.slave, point("D", 7999), 77)
    assert (rig.process.value("wanted"), rig.process.value("valve")) == (20.0, 0)
    assert await rig.read(POINTS[0], POINTS[4], POINTS[5], POINTS[7]) == [20.0, 0, 0, 77]
    assert rig.server.bad_frames == 0


async def test_every_word_of_a_plan_is_read(rig: Rig) -> None:
    points = [point("D", n, "uint16") for n in range(1000, 2200)]
    assert await rig.read(*points) == [0] * len(points)


async def test_the_model_is_answered(rig: Rig) -> None:
    assert await rig.driver.identify(rig.slave) in ("FX3U", "FX5U-32MR/ES")


async def test_a_route_leads_to_its_own_plc(rig: Rig) -> None:
    assert await rig.read(POINTS[1], slave=rig.neighbour) == [0]
    with pytest.raises(NoAnswer):
        await rig.read(POINTS[1], slave=rig.stranger)
    assert await rig.read(POINTS[1]) == [-100_000]


async def test_a_refusal_of_the_plc_reaches_the_agent() -> None:
    async with running("3e", "binary") as rig:
        with pytest.raises(DeviceRefused, match="out of range") as error:
            await rig.read(point("D", 32_760, "string", length=40))
        assert error.value.device_code == 0xC056
        assert await rig.read(POINTS[1]) == [-100_000]


@pytest.mark.parametrize(
    ("fault", "error"), [("silent", NoAnswer), ("half_frame", BadFrame), ("slow:700", NoAnswer)]
)
async def test_faults_cost_a_reading_and_never_give_a_wrong_value(rig: Rig, fault: str, error: Any) -> None:
    rig.fault(fault)
    with pytest.raises(error):
        await rig.read(POINTS[1])
    rig.fault("none")
    assert await rig.read(POINTS[1], POINTS[5]) == [-100_000, 1]


async def test_an_answer_of_another_plc_is_no_value_with_3e(rig: Rig) -> None:
    if rig.slave.protocol != "mc_3e":
        return
    assert await rig.read(POINTS[1], slave=rig.neighbour) == [0]
    rig.fault("foreign_answer")
    with pytest.raises(BadFrame, match="route"):
        await rig.read(POINTS[1])
    rig.fault("wrong_address")
    with pytest.raises(BadFrame, match="route"):
        await rig.read(POINTS[1])
    rig.fault("none")
    assert await rig.read(POINTS[1]) == [-100_000]


async def test_a_restarted_plc_is_found_again(rig: Rig) -> None:
    rig.server.disconnect()
    await asyncio.sleep(0.02)
    with pytest.raises(PortDown):
        await rig.read(POINTS[1])
    await rig.driver.connect()
    assert await rig.read(POINTS[1]) == [-100_000]


async def test_requests_in_pieces_and_together_are_answered_and_garbage_is_let_go(rig: Rig) -> None:
    frame = rig.server.frame
    (block,) = rig.protocol.plan(rig.slave, [POINTS[1]])
    request = block.request  # type: ignore[attr-defined]
    wire = frame.encode_request(request)
    reader, writer = await asyncio.open_connection("127.0.0.1", rig.server.port)
    for byte in wire:
        writer.write(bytes((byte,)))
        await asyncio.sleep(0)
    writer.write(wire + wire)
    size = len(frame.encode_answer(request, frame.decode_answer(request, await _one(frame, request, reader))))
    assert len(await reader.readexactly(2 * size)) == 2 * size
    writer.write(b"\xff" * 40)
    assert await reader.read() == b""
    assert rig.server.bad_frames == 1
    writer.close()


async def _one(frame: Any, request: Any, reader: asyncio.StreamReader) -> bytes:
    held = b""
    while (size := frame.answer_size(request, held)) is None or len(held) < size:
        held += await reader.readexactly(1)
    return held


@pytest.fixture(scope="session")
def python(pytestconfig: pytest.Config) -> Path:
    """Interpreter with the other masters, made once and kept; skips where they cannot be installed."""
    wanted = HERE / "mc-peer-requirements.txt"
    name = hashlib.sha256(wanted.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = pytestconfig.cache.mkdir("mc-peers") / name
    python, done = folder / "bin" / "python", folder / "installed"
    if done.exists():
        return python
    uv = str(Path(sys.executable).parent / "uv")
    for step in (
        [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)],
        [uv, "pip", "install", "--quiet", "--python", str(python), "--require-hashes", "-r", str(wanted)],
    ):
        try:
            made = subprocess.run(step, capture_output=True, text=True, timeout=BUILD_TIMEOUT_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"pymcprotocol and fx3u-mcprotocol cannot be installed: {error}")
        if made.returncode:
            pytest.skip(f"pymcprotocol and fx3u-mcprotocol cannot be installed: {made.stderr[-300:]}")
    done.touch()
    return python


async def call_master(python: Path, kind: str, port: int, *calls: list[Any]) -> list[Any]:
    """What another master got for its calls."""
    words = [str(python), str(HERE / "mc_masters.py"), kind, str(port), json.dumps(calls)]
    master = await asyncio.create_subprocess_exec(
        *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(MASTER_TIMEOUT_S):
            out, err = await master.communicate()
    finally:
        if master.returncode is None:
            master.kill()
    assert master.returncode == 0, err.decode()
    answers: list[Any] = json.loads(out)
    return answers


@pytest.mark.parametrize("code", ["binary", "ascii"])
async def test_pymcprotocol_agrees(python: Path, code: str) -> None:
    async with running("3e", code) as rig:
        answers = await call_master(
            python, f"3e-{code}", rig.server.port,
            ["batchread_wordunits", "D100", 4],
            ["batchwrite_wordunits", "D200", [1, -2, 32767]],
            ["batchread_wordunits", "D200", 3],
            ["batchwrite_bitunits", "M30", [1, 0, 1]],
            ["batchread_bitunits", "M30", 4],
            ["batchread_wordunits", "W1F", 1],
            ["batchread_wordunits", "D32767", 2],
            ["batchread_wordunits", "D0", 960],
        )  # fmt: skip
        assert answers[0] == [0, 0x4148, 31072, -2]
        assert answers[2] == [1, -2, 32767]
        assert answers[4] == [1, 0, 1, 0]
        assert answers[5] == [0]
        assert "C056" in answers[6]["error"].upper()
        assert len(answers[7]) == 960
        assert await rig.read(point("D", 201, "int16"), point("M", 32), point("M", 31)) == [-2, 1, 0]
        await rig.driver.write(rig.slave, point("D", 300, "int32"), -100_000)
        assert await call_master(
            python, f"3e-{code}", rig.server.port, ["batchread_wordunits", "D300", 2]
        ) == [[31072, -2]]


async def test_pymcprotocol_reads_the_model(python: Path) -> None:
    async with running("3e", "binary") as rig:
        assert await call_master(python, "3e-binary", rig.server.port, ["read_cputype"]) == [
            ["FX5U-32MR/ES", "4a21"]
        ]


async def test_fx3u_mcprotocol_agrees(python: Path) -> None:
    async with running("1e", "ascii") as rig:
        await rig.driver.write(rig.slave, point("D", 200, "uint32"), 0x12345678)
        await rig.driver.write(rig.slave, point("M", 101), 1)
        answers = await call_master(
            python, "1e-ascii", rig.server.port,
            ["readRegs", "D200", 2], ["readReg", "D120"], ["readBits", "M100", 4], ["readReg", "R5"],
        )  # fmt: skip
        assert answers == [[0x5678, 0x1234], 0x8001, [False, True, False, False], 0]
