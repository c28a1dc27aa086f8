"""Who may import whom: the rules in pyproject.toml hold, and each one catches a planted fault."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import rules

PACKAGES = {
    "edge_contract": "broker-config/contract/edge_contract",
    "edge_agent": "edge-agent/edge_agent",
    "cloud": "cloud/cloud",
    "firmware_sim": "firmware-sim/firmware_sim",
}

PLANTED = [
    ("programs", "edge_contract/topics.py", "import cloud"),
    ("edge-alone", "edge_agent/model.py", "import firmware_sim"),
    ("cloud-alone", "cloud/settings.py", "import edge_agent.model"),
    ("simulator", "firmware_sim/__main__.py", "import edge_agent.app"),
    ("device-kinds", "firmware_sim/devices/fx/kind.py", "import firmware_sim.devices.mc.plc"),
    ("device-list", "firmware_sim/lines/delivery.py", "import firmware_sim.devices.all"),
    ("protocols-down", "edge_agent/protocols/base.py", "import edge_agent.store.base"),
    ("edge-packages", "edge_agent/store/sqlite.py", "import edge_agent.protocols.modbus.codec"),
    ("poller-and-forwarder", "edge_agent/bus/__init__.py", "import edge_agent.forwarding"),
    ("forwarders-take-no-orders", "edge_agent/forwarding/base.py", "import edge_agent.remote.service"),
    ("masters-and-loop-writes", "edge_agent/loop_write/message.py", "import edge_agent.bus.port"),
    ("hj212-codec", "edge_agent/forwarding/hj212/fields.py", "import edge_agent.store.base"),
    ("edge-wiring", "edge_agent/store/base.py", "import edge_agent.app"),
    ("one-mqtt-client", "edge_agent/remote/commands.py", "import paho.mqtt.client"),
    ("cloud-foundations", "cloud/core/envelope.py", "import cloud.domains"),
    ("time-series", "cloud/timeseries/base.py", "import cloud.db"),
    ("endpoints", "cloud/domains/devices/endpoints.py", "import cloud.domains.devices.repository"),
    ("cloud-wiring", "cloud/realtime/hub.py", "import cloud.main"),
]

BELOW = "edge_agent.protocols"
PROTOCOLS = rules.ROOT / "edge-agent" / "edge_agent" / "protocols"
"""Each folder is a protocol's package; what they share are files beside them."""


def lint(folder: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    words = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", "--config", "pyproject.toml"]
    words += [word for contract in contracts for word in ("--contract", contract)]
    path = os.pathsep.join(str(folder / Path(place).parent) for place in PACKAGES.values())
    env = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_every_rule_holds() -> None:
    done = lint(rules.ROOT)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    for place in PACKAGES.values():
        shutil.copytree(rules.ROOT / place, folder / place, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(rules.ROOT / "pyproject.toml", folder)
    return folder


@pytest.mark.parametrize(("contract", "module", "line"), PLANTED, ids=[row[0] for row in PLANTED])
def test_rule_catches_a_planted_import(copy: Path, contract: str, module: str, line: str) -> None:
    package, _, rest = module.partition("/")
    path = copy / PACKAGES[package] / rest
    kept = path.read_text()
    path.write_text(f"{kept}\n{line}\n")
    try:
        done = lint(copy, contract)
    finally:
        path.write_text(kept)
    assert done.returncode == 1, done.stdout
    assert "BROKEN" in done.stdout


def test_every_rule_is_planted() -> None:
    text = (rules.ROOT / "pyproject.toml").read_text()
    assert {line.split('"')[1] for line in text.splitlines() if line.startswith("id = ")} == {
        row[0] for row in PLANTED
    }


def other_protocols(path: Path, source: str, packages: set[str]) -> set[str]:
    """Packages of other protocols that a file of one imports."""
    named = {name.split(".")[2] for name in rules.modules(source) if name.startswith(f"{BELOW}.")}
    return named & packages - {path.relative_to(PROTOCOLS).parts[0]}


def test_protocols_do_not_know_each_other() -> None:
    packages = {path.parent.name for path in PROTOCOLS.glob("*/__init__.py")}
    assert len(packages) >= 5
    found = {
        path: named
        for package in packages
        for path in (PROTOCOLS / package).rglob("*.py")
        if (named := other_protocols(path, path.read_text(), packages))
    }
    assert found == {}
    codec = PROTOCOLS / "fx" / "codec.py"
    for line in ("import edge_agent.protocols.mc.codec", "from edge_agent.protocols import mc"):
        assert other_protocols(codec, line, packages) == {"mc"}
    assert other_protocols(codec, "from edge_agent.protocols.fx import areas", packages) == set()
