"""What tests of running programs share: compiled programs, a prepared data folder, one real Chromium.

The browser's driver cannot be started twice in a process.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from forked_cloud import launched_or_forked
from stack import Ports, Stack
from stack.program import Program

CHROMIUM = "/usr/bin/chromium-headless-shell"
"""The same engine without a browser's own windows, which cost as much as the page."""
ARGUMENTS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The programs start dozens of times; compiling them anew would be most of the tests' time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        if "PYTHONPYCACHEPREFIX" not in os.environ:
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture(scope="session")
def prepared_once(compiled_once: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every stack begins with the same admin and claim; to make them takes longer than to start the cloud."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stack, "beginning", _beginning(tmp_path_factory))
        patch.setattr(Program, "launch", staticmethod(launched_or_forked))
        yield


def _beginning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of all workers of a run: to make it takes six seconds of a processor."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if is_worker else base) / "beginning"
    with (folder.parent / "beginning.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "done"
        if not done.exists():
            made = Stack(folder, Ports.free())
            made.prepare()
            made.stop()
            done.touch()
    return folder
