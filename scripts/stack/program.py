"""A program of the product as the process that it is in the field."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Protocol

from stack.private import UMASK, make_private, private_opener

STOP_TIMEOUT_S = 15.0  # the agent flushes its last batch


class StackError(Exception):
    """A program did not start, ended early, or gave no answer; the text says which and where its log is."""


class Child(Protocol):
    """What is asked of a child process: that of subprocess.Popen."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def kill(self) -> None: ...


class Program:
    """One child process whose output goes to a log file."""

    def __init__(self, name: str, words: list[str], env: dict[str, str], logs: Path) -> None:
        self.name = name
        self.log = logs / f"{name}.log"
        self._words = words
        self._env = env
        self._process: Child | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise StackError(f"{self.name} was not started")
        return self._process.pid

    def start(self) -> None:
        make_private(self.log.parent)
        self._process = self.launch(self._words, self._env, self.log)

    @staticmethod
    def launch(words: list[str], env: dict[str, str], log: Path) -> Child:
        """A process whose output is appended to `log`."""
        with open(log, "ab", opener=private_opener) as out:
            # A session of its own: Ctrl-C reaches only the parent, which stops the programs in order.
            return subprocess.Popen(
                words, env=env, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, umask=UMASK
            )

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def ending(self) -> str:
        """How it ended, in words; to be asked of a program that is not alive."""
        code = None if self._process is None else self._process.returncode
        if code is None:
            return "never started"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def check(self) -> None:
        """StackError with the end of the log when the program is not running."""
        if self._process is not None and not self.alive():
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])
            raise StackError(
                f"{self.name} ended with exit code {self._process.returncode}; {self.log}:\n{tail}"
            )

    def stop(self) -> None:
        """Ask it to stop; kill it when it does not."""
        if self._process is None:
            return
        if self.alive():
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()

    def kill(self) -> None:
        """kill -9, as a power cut would end it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def find_server(name: str, variable: str) -> Path | None:
    """The program `name`: what the environment variable names (the program, or the folder that holds it),
    else the one on the PATH; None when there is none. StackError when the variable names nothing that runs.
    """
    given = os.environ.get(variable)
    if not given:
        found = shutil.which(name)
        return None if found is None else Path(found).resolve()
    program = Path(given).resolve()
    if program.is_dir():
        program /= name
    if not (program.is_file() and os.access(program, os.X_OK)):
        raise StackError(f"{variable}: {program} is no program")
    return program
