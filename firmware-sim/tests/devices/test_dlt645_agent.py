"""The agent's driver against simulated meters of both statutes on one pseudo terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import DeviceRefused, FieldbusError, NoAnswer
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.dlt645.driver import Dlt645Driver
from edge_agent.transports.serial import SerialTransport

PLANT = """
title: t
signals:
  - {name: u, kind: setpoint, value: 220.4}
  - {name: e, kind: setpoint, value: 1000.5}
  - {name: contact, kind: setpoint, value: 1}
lines:
  - {name: bus, kind: dlt645}
devices:
  - name: new
    kind: dlt645
    line: bus
    address: "202311150042"
    password: "123456"
    relay: contact
    relay_delay_s: 0.1
    frame_bytes: 8
    items: &items
      - {item: Ua, signal: u}
      - {item: EPF, signal: e}
      - {item: EPF1, signal: e, scale: 2}
      - {item: EPF4, signal: e, scale: 4}
  - name: old
    kind: dlt645
    line: bus
    address: "000000063295"
    statute: "1997"
    frame_bytes: 8
    items: *items
"""

NEW = Slave(
    name="new",
    port="bus",
    protocol="dlt645_2007",
    address="202311150042",
    response_timeout_ms=5000,
    options={"password": "123456"},
)
OLD = Slave(
    name="old",
    port="bus",
    protocol="dlt645_2007",
    address="AAAAAA063295",
    response_timeout_ms=5000,
    options={"statute": "1997", "wake_up": 0},
)
RELAY = Point(slave="new", name="relay", rw="readwrite", address={"item": "ONOFF"})
TIME = Point(slave="old", name="t", rw="readwrite", data_type="string", address={"item": "TIME"})


def point(name: str) -> Point:
    return Point(slave="m", name=name, data_type="double", address={"item": name})


@pytest.fixture
async def line(running: Any) -> AsyncIterator[tuple[Any, Dlt645Driver]]:
    simulator = await running(PLANT)
    port = Port(
        name="bus", type="COM", device=str(simulator.link("bus")), baud=2400, parity="E", min_interval_ms=0
    )
    driver = Dlt645Driver(port, SerialTransport(port))
    await driver.connect()
    yield simulator, driver
    await driver.close()


async def read(driver: Dlt645Driver, slave: Slave, *points: Point) -> list[Any]:
    values: dict[int, Any] = {}
    for block in PROTOCOLS[slave.protocol].plan(slave, points):
        values.update(zip(block.points, await driver.read(slave, block), strict=True))  # type: ignore[arg-type]
    return [values[index] for index in range(len(points))]


@pytest.mark.parametrize("fault", ["none", "echo", "noise:3"])
async def test_values_of_both_statutes_in_follow_up_frames(
    line: tuple[Any, Dlt645Driver], fault: str
) -> None:
    simulator, driver = line
    simulator.put_fault("new", fault)
    simulator.put_fault("old", fault)
    energies = [point(name) for name in ("EPF", "EPF1", "EPF2", "EPF4")]
    for slave, voltage in ((NEW, 220.4), (OLD, 220)):
        assert await read(driver, slave, point("Ua")) == [voltage]
        assert await read(driver, slave, *energies) == [1000.5, 500.25, None, 250.12]


async def test_relay_password_and_clock(line: tuple[Any, Dlt645Driver]) -> None:
    simulator, driver = line

    async def pass_time() -> None:
        for step in range(1, 1000):
            simulator.advance(step * 0.05)
            await asyncio.sleep(0.01)

    task = asyncio.create_task(pass_time())
    try:
        for wanted in (0, 1):
            await driver.write(NEW, RELAY, wanted)
            assert await read(driver, NEW, RELAY) == [wanted]
        stranger = Slave(name="new", port="bus", protocol="dlt645_2007", address=NEW.address)
        with pytest.raises(DeviceRefused, match="wrong password"):
            await driver.write(stranger, RELAY, 0)
    finally:
        task.cancel()
    whole = Slave(name="old", port="bus", protocol="dlt645_1997", address="000000063295")
    await driver.write(whole, TIME, "235900")
    (clock_text,) = await read(driver, whole, TIME)
    assert clock_text.startswith("235900")


async def test_addresses(line: tuple[Any, Dlt645Driver]) -> None:
    simulator, driver = line
    simulator.put_fault("old", "silent")
    anyone = Slave(
        name="x", port="bus", protocol="dlt645_2007", address="AAAAAAAAAAAA", response_timeout_ms=5000
    )
    assert await driver.identify(anyone) == "202311150042"
    simulator.put_fault("new", "silent")
    with pytest.raises(NoAnswer):
        await driver.identify(replace(anyone, response_timeout_ms=100))
    simulator.put_fault("old", "none")
    assert await driver.identify(OLD) == "000000063295"


@pytest.mark.parametrize("fault", ["bad_checksum", "half_frame", "wrong_address", "silent"])
async def test_a_faulty_answer_is_an_error_and_the_next_one_a_value(
    line: tuple[Any, Dlt645Driver], fault: str
) -> None:
    simulator, driver = line
    simulator.put_fault("new", fault)
    with pytest.raises(FieldbusError) as error:
        await read(driver, replace(NEW, response_timeout_ms=300), point("Ua"))
    assert isinstance(error.value, NoAnswer) == (fault == "silent")
    simulator.put_fault("new", "none")
    assert await read(driver, NEW, point("Ua")) == [220.4]
