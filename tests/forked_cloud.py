"""The cloud of a stack, forked from a process that has imported it already.

Its import makes 270 routes and takes four seconds of a core; tests start the cloud a hundred times. What is
forked is a process of its own all the same: with its settings, log and signals, and killed as one. The start
from nothing has tests of its own (`cloud/tests/test_cli.py`, `cloud/tests/realtime`, `scripts/demo --smoke`).
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

from stack.private import UMASK, private_opener
from stack.program import Child, Program

CLOUD = ["-m", "cloud"]
_launched = Program.launch
_forking = multiprocessing.get_context("forkserver")
_forking.set_forkserver_preload(["cloud.__main__", "cloud.main"])


def launched_or_forked(words: list[str], env: dict[str, str], log: Path) -> Child:
    """As Program.launch."""
    if words[1:3] != CLOUD:
        return _launched(words, env, log)
    # A daemon ends with the tests that did not stop it.
    process = _forking.Process(target=_run, args=(words[3:], env, log), daemon=True)
    process.start()
    return ForkedCloud(process)


def _run(words: list[str], env: dict[str, str], log: Path) -> None:
    os.setsid()
    os.umask(UMASK)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    with open(log, "ab", opener=private_opener) as out, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    sys.argv = ["edge-cloud", *words]
    from cloud.__main__ import main

    main()


class ForkedCloud:
    """A process in the terms of subprocess.Popen."""

    def __init__(self, process: BaseProcess) -> None:
        assert process.pid is not None
        self.pid = process.pid
        self._process = process

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired("cloud", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()
