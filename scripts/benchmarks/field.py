"""What scripts/bench measures of the field side: buses, planner, codecs, and what a dead slave costs."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
from _environment import PYTHON, SCRIPTS

Figures = dict[str, float | int | str]

WARM_UP_S = 4.0
MEASURE_S = 10.0
START_TIMEOUT_S = 15.0

BARE_TCP = """
import asyncio, json, sys, time
from pymodbus.client import AsyncModbusTcpClient
async def one(port, registers, end):
    client = AsyncModbusTcpClient("127.0.0.1", port=port, retries=0)
    await client.connect()
    points = 0
    while time.monotonic() < end:
        for start in range(0, registers, 124):
            reply = await client.read_holding_registers(start, count=min(124, registers - start), device_id=1)
            points += len(client.convert_from_registers(reply.registers, client.DATATYPE.FLOAT32))
    client.close()
    return points
async def main(ports, registers, seconds):
    cpu, end = time.process_time(), time.monotonic() + seconds
    points = sum(await asyncio.gather(*(one(port, registers, end) for port in ports)))
    print(json.dumps({"points": points, "cpu_s": time.process_time() - cpu, "s": seconds}))
asyncio.run(main(json.loads(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
"""


@dataclass(frozen=True)
class Load:
    """Simulated slaves, each on a port of its own."""

    ports: list[int]
    pid: int


@contextmanager
def load(slaves: int, points: int, latency_ms: float = 0) -> Iterator[Load]:
    """`firmware-sim modbus-load` in a process of its own."""
    words = [str(PYTHON), "-m", "firmware_sim", "modbus-load", "--slaves", str(slaves)]
    words += ["--points", str(points), "--latency-ms", str(latency_ms)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield Load(json.loads(process.stdout.readline())["ports"], process.pid)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def mosquitto(folder: Path) -> Iterator[int]:
    """A broker without rules on a free port: only the agent is measured."""
    program = shutil.which("mosquitto")
    if program is None:
        raise RuntimeError("mosquitto is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    conf = folder / "mosquitto.conf"
    conf.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nuser root\n")
    process = subprocess.Popen([program, "-c", str(conf)], stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


class Gateway:
    """An agent as a process, and what arrives of it at a broker."""

    def __init__(self, folder: Path, text: str, broker: int) -> None:
        self._folder = folder
        data = folder / "agent"
        data.mkdir(mode=0o700)
        (data / "cloud-secret").write_text("none")
        (folder / "gateway.toml").write_text(text)
        self._counts = (folder / "counts").open("w")
        ack = [str(PYTHON), "-m", "benchmarks.ack", str(broker)]
        self._ack = subprocess.Popen(ack, cwd=SCRIPTS, stdout=self._counts)
        self._log = (folder / "agent.log").open("w")
        words = ["-m", "edge_agent", "run", "--config", str(folder / "gateway.toml"), "--data", str(data)]
        self._agent = subprocess.Popen([str(PYTHON), *words], stdout=self._log, stderr=self._log)
        self.process = psutil.Process(self._agent.pid)

    def cpu_s(self) -> float:
        used = self.process.cpu_times()
        return float(used.user + used.system)

    def counts(self) -> dict[str, float]:
        """The newest line of what arrived."""
        lines = (self._folder / "counts").read_text().splitlines()
        counts: dict[str, float] = {"at": time.monotonic(), "samples": 0, "bytes": 0}
        if lines:
            counts = json.loads(lines[-1])
        return counts

    def measured(self, seconds: float) -> dict[str, float]:
        """Samples, seconds and the agent's CPU over a while."""
        if self._agent.poll() is not None:
            raise RuntimeError((self._folder / "agent.log").read_text()[-2000:])
        before, cpu = self.counts(), self.cpu_s()
        time.sleep(seconds)
        after, cpu = self.counts(), self.cpu_s() - cpu
        return {
            "samples": after["samples"] - before["samples"],
            "bytes": after["bytes"] - before["bytes"],
            "s": after["at"] - before["at"],
            "cpu_s": cpu,
            "rss_mb": self.process.memory_info().rss / 1e6,
        }

    def stop(self) -> None:
        for process in (self._agent, self._ack):
            process.terminate()
            process.wait()
        self._counts.close()
        self._log.close()


@contextmanager
def gateway(text: Callable[[int], str]) -> Iterator[Gateway]:
    """text: configuration for a broker's port."""
    with tempfile.TemporaryDirectory() as name, mosquitto(Path(name)) as broker:
        made = Gateway(Path(name), text(broker), broker)
        try:
            yield made
        finally:
            made.stop()


def tcp_configuration(
    broker: int, *, ports: Sequence[int], points: int, cycle_ms: int, point: str = ""
) -> str:
    """Slaves of float32 points, one a port."""
    lines = [
        f'[gateway]\nid = "gw-bench-0001"\n[cloud]\nurl = "mqtt://127.0.0.1:{broker}"\n'
        "[local_page]\nenable = false\n"
    ]
    for number, port in enumerate(ports):
        lines.append(
            f'[[ports]]\nname = "n{number}"\ntype = "NET"\nhost = "127.0.0.1"\nport = {port}\n'
            f"capture_cycle_ms = {cycle_ms}\nmin_interval_ms = 0\n"
            f'[[slaves]]\nname = "s{number}"\nport = "n{number}"\nprotocol = "modbus_tcp"\naddress = "1"\n'
        )
        lines += [
            f'[[points]]\nslave = "s{number}"\nname = "p{index}"\ntitle = "Point {index}"\n'
            f'data_type = "float"\nunit = "A"\n{point}\n'
            f'address = {{ reg_type = "4X", offset = {2 * index} }}\n'
            for index in range(points)
        ]
    return "".join(lines)


def bare(ports: Sequence[int], points: int, seconds: float) -> dict[str, float]:
    """A loop of pymodbus alone on the same slaves, all at once."""
    words = [str(PYTHON), "-c", BARE_TCP, json.dumps(list(ports)), str(2 * points), str(seconds)]
    result: dict[str, float] = json.loads(
        subprocess.run(words, check=True, capture_output=True, text=True).stdout
    )
    return result


def per_cpu(measured: dict[str, float]) -> float:
    return measured.get("samples", measured.get("points", 0.0)) / measured["cpu_s"] / 1000


def modbus_tcp() -> Figures:
    """10 slaves x 1,000 float32, as fast as possible, to a broker with the full point model."""
    figures: Figures = {}
    with load(10, 1000) as slaves:
        yardstick = bare(slaves.ports, 1000, 4)
        figures["bare pymodbus loop: thousand points per CPU-second"] = per_cpu(yardstick)
        for label, point in (("plain", ""), ("scaled", "ratio = 0.1\nbias = -4.0\ntofixed = 2")):
            with gateway(
                partial(tcp_configuration, ports=slaves.ports, points=1000, cycle_ms=10, point=point)
            ) as agent:
                time.sleep(WARM_UP_S)
                measured = agent.measured(MEASURE_S)
            figures[f"agent, {label}: thousand points/s at the broker"] = (
                measured["samples"] / measured["s"] / 1000
            )
            figures[f"agent, {label}: thousand points per CPU-second"] = per_cpu(measured)
            figures[f"agent, {label}: memory MB"] = measured["rss_mb"]
            figures[f"agent, {label}: bytes a sample"] = measured["bytes"] / max(measured["samples"], 1)
            figures[f"ratio agent, {label} / bare loop"] = per_cpu(measured) / per_cpu(yardstick)
        figures["bare pymodbus loop again"] = per_cpu(bare(slaves.ports, 1000, 4))
    return figures


def many_slaves() -> Figures:
    """500 slaves x 30 points at 1 s: CPU and memory."""
    with (
        load(500, 30) as slaves,
        gateway(partial(tcp_configuration, ports=slaves.ports, points=30, cycle_ms=1000)) as agent,
    ):
        time.sleep(WARM_UP_S + 6)
        measured = agent.measured(MEASURE_S)
    return {
        "samples/s at the broker (15,000 wanted)": measured["samples"] / measured["s"],
        "agent: CPU %": 100 * measured["cpu_s"] / MEASURE_S,
        "agent: memory MB": measured["rss_mb"],
    }


def idle() -> Figures:
    """5,000 points on one agent at a 1 s cycle: memory and CPU; and 5,000 points that rest."""
    figures: Figures = {}
    with load(10, 500) as slaves:
        for label, cycle_ms in (("1 s cycle", 1000), ("1 h cycle", 3_600_000)):
            with gateway(
                partial(tcp_configuration, ports=slaves.ports, points=500, cycle_ms=cycle_ms)
            ) as agent:
                time.sleep(WARM_UP_S + 4)
                measured = agent.measured(MEASURE_S)
            figures[f"5,000 points, {label}: CPU %"] = 100 * measured["cpu_s"] / MEASURE_S
            figures[f"5,000 points, {label}: memory MB"] = measured["rss_mb"]
    return figures


def latencies() -> Figures:
    """10 slaves that answer after 2, 20 and 50 ms, polled as fast as they answer: none waits for another."""
    figures: Figures = {}
    for latency_ms in (2, 20, 50):
        with (
            load(10, 60, latency_ms) as slaves,
            gateway(partial(tcp_configuration, ports=slaves.ports, points=60, cycle_ms=10)) as agent,
        ):
            time.sleep(WARM_UP_S)
            measured = agent.measured(MEASURE_S / 2)
        rate, one_by_one = measured["samples"] / measured["s"], 60 * 1000 / latency_ms
        figures[f"{latency_ms} ms: points/s"] = rate
        figures[f"{latency_ms} ms: times one slave after the other"] = rate / one_by_one
    return figures


FIELD_BENCHMARKS: dict[str, Callable[[], Figures]] = {
    "modbus_tcp": modbus_tcp,
    "many_slaves": many_slaves,
    "latencies": latencies,
    "idle": idle,
}
