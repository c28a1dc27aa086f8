"""Child processes that run pytest, each with its own limits, and what their exit codes say of a mutant."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

import pytest
from _environment import ROOT
from hypothesis import Phase, settings

LOOK_S = 0.02
LAST_TEST = "last-test"
HOLDS, NOT_IMPORTED, UNCHANGEABLE, BROKEN = 0, 77, 78, 79
"""Exit codes: no test failed; no test imports the module; not to be changed in place, or at all."""
FAULTS = {1, 2, 3, 4}
"""pytest's exit codes: a test failed, or a test file or the module did not import."""
MEMORY_BYTES = 8 << 30
"""Of addresses: a mutant that fills a list for ever gets a MemoryError before the machine is full."""


class Verdict(StrEnum):
    """What the tests said of a mutant."""

    NOTICED = "noticed"
    TIMED_OUT = "timed out"
    SURVIVED = "SURVIVED"
    NOT_RUN = "NOT RUN"


@dataclass(frozen=True)
class Limits:
    """cpu_s: of the process itself, as an endless loop needs it on a busy machine too; wall_s: of all."""

    cpu_s: int
    wall_s: float


@dataclass(frozen=True)
class Outcome:
    """code: exit code, None at the end of the wall time; cpu_s: processor time; test: id of the last one run;
    output: the end of what was printed.
    """

    code: int | None
    cpu_s: float
    test: str
    output: str

    @property
    def verdict(self) -> Verdict:
        if self.code is None or self.code == -signal.SIGXCPU:
            return Verdict.TIMED_OUT
        if self.code == HOLDS:
            return Verdict.SURVIVED
        # below 0: ended by a signal, as a crash is
        return Verdict.NOTICED if self.code in FAULTS or self.code < 0 else Verdict.NOT_RUN


def limited(limits: Limits) -> None:
    """Make this process the first of a group of its own, with limits."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


class LastTest:
    """A plugin of pytest that writes the id of the test that runs; -x makes it the one that failed."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / LAST_TEST

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._file.write_text(nodeid)


def wait(child: int, limits: Limits, folder: Path) -> Outcome:
    """Until a child has ended that is limited(); its whole process group is ended then.

    folder: with its output and its last test, which is deleted.
    """
    begin = time.monotonic()
    code: int | None = None
    cpu_s = 0.0
    try:
        while code is None and time.monotonic() < begin + limits.wall_s:
            done, status, usage = os.wait4(child, os.WNOHANG)
            if done:
                code, cpu_s = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
            else:
                time.sleep(LOOK_S)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if code is None:
            os.waitpid(child, 0)
    last, output = folder / LAST_TEST, folder / "output"
    test = last.read_text() if last.exists() else ""
    last.unlink(missing_ok=True)
    return Outcome(code, cpu_s, test, output.read_text(errors="replace")[-4000:])


def write_to(output: Path) -> None:
    """Let this process write to a file, and read nothing."""
    sys.stdout.flush()
    written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(written, 1)
    os.dup2(written, 2)


def run_pytest(tests: Sequence[str], folder: Path, plugins: Sequence[object]) -> int:
    """Exit code. The first failure ends it; examples of one mutant are not the next one's."""
    os.chdir(ROOT)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder)
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("mutants", phases=phases, database=None)
    settings.load_profile("mutants")  # the profile of the tests begins with these
    words = ["-x", "-q", "--no-header", "--tb=line", "--hypothesis-seed=0", "-k", "not postgres"]
    words += ["-p", "no:cacheprovider", "--capture=sys", f"--basetemp={folder}/tests"]
    return int(pytest.main([*words, *tests], list(plugins)))


def end(code: int) -> NoReturn:
    """Leave this process at once: what its parent has open is not its own."""
    sys.stdout.flush()
    os._exit(code)
