"""The whole agent with a file forwarder and one whose medium is missing."""

from __future__ import annotations

import csv
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from ..ports import free_port
from .test_agent import MINIMAL, Running, agent

pytestmark = pytest.mark.timeout(180)

FORWARDERS = """
[[forwarders]]
name = "usb"
kind = "file"
start = "oldest"
options = {{ folder = "{folder}" }}

[[forwarders]]
name = "gone"
kind = "file"
options = {{ folder = "{folder}/missing", what = "aggregates" }}
"""


def configured(folder: Path, text: str) -> Path:
    path = folder / "gateway.toml"
    path.write_text(MINIMAL.format(page=free_port(), modbus=free_port(), cloud="") + text)
    return path


def consumers(data: Path) -> set[str]:
    connection = sqlite3.connect(data / "outbox.sqlite")
    try:
        return {name for (name,) in connection.execute("SELECT name FROM consumer")}
    finally:
        connection.close()


def test_stop_brings_everything_into_the_file(tmp_path: Path) -> None:
    medium = tmp_path / "usb"
    medium.mkdir()
    config = configured(tmp_path, FORWARDERS.format(folder=medium))
    assert agent("check", "--config", str(config)).returncode == 0
    running = Running(config, tmp_path / "data")
    try:
        running.wait_for_batch()
        time.sleep(1)
        assert running.end(signal.SIGTERM) == 0, running.log.read_text()
    finally:
        running.process.kill()
        running.process.wait()
    connection = sqlite3.connect(tmp_path / "data" / "outbox.sqlite")
    [(newest,)] = connection.execute("SELECT next_seq - 1 FROM stream").fetchall()
    connection.close()
    [part] = medium.iterdir()
    rows = list(csv.DictReader(part.read_text().splitlines()))
    assert {int(row["seq"]) for row in rows} >= set(range(1, newest)), (
        "the last commit may come after the drain"
    )
    assert {(row["slave"], row["point"]) for row in rows} == {("dead", "t")}
    assert running.log.read_text().count("No such file") == 1, "a missing medium is said once"
    assert consumers(tmp_path / "data") == {"cloud", "usb", "gone"}

    config = configured(tmp_path, "")
    running = Running(config, tmp_path / "data")
    try:
        deadline = time.monotonic() + 40
        while consumers(tmp_path / "data"):
            assert time.monotonic() < deadline, "who is not configured holds nothing"
            time.sleep(0.2)
    finally:
        running.process.kill()
        running.process.wait()
