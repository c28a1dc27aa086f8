"""What scripts/bench measures of the cloud's ingest: a fleet of simulated gateways over a real mosquitto."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from _environment import PYTHON, ROOT, SCRIPTS

Figures = dict[str, float | int | str]

GATEWAYS = int(os.environ.get("EDGE_BENCH_GATEWAYS", "1000"))
POINTS = 50
FLOOD = 40
PACED_SAMPLES_S = 50_000
PACED_S = 15.0
BACKLOG = 4000
BARE_MESSAGES = 20_000
START_TIMEOUT_S = 180.0
DRAIN_TIMEOUT_S = 300.0
SERVICE = "cloud"  # as the access list names it


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(done: Callable[[], Any], what: str, timeout_s: float = START_TIMEOUT_S) -> Any:
    """The first true answer; RuntimeError when there is none in time."""
    until = time.monotonic() + timeout_s
    while not (answer := done()):
        if time.monotonic() > until:
            raise RuntimeError(f"waited {timeout_s:.0f} s in vain until {what}")
        time.sleep(0.1)
    return answer


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def program(words: list[str], log: Path, env: dict[str, str] | None = None) -> Iterator[psutil.Process]:
    """A process with its output in a file, ended at the end."""
    with log.open("ab") as out:
        process = subprocess.Popen(words, stdout=out, stderr=out, env=env)
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass(frozen=True)
class IngestSite:
    """A cloud behind a broker, and the secrets of its gateways. ca_file: authority of one that speaks TLS."""

    folder: Path
    broker_port: int
    env: dict[str, str]
    cloud: psutil.Process
    broker: psutil.Process
    store: psutil.Process | None
    ca_file: Path | None = None

    @property
    def way(self) -> list[str]:
        """Arguments of the fleet."""
        if self.ca_file is None:
            return ["--url", f"mqtt://127.0.0.1:{self.broker_port}"]
        return ["--url", f"mqtts://localhost:{self.broker_port}", "--ca-file", str(self.ca_file)]

    @property
    def secrets(self) -> Path:
        return self.folder / "secrets.json"

    def ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of the cloud's database, read from outside."""
        with contextlib.closing(
            sqlite3.connect(f"file:{self.folder / 'cloud' / 'cloud.db'}?mode=ro", uri=True, timeout=30)
        ) as connection:
            return connection.execute(statement, values).fetchall()

    def all_stored(self) -> bool:
        return not self.ask("SELECT 1 FROM link_batch WHERE filed_ms IS NULL LIMIT 1")

    def newest(self) -> int:
        return int(self.ask("SELECT coalesce(max(id), 0) FROM link_batch")[0][0])


@contextlib.contextmanager
def mosquitto(folder: Path, users: dict[str, str]) -> Iterator[tuple[int, psutil.Process]]:
    """With the product's access list and its limits, on loopback without TLS."""
    if shutil.which("mosquitto") is None:
        raise RuntimeError("mosquitto is not installed")
    port, passwords = free_port(), folder / "passwords"
    passwords.write_text("".join(f"{name}:{secret}\n" for name, secret in users.items()))
    subprocess.run(["mosquitto_passwd", "-U", str(passwords)], check=True, capture_output=True)
    limits = [
        line
        for line in (ROOT / "broker-config" / "mosquitto" / "mosquitto.conf").read_text().splitlines()
        if line.startswith(("max_", "message_size_limit", "set_tcp_nodelay"))
    ]
    conf = folder / "mosquitto.conf"
    acl = ROOT / "broker-config" / "acl" / "mosquitto.acl"
    conf.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\nacl_file {acl}\n"
        f"use_username_as_clientid true\nuser root\n" + "\n".join(limits) + "\n"
    )
    with program([shutil.which("mosquitto") or "", "-c", str(conf)], folder / "mosquitto.log") as process:
        wait_for(lambda: listens(port), "mosquitto listens")
        yield port, process


@contextlib.contextmanager
def influxd(folder: Path, cached_s: int = 600) -> Iterator[tuple[dict[str, str], psutil.Process]]:
    """InfluxDB 1.x and the settings with which the cloud finds it. cached_s: so long after the last write its
    cache is written out (600: unasked).
    """
    if shutil.which("influxd") is None:
        raise RuntimeError("influxd is not installed")
    port, home = free_port(), folder / "influx"
    conf = folder / "influxdb.conf"
    conf.write_text(
        f'reporting-disabled = true\nbind-address = "127.0.0.1:{free_port()}"\n'
        f'[meta]\ndir = "{home}/meta"\n[data]\ndir = "{home}/data"\nwal-dir = "{home}/wal"\n'
        f'index-version = "tsi1"\nquery-log-enabled = false\n'
        f'cache-snapshot-write-cold-duration = "{cached_s}s"\n'
        f'[http]\nbind-address = "127.0.0.1:{port}"\nlog-enabled = false\n[monitor]\nstore-enabled = false\n'
    )
    with program(["influxd", "-config", str(conf)], folder / "influxd.log") as process:
        wait_for(lambda: listens(port), "influxd listens")
        yield {
            "EDGE_TIMESERIES": "influx", "EDGE_INFLUX_VERSION": "1", "EDGE_INFLUX_DATABASE": "edge",
            "EDGE_INFLUX_URL": f"http://127.0.0.1:{port}",
        }, process  # fmt: skip


def surroundings(folder: Path) -> dict[str, str]:
    """Environment of a cloud that keeps everything in a folder."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("EDGE_")}
    return env | {
        "EDGE_DATA_DIR": str(folder / "cloud"),
        "EDGE_PORT": str(free_port()),
        "PYTHONUNBUFFERED": "1",
    }


def claim(folder: Path, env: dict[str, str]) -> dict[str, str]:
    """Claim every gateway; their secrets, which are put into a file too."""
    words = [str(PYTHON), "-m", "cloud", "gateway", "claim", "load", "--count", str(GATEWAYS)]
    claimed = subprocess.run(words, env=env, check=True, capture_output=True, text=True).stdout
    (folder / "secrets.json").write_text(claimed)
    return dict(json.loads(claimed))


def wait_for_cloud(cloud: psutil.Process, folder: Path, port: int, done: Callable[[int], bool]) -> None:
    """Return when done(port); RuntimeError with its log when it has ended."""

    def look() -> bool:
        if cloud.status() == psutil.STATUS_ZOMBIE:
            raise RuntimeError(f"the cloud has ended: {(folder / 'cloud.log').read_text()[-2000:]}")
        return done(port)

    wait_for(look, "the cloud answers")


@contextlib.contextmanager
def site(*, influx: bool) -> Iterator[IngestSite]:
    """Everything claimed, connected and quiet: every catalog is known, nothing waits to be stored."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        password = folder / "service"
        password.write_text(secrets.token_urlsafe(16))
        env = surroundings(folder)
        users = {SERVICE: password.read_text(), **claim(folder, env)}
        store = None
        if influx:
            more, store = stack.enter_context(influxd(folder))
            env |= more
        port, broker = stack.enter_context(mosquitto(folder, users))
        env |= {
            "EDGE_BROKER": "mosquitto", "EDGE_BROKER_URL": f"mqtt://127.0.0.1:{port}",
            "EDGE_BROKER_USERNAME": SERVICE, "EDGE_BROKER_PASSWORD_FILE": str(password),
        }  # fmt: skip
        cloud = stack.enter_context(program([str(PYTHON), "-m", "cloud", "serve"], folder / "cloud.log", env))
        wait_for_cloud(cloud, folder, int(env["EDGE_PORT"]), answers)
        yield quiet(IngestSite(folder, port, env, cloud, broker, store))


def quiet(made: IngestSite) -> IngestSite:
    """Every gateway has connected once, and everything that came with it is done."""
    fleet(made, "--flood", "1")
    wait_for(made.all_stored, "every catalog is known", DRAIN_TIMEOUT_S)
    return made


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def cpu_s(process: psutil.Process | None) -> float:
    if process is None:
        return 0.0
    used = process.cpu_times()
    return float(used.user + used.system)


@dataclass(frozen=True)
class Run:
    """What one run of the fleet cost. cloud_s, broker_s, store_s: CPU while it ran; begun_s: the cloud's CPU
    before it, when every gateway was connected.
    """

    summary: dict[str, Any]
    first_id: int
    begun_s: float
    cloud_s: float
    broker_s: float
    store_s: float


def fleet(on: IngestSite, *words: str) -> Run:
    """The whole fleet in a process of its own, from its first batch to the last acknowledgement."""
    command = [str(PYTHON), "-m", "firmware_sim", "fleet", *on.way]
    command += ["--secrets", str(on.secrets), "--points", str(POINTS), "--wait", *words]
    with (on.folder / "fleet.log").open("ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    assert process.stdin is not None and process.stdout is not None
    try:
        if not process.stdout.readline():
            raise RuntimeError((on.folder / "fleet.log").read_text()[-2000:])
        first = on.newest()
        before = [cpu_s(on.cloud), cpu_s(on.broker), cpu_s(on.store)]
        process.stdin.write("go\n")
        process.stdin.close()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError((on.folder / "fleet.log").read_text()[-2000:])
        after = [cpu_s(on.cloud), cpu_s(on.broker), cpu_s(on.store)]
        spent = [b - a for a, b in zip(before, after, strict=True)]
        return Run(json.loads(line), first, before[0], *spent)
    finally:
        process.kill()
        process.wait()


def flood(on: IngestSite) -> Figures:
    """As fast as the cloud acknowledges; then how long what it sent takes to be stored."""
    start = time.monotonic()
    run = fleet(on, "--flood", str(FLOOD), "--interval", "1")
    landed = time.monotonic()
    samples = GATEWAYS * FLOOD * POINTS
    waiting = on.ask("SELECT count(*) FROM link_batch WHERE filed_ms IS NULL")[0][0]
    wait_for(on.all_stored, "everything is stored", DRAIN_TIMEOUT_S)
    seconds = time.monotonic() - landed
    return {
        "flood: samples/s landed durably": run.summary["samples_per_s"],
        "flood: thousand samples per CPU-second of the cloud": samples / run.cloud_s / 1000,
        "flood: CPU % of the cloud": 100 * run.cloud_s / run.summary["seconds"],
        "flood: CPU % of mosquitto": 100 * run.broker_s / run.summary["seconds"],
        "flood: batches sent again": run.summary["repeated"],
        "flood: made -> acknowledged, p50 ms": run.summary["live_ms"]["p50"],
        "flood: made -> acknowledged, p99 ms": run.summary["live_ms"]["p99"],
        "flood: batches not yet filed at the end": waiting,
        "flood: samples/s filed afterwards": waiting * POINTS / seconds if waiting else 0.0,
        "flood: samples/s landed and filed": samples / (run.summary["seconds"] + seconds),
        "flood: thousand samples per CPU-second, filed too": samples / (cpu_s(on.cloud) - run.begun_s) / 1000,
        "flood: seconds in all": time.monotonic() - start,
    }


def paced(on: IngestSite) -> Figures:
    """So many samples a second, evenly; from the time of a sample to acknowledgement and series."""
    run = fleet(on, "--rate", str(PACED_SAMPLES_S), "--duration", str(PACED_S))
    wait_for(on.all_stored, "everything is stored", DRAIN_TIMEOUT_S)
    late = sorted(
        row[0] for row in on.ask("SELECT filed_ms - t_ms FROM link_batch WHERE id > ?", run.first_id)
    )
    live = run.summary["live_ms"]
    return {
        "paced: samples/s": run.summary["samples_per_s"],
        "paced: sample -> acknowledged, p50 ms": live["p50"],
        "paced: sample -> acknowledged, p99 ms": live["p99"],
        "paced: sample -> acknowledged, worst ms": live["worst"],
        "paced: sample -> filed, p50 ms": float(late[len(late) // 2]),
        "paced: sample -> filed, p99 ms": float(late[int(len(late) * 0.99)]),
        "paced: CPU % of the cloud": 100 * run.cloud_s / run.summary["seconds"],
        "paced: CPU % of mosquitto": 100 * run.broker_s / run.summary["seconds"],
    }


def backfill(on: IngestSite) -> Figures:
    """One gateway that comes back with a backlog and goes on measuring."""
    words = ["--gateways", "1", "--backlog", str(BACKLOG), "--interval", "0.2", "--duration", "3"]
    run = fleet(on, *words)
    wait_for(on.all_stored, "everything is stored", DRAIN_TIMEOUT_S)
    return {
        "back-fill: samples/s of one gateway": 1000 * BACKLOG * POINTS / run.summary["history_ms"]["worst"],
        "back-fill: live sample beside it -> acknowledged, worst ms": run.summary["live_ms"]["worst"],
    }


def bare(on: IngestSite, kind: str) -> Figures:
    """A bare loop on the same broker: what it keeps of a flood that one bare client sends."""
    password = Path(on.env["EDGE_BROKER_PASSWORD_FILE"]).read_text()
    store = {"blob": str(on.folder / "bare.db"), "influx": on.env.get("EDGE_INFLUX_URL", "")}.get(kind, "-")
    words = [str(PYTHON), "-m", "benchmarks.bare_ingest"]
    name, secret = next(iter(json.loads(on.secrets.read_text()).items()))
    on.cloud.suspend()  # one connection takes the place of the other: both have the cloud's name
    try:
        take = [*words, kind, str(on.broker_port), SERVICE, password, str(BARE_MESSAGES), store]
        with subprocess.Popen(take, cwd=SCRIPTS, stdout=subprocess.PIPE, text=True) as taker:
            assert taker.stdout is not None
            taker.stdout.readline()
            send = [*words, "send", str(on.broker_port), name, secret, str(BARE_MESSAGES), "-"]
            with subprocess.Popen(send, cwd=SCRIPTS, stdout=subprocess.DEVNULL):
                figures = json.loads(taker.stdout.readline())
    finally:
        on.cloud.resume()
    wait_for(lambda: answers(int(on.env["EDGE_PORT"])), "the cloud is back")
    samples = BARE_MESSAGES * POINTS
    return {
        f"bare loop, {kind}: samples/s": samples / figures["seconds"],
        f"bare loop, {kind}: thousand samples per CPU-second": samples / figures["cpu_s"] / 1000,
    }


def ingest() -> Figures:
    """1,000 gateways over mosquitto into the embedded storage and into InfluxDB, beside bare loops."""
    figures: Figures = {"gateways": GATEWAYS, "samples a message": POINTS}
    for label, influx in (("embedded", False), ("InfluxDB", True)):
        with site(influx=influx) as on:
            for kind in ("influx",) if influx else ("blob", "paho"):
                figures |= bare(on, kind)
            for part in (paced, backfill, flood):
                figures |= {f"{label}, {key}": value for key, value in part(on).items()}
    return figures


INGEST_BENCHMARKS: dict[str, Callable[[], Figures]] = {"ingest": ingest}
