from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware_sim import scenario
from firmware_sim.errors import StartError
from firmware_sim.served_values import ServedValuesLog


def rows(path: Path) -> list[tuple[str, int]]:
    read = [json.loads(line) for line in path.read_text().splitlines()]
    return [(f"{row['device']}.{row['register']}", row["value"]) for row in read]


async def test_counters_count_requests_over_both_transports(
    running: Any, libmodbus: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "ledger.jsonl"
    text = scenario.plant_file("counter").read_text(encoding="utf-8")
    simulator = await running(text, served_log=path)
    tcp = libmodbus(port=simulator.port("lan"))
    rtu = libmodbus(device=simulator.link("rs485_1"))
    assert await tcp.registers(1, 0, 4) == [0, 1, 0, 1]  # both in one request: each counts once
    assert await tcp.registers(1, 2, 2) == [0, 2]
    assert await rtu.registers(2, 0, 2) == [0, 1]
    assert await rtu.registers(2, 0, 2, inputs=True) == [1, 0]  # CDAB
    assert await tcp.registers(1, 1, 1) == [1]  # half of it is no reading of it
    assert rows(path) == [
        ("tcp_counter.first", 1),
        ("tcp_counter.second", 1),
        ("tcp_counter.second", 2),
        ("rtu_counter.first", 1),
        ("rtu_counter.second", 1),
    ]


async def test_counters_go_on_after_a_restart(
    running: Any, libmodbus: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "ledger.jsonl"
    with ServedValuesLog(path) as served_log:
        served_log.note("tcp_counter", [("first", 65535)])
    simulator = await running(scenario.plant_file("counter").read_text(encoding="utf-8"), served_log=path)
    tcp = libmodbus(port=simulator.port("lan"))
    assert await tcp.registers(1, 0, 4) == [1, 0, 0, 1]
    assert rows(path)[-2:] == [("tcp_counter.first", 65536), ("tcp_counter.second", 1)]


@pytest.mark.parametrize("text", ['{"t_ms": 1', "no json\n", "[]\n"])
def test_a_file_that_is_no_log_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(text)
    with pytest.raises(StartError, match=r"ledger\.jsonl"):
        ServedValuesLog(path)


WRITTEN = """
title: a setpoint that the served-values log watches
signals:
  - {name: wanted, kind: setpoint, value: 7, min: 0, max: 1000}
lines:
  - {name: lan, kind: modbus_tcp}
devices:
  - name: valve
    kind: modbus
    line: lan
    unit: 1
    registers:
      - {name: setpoint, area: 4X, address: 0, type: uint16, signal: wanted, writable: true, ledger: true}
"""


async def test_writes_that_were_taken_are_noted(
    running: Any, libmodbus: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "ledger.jsonl"
    simulator = await running(WRITTEN, served_log=path)
    tcp = libmodbus(port=simulator.port("lan"))
    await tcp.write_registers(1, 0, [12])
    with pytest.raises(Exception, match="errno"):
        await tcp.write_registers(1, 0, [1001])
    assert await tcp.registers(1, 0, 1) == [12], "reading it is not noted"
    [row] = [json.loads(line) for line in path.read_text().splitlines()]
    assert (row["device"], row["register"], row["value"], row["written"]) == ("valve", "setpoint", 12, True)
    with ServedValuesLog(path) as served_log:
        assert served_log.last("valve", "setpoint") == 0, "only counters go on"
