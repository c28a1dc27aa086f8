"""Against an independent implementation: its frame codec, and its meter on a serial line.

Only what it does by the standard: it puts signs on every number, and knows no follow-up frame and no relay.
"""

from __future__ import annotations

import asyncio
import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.protocols.dlt645.codec import Decoder, Frame, encode
from edge_agent.protocols.dlt645.driver import Dlt645Driver
from edge_agent.protocols.dlt645.items import items
from edge_agent.protocols.dlt645.planner import plan
from edge_agent.transports.serial import SerialTransport

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "peer-requirements.txt"
WIRE_FRAMES = [row["frame"] for row in csv.DictReader((HERE / "frames.csv").read_text().splitlines())]
MALFORMED = list(csv.DictReader((HERE / "malformed.csv").read_text().splitlines()))
INSTALL_TIMEOUT_S = 60.0
START_TIMEOUT_S = 30.0
ADDRESS = "202311150042"


@pytest.fixture(scope="module")
def peer() -> Path:
    """Python of the peer's own environment, made once and kept in the user's cache."""
    mark = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:12]
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / f"edge-peer-dlt645-{mark}"
    python, done = home / "bin" / "python", home / "complete"
    if not done.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True, capture_output=True)
            subprocess.run(
                [python, "-m", "pip", "install", "-q", "--require-hashes", "-r", REQUIREMENTS],
                check=True,
                capture_output=True,
                timeout=INSTALL_TIMEOUT_S,
            )
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"the peer's environment cannot be made: {error}")
        done.touch()
    return python


BUILT = [Frame(ADDRESS, control, bytes(range(control % 200))) for control in range(256)]


@pytest.fixture(scope="module")
def read_by_peer(peer: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object] | None]:
    """What the peer reads in every frame, golden, malformed and built here, by its hex."""
    wires = [*WIRE_FRAMES, *(row["bytes"] for row in MALFORMED), *(encode(frame, 4).hex() for frame in BUILT)]
    done = subprocess.run(
        [peer, HERE / "peer.py", "codec"],
        input="\n".join(wires),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # it logs there
        cwd=tmp_path_factory.mktemp("peer"),
        check=True,
        timeout=30,
    )
    return dict(zip(wires, map(json.loads, done.stdout.splitlines()), strict=True))


Read = dict[str, dict[str, object] | None]


def test_the_peer_reads_and_builds_the_same_frames(read_by_peer: Read) -> None:
    for wire in WIRE_FRAMES:
        fields = read_by_peer[wire]
        (frame,) = Decoder().feed(bytes.fromhex(wire))
        assert fields is not None
        built = encode(frame, int(str(fields["wake_up"]))).hex()
        assert fields["rebuilt"] == built == bytes.fromhex(wire).hex()
        assert fields["address"] == frame.address
        assert (fields["control"], fields["data"]) == (frame.control, frame.data.hex())


def test_the_peer_sees_no_frame_where_there_is_none(read_by_peer: Read) -> None:
    for row in MALFORMED:
        assert (read_by_peer[row["bytes"]] is not None) == (int(row["frames"]) > 0)


def test_the_peer_reads_what_is_built_here(read_by_peer: Read) -> None:
    for frame in BUILT:
        fields = read_by_peer[encode(frame, 4).hex()]
        assert fields is not None
        assert fields["address"] == frame.address
        assert (fields["control"], fields["data"]) == (frame.control, frame.data.hex())


VALUES = {"Ua": 220.1, "Ia": 5.123, "PS": 1.2345, "PF": 0.987, "HZ": 50.01, "EP": 12.34, "EPF": 123456.78}


@pytest.fixture
async def meter_line(peer: Path, tmp_path: Path) -> AsyncIterator[Port]:
    """A null modem of two pseudo terminals with the peer's meter at the far end."""
    if shutil.which("socat") is None:
        pytest.skip("socat is not installed")
    near, far = tmp_path / "near", tmp_path / "far"
    cable = await asyncio.create_subprocess_exec(
        "socat", f"pty,raw,echo=0,link={near}", f"pty,raw,echo=0,link={far}"
    )
    meter: asyncio.subprocess.Process | None = None
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            for _ in range(1000):
                if near.exists() and far.exists():
                    break
                await asyncio.sleep(0.01)
            values = {items()[name].di: value for name, value in VALUES.items()}
            meter = await asyncio.create_subprocess_exec(
                *(peer, HERE / "peer.py", "meter", far.resolve(), ADDRESS, json.dumps(values)),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=tmp_path,
            )
            assert meter.stdout is not None
            while b"ready" not in await meter.stdout.readline():
                assert not meter.stdout.at_eof()
        yield Port(name="p", type="COM", device=str(near), baud=9600, min_interval_ms=5)
    finally:
        for process in (meter, cable):
            if process is not None and process.returncode is None:
                process.kill()
                await process.wait()


async def test_reads_the_peers_meter(meter_line: Port) -> None:
    driver = Dlt645Driver(meter_line, SerialTransport(meter_line))
    await driver.connect()
    slave = Slave(name="m", port="p", protocol="dlt645_2007", address=ADDRESS, options={"blocks": False})
    try:
        for block in plan(slave, [Point(slave="m", name=name, address={"item": name}) for name in VALUES]):
            (value,) = await driver.read(slave, block)  # type: ignore[arg-type]
            assert value == list(VALUES.values())[block.points[0]]
        assert await driver.read_address(slave) == ADDRESS
    finally:
        await driver.close()


def test_quicker_than_the_peer_though_it_makes_values(peer: Path, tmp_path: Path) -> None:
    """Processor time of both in one run; the peer stops at bytes."""
    names = ["Ua", "EPF", "PS"]
    slave = Slave(name="m", port="p", protocol="dlt645_2007", address=ADDRESS)
    points = [Point(slave="m", name=name, address={"item": name}) for name in names]
    blocks = [plan(slave, [point])[0] for point in points]
    wires = [
        encode(Frame(ADDRESS, 0x91, block.di + bytes(item.length - 1) + b"\x12"), 4)  # type: ignore[attr-defined]
        for block, item in zip(blocks, (items()[name] for name in names), strict=True)
    ]
    decoder, ours = Decoder(), 0.0
    for _ in range(20):
        begin = time.process_time()
        for _ in range(500):
            for wire, block in zip(wires, blocks, strict=True):
                for frame in decoder.feed(wire):
                    assert frame.data[:4] == block.di  # type: ignore[attr-defined]
                    block.decode(frame.data[4:])  # type: ignore[attr-defined]
        ours = max(ours, 1500 / (time.process_time() - begin))
    theirs = subprocess.run(
        [peer, HERE / "peer.py", "speed", "600"],
        input="\n".join(wire.hex() for wire in wires),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        check=True,
        timeout=60,
    )
    print(f"{ours:.0f} frames/s to values, the peer {float(theirs.stdout):.0f} to bytes")
    assert ours > 2 * float(theirs.stdout)
