"""The simulator between two masters that share no code: mbpoll (on libmodbus) and the driver, with faults."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, NoAnswer
from edge_agent.protocols.modbus.driver import ModbusDriver
from edge_agent.protocols.modbus.planner import plan
from firmware_sim.control import put_fault

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

TIMEOUT_S = 30.0
SIMULATOR = [sys.executable, "-m", "firmware_sim"]
PLANT = """
title: mbpoll and the driver
signals:
  - {name: level, kind: setpoint, value: 12.5, min: 0, max: 100}
  - {name: pump, kind: setpoint, value: 1}
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
      - {name: level, area: 4X, address: 0, type: float, signal: level, writable: true}
      - {name: fixed, area: 3X, address: 1, value: 7, count: 124}
      - {name: pump, area: 0X, address: 0, type: bit, signal: pump, writable: true}
      - {name: pump_runs, area: 1X, address: 0, type: bit, signal: pump}
  - {<<: *slave, name: rtu, line: rs485, unit: 3}
  - {<<: *slave, name: rtu_other, line: rs485, unit: 4}
"""


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A running simulator: what it says when it is ready, and its state folder."""
    folder = tmp_path_factory.mktemp("plant")
    file, state = folder / "plant.yaml", folder / "state"
    file.write_text(PLANT, encoding="utf-8")
    words = [*SIMULATOR, "run", str(file), "--state", str(state)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline()) | {"state": state}
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_S)


@pytest.fixture(params=["tcp", "rtu"])
def mbpoll(request: pytest.FixtureRequest, plant: dict[str, Any]) -> Any:
    """mbpoll(reference, type, *words) is what it printed of values, or its complaint."""
    program = shutil.which("mbpoll")
    if program is None:
        pytest.skip("mbpoll is not installed: apt-get install mbpoll")
    if request.param == "tcp":
        line, where = ["-m", "tcp", "-p", str(plant["modbus_port"]), "-a", "1"], "127.0.0.1"
    else:
        line, where = ["-m", "rtu", "-b", "9600", "-P", "none", "-a", "3"], str(plant["lines"]["rs485"])

    def run(reference: int, kind: str, *options: str, values: tuple[str, ...] = ()) -> list[str]:
        words = [program, *line, "-0", "-1", "-B", "-r", str(reference), "-t", kind, *options, where, *values]
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode:
            return [done.stderr.strip().splitlines()[-1]]
        return re.findall(r"^\[\d+\]:\s+(\S+)", done.stdout, re.MULTILINE)

    return run


def test_mbpoll_reads_and_writes(mbpoll: Any) -> None:
    assert mbpoll(0, "4:float", values=("50.5",)) == []
    assert mbpoll(0, "4:float") == ["50.5"]
    assert mbpoll(0, "4:hex", "-c", "2") == ["0x424A", "0x0000"]
    assert mbpoll(1, "3", "-c", "124") == ["7"] * 124
    for position in ("0", "1"):
        assert mbpoll(0, "0", values=(position,)) == []
        assert mbpoll(0, "0") == [position]
        until = time.monotonic() + TIMEOUT_S  # the input follows with the process's next step
        while mbpoll(0, "1") != [position]:
            assert time.monotonic() < until
    assert "Illegal data address" in mbpoll(200, "4")[0]


def point(data_type: Any, **address: Any) -> Point:
    return Point(slave="s", name="p", data_type=data_type, address=address)


LEVEL = point("float", reg_type="4X", offset=0)
PUMP = point("uint8", reg_type="0X", offset=0)
FIXED = point("uint16", reg_type="3X", offset=1)


def slave_on(protocol: str, timeout_ms: int = 5000) -> Slave:
    address = "1" if protocol == "modbus_tcp" else "3"
    return Slave(
        name="s", port="p", protocol=protocol, address=address, response_timeout_ms=timeout_ms, retries=0
    )


@asynccontextmanager
async def driver_on(plant: dict[str, Any], protocol: str) -> AsyncIterator[ModbusDriver]:
    if protocol == "modbus_tcp":
        port = Port(name="p", type="NET", host="127.0.0.1", port=plant["modbus_port"], min_interval_ms=0)
    else:
        port = Port(name="p", type="COM", device=plant["lines"]["rs485"])
    driver = ModbusDriver(protocol, port)
    await driver.connect()
    try:
        yield driver
    finally:
        await driver.close()


async def read(driver: ModbusDriver, slave: Slave, wanted: Point) -> Any:
    (block,) = plan(slave, [wanted])
    return (await driver.read(slave, block))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("protocol", ["modbus_tcp", "modbus_rtu"])
async def test_the_driver_reads_and_writes(plant: dict[str, Any], protocol: str) -> None:
    slave = slave_on(protocol)
    async with driver_on(plant, protocol) as driver:
        for level, pump in ((33.25, 0), (12.5, 1)):
            await driver.write(slave, LEVEL, level)
            await driver.write(slave, PUMP, pump)
            assert await read(driver, slave, LEVEL) == level
            assert await read(driver, slave, PUMP) == pump


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("echo", 7),
        ("noise:3", 7),
        ("echo+noise:3", 7),
        ("bad_checksum", "checksum"),
        ("half_frame", "half an answer"),
        ("wrong_address", "answer of unit 4, asked 3"),
        ("silent", NoAnswer),
    ],
)
async def test_faults_of_a_slave(plant: dict[str, Any], fault: str, outcome: Any) -> None:
    """A fault ends with its words, costs no other slave anything, and is gone when it is over."""
    patient = slave_on("modbus_rtu")
    slave = patient if outcome == 7 else slave_on("modbus_rtu", 200 if outcome is NoAnswer else 1000)
    other = Slave(name="o", port="p", protocol="modbus_rtu", address="4", response_timeout_ms=5000)
    async with driver_on(plant, "modbus_rtu") as driver:
        put_fault(plant["state"], "rtu", fault)
        try:
            if outcome == 7:
                assert await read(driver, slave, FIXED) == 7
                await driver.write(slave, PUMP, 1)
            elif outcome is NoAnswer:
                with pytest.raises(NoAnswer, match="no answer within 200 ms"):
                    await read(driver, slave, FIXED)
            else:
                with pytest.raises(BadFrame, match=outcome):
                    await read(driver, slave, FIXED)
        finally:
            put_fault(plant["state"], "rtu", "none")
        assert await read(driver, other, FIXED) == 7
        assert await read(driver, patient, FIXED) == 7
