"""One mutant in a process of its own: the tests of its module see it instead of the file on disk.

The process is forked from one that has the libraries in memory and no module of the product: a test run
then costs its tests, and not a start of pytest with its plugins.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import CodeType, ModuleType

from _environment import ROOT

from mutation.operators import mutated

LIBRARIES = (
    "pytest",
    "_pytest.assertion.rewrite",
    "hypothesis",
    "pytest_asyncio",
    "pytest_timeout",
    "msgspec",
)
HEAVY = (
    "numpy",
    "sqlalchemy.ext.asyncio",
    "fastapi",
    "aiosqlite",
    "asyncpg",
    "httpx",
    "alembic",
    "pydantic",
    "paho.mqtt.client",
)
NOT_IMPORTED = 77
"""Exit code of a run whose tests never import the module."""
LOOK_S = 0.05


class Verdict(StrEnum):
    """What the tests said of a mutant."""

    NOTICED = "noticed"
    TIMED_OUT = "timed out"
    SURVIVED = "SURVIVED"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Outcome:
    """seconds: of wall time; output: what pytest printed."""

    verdict: Verdict
    seconds: float
    output: str


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a file with one change; nothing is cached."""

    number: int | None = None
    used = False

    def get_code(self, fullname: str) -> CodeType:
        self.used = True
        return compile(
            mutated(Path(self.path).read_text(), self.number), self.path, "exec", dont_inherit=True
        )


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module, by its full name."""

    def __init__(self, name: str, path: Path, number: int | None) -> None:
        self._name, self._path = name, path
        self.loader = _Loader(name, str(path))
        self.loader.number = number

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        folder = [str(self._path.parent)] if self._path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self._path, loader=self.loader, submodule_search_locations=folder
        )


def preload() -> None:
    """Import what the tests need and what is no part of the product."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads cannot be forked
    for name in (*LIBRARIES, *HEAVY):
        if importlib.util.find_spec(name.split(".")[0]) is not None:
            importlib.import_module(name)


def attempt(module: Path, tests: Sequence[str], number: int | None, most_s: float) -> Outcome:
    """Run tests with one mutant, or with none. most_s: then the run is ended and counts as noticed."""
    with tempfile.TemporaryDirectory(prefix="mutant") as folder:
        printed = Path(folder, "output")
        begin = time.monotonic()
        child = os.fork()
        if child == 0:
            _run(module, tests, number, Path(folder), printed)
        code = _wait(child, begin + most_s)
        seconds = time.monotonic() - begin
        output = printed.read_text(errors="replace") if printed.exists() else ""
    if code is None:
        return Outcome(Verdict.TIMED_OUT, seconds, output)
    if code == 0:
        return Outcome(Verdict.SURVIVED, seconds, output)
    # 1: a test failed; 2, 4: a test file or a conftest did not import
    return Outcome(Verdict.NOTICED if code in {1, 2, 3, 4} else Verdict.NOT_RUN, seconds, output)


def _wait(child: int, until: float) -> int | None:
    """Exit code of the child, or None when it had to be ended; its own children end with it."""
    code: int | None = None
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            break
        time.sleep(LOOK_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
        return None
    return code if code >= 0 else 1  # a crash is noticed


def _run(module: Path, tests: Sequence[str], number: int | None, folder: Path, printed: Path) -> None:
    """In the child: never returns."""
    code = 3
    try:
        os.setsid()
        output = os.open(printed, os.O_WRONLY | os.O_CREAT)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(ROOT)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(
            folder
        )  # examples of one mutant are not the next one's
        finder = _Finder(module_name(module), module, number)
        sys.meta_path.insert(0, finder)
        import pytest

        words = [
            "-x",
            "-q",
            "--no-header",
            "--hypothesis-seed=0",
            "--tb=line",
            "-k",
            "not postgres",
            "-o",
            f"cache_dir={folder}/cache",
        ]
        code = int(pytest.main([*words, f"--basetemp={folder}/tests", *tests]))
        if code == 0 and not finder.loader.used:
            code = NOT_IMPORTED
    finally:
        sys.stdout.flush()
        os._exit(code)


def module_name(path: Path) -> str:
    """edge_agent.bus.schedule of .../edge-agent/edge_agent/bus/schedule.py."""
    for root in ("broker-config/contract", "edge-agent", "cloud"):
        if path.is_relative_to(ROOT / root):
            parts = path.relative_to(ROOT / root).with_suffix("").parts
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    raise ValueError(f"{path} is in none of the three programs")
