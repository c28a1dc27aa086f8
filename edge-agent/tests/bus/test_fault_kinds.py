"""Behind each fault of the simulated devices the pulse names its kind, on a serial line and over TCP."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from simulated_plant import Sink, number_points

from edge_agent.bus import Bus
from edge_agent.config.load import parse
from edge_agent.forwarding.cloud.slave_health import health_of
from edge_agent.points import LiveTable
from edge_contract.payloads import SlaveHealth
from firmware_sim.control import put_fault

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.timeout(120)]

SEEN_WITHIN_S = 20.0
PLANT = """
title: faults by kind
signals:
  - {name: level, kind: setpoint, value: 12.5, min: 0, max: 100}
lines:
  - {name: lan, kind: modbus_tcp}
  - {name: rs485, kind: modbus_rtu}
devices:
  - &slave
    name: tcp
    kind: modbus
    line: lan
    unit: 1
    registers:
      - {name: level, area: 4X, address: 0, type: float, signal: level}
  - {<<: *slave, name: rtu, line: rs485, unit: 3}
  - {<<: *slave, name: rtu_other, line: rs485, unit: 4}
"""
AGENT = """
[gateway]
id = "gw-test"
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = {port}
[[ports]]
name = "com1"
type = "COM"
device = "{device}"
[[slaves]]
name = "tcp"
port = "lan"
protocol = "modbus_tcp"
address = "1"
response_timeout_ms = 300
retries = 0
[[slaves]]
name = "rtu"
port = "com1"
protocol = "modbus_rtu"
address = "3"
response_timeout_ms = 300
retries = 0
[[slaves]]
name = "rtu_other"
port = "com1"
protocol = "modbus_rtu"
address = "4"
response_timeout_ms = 300
"""
POINT = """
[[points]]
slave = "{slave}"
name = "p{offset}"
data_type = "float"
address = {{ reg_type = "4X", offset = {offset} }}
"""


@pytest.fixture
def plant(tmp_path: Any) -> Iterator[dict[str, Any]]:
    file, state = tmp_path / "plant.yaml", tmp_path / "state"
    file.write_text(PLANT, encoding="utf-8")
    words = [sys.executable, "-m", "firmware_sim", "run", str(file), "--state", str(state)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline()) | {"state": state}
    finally:
        process.terminate()
        process.communicate(timeout=30)


async def kind_of(bus: Bus, slave: str, wanted: str) -> list[str]:
    """Kinds of the slave's faults as the pulse tells them, once the newest is the wanted one."""
    async with asyncio.timeout(SEEN_WITHIN_S):
        while True:
            health: SlaveHealth = next(health_of(one) for one in bus.states() if one.slave == slave)
            kinds = [fault.kind for fault in health.bus.faults] if health.bus else []
            if kinds[:1] == [wanted]:
                return kinds
            await asyncio.sleep(0.05)


@pytest.mark.clause("C-151")
@pytest.mark.parametrize(
    ("slave", "fault", "kind"),
    [
        ("rtu", "bad_checksum", "checksum"),
        ("rtu", "foreign_answer", "foreign_answer"),
        ("rtu", "silent", "no_answer"),
        ("rtu", "slow:900", "no_answer"),
        ("tcp", "foreign_answer", "foreign_answer"),
        ("tcp", "silent", "no_answer"),
    ],
)
async def test_a_fault_is_reported_by_its_kind(
    plant: dict[str, Any], slave: str, fault: str, kind: str
) -> None:
    names = ("tcp", "rtu", "rtu_other")
    points = "".join(POINT.format(slave=name, offset=0) for name in names)
    text = AGENT.format(port=plant["modbus_port"], device=plant["lines"]["rs485"]) + points
    configuration = parse(text)
    bus = Bus(configuration, number_points(configuration), Sink(), LiveTable())
    task = asyncio.create_task(bus.run())
    try:
        async with asyncio.timeout(SEEN_WITHIN_S):
            while not all(state.online for state in bus.states()):  # noqa: ASYNC110 (states announce nothing)
                await asyncio.sleep(0.05)
        await asyncio.to_thread(put_fault, plant["state"], slave, fault)
        await kind_of(bus, slave, kind)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.clause("C-151")
async def test_an_exception_has_its_code_and_a_refused_connection_is_reported(plant: dict[str, Any]) -> None:
    text = AGENT.format(port=plant["modbus_port"], device=plant["lines"]["rs485"])
    configuration = parse(text + POINT.format(slave="tcp", offset=5000))
    bus = Bus(configuration, number_points(configuration), Sink(), LiveTable())
    task = asyncio.create_task(bus.run())
    try:
        await kind_of(bus, "tcp", "exception")
        (state,) = [one.bus for one in bus.states() if one.slave == "tcp"]
        assert state is not None and state.faults[0].code == 2
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    nobody = parse(AGENT.format(port=1, device="/dev/none") + POINT.format(slave="tcp", offset=0))
    bus = Bus(nobody, number_points(nobody), Sink(), LiveTable())
    task = asyncio.create_task(bus.run())
    try:
        await kind_of(bus, "tcp", "connection_refused")
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
