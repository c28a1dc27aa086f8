"""python-snap7 in environments of its own: programs that share no code with this one.

The native snap7 library (2.0.2) is a PLC, the pure Python client (3.3.0) a master. Each environment is made
once from hashed requirements and kept in pytest's cache.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest

HERE = Path(__file__).parent
MAX_MAKING_S = 60
MAX_ANSWER_S = 10


def python_of(requirements: str, cache: pytest.Cache) -> Path:
    """Interpreter that has what a requirement file names; skips the test where that cannot be installed."""
    wanted = HERE / requirements
    name = hashlib.sha256(wanted.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = cache.mkdir("s7-peers") / name
    python, done = folder / "bin" / "python", folder / "installed"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests beside this one want it, too
        if not done.exists():
            make(folder, python, wanted)
            done.touch()
    return python


def make(folder: Path, python: Path, wanted: Path) -> None:
    uv = Path(sys.executable).parent / "uv"
    steps = [
        [str(uv), "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)],
        [
            str(uv),
            "pip",
            "install",
            "--quiet",
            "--python",
            str(python),
            "--require-hashes",
            "-r",
            str(wanted),
        ],
    ]
    for step in steps:
        try:
            made = subprocess.run(step, capture_output=True, text=True, timeout=MAX_MAKING_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"python-snap7 cannot be installed: {error}")
        if made.returncode:
            pytest.skip(f"python-snap7 cannot be installed: {made.stderr.strip()[-300:]}")


class Peer:
    """A script in such an environment: one JSON line in, one JSON line out."""

    def __init__(self, python: Path, script: str, *words: str) -> None:
        self._process = subprocess.Popen(
            [str(python), str(HERE / script), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ask(self, *words: Any) -> Any:
        """What the script answers; AssertionError with what it says when it fails."""
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, self._process.stderr.read()
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.stdin and self._process.stdin.close()
        try:
            self._process.wait(MAX_ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            stream and stream.close()
