"""What scripts/bench measures of serial lines: how much of the wire is used, what a dead slave costs."""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from _environment import PYTHON

from edge_agent.bus import Bus
from edge_agent.config.load import parse
from edge_agent.config.model import Configuration
from edge_agent.errors import FieldbusError
from edge_agent.model import PointKey, Row
from edge_agent.points import LiveTable
from edge_agent.transports import reach

Figures = dict[str, float | int | str]

START_TIMEOUT_S = 15.0
LEARN_S = 12.0  # the planner wants 16 requests before it trusts its measurements
WIRE_S = 20.0
DEAD_S = 40.0
COMMANDS = 60

# Of scenario sparse_rtu: 8N1 at 9,600 baud, 20 ms turnaround, t3.5 before each request.
CHAR_S = 10 / 9600
TURNAROUND_S = 0.020
SILENCE_S = 3.5 * 11 / 9600
REQUEST_BYTES, ANSWER_BYTES, REGISTER_BYTES, MAX_REGISTERS = 8, 5, 2, 125

TWENTY = """
title: Twenty slaves
signals:
  - {name: wanted, kind: setpoint, value: 1, min: 0, max: 65535}
lines:
  - {name: line, kind: modbus_rtu, baud: 19200}
devices:
  - name: s
    kind: modbus
    line: line
    unit: 1
    copies: 20
    turnaround_ms: 5
    registers:
      - {name: v, count: 10, area: 4X, address: 0, type: uint16, counter: true}
      - {name: w, area: 4X, address: 50, type: uint16, signal: wanted, writable: true}
"""


@contextmanager
def plant(scenario: str, folder: Path) -> Iterator[Path]:
    """A simulated plant in a process of its own; its state folder."""
    state = folder / "plant"
    state.mkdir()
    log = (folder / "plant.log").open("w+")
    words = [str(PYTHON), "-m", "firmware_sim", "run", scenario, "--state", str(state), "--modbus-port", "0"]
    process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        until = time.monotonic() + START_TIMEOUT_S
        while '"ready"' not in (folder / "plant.log").read_text():
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError((folder / "plant.log").read_text())
            time.sleep(0.1)
        yield state
    finally:
        process.terminate()
        process.wait()
        log.close()


class Counting:
    """Takes rows and counts good samples by slave."""

    def __init__(self, slaves: dict[int, str]) -> None:
        self.samples: dict[str, int] = dict.fromkeys(slaves.values(), 0)
        self._slaves = slaves

    def put(self, row: Row) -> None:
        if row.qualities is None:
            self.samples[self._slaves[row.points[0]]] += len(row)


@contextlib.asynccontextmanager
async def running(configuration: Configuration) -> AsyncIterator[tuple[Bus, Counting]]:
    """The collecting side alone, in this process."""
    keys = [PointKey(point.slave, point.name) for point in configuration.points]
    numbers = {key: number for number, key in enumerate(keys, start=1)}
    counting = Counting({numbers[key]: key.slave for key in keys})
    reach.use_anything()  # the simulated devices are on this machine
    bus = Bus(configuration, numbers, counting, LiveTable())
    task = asyncio.create_task(bus.run())
    try:
        yield bus, counting
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def exchange_s(registers: int) -> float:
    """Wire time of one read: silence, request, turnaround, answer."""
    size = REQUEST_BYTES + ANSWER_BYTES + REGISTER_BYTES * registers
    return SILENCE_S + TURNAROUND_S + CHAR_S * size


def best_plan_s(spans: Sequence[tuple[int, int]]) -> tuple[float, int]:
    """Least seconds that any grouping of neighbouring spans (first, behind last) takes, and its requests."""
    best: list[tuple[float, int]] = [(0.0, 0)]
    for last in range(len(spans)):
        best.append(
            min(
                (best[first][0] + exchange_s(spans[last][1] - spans[first][0]), best[first][1] + 1)
                for first in range(last + 1)
                if spans[last][1] - spans[first][0] <= MAX_REGISTERS
            )
        )
    return best[-1]


def serial_line() -> Figures:
    """A sparse RTU map at 9,600 baud and 20 ms turnaround: part of the wire's theoretical throughput."""
    with tempfile.TemporaryDirectory() as name, plant("sparse_rtu", Path(name)) as state:
        words = ["config", "sparse_rtu", "--gateway", "gw-bench-0001", "--cloud-url", "mqtt://127.0.0.1:1",
                 "--plant", str(state), "--modbus-port", "0", "--local-port", "8090"]  # fmt: skip
        text = subprocess.run(
            [str(PYTHON), "-m", "firmware_sim", *words], check=True, capture_output=True, text=True
        ).stdout
        configuration = parse(text)
        measured = asyncio.run(_polled(configuration, WIRE_S))
    spans = sorted((point.address["offset"], point.address["offset"] + 2) for point in configuration.points)
    best_s, best_requests = best_plan_s(spans)
    single_s = sum(exchange_s(stop - start) for start, stop in spans)
    points = len(spans)
    return {
        "points": points,
        "seconds a cycle: best plan of all, on the wire alone": best_s,
        "seconds a cycle: ours, measured": points / measured["points_per_s"],
        "seconds a cycle: one request a point, on the wire alone": single_s,
        "requests a cycle: best plan of all": best_requests,
        "requests a cycle: ours": measured["requests"] / measured["points"] * points,
        "requests a cycle: one request a point": points,
        "part of the theoretical throughput": measured["points_per_s"] * best_s / points,
        "times the throughput of one request a point": measured["points_per_s"] * single_s / points,
    }


async def _polled(configuration: Configuration, seconds: float) -> dict[str, float]:
    async with running(configuration) as (bus, counting):
        await asyncio.sleep(LEARN_S)
        before, requests, begun = sum(counting.samples.values()), bus.ports()[0].requests, time.monotonic()
        await asyncio.sleep(seconds)
        points, took = sum(counting.samples.values()) - before, time.monotonic() - begun
        return {
            "points": points,
            "points_per_s": points / took,
            "requests": bus.ports()[0].requests - requests,
        }


def dead_slave() -> Figures:
    """One of 20 slaves on a line dead: what the other 19 lose, and how soon a command starts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "twenty.yaml").write_text(TWENTY)
        with plant(str(folder / "twenty.yaml"), folder) as state:
            lines = [
                '[gateway]\nid = "gw-bench-0001"\n[[ports]]\nname = "line"\ntype = "COM"\n'
                f'device = "{state}/line"\nbaud = 19200\ncapture_cycle_ms = 1000\nmin_interval_ms = 0\n'
            ]
            for unit in range(1, 21):
                lines.append(
                    f'[[slaves]]\nname = "s{unit}"\nport = "line"\nprotocol = "modbus_rtu"\n'
                    f'address = "{unit}"\nresponse_timeout_ms = 200\nretries = 1\n'
                )
                lines += [
                    f'[[points]]\nslave = "s{unit}"\nname = "p{index}"\n'
                    f'address = {{ reg_type = "4X", offset = {index} }}\n'
                    for index in range(10)
                ]
                lines.append(
                    f'[[points]]\nslave = "s{unit}"\nname = "w"\nrw = "readwrite"\n'
                    'address = { reg_type = "4X", offset = 50 }\n'
                )
            return asyncio.run(_with_a_dead_one(parse("".join(lines)), state))


async def _with_a_dead_one(configuration: Configuration, state: Path) -> Figures:
    async with running(configuration) as (bus, counting):
        await asyncio.sleep(LEARN_S)
        undisturbed = await _samples(counting, DEAD_S)
        frame_ms = max(slave.turnaround_ms for slave in bus.states())
        waits = [await _command_wait_ms(bus, f"s{1 + turn % 19}") for turn in range(COMMANDS)]
        await asyncio.to_thread(
            subprocess.run,
            [str(PYTHON), "-m", "firmware_sim", "fault", str(state), "s20", "silent"],
            check=True,
            capture_output=True,
        )
        cut = await _samples(counting, DEAD_S)
        beside = [await _command_wait_ms(bus, f"s{1 + turn % 19}") for turn in range(COMMANDS)]
        assert not bus.states()[19].online
    return {
        "samples/s of the 19 before": undisturbed / DEAD_S,
        "samples/s of the 19 from the moment of death": cut / DEAD_S,
        "lost by the 19, %": 100 * (1 - cut / undisturbed),
        "one exchange on the line, ms": frame_ms,
        "a command starts after, p50 ms": statistics.median(waits),
        "a command starts after, worst ms": max(waits),
        "beside the dead slave, p50 ms": statistics.median(beside),
        "beside the dead slave, worst ms": max(beside),
    }


async def _samples(counting: Counting, seconds: float) -> int:
    """Of all slaves but the last one."""

    def living() -> int:
        return sum(count for slave, count in counting.samples.items() if slave != "s20")

    before = living()
    await asyncio.sleep(seconds)
    return living() - before


async def _command_wait_ms(bus: Bus, slave: str) -> float:
    """From asking for a write until its request is on the wire."""
    await asyncio.sleep(random.random() / 5)
    wanted = random.randrange(65536)
    asked_ms = time.time() * 1000
    with contextlib.suppress(FieldbusError):
        await bus.write(PointKey(slave, "w"), wanted, 5)
    unit, value = int(slave[1:]), wanted.to_bytes(2, "big")
    for frame in reversed(bus.trace("line")):
        data = frame.data
        if frame.direction == "request" and data[:2] == bytes((unit, 6)) and data[4:6] == value:
            return max(0.0, frame.t_ms - asked_ms)
    raise RuntimeError(f"the write to {slave} never left")


LINE_BENCHMARKS: dict[str, Callable[[], Figures]] = {"serial_line": serial_line, "dead_slave": dead_slave}
