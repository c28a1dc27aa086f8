"""A new target of stored batches is one folder and one line in a list; the agent runs it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import rules

TIMEOUT_S = 60.0

KIND = '''
"""A planted kind: notes the numbers of batches in a file."""

from pathlib import Path
from typing import Any

from edge_agent.config.model import Section
from edge_agent.forwarding.base import Condition, Kind, ForwarderCondition


class Options(Section, frozen=True, kw_only=True):
    path: str


class Spool:
    link = None

    def __init__(self, path: str, outbox: Any) -> None:
        self.path, self.outbox = Path(path), outbox

    async def run(self) -> None:
        seq = self.outbox.position().upto_seq
        while True:
            for batch in await self.outbox.following(seq, 10):
                with self.path.open("a") as file:
                    file.write(f"{batch.seq}\\n")
                seq = batch.seq
            self.outbox.passed(seq)
            await self.outbox.wait_new(seq)

    async def drain(self, timeout_s: float) -> None: ...

    def condition(self) -> ForwarderCondition:
        return ForwarderCondition(Condition.UP, 0, "")

    def actions(self) -> dict[Any, Any]:
        return {}


SPOOL = Kind("spool", Options, lambda name, options, services, outbox: Spool(options.path, outbox))
'''

CONFIGURATION = """
[gateway]
id = "gw-planted"
[local_page]
enable = false
[storage]
commit_interval_s = 0.1
[[forwarders]]
name = "one"
kind = "spool"
options = {{ path = "{one}" }}
[[forwarders]]
name = "two"
kind = "spool"
start = "oldest"
options = {{ path = "{two}" }}
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = {port}
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


def plant(folder: Path) -> None:
    """The agent's package with one folder and one entry more."""
    package = folder / "edge_agent"
    shutil.copytree(rules.ROOT / "edge-agent" / "edge_agent", package)
    forwarding = package / "forwarding"
    (forwarding / "spool").mkdir()
    (forwarding / "spool" / "__init__.py").write_text("")
    (forwarding / "spool" / "kind.py").write_text(KIND)
    kinds = forwarding / "kinds.py"
    text = kinds.read_text()
    kinds_now = "(CLOUD, FILE, HJ212, MQTT)"
    assert kinds_now in text
    line = "from edge_agent.forwarding.spool.kind import SPOOL\n\nFORWARDERS"
    kinds.write_text(
        text.replace(kinds_now, kinds_now.replace(")", ", SPOOL)")).replace("\nFORWARDERS", line, 1)
    )


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def numbers(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def test_a_planted_forwarder_runs(tmp_path: Path) -> None:
    plant(tmp_path)
    one, two = tmp_path / "one", tmp_path / "two"
    config = tmp_path / "gateway.toml"
    config.write_text(CONFIGURATION.format(one=one, two=two, port=free_port()))
    command = [sys.executable, "-m", "edge_agent"]
    check = [*command, "check", "--config", str(config)]
    checked = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    words = [*command, "run", "--config", str(config), "--data", str(tmp_path / "data")]
    with (tmp_path / "log").open("w") as log:
        agent = subprocess.Popen(words, cwd=tmp_path, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + TIMEOUT_S
        while not (numbers(one) and numbers(two)):
            assert agent.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.1)
        agent.terminate()
        assert agent.wait(30) == 0, (tmp_path / "log").read_text()
    finally:
        agent.kill()
        agent.wait()
    for path in (one, two):
        assert numbers(path) == list(range(1, len(numbers(path)) + 1))


def test_nothing_but_the_list_names_a_kind() -> None:
    """app.py, store, bus and page know no kind; the page's script knows the cloud's card only."""
    agent = rules.ROOT / "edge-agent" / "edge_agent"
    folders = {path.parent.name for path in (agent / "forwarding").glob("*/kind.py")}
    assert folders == {"cloud", "file", "hj212", "mqtt"}
    places = [agent / "app.py", *(agent / "bus").rglob("*.py"), *(agent / "store").rglob("*.py")]
    places += [*(agent / "localweb").rglob("*.py"), *(agent / "remote").rglob("*.py")]
    for path in places:
        for folder in folders:
            assert f"edge_agent.forwarding.{folder}" not in path.read_text(), path
