"""The whole agent as its own process: commands, first boot, start, stop, what survives."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge_agent.logs import JsonFormatter, LineFormatter

from ..ports import free_port

pytestmark = pytest.mark.timeout(180)

START_TIMEOUT_S = 40.0
RESIDENT_MB = 60
MINIMAL = """
[gateway]
id = "gw-test-1"

[local_page]
port = {page}
{cloud}
[storage]
commit_interval_s = 0.1

[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = {modbus}
capture_cycle_ms = 100

[[slaves]]
name = "dead"
port = "lan"
protocol = "modbus_tcp"
address = "1"

[[points]]
slave = "dead"
name = "t"
address = {{ reg_type = "4X", offset = 0 }}
"""


def agent(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "edge_agent", *words],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def configure(folder: Path, cloud: str = "") -> Path:
    """A gateway whose only slave never answers: its quality is collected all the same."""
    path = folder / "gateway.toml"
    path.write_text(MINIMAL.format(page=free_port(), modbus=free_port(), cloud=cloud))
    return path


class Running:
    """An agent as a child process."""

    def __init__(self, config: Path, data: Path, *words: str) -> None:
        self.data = data
        self.log = data.parent / "agent.log"
        command = [
            sys.executable,
            "-m",
            "edge_agent",
            "run",
            "--config",
            str(config),
            "--data",
            str(data),
            *words,
        ]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        self.started = time.monotonic()

    def batches(self) -> int:
        try:
            connection = sqlite3.connect(f"file:{self.data / 'outbox.sqlite'}?mode=ro", uri=True)
            try:
                return int(connection.execute("SELECT count(*) FROM batch").fetchone()[0])
            finally:
                connection.close()
        except sqlite3.Error:
            return 0

    def wait_for_batch(self) -> float:
        """Seconds from the start to the first committed sample."""
        while not self.batches():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() - self.started < START_TIMEOUT_S, self.log.read_text()
            time.sleep(0.02)
        return time.monotonic() - self.started

    def resident_mb(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    started = Running(configure(tmp_path), tmp_path / "data")
    yield started
    started.process.kill()
    started.process.wait()


def test_first_start_collects_stores_and_stops_cleanly(running: Running) -> None:
    seconds = running.wait_for_batch()
    resident = running.resident_mb()
    print(f"first committed sample after {seconds:.2f} s, {resident:.1f} MB resident")
    assert seconds < START_TIMEOUT_S
    assert resident < RESIDENT_MB
    assert running.end() == 0
    text = running.log.read_text()
    assert text.rstrip().endswith("app: stopped")
    password = (running.data / "local-admin.txt").read_text().strip()
    assert password not in text, "a log is not a console"
    assert str(running.data / "local-admin.txt") in text
    for file in running.data.iterdir():
        assert not stat.S_IMODE(file.stat().st_mode) & 0o077, f"{file} is readable by others"


def test_a_second_agent_on_the_folder_is_refused(running: Running, tmp_path: Path) -> None:
    running.wait_for_batch()
    done = agent("run", "--config", str(configure(tmp_path)), "--data", str(running.data))
    assert done.returncode == 1
    assert f"another agent (process {running.process.pid}) works on" in done.stderr
    assert "Traceback" not in done.stderr


def test_kill_and_restart_keep_the_stream(running: Running, tmp_path: Path) -> None:
    running.wait_for_batch()
    running.end(signal.SIGKILL)
    before = running.batches()
    again = Running(tmp_path / "gateway.toml", running.data, "--log-json")
    try:
        while again.batches() <= before:
            assert time.monotonic() - again.started < START_TIMEOUT_S
            time.sleep(0.02)
        assert again.end(signal.SIGINT) == 0
    finally:
        again.process.kill()
        again.process.wait()
    streams = set(re.findall(r"stream ([0-9a-f]{16})", again.log.read_text()))
    assert len(streams) == 1
    entry = json.loads(again.log.read_text().splitlines()[-1])
    assert (entry["text"], entry["level"]) == ("stopped", "info")
    assert again.log.read_text().count("local-admin.txt") == 1, "said at first boot only"


def test_wrong_configurations_name_field_and_rule(tmp_path: Path) -> None:
    good = configure(tmp_path)
    assert agent("check", "--config", str(good)).stdout == "ok: 1 ports, 1 slaves, 1 points\n"
    bad = tmp_path / "bad.toml"
    bad.write_text(good.read_text().replace('"modbus_tcp"', '"morse"').replace('host = "127.0.0.1"', ""))
    checked = agent("check", "--config", str(bad))
    assert checked.returncode == 1
    assert "ports[0].host: must be given" in checked.stderr
    assert "slaves[0].protocol: must be one of" in checked.stderr
    ran = agent("run", "--config", str(bad), "--data", str(tmp_path / "data"))
    assert ran.returncode == 2
    assert "slaves[0].protocol: must be one of" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert agent("run", "--config", str(tmp_path / "none.toml"), "--data", str(tmp_path)).returncode == 2


def test_a_page_beyond_loopback_without_certificate_is_a_wrong_configuration(tmp_path: Path) -> None:
    config = configure(tmp_path)
    config.write_text(config.read_text().replace("[local_page]", '[local_page]\nhost = "0.0.0.0"'))
    ran = agent("run", "--config", str(config), "--data", str(tmp_path / "data"))
    assert ran.returncode == 2
    assert "local_page.cert_file: must be given" in ran.stderr


def test_secret(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    assert agent("secret", "--data", data).returncode == 1
    assert agent("secret", "--set", "--data", data, text="\n").returncode == 2
    kept = agent("secret", "--set", "--data", data, text=" s3cret \n")
    assert kept.returncode == 0
    assert "s3cret" not in kept.stdout + kept.stderr
    file = tmp_path / "data" / "cloud-secret"
    assert file.read_text() == "s3cret\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert agent("secret", "--data", data).returncode == 0


def test_password_and_version(tmp_path: Path) -> None:
    done = agent("password", "--data", str(tmp_path))
    assert (tmp_path / "local-admin.txt").read_text().strip() in done.stdout
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", agent("version").stdout)


@pytest.mark.clause("C-007")
def test_a_stop_flushes_says_offline_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Against a real broker without a cloud: retained State says why the gateway is gone."""
    if shutil.which("mosquitto") is None:
        pytest.skip("mosquitto is not installed")
    port = free_port()
    (tmp_path / "m.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
    with subprocess.Popen(["mosquitto", "-c", str(tmp_path / "m.conf")], stderr=subprocess.DEVNULL) as broker:
        data = tmp_path / "data"
        agent("secret", "--set", "--data", str(data), text="x\n")
        started = Running(configure(tmp_path, f'[cloud]\nurl = "mqtt://127.0.0.1:{port}"\n'), data)
        try:
            while "connected to mqtt://" not in started.log.read_text():
                assert time.monotonic() - started.started < START_TIMEOUT_S, started.log.read_text()
                time.sleep(0.02)
            started.wait_for_batch()
            begun = time.monotonic()
            assert started.end() == 0
            assert time.monotonic() - begun < 10
            words = ["mosquitto_sub", "-p", str(port), "-t", "v1/gw-test-1/state", "-C", "1", "-W", "30"]
            state = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
            assert (state["online"], state["reason"]) == (False, "stopped")
        finally:
            started.process.kill()
            started.process.wait()
            broker.kill()


def test_log_lines_cannot_be_forged() -> None:
    import logging

    record = logging.LogRecord("edge_agent.x", logging.INFO, "", 0, "from outside: %s", ("a\nINFO b",), None)
    assert "\n" not in LineFormatter().format(record)
    assert json.loads(JsonFormatter().format(record))["text"] == "from outside: a\nINFO b"
    record.args = ("\x1b[2J\x00\x9b1m\u2028泵",)
    assert LineFormatter().format(record).endswith(" x: from outside: \\x1b[2J\\x00\\x9b1m\\u2028泵")
    try:
        raise ValueError("a\nINFO b\x1b")
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    lines = LineFormatter().format(record).split("\n")
    assert len(lines) > 3
    assert all(line.startswith("  ") and line.isprintable() for line in lines[1:])
