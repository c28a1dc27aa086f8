"""Every fault in front of the agent's own driver: an error or the right value, never a wrong one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, FieldbusError, NoAnswer, PortDown
from edge_agent.protocols import PROTOCOLS
from firmware_sim.app import Simulator
from firmware_sim.behaviours import BEHAVIOURS, parse
from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.errors import FaultError

TIMEOUT_MS = 200
PATIENT_MS = 5000
"""For an answer that has to come, however busy the machine is."""
RIGHT, OTHERS = 50.0, 70.0

PLANT = """
title: t
signals: [{name: own, kind: setpoint, value: 50}, {name: others, kind: setpoint, value: 70}]
lines:
  - {name: lan, kind: modbus_tcp}
  - {name: com1, kind: modbus_rtu}
  - {name: server, kind: modbus_rtu, over: tcp}
  - {name: meters, kind: dlt645}
  - {name: olds, kind: dlt645, over: tcp}
  - {name: plc, kind: s7}
  - {name: ppi, kind: ppi}
  - {name: fx, kind: fx, over: tcp}
  - {name: mc1, kind: mc_1e}
  - {name: mc3, kind: mc_3e, code: ascii}
devices:
  - &slave
    {name: lan1, kind: modbus, line: lan, unit: 1, registers: [
      {name: own, area: 4X, address: 0, type: float, signal: own, writable: true}]}
  - &other
    {name: lan2, kind: modbus, line: lan, unit: 2, registers: [
      {name: others, area: 4X, address: 0, type: float, signal: others}]}
  - {<<: *slave, name: com11, line: com1}
  - {<<: *other, name: com12, line: com1}
  - {<<: *slave, name: server1, line: server}
  - {<<: *other, name: server2, line: server}
  - {name: meters1, kind: dlt645, line: meters, address: "202311150001", items: [{item: Ua, signal: own}]}
  - {name: meters2, kind: dlt645, line: meters, address: "202311150002", items: [{item: Ua, signal: others}]}
  - {name: olds1, kind: dlt645, statute: "1997", line: olds, address: "000011150001", items: [
      {item: Ua, signal: own}]}
  - {name: olds2, kind: dlt645, statute: "1997", line: olds, address: "000011150002", items: [
      {item: Ua, signal: others}]}
  - {name: plc1, kind: s7, line: plc, tsaps: ["0101"], values: [
      {name: own, area: DB, db: 10, address: 4, type: float, signal: own, writable: true}]}
  - {name: plc2, kind: s7, line: plc, tsaps: ["0102"], values: [
      {name: others, area: DB, db: 10, address: 4, type: float, signal: others}]}
  - {name: ppi1, kind: ppi, line: ppi, address: 2, values: [
      {name: own, area: V, address: 4, type: float, signal: own, writable: true}]}
  - {name: ppi2, kind: ppi, line: ppi, address: 3, values: [
      {name: others, area: V, address: 4, type: float, signal: others}]}
  - {name: fx1, kind: fx, line: fx, model: FX3U, cells: [
      {name: own, area: D, offset: 100, type: float, signal: own, writable: true}]}
  - {name: mc11, kind: mc, line: mc1, model: FX3U, cells: [
      {name: own, area: D, offset: 100, type: float, signal: own, writable: true}]}
  - {name: mc31, kind: mc, line: mc3, model: FX5, cells: [
      {name: own, area: D, offset: 100, type: float, signal: own, writable: true}]}
  - {name: mc32, kind: mc, line: mc3, model: Q, network: 2, pc: 3, cells: [
      {name: others, area: D, offset: 100, type: float, signal: others}]}
"""


@dataclass(frozen=True)
class Way:
    """How the agent reaches the devices of a line. options: of each."""

    line: str
    protocol: str
    addresses: tuple[str, ...]
    address: dict[str, Any]
    options: tuple[dict[str, Any], ...] = ({}, {})

    def slave(self, number: int, timeout_ms: int) -> Slave:
        return Slave(
            name=f"{self.line}{number}", port="p", protocol=self.protocol, address=self.addresses[number - 1],
            response_timeout_ms=timeout_ms, retries=0, options=self.options[number - 1],
        )  # fmt: skip

    def point(self, number: int, **more: Any) -> Point:
        return Point(slave=f"{self.line}{number}", name="v", data_type="float", address=self.address, **more)


REGISTER = {"reg_type": "4X", "offset": 0}
WAYS = [
    Way("lan", "modbus_tcp", ("1", "2"), REGISTER),
    Way("com1", "modbus_rtu", ("1", "2"), REGISTER),
    Way("server", "modbus_rtu_tcp", ("1", "2"), REGISTER),
    Way("meters", "dlt645_2007", ("202311150001", "202311150002"), {"item": "Ua"}),
    Way("olds", "dlt645_1997", ("000011150001", "000011150002"), {"item": "Ua"}),
    Way(
        "plc",
        "s7",
        ("1", "2"),
        {"area": "DB", "db": 10, "offset": 4},
        ({"model": "1200"}, {"model": "1200", "slot": 2}),
    ),
    Way("ppi", "ppi", ("2", "3"), {"area": "V", "offset": 4}),
    Way("fx", "fx", ("0",), {"area": "D", "offset": 100}, ({"model": "FX3U"},)),
    Way("mc1", "mc_1e", ("0",), {"area": "D", "offset": 100}, ({},)),
    Way(
        "mc3",
        "mc_3e",
        ("0", "0"),
        {"area": "D", "offset": 100},
        ({"series": "FX5", "code": "ascii"}, {"series": "Q", "code": "ascii", "network": 2, "pc": 3}),
    ),
]
ANY = (NoAnswer, BadFrame, PortDown)
OUTCOMES: dict[str, tuple[bool, tuple[type[FieldbusError], ...]]] = {
    "silent": (False, (NoAnswer,)),
    "slow:20-60": (True, ()),
    "slow:400": (False, (NoAnswer,)),
    "wrong_address": (False, ANY),
    "bad_checksum": (False, ANY),
    "half_frame": (False, ANY),
    "echo": (True, ANY),
    "noise:1": (True, ANY),
    "noise:5": (True, ANY),
    "foreign_answer": (False, ANY),
}
"""Fault to: whether the right value may come, and which errors."""

UNDETECTABLE = {("fx", "foreign_answer"), ("mc_1e", "foreign_answer")}
"""Frames that bear no sign of whom they are from and what they answer."""


class Master:
    """The agent's driver on one line."""

    def __init__(self, simulator: Simulator, way: Way) -> None:
        line = next(line for line in simulator.plant.lines if line.name == way.line)
        port = (
            Port(name="p", type="NET", host="127.0.0.1", port=simulator.port(line.name), min_interval_ms=0)
            if line.tcp
            else Port(name="p", type="COM", device=str(simulator.link(line.name)), min_interval_ms=0)
        )
        self._way = way
        self.protocol = PROTOCOLS[way.protocol]
        self.driver = self.protocol.driver(port)

    async def read(self, number: int = 1, timeout_ms: int = PATIENT_MS) -> Any:
        slave = self._way.slave(number, timeout_ms)
        (block,) = self.protocol.plan(slave, [self._way.point(number)])
        (value,) = await self.driver.read(slave, block)
        return value

    async def read_after_trouble(self) -> Any:
        """The connection may have gone, and garbage may still come."""
        for _ in range(5):
            try:
                return await self.read()
            except PortDown:
                await self.driver.connect()
            except (BadFrame, NoAnswer):
                await asyncio.sleep(0.05)
        return await self.read()


@asynccontextmanager
async def master(simulator: Simulator, way: Way) -> AsyncIterator[Master]:
    made = Master(simulator, way)
    await made.driver.connect()
    try:
        yield made
    finally:
        await made.driver.close()


def fits(way: Way, simulator: Simulator, text: str) -> bool:
    kind = next(line.kind for line in simulator.plant.lines if line.name == way.line)
    try:
        parse(text, LINE_KINDS[kind].framing)
    except FaultError:
        return False
    return True


async def all_faults(simulator: Simulator, way: Way) -> None:
    async with master(simulator, way) as polling:
        for text in OUTCOMES:
            if fits(way, simulator, text) and (way.protocol, text) not in UNDETECTABLE:
                await one_fault(simulator, way, polling, f"{way.line}1", text)


async def one_fault(simulator: Simulator, way: Way, polling: Master, name: str, text: str) -> None:
    may_be_right, errors = OUTCOMES[text]
    assert await polling.read(1) == pytest.approx(RIGHT)
    if len(way.addresses) > 1:
        assert await polling.read(2) == pytest.approx(OTHERS)  # what foreign_answer brings
    simulator.put_fault(name, text)
    assert simulator.faults()[name] == text
    outcome = f"{text} on {way.protocol} gave"
    try:
        got = await polling.read(1, TIMEOUT_MS if errors else PATIENT_MS)
    except FieldbusError as error:
        assert isinstance(error, errors), f"{outcome} {error!r}"
    else:
        assert may_be_right, f"{outcome} {got}"
        assert got == pytest.approx(RIGHT), f"{outcome} {got}"
    simulator.put_fault(name, "none")
    if text == "slow:400":
        await asyncio.sleep(0.25)  # the late answer lies in the driver's way
    assert await polling.read_after_trouble() == pytest.approx(RIGHT), outcome


async def test_no_fault_of_a_device_becomes_a_value(running: Any) -> None:
    simulator: Simulator = await running(PLANT)
    await asyncio.gather(*(all_faults(simulator, way) for way in WAYS))


async def test_a_lines_fault_is_that_of_all_its_devices(running: Any) -> None:
    simulator: Simulator = await running(PLANT)
    way = WAYS[1]
    async with master(simulator, way) as polling:
        for text in ("silent", "bad_checksum", "echo"):
            await one_fault(simulator, way, polling, way.line, text)
        simulator.put_fault(way.line, "silent")
        with pytest.raises(NoAnswer):
            await polling.read(2, TIMEOUT_MS)


async def test_a_reboot_takes_time_and_forgets(running: Any) -> None:
    """The device is away, masters are cut off where it is alone, and its values are those of the start."""
    simulator: Simulator = await running(PLANT)
    ways = [way for way in WAYS if not way.protocol.startswith("dlt645")]  # nothing of a meter's is set here

    async def course(way: Way) -> None:
        async with master(simulator, way) as polling:
            assert await polling.read() == pytest.approx(61)
            simulator.put_fault(way.line, "reboot:1")
            with pytest.raises(FieldbusError):
                await polling.read(1, TIMEOUT_MS)
            await asyncio.sleep(1)
            assert simulator.faults()[way.line] == "none"
            assert await polling.read_after_trouble() == pytest.approx(RIGHT)

    simulator.process.set("own", 61)
    simulator.advance(1)
    await asyncio.gather(*map(course, ways))


async def test_a_reboot_can_be_called_off(running: Any) -> None:
    simulator: Simulator = await running(PLANT)
    simulator.process.set("own", 61)
    simulator.put_fault("com11", "reboot:1")
    simulator.put_fault("com11", "none")
    await asyncio.sleep(1.1)
    assert simulator.process.value("own") == 61


def test_every_behaviour_has_an_outcome() -> None:
    assert {text.partition(":")[0] for text in OUTCOMES} | {"reboot"} == set(BEHAVIOURS)


def test_every_protocol_meets_them() -> None:
    assert {way.protocol for way in WAYS} == set(PROTOCOLS)
