"""The platform as a program: killed, reported, given faults and requests from outside."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from data_logger import STATIONS, DataLogger, upload

from firmware_sim import scenario
from firmware_sim.__main__ import main
from firmware_sim.control import send_request
from firmware_sim.errors import FaultError

COMMAND = [sys.executable, "-m", "firmware_sim"]
LIMIT_S = 120


Start = Callable[[], tuple[subprocess.Popen[str], int]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    (tmp_path / "stations.yaml").write_text(STATIONS)
    running: list[subprocess.Popen[str]] = []

    def started() -> tuple[subprocess.Popen[str], int]:
        words = ["hj212-platform", str(tmp_path / "stations.yaml"), "--state", str(tmp_path / "s")]
        process = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        assert ready["ready"] is True
        return process, ready["port"]

    yield started
    for process in running:
        process.kill()
        process.communicate(timeout=LIMIT_S)


class CommandLine:
    """Commands of the program, run in this process beside the loop: a start of Python costs seconds."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    async def __call__(self, *words: str) -> tuple[int, str, str]:
        """Exit code, output, errors."""
        code = await asyncio.to_thread(main, words)
        return code, *self._capture.readouterr()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(capsys)


async def test_what_was_answered_survives_a_kill(start: Start, run: CommandLine, tmp_path: Path) -> None:
    async def report(*words: str) -> Any:
        code, out, _ = await run("hj212-platform", "--state", str(tmp_path / "s"), "--report", *words)
        assert code == 0
        return json.loads(out)["stations"]["outlet"]["commands"]["2061"]

    process, port = start()
    logger = await DataLogger.connected(port)
    for number in range(3):
        logger.send(upload(number, f"DataTime=202601010{number}0000;w01018-Avg=1.0", cn="2061"))
        await logger.received()
    process.kill()
    assert await logger.rest() == b""
    _, port = start()
    again = await DataLogger.connected(port)
    again.send(upload(4, "DataTime=20260101040000;w01018-Avg=1.0", cn="2061"))
    await again.received()
    hours = await report()
    assert (hours["records"], hours["missing"]) == (4, 1)
    assert hours["gaps"] == [{"from": "20260101030000", "to": "20260101040000", "records": 1}]
    bounds = ("--since", "20260101000000", "--until", "20260101030000")
    assert (await report(*bounds))["exactly_once"] is True
    _, out, _ = await run("hj212-platform", "--state", str(tmp_path / "s"), "--records")
    listed = [json.loads(line) for line in out.splitlines()]
    assert [record["data_time"][8:10] for record in listed] == ["00", "01", "02", "04"]
    assert listed[0]["values"] == {"w01018": {"Avg": "1.0"}}


async def test_faults_and_requests_from_outside(start: Start, run: CommandLine, tmp_path: Path) -> None:
    process, port = start()
    state = str(tmp_path / "s")
    logger = await DataLogger.connected(port)
    logger.send(upload(1))
    await logger.received()
    assert (await run("fault", state, "outlet", "duplicate"))[0] == 0
    _, listed, _ = await run("faults", state)
    assert dict(line.split("\t") for line in listed.splitlines()) == {
        "platform": "none",
        "outlet": "duplicate",
        "stack": "none",
        "ditch": "none",
        "unknown": "none",
    }
    logger.send(upload(2))
    assert await logger.received() == await logger.received()
    await run("fault", state, "outlet", "none")
    asking = asyncio.create_task(run("hj212-request", state, "outlet", "1062", "RtdInterval=60"))
    request = await logger.received()
    assert "CP=&&RtdInterval=60&&" in request
    logger.carry_out(request)
    _, done, _ = await asking
    assert json.loads(done)["outcome"] == "done"
    _, report, _ = await run("hj212-platform", "--state", state, "--report")
    assert json.loads(report)["requests"][0]["exe_rtn"] == "1"
    code, _, refused = await run("hj212-request", state, "outlet", "9999")
    assert code == 1
    assert "outlet: cn: must be a command that a platform sends in 2017" in refused
    process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(process.wait, LIMIT_S) == 0
    assert await logger.rest() == b""


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["--report"], "has no platform.sqlite of a platform"),
        ([], "stations: must name the file of the platform"),
        (["{stations}"], "stations[0].name: must be there once"),
    ],
)
async def test_wrong_words_are_said_in_a_line(
    run: CommandLine, tmp_path: Path, words: list[str], rule: str
) -> None:
    path = tmp_path / "stations.yaml"
    path.write_text(STATIONS.replace("ditch", "outlet"))
    words = [word.format(stations=path) for word in words]
    code, _, errors = await run("hj212-platform", *words, "--state", str(tmp_path))
    assert code == 1
    assert rule in errors


def test_a_bound_that_is_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["hj212-platform", "--state", "s", "--report", "--since", "2026"])
    assert "must be 14 digits YYYYMMDDhhmmss" in capsys.readouterr().err


async def test_a_plant_takes_no_requests(running: Any, tmp_path: Path) -> None:
    await running(scenario.plant_file("counter").read_text(encoding="utf-8"))
    with pytest.raises(FaultError, match="only a platform makes requests"):
        await asyncio.to_thread(send_request, tmp_path / "state", "tcp_counter", "1011")
