"""One mutant in a process of its own, where the tests of its module see it. No file is changed.

Two ways. In place: a process that has libraries and product in memory is forked, and the changed function
gets its new code; that costs the tests and nothing else. Fresh: a new process imports the module with the
change. It is used for what runs at the import (constants, defaults, tables), and to confirm that a mutant
survives: a value that was computed at the import does not change in place.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

import pytest
from _environment import PYTHON, ROOT, SCRIPTS
from hypothesis import Phase, settings

from mutation.loading import NOT_IMPORTED, Finder, Loaded, module_name

LOOK_S = 0.05
HOLDS, UNCHANGEABLE = 0, 78
"""Exit codes: no test failed; the change cannot be made in place."""
FAULTS = {1, 2, 3, 4}
"""pytest's exit codes: a test failed, or a test file or the module did not import."""


class Verdict(StrEnum):
    """What the tests said of a mutant."""

    NOTICED = "noticed"
    TIMED_OUT = "timed out"
    SURVIVED = "SURVIVED"
    NOT_RUN = "NOT RUN"


@dataclass(frozen=True)
class Outcome:
    """seconds: of wall time; output: what pytest printed."""

    verdict: Verdict
    seconds: float
    output: str


def attempt(loaded: Loaded, module: Path, tests: Sequence[str], number: int | None, most_s: float) -> Outcome:
    """Run tests with one mutant, or with none. most_s: of wall time; then the run is ended."""
    begin = time.monotonic()
    code, output = _in_folder(most_s, lambda folder: _forked(loaded, module, tests, number, folder))
    if code == UNCHANGEABLE or (code == HOLDS and number is not None):
        words = [str(module), str(number), *tests]
        code, output = _in_folder(most_s + 20, lambda folder: _spawned(words, folder))
    if code is None:
        verdict = Verdict.TIMED_OUT
    elif code == HOLDS:
        verdict = Verdict.SURVIVED
    else:  # below 0: ended by a signal, as a crash is
        verdict = Verdict.NOTICED if code in FAULTS or code < 0 else Verdict.NOT_RUN
    return Outcome(verdict, time.monotonic() - begin, output)


def _in_folder(most_s: float, start: Callable[[Path], int]) -> tuple[int | None, str]:
    """Exit code (None when the time was over) and output of a process that is given a folder."""
    with tempfile.TemporaryDirectory(prefix="mutant", ignore_cleanup_errors=True) as folder:
        code = _wait(start(Path(folder)), time.monotonic() + most_s)
        return code, Path(folder, "output").read_text(errors="replace")


def _wait(child: int, until: float) -> int | None:
    """Exit code of a child with a process group of its own, all of which is ended."""
    code: int | None = None
    while code is None and time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
        else:
            time.sleep(LOOK_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
    return code


def _forked(loaded: Loaded, module: Path, tests: Sequence[str], number: int | None, folder: Path) -> int:
    sys.stdout.flush()
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
    child = os.fork()
    if child:
        os.close(output)
        return child
    code = 3
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        changed = number is None or loaded.change(module, number)
        code = _pytest(tests, folder) if changed else UNCHANGEABLE
    finally:
        _end(code)


def _spawned(words: Sequence[str], folder: Path) -> int:
    with Path(folder, "output").open("w") as output:
        return subprocess.Popen(
            [PYTHON, "-m", "mutation.trial", str(folder), *words],
            cwd=SCRIPTS,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        ).pid


def _pytest(tests: Sequence[str], folder: Path, plugins: Sequence[object] = ()) -> int:
    os.chdir(ROOT)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder)  # examples of one mutant are not the next one's
    settings.register_profile("no shrinking", phases=[Phase.explicit, Phase.generate])
    settings.load_profile("no shrinking")  # the profile of the tests begins with these
    words = ["-x", "-q", "--no-header", "--tb=line", "--hypothesis-seed=0", "-k", "not postgres"]
    words += ["-o", f"cache_dir={folder}/cache", f"--basetemp={folder}/tests"]
    return int(pytest.main([*words, *tests], list(plugins)))


def _end(code: int) -> NoReturn:
    sys.stdout.flush()
    os._exit(code)


def main() -> NoReturn:
    """In a process of its own: FOLDER MODULE NUMBER TEST ..."""
    folder, module, number, *tests = sys.argv[1:]
    finder = Finder(module_name(Path(module)), Path(module), int(number))
    code = _pytest(tests, Path(folder), [finder])
    _end(NOT_IMPORTED if code == HOLDS and not finder.loader.used else code)


if __name__ == "__main__":
    main()
