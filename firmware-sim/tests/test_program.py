"""The program as a process, and the course of time."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from firmware_sim import scenario
from firmware_sim.__main__ import main
from firmware_sim.app import MAX_STEPS, Simulator
from firmware_sim.control import put_fault
from firmware_sim.errors import FaultError, StartError
from firmware_sim.plant.load import read

START = datetime.fromisoformat("2026-03-02T10:00:00")
COMMAND = [sys.executable, "-m", "firmware_sim"]
READ = bytes.fromhex("0001 0000 0006 01 0300000002")


@pytest.fixture
def plant(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    words = ["run", "counter", "--state", str(tmp_path / "s"), "--ledger", str(tmp_path / "l")]
    process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield process, json.loads(process.stdout.readline())
    process.kill()
    process.communicate(timeout=30)


def ask(port: int, wait_s: float = 20) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=wait_s) as connection:
        connection.sendall(READ)
        try:
            return connection.recv(100)
        except TimeoutError:
            return b""


def test_run_fault_stop(plant: tuple[subprocess.Popen[str], dict[str, Any]], tmp_path: Path) -> None:
    process, ready = plant
    link = Path(ready["lines"]["rs485_1"])
    assert ready["ready"] is True
    assert ready["ports"] == {"lan": ready["modbus_port"]}
    assert Path(os.path.realpath(link)).is_char_device()
    assert ask(ready["modbus_port"]).hex() == "00010000000701030400000001"
    state = tmp_path / "s"
    done = subprocess.run([*COMMAND, "fault", str(state), "tcp_counter", "silent"], check=False, timeout=60)
    assert done.returncode == 0
    assert ask(ready["modbus_port"], 0.5) == b""
    words = [*COMMAND, "faults", str(state)]
    listed = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert dict(line.split("\t") for line in listed.stdout.splitlines()) == {
        "lan": "none",
        "rs485_1": "none",
        "tcp_counter": "silent",
        "rtu_counter": "none",
    }
    put_fault(state, "tcp_counter", "none")
    assert ask(ready["modbus_port"]).hex() == "00010000000701030400000003"
    for device, fault, rule in (
        ("nobody", "silent", "must be one of lan, rs485_1, rtu_counter, tcp_counter"),
        ("tcp_counter", "bad_checksum", "Modbus TCP"),
        ("rtu_counter", "slow", "milliseconds"),
    ):
        with pytest.raises(FaultError, match=rule):
            put_fault(state, device, fault)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert not link.is_symlink()
    with pytest.raises(StartError, match="no simulator"):
        put_fault(state, "tcp_counter", "none")
    values = [json.loads(line)["value"] for line in (tmp_path / "l").read_text().splitlines()]
    assert values == [1, 3]  # the second was counted and never left


def test_config_and_scenarios_are_printed() -> None:
    words = ["config", "boiler_house", "--gateway", "gw-1", "--cloud-url", "mqtt://127.0.0.1:1"]
    words += ["--plant", "/x", "--modbus-port", "2", "--local-port", "3"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True, timeout=60)
    wanted = {"gateway": "gw-1", "cloud_url": "mqtt://127.0.0.1:1", "plant": "/x"}
    text = scenario.gateway_toml("boiler_house", **wanted, first_port=2, local_port=3)
    assert done.stdout.rstrip() == text.rstrip()


def test_a_wrong_plant_file_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "plant.yaml").write_text("{title: t, lines: [], devices: []}")
    words = ["run", str(tmp_path / "plant.yaml"), "--state", str(tmp_path)]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("firmware-sim: lines: Expected `array` of length >= 1")


class Clock:
    """Time that passes only in sleep()."""

    def __init__(self, jumps: list[float]) -> None:
        self.now = 100.0
        self.slept: list[float] = []
        self._jumps = jumps

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if not self._jumps:
            raise StopIteration
        self.now += self._jumps.pop(0)


async def elapsed(jumps: list[float], speed: float, tmp_path: Path) -> tuple[float, Clock]:
    plant = read(scenario.plant_file("boiler_house").read_text(encoding="utf-8"))
    simulator, clock = Simulator(plant, tmp_path, start=START, speed=speed), Clock(jumps)
    with pytest.raises(RuntimeError, match="StopIteration"):
        await simulator.run(clock, clock.sleep)
    return simulator.process.elapsed_s, clock


async def test_time_passes_with_the_clock_and_the_speed(tmp_path: Path) -> None:
    assert (await elapsed([0.2, 0.2, 0.3, 0.3], 1, tmp_path))[0] == pytest.approx(1.0)
    seconds, clock = await elapsed([0.02] * 10, 10, tmp_path)
    assert seconds == pytest.approx(2.0)
    assert clock.slept[0] == pytest.approx(0.02)


async def test_after_a_long_sleep_the_plant_leaves_time_out(tmp_path: Path) -> None:
    seconds, _ = await elapsed([86_400, 1.0], 1, tmp_path)
    assert seconds == pytest.approx(MAX_STEPS * 0.2 + 1.0)


def test_help_of_the_fleet_says_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fleet", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    for name, default in {"first": 0, "points": 50, "interval": 1.0, "duration": 10.0, "seed": 1}.items():
        assert re.search(rf"--{name} \w+ [^-]*\(default {default}\b", told), name
