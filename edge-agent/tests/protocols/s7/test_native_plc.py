"""The driver against a PLC of the native snap7 library, over TCP.

Its timers and counters are right at number 0 only: it takes other numbers for bits, also from its own client.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.s7.planner import plan
from edge_agent.protocols.s7.protocol import S7Protocol

sys.path.insert(0, str(Path(__file__).parent))
from s7_peers import Peer, python_of

PLC = Slave(
    name="plc", port="p", protocol="s7", address="1", response_timeout_ms=10000,
    options={"model": "300", "pdu": 480},
)  # fmt: skip


def point(area: str, offset: int, *, data_type: str = "uint16", **address: Any) -> Point:
    return Point(
        slave="plc", name="p", rw="readwrite", data_type=data_type,
        address={"area": area, "offset": offset, **address},
    )  # type: ignore[arg-type]  # fmt: skip


@pytest.fixture
def native(pytestconfig: pytest.Config) -> Any:
    assert pytestconfig.cache is not None
    with Peer(python_of("native-peer-requirements.txt", pytestconfig.cache), "native_plc.py") as peer:
        yield peer


@pytest.fixture
async def driver(native: Peer) -> AsyncIterator[Any]:
    native.ask("area", "DB", 1, bytes(range(256)).hex() * 2)
    native.ask("area", "DB", 7, "0a0548656c6c6f0000000000" + "41480000" + "00" * 16)
    native.ask("area", "M", 0, "80" + "00" * 15)
    native.ask("area", "Q", 0, "00" * 16)
    native.ask("area", "T", 0, "1123" + "0000" * 7)
    native.ask("area", "C", 0, "0123" + "0000" * 7)
    port = Port(name="p", type="NET", host="127.0.0.1", port=native.ask("start"), min_interval_ms=0)
    made = S7Protocol("s7").driver(port)
    await made.connect()
    yield made
    await made.close()


async def read(driver: Any, *points: Point) -> list[Any]:
    result: dict[int, Any] = {}
    for block in plan(PLC, points):
        result.update(zip(block.points, await driver.read(PLC, block), strict=True))
    return [result[index] for index in range(len(points))]


async def test_every_area_in_one_request(driver: Any) -> None:
    points = [
        point("DB", 0, db=1), point("DB", 7, db=1, data_type="uint8"),
        point("DB", 100, db=1, data_type="int32"),
        point("DB", 12, db=7, data_type="float"), point("DB", 0, db=7, data_type="string", length=10),
        point("M", 0, bit=7), point("M", 0, bit=6), point("T", 0), point("C", 0),
    ]  # fmt: skip
    assert len(plan(PLC, points)) == 1
    assert await read(driver, *points) == [0x0001, 7, 0x64656667, 12.5, "Hello", 1, 0, 12300, 123]


async def test_more_than_a_pdu(driver: Any) -> None:
    points = [point("DB", 2 * number, db=1) for number in range(256)]
    values = await read(driver, *points)
    assert values[:128] == [(2 * n) << 8 | 2 * n + 1 for n in range(128)]
    assert values[128:] == values[:128]


async def test_writes_reach_their_place_and_no_other(driver: Any, native: Peer) -> None:
    await driver.write(PLC, point("DB", 16, db=7, data_type="float"), 12.5)
    await driver.write(PLC, point("DB", 0, db=7, data_type="string", length=10), "Ofen 1")
    await driver.write(PLC, point("M", 0, bit=0), 1)
    await driver.write(PLC, point("M", 0, bit=7), 0)
    await driver.write(PLC, point("C", 0), 45)
    held = await asyncio.to_thread(native.ask, "held", "DB", 7)
    assert bytes.fromhex(held)[:20] == b"\x0a\x06Ofen 1\0\0\0\0\x41\x48\0\0\x41\x48\0\0"
    assert (await asyncio.to_thread(native.ask, "held", "M", 0)).startswith("0100")
    assert (await asyncio.to_thread(native.ask, "held", "C", 0)).startswith("00450000")


async def test_a_missing_block_and_a_short_one(driver: Any) -> None:
    asked = [point("M", 0), point("DB", 0, db=99), point("DB", 500, db=7)]
    (block,) = plan(PLC, asked)
    with pytest.raises(DeviceRefused) as refusal:
        await driver.read(PLC, block)
    good = block.split(refusal.value)[0]
    assert good.points == (0,)
    assert list(await driver.read(PLC, good)) == [0x8000]
    for index, says in ((1, "does not exist"), (2, "out of range")):
        with pytest.raises(DeviceRefused, match=says):
            await read(driver, asked[index])
        with pytest.raises(DeviceRefused, match=says):
            await driver.write(PLC, asked[index], 1)


async def test_it_says_what_it_is(driver: Any) -> None:
    assert await driver.identify(PLC) == "6ES7 315-2EH14-0AB0"
