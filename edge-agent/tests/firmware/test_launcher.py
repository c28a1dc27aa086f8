"""Which slot starts: whatever the state says, and with real programs that crash or hang."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from edge_agent.firmware import launcher
from edge_agent.firmware.launcher import DELIVERED

SAYS = "import sys; print('{slot}', *sys.argv[1:])\n"
CRASHES = "raise SystemExit(7)\n"
HANGS = "import time\nprint('hangs', flush=True)\ntime.sleep(600)\n"


def fill(folder: Path, slot: str, program: str = "") -> None:
    package = folder / slot / "lib" / "edge_agent"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(program or SAYS.format(slot=slot))
    (folder / slot / "complete.json").write_text("{}")


def put(folder: Path, **state: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "state.json").write_text(json.dumps(state))


def on_trial(slot: str, starts: int = 0, seconds: float = 60) -> dict[str, Any]:
    return {"slot": slot, "starts": starts, "seconds": seconds}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"slot": 7}', '{"slot": "../a"}', '{"slot": "a"}', "[" * 100_000, '{"trial": 1}',
     '{"trial": {"slot": "b", "starts": "x", "seconds": 1}}', "\x00\x00\x00"],
)  # fmt: skip
def test_whatever_stands_in_the_state_something_starts(tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)
    assert launcher.choose(str(tmp_path)) == (DELIVERED, 0)


def test_without_a_folder_the_delivered_installation_starts(tmp_path: Path) -> None:
    assert launcher.choose(str(tmp_path / "none")) == (DELIVERED, 0)


@pytest.mark.clause("C-207")
def test_a_slot_that_is_not_complete_is_not_started(tmp_path: Path) -> None:
    fill(tmp_path, "a")
    put(tmp_path, slot="a", trial=on_trial("b"), other=[1])
    (tmp_path / "b" / "lib").mkdir(parents=True)
    assert launcher.choose(str(tmp_path)) == ("a", 0)
    state = json.loads((tmp_path / "state.json").read_text())
    assert (state["trial"], state["failed"]["code"], state["other"]) == (None, "unusable", [1])
    (tmp_path / "a" / "complete.json").unlink()
    assert launcher.choose(str(tmp_path)) == (DELIVERED, 0)


@pytest.mark.clause("C-208")
def test_three_starts_without_an_end_of_the_trial_are_enough(tmp_path: Path) -> None:
    fill(tmp_path, "a")
    fill(tmp_path, "b")
    put(tmp_path, slot="a", trial=on_trial("b"), record={"step": "trial"})
    assert [launcher.choose(str(tmp_path)) for _ in range(5)] == [("b", 60)] * 3 + [("a", 0)] * 2
    state = json.loads((tmp_path / "state.json").read_text())
    assert state["failed"] == {"slot": "b", "code": "crash"}
    assert state["record"] == {"step": "trial"}


@pytest.mark.clause("C-208")
def test_a_start_that_cannot_be_counted_is_not_tried(tmp_path: Path) -> None:
    """A full medium must not make a crash loop without an end."""

    def full(path: str, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    fill(tmp_path, "a")
    fill(tmp_path, "b")
    put(tmp_path, slot="a", trial=on_trial("b"))
    before = (tmp_path / "state.json").read_bytes()
    assert launcher.choose(str(tmp_path), full) == ("a", 0)
    assert (tmp_path / "state.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        (["run", "--config", "c", "--data", "d"], "d"),
        (["run", "--data=d"], "d"),
        (["run", "--data"], None),
        (["run"], None),
        (["check", "--data", "d"], None),
        ([], None),
    ],
)
def test_only_run_is_of_a_slot(words: list[str], folder: str | None) -> None:
    assert launcher.data_folder(words) == folder


class Started:
    """The launcher as a process, as a service manager starts it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._words = [sys.executable, "-m", "edge_agent.firmware.launcher", "run", "--data", str(data)]

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self._words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def once(self) -> tuple[int, str]:
        """Exit code and what it said."""
        ended = subprocess.run(self._words, capture_output=True, text=True, timeout=120, check=False)
        return ended.returncode, ended.stdout.strip()


@pytest.mark.clause("C-208")
def test_a_version_that_crashes_at_its_start_is_left_without_any_of_its_code(tmp_path: Path) -> None:
    folder, gateway = tmp_path / "firmware", Started(tmp_path)
    fill(folder, "a")
    fill(folder, "b", CRASHES)
    put(folder, slot="a", trial=on_trial("b"))
    assert [gateway.once()[0] for _ in range(3)] == [7, 7, 7]
    assert gateway.once() == (0, f"a run --data {tmp_path}")


@pytest.mark.clause("C-208")
def test_a_version_that_hangs_is_ended_and_left(tmp_path: Path) -> None:
    folder, gateway = tmp_path / "firmware", Started(tmp_path)
    fill(folder, "a")
    fill(folder, "b", HANGS)
    put(folder, slot="a", trial=on_trial("b", seconds=0.1))
    with gateway.start() as process:
        said, _ = process.communicate(timeout=120)
    assert (said.strip(), process.returncode) == ("hangs", -signal.SIGKILL)
    assert json.loads((folder / "state.json").read_text())["failed"] == {"slot": "b", "code": "hang"}
    assert gateway.once()[1].startswith("a ")


def test_the_guard_leaves_a_version_alone_that_was_confirmed(tmp_path: Path) -> None:
    put(tmp_path, slot="b", trial=None)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        agent = os.pidfd_open(child.pid)
        launcher.watch(str(tmp_path), "b", 0, agent, look_ms=10)
        assert child.poll() is None
        child.communicate(b"\n")
    launcher.watch(str(tmp_path), "b", 600, agent, look_ms=10)  # it has ended
    os.close(agent)


def test_the_guard_waits_for_the_end_of_the_trial(tmp_path: Path) -> None:
    put(tmp_path, slot="a", trial=on_trial("b"))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        agent = os.pidfd_open(child.pid)
        guard = threading.Thread(target=launcher.watch, args=(str(tmp_path), "b", 600, agent, 10))
        guard.start()
        guard.join(0.2)
        assert guard.is_alive()
        put(tmp_path, slot="b", trial=None)
        guard.join(60)
        assert not guard.is_alive()
        assert child.poll() is None
        child.communicate(b"\n")
    os.close(agent)


def test_a_restart_goes_back_to_the_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a slot, with the environment that the launcher had; from anywhere else with the own words."""
    monkeypatch.delenv(launcher.ORIGIN, raising=False)
    assert launcher.start_again()[0] == sys.orig_argv
    assert launcher.running_slot() is None
    before = {"PYTHONPATH": None, "PYTHONDONTWRITEBYTECODE": None}
    monkeypatch.setenv(
        launcher.ORIGIN, json.dumps({"slot": "b", "words": ["python", "edge-agent"], "variables": before})
    )
    monkeypatch.setenv("PYTHONPATH", "slot b")
    words, environment = launcher.start_again()
    assert words == ["python", "edge-agent"]
    assert launcher.ORIGIN not in environment
    assert "PYTHONPATH" not in environment
    assert launcher.running_slot() == "b"


def test_the_launcher_needs_the_standard_library_alone() -> None:
    """It must start whatever an upgrade, or a damaged installation, has done to libraries."""
    source = (
        "import sys; before = set(sys.modules); import edge_agent.firmware.launcher;"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(ended.stdout.split())
    assert loaded - set(sys.stdlib_module_names) == {"edge_agent"}
    assert not loaded & {"asyncio", "logging", "pathlib", "ssl", "socket"}
