"""The agent's drivers read and write every point of the scenario that has one device of each protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from edge_agent.config.load import parse
from edge_agent.config.model import Configuration, Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols import PROTOCOLS
from firmware_sim import scenario
from firmware_sim.app import Simulator

Value = float | str | None


def configuration(simulator: Simulator) -> Configuration:
    """Of the scenario, with the ports that were free."""
    text = scenario.gateway_toml(
        "protocol_zoo",
        gateway="gw-demo-0001",
        cloud_url="mqtt://127.0.0.1:1883",
        plant=str(simulator.link("x").parent),
        first_port=5020,
        local_port=8090,
    )
    agent = parse(text)
    tcp = {line.name for line in simulator.plant.lines if line.tcp}
    ports = [
        replace(port, port=simulator.port(port.name)) if port.name in tcp else port for port in agent.ports
    ]
    return replace(agent, ports=ports)


@asynccontextmanager
async def driver_of(agent: Configuration, slave: Slave) -> AsyncIterator[Any]:
    port = next(port for port in agent.ports if port.name == slave.port)
    driver = PROTOCOLS[slave.protocol].driver(port)
    await driver.connect()
    try:
        yield driver
    finally:
        await driver.close()


async def read(agent: Configuration, slave: Slave, points: Sequence[Point]) -> dict[str, Value]:
    """Engineering values by name."""
    values: dict[str, Value] = {}
    async with driver_of(agent, slave) as driver:
        blocks = list(PROTOCOLS[slave.protocol].plan(slave, points))
        while blocks:
            block = blocks.pop(0)
            try:
                raw = await driver.read(slave, block)
            except DeviceRefused as refused:
                blocks += block.split(refused)
                continue
            for index, value in zip(block.points, raw, strict=True):
                point = points[index]
                text = isinstance(value, str | None)
                values[point.name] = value if text else value * point.ratio + point.bias
    return values


def points_of(agent: Configuration, slave: Slave) -> list[Point]:
    return [point for point in agent.points if point.slave == slave.name]


async def zoo(running: Any) -> tuple[Simulator, Configuration]:
    simulator = await running(scenario.plant_file("protocol_zoo").read_text(encoding="utf-8"))
    simulator.advance(60)
    return simulator, configuration(simulator)


async def test_one_device_of_each_protocol_says_what_the_process_is(running: Any) -> None:
    simulator, agent = await zoo(running)
    assert {slave.protocol for slave in agent.slaves} == set(PROTOCOLS)
    process = simulator.process
    wanted: dict[str, float] = {
        name: process.value(name) for name in ("temperature", "target", "pump", "too_hot")
    }
    wanted |= {"status": process.value("pump") + 2 * process.value("too_hot"), "alarm": wanted["too_hot"]}
    wanted |= {"contact": 1, "reads": 1, "Ua": process.value("voltage"), "supply": process.value("voltage")}
    wanted |= {"PS": process.value("power"), "EPF": process.value("energy")}
    by_slave = await asyncio.gather(*(read(agent, slave, points_of(agent, slave)) for slave in agent.slaves))
    for slave, values in zip(agent.slaves, by_slave, strict=True):
        points = points_of(agent, slave)
        assert set(values) == {point.name for point in points}, slave.name
        for point in points:
            value = values[point.name]
            if point.name == "model":
                assert isinstance(value, str)
                assert value.startswith("ZOO-"), slave.name
                continue
            assert value == pytest.approx(wanted[point.name], abs=1.0), f"{slave.name}.{point.name}"
            assert isinstance(value, float | int)
            assert point.min is None or value >= point.min
            assert point.max is None or value <= point.max


async def test_writes_reach_the_process_over_every_protocol(running: Any) -> None:
    simulator, agent = await zoo(running)
    written = 0
    for number, slave in enumerate(agent.slaves):
        writable = {point.name: point for point in points_of(agent, slave) if point.rw != "readonly"}
        if "target" not in writable:
            continue
        target, pump = writable["target"], writable["pump"]
        wanted = 30.5 + number
        async with driver_of(agent, slave) as driver:
            raw = wanted / target.ratio
            await driver.write(slave, target, raw if target.data_type == "float" else round(raw))
            await driver.write(slave, pump, number % 2)
        assert simulator.process.value("target") == pytest.approx(wanted), slave.name
        assert simulator.process.value("pump") == number % 2, slave.name
        assert (await read(agent, slave, [target]))["target"] == pytest.approx(wanted), slave.name
        written += 1
    assert written == len(agent.slaves) - 2  # the meters have none


def test_lines_take_the_ports_that_follow(tmp_path: Path) -> None:
    text = scenario.gateway_toml(
        "protocol_zoo",
        gateway="gw-demo-0001",
        cloud_url="mqtt://127.0.0.1:1883",
        plant=str(tmp_path),
        first_port=5020,
        local_port=8090,
    )
    ports = {port.name: port.port for port in parse(text).ports if port.type == "NET"}
    assert ports == {
        "modbus_tcp": 5020,
        "modbus_rtu_tcp": 5021,
        "dlt645_1997": 5022,
        "s7": 5023,
        "mc_1e": 5024,
        "mc_3e": 5025,
    }
