"""A field protocol is one folder and one line: one that is planted into a copy works everywhere."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rules

TIMEOUT_S = 60.0
AGENT = rules.ROOT / "edge-agent" / "edge_agent"
CLOUD = rules.ROOT / "cloud" / "cloud"
CONTRACT = rules.ROOT / "broker-config" / "contract"
LINE = '        S7Protocol("ppi"),\n'

ENTRY = '''
"""A planted protocol: text lines over TCP, "R NODE" answered by a number."""

from typing import Annotated, Any

import msgspec

from edge_agent import transports
from edge_agent.config.model import Section
from edge_agent.errors import ConfigError
from edge_agent.protocols.base import form_schema, label, section
from edge_agent.protocols.conditions import above, var
from edge_agent.protocols.description import AddressForm, Connection, Description, Rule, Words
from edge_agent.protocols.usual_checks import station_check


class Options(Section, frozen=True, kw_only=True):
    nodes: Annotated[int, msgspec.Meta(ge=1, le=99), label("节点数", "Nodes")] = 10


class Address(Section, frozen=True, kw_only=True):
    node: Annotated[int, msgspec.Meta(ge=0, le=99), label("节点号", "Node")]


class Block:
    wire_bytes = 8

    def __init__(self, at, node):
        self.points, self.node = (at,), node

    def split(self, error):
        return ()


class TallyDriver:
    def __init__(self, port):
        self.gap_s, self._wire = port.min_interval_ms / 1000, transports.create(port)

    async def connect(self):
        await self._wire.open()

    async def close(self):
        await self._wire.close()

    def watch(self, seen):
        self._wire.watch(seen)

    async def read(self, slave, block):
        await self._wire.write(b"R %d\\n" % block.node)
        return [int(await self._wire.read_some(2.0))]

    async def write(self, slave, point, raw):
        raise NotImplementedError

    async def identify(self, slave):
        return ""


class Tally:
    name = "tally"
    gap_rule = raw_rule = None
    scan_addresses = ("1",)
    description = Description(
        name="tally", title=Words("计数协议", "Tally"), short="Tally", stem="counter",
        port_types=frozenset({"NET"}), connection=Connection("1", tcp_port=7001),
        slave_address=AddressForm(Words("站号", "Station"), Words("1 至 9", "1 to 9")),
        options=Options, address=Address,
        address_checks=(station_check(1, 9),),
        point_checks=((
            Rule("address.node", "tally_node", above(var("address.node"), var("option.nodes")),
                 {"most": var("option.nodes")}),
        ),),
        fault_words={"tally_node": Words("节点号不大于 {most}", "At most node {most}")},
    )

    def validate_slave(self, slave, port):
        if slave.address not in "123456789":
            raise ConfigError("address", "must be from 1 to 9")

    def validate_point(self, point, slave):
        section(Address, point.address, "address")

    def schema(self):
        return form_schema(Options, Address)

    def plan(self, slave, points, gap=None):
        return [Block(at, point.address["node"]) for at, point in enumerate(points)]

    def driver(self, port):
        return TallyDriver(port)

    def describe(self, frame, direction=None):
        return {"direction": direction}
'''

EXPORT = """
import json, sys
from pathlib import Path
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.document import document, portal_part
described = document(each.description for each in PROTOCOLS.values())
Path(sys.argv[1]).write_text(json.dumps(described, ensure_ascii=False))
Path(sys.argv[2]).write_text(json.dumps(portal_part(described), ensure_ascii=False))
"""

JUDGE = """
import json, sys
from cloud.domains.importing.words import why
from cloud.domains.points import validation
from cloud.domains.points.fields import api_fields, written
from cloud.domains.points.forms import forms
from cloud.domains.points.schemas import PointFields
document = json.loads(sys.argv[1])
point = document["points"][0]
assert written("points", api_fields("points", point)) == point
PointFields.model_validate({"ds_name": "t", "address.node": 3})
form = forms()["tally"]
faults = [*validation.of_slaves(document), *validation.of_points(document)]
print(json.dumps({
    "labels": [[field.zh, field.en] for field in (*form.options, *form.address)],
    "faults": [[fault.name, fault.field, fault.code] for fault in faults],
    "words": [why(faults[-1].code, faults[-1].arguments, language) for language in ("zh", "en")],
}))
"""

EVALUATE = """
import { readFileSync } from 'node:fs';
const { makeCheck } = await import(process.argv[1]);
const { tally } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const facts = { 'address.node': 11, 'option.nodes': 10, station: 12 };
const broken = [tally.address_checks, tally.point_checks].flatMap((checks) => makeCheck(checks)(facts));
console.log(JSON.stringify({
  broken: broken.map(({ field, code, args }) => [field, code, args]),
  hint: tally.slave_address.hint, title: tally.title, words: tally.fault_words.tally_node,
}));
"""

CONFIGURATION = """
[gateway]
id = "gw-planted"
[local_page]
enable = false
[storage]
commit_interval_s = 0.1
[[forwarders]]
name = "files"
kind = "file"
start = "oldest"
options = {{ folder = "{folder}", format = "jsonl" }}
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = {port}
capture_cycle_ms = 100
[[slaves]]
name = "counter1"
port = "lan"
protocol = "tally"
address = "1"
[[points]]
slave = "counter1"
name = "t"
address = {{ node = 4 }}
ratio = 2
"""

WRONG: dict[str, Any] = {
    "ports": [{"name": "lan", "type": "NET", "host": "127.0.0.1"}],
    "slaves": [
        {"name": "good", "port": "lan", "protocol": "tally", "address": "1"},
        {"name": "bad", "port": "lan", "protocol": "tally", "address": "12", "options": {"nodes": 100}},
    ],
    "points": [
        {"slave": "good", "name": "fits", "address": {"node": 10}},
        {"slave": "good", "name": "none"},
        {"slave": "good", "name": "area", "address": {"node": 1, "area": "D"}},
        {"slave": "good", "name": "beyond", "address": {"node": 11}},
    ],
}


class Counter(socketserver.StreamRequestHandler):
    """A device: the value of a node is ten times its number."""

    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(b"%d\n" % (10 * int(line.split()[1])))


class Device(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def device() -> Iterator[int]:
    """A running device; its port."""
    with Device(("127.0.0.1", 0), Counter) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield int(server.server_address[1])
        server.shutdown()


def plant(folder: Path) -> None:
    """Copies of agent and cloud, the agent's with one folder and one line more, its descriptions exported."""
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(AGENT, folder / "edge_agent", ignore=leave)
    shutil.copytree(CLOUD, folder / "cloud", ignore=leave)
    protocols = folder / "edge_agent" / "protocols"
    (protocols / "tally").mkdir()
    (protocols / "tally" / "__init__.py").write_text("")
    (protocols / "tally" / "entry.py").write_text(ENTRY)
    listed = protocols / "__init__.py"
    text = listed.read_text()
    assert text.count(LINE) == 1
    imported = "from edge_agent.protocols.tally.entry import Tally\n\nPROTOCOLS"
    listed.write_text(text.replace(LINE, f"{LINE}        Tally(),\n").replace("\nPROTOCOLS", imported, 1))
    exported = [str(folder / "cloud" / "domains" / "points" / "protocols.json"), str(folder / "portal.json")]
    run(folder, [sys.executable, "-c", EXPORT, *exported])


def run(folder: Path, command: list[str]) -> str:
    """Output of a program that finds the copies."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(CONTRACT)])}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def read_by_agent(folder: Path, port: int) -> str:
    """Rows that the agent's file forwarder writes while it reads the device."""
    files, config = folder / "files", folder / "gateway.toml"
    files.mkdir()
    config.write_text(CONFIGURATION.format(folder=files, port=port))
    run(folder, [sys.executable, "-m", "edge_agent", "check", "--config", str(config)])
    words = [
        sys.executable,
        "-m",
        "edge_agent",
        "run",
        "--config",
        str(config),
        "--data",
        str(folder / "data"),
    ]
    with (folder / "log").open("w") as log:
        agent = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + TIMEOUT_S
        while not (found := sorted(path for path in files.rglob("*.jsonl*") if path.stat().st_size)):
            assert agent.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline, (folder / "log").read_text()
            time.sleep(0.1)
        return found[0].read_text()
    finally:
        agent.terminate()
        agent.wait(30)


def test_a_planted_protocol_works(tmp_path: Path) -> None:
    plant(tmp_path)
    assert changed(filecmp.dircmp(AGENT, tmp_path / "edge_agent", ignore=["__pycache__"])) == {
        "protocols/__init__.py", "protocols/tally"
    }  # fmt: skip
    with device() as port:
        row = json.loads(read_by_agent(tmp_path, port).splitlines()[0])
    assert (row["point"], row["value"]) == ("t", 80)
    judged = json.loads(run(tmp_path, [sys.executable, "-c", JUDGE, json.dumps(WRONG)]))
    assert judged == {
        "labels": [["节点数", "Nodes"], ["节点号", "Node"]],
        "faults": [
            ["bad", "address", "range"],
            ["bad", "options.nodes", "range"],
            ["none", "address.node", "required"],
            ["area", "area", "not_of_protocol"],
            ["beyond", "address.node", "tally_node"],
        ],
        "words": ["节点号不大于 10", "At most node 10"],
    }
    node = str(Path(sys.executable).parent / "node")
    evaluator = str(rules.ROOT / "web" / "src" / "blocks" / "points" / "conditions.ts")
    script = [node, "--input-type=module", "-e", EVALUATE, evaluator, str(tmp_path / "portal.json")]
    assert json.loads(run(tmp_path, script)) == {
        "broken": [
            ["address", "range", {"min": 1, "max": 9}],
            ["address.node", "tally_node", {"most": 10}],
        ],
        "hint": {"zh": "1 至 9", "en": "1 to 9"},
        "title": {"zh": "计数协议", "en": "Tally"},
        "words": {"zh": "节点号不大于 {most}", "en": "At most node {most}"},
    }


def changed(compared: filecmp.dircmp[str], below: str = "") -> set[str]:
    """Files and folders that differ, or are on one side only."""
    own = compared.diff_files + compared.left_only + compared.right_only
    return {below + name for name in own}.union(
        *(changed(sub, f"{below}{name}/") for name, sub in compared.subdirs.items())
    )
