"""Chooses the slot from which the agent starts, and ends a version on trial that hangs.

It is of the installation that the gateway was delivered with, which no upgrade changes, and imports nothing
but the standard library: what an upgrade has brought need not work for it to be left again.

Of state.json it knows slot (the confirmed one), trial (slot, starts, seconds) and failed (slot, code); the
other members stay as they are.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

FOLDER = "firmware"
STATE_FILE = "state.json"
COMPLETE_FILE = "complete.json"
"""The last file that is written into a slot: with it the slot can be started."""
LIBRARY = "lib"
DELIVERED = "delivered"
"""Stands for what the gateway was delivered with, which lies in no slot."""
SLOTS = ("a", "b")
MAX_STARTS = 3
"""Starts of a version on trial; a power cut counts as one."""
ORIGIN = "EDGE_AGENT_ORIGIN"
"""Environment variable: which slot runs, and how this launcher was started."""
CHANGED = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
"""Environment variables that a slot is started with."""
LOOK_MS = 5000

State = dict[str, Any]
Write = Callable[[str, bytes], None]


def write_file(path: str, content: bytes) -> None:
    """Replace a file that only its owner can read: after a power cut there is the old one or the new one.

    Raises OSError.
    """
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name}.draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    sync_folder(folder)


def sync_folder(path: str) -> None:
    """Make the names in a folder durable. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_state(folder: str) -> State:
    """Empty when there is none that can be read."""
    try:
        with open(os.path.join(folder, STATE_FILE), "rb") as file:
            state = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def is_complete(folder: str, slot: object) -> bool:
    """Whether a slot can be started."""
    return slot == DELIVERED or (slot in SLOTS and os.path.isfile(os.path.join(folder, slot, COMPLETE_FILE)))


def choose(folder: str, write: Write = write_file) -> tuple[str, float]:
    """The slot to start, and for how many seconds it may be on trial, 0 for a confirmed one.

    A start on trial is counted before it begins; where it cannot be counted nothing is tried.
    """
    state = read_state(folder)
    trial = state.get("trial")
    if isinstance(trial, dict):
        slot, starts, seconds = trial.get("slot"), trial.get("starts"), trial.get("seconds")
        complete = is_complete(folder, slot)
        if complete and isinstance(starts, int) and isinstance(seconds, int | float) and starts < MAX_STARTS:
            with contextlib.suppress(OSError):
                _write_state(folder, {**state, "trial": {**trial, "starts": starts + 1}}, write)
                return str(slot), float(seconds)
        else:
            with contextlib.suppress(OSError):
                leave(folder, slot, "crash" if complete else "unusable", write)
    confirmed = state.get("slot", DELIVERED)
    return (str(confirmed) if is_complete(folder, confirmed) else DELIVERED), 0.0


def running_slot() -> str | None:
    """The slot of this process; None when no launcher started it: nothing would start another one."""
    return str(started["slot"]) if (started := _origin()) else None


def start_again() -> tuple[list[str], dict[str, str]]:
    """Words and environment with which this process was started, by the launcher if there was one."""
    started = _origin()
    if started is None:
        return sys.orig_argv, dict(os.environ)
    before = {name: value for name, value in started["variables"].items() if value is not None}
    rest = {name: value for name, value in os.environ.items() if name not in (ORIGIN, *CHANGED)}
    return started["words"], rest | before


def _origin() -> dict[str, Any] | None:
    try:
        started = json.loads(os.environ[ORIGIN])
        return started if isinstance(started, dict) and "words" in started else None
    except (KeyError, ValueError):
        return None


def data_folder(words: list[str]) -> str | None:
    """The data folder of `run`; None for any other command."""
    if words[:1] != ["run"]:
        return None
    for at, word in enumerate(words):
        if word == "--data" and at + 1 < len(words):
            return words[at + 1]
        if word.startswith("--data="):
            return word.removeprefix("--data=")
    return None


def guard(folder: str, slot: str, seconds: float) -> None:
    """End this process unless its version has been confirmed, or has been left, after so many seconds.

    The guard is a process beside this one; it ends with it. Without pidfd_open(2) there is none.
    """
    try:
        agent = os.pidfd_open(os.getpid())
    except OSError as error:
        sys.stderr.write(f"a version that hangs will not be ended: {error.strerror}\n")
        return
    if child := os.fork():
        os.waitpid(child, 0)
        os.close(agent)
        return
    os.setsid()
    if not os.fork():
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nowhere, descriptor)
        watch(folder, slot, seconds, agent)
    os._exit(0)


def watch(folder: str, slot: str, seconds: float, agent: int, look_ms: int = LOOK_MS) -> None:
    """agent: pidfd of the process on trial. Return when it has ended or is on trial no longer."""
    deadline = time.monotonic() + seconds
    ended = select.poll()
    ended.register(agent, select.POLLIN)
    while not ended.poll(look_ms):
        trial = read_state(folder).get("trial")
        if not isinstance(trial, dict) or trial.get("slot") != slot:
            return
        if time.monotonic() >= deadline:
            with contextlib.suppress(OSError):
                leave(folder, slot, "hang")
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(agent, signal.SIGKILL)
            return


def main() -> None:
    """The agent's command line, from the slot that is to run. Returns never."""
    words, data = sys.argv[1:], data_folder(sys.argv[1:])
    if data is not None:
        folder = os.path.join(os.path.abspath(data), FOLDER)
        os.umask(0o077)
        slot, seconds = choose(folder)
        variables = {name: os.environ.get(name) for name in CHANGED}
        os.environ[ORIGIN] = json.dumps({"slot": slot, "words": sys.orig_argv, "variables": variables})
        if slot != DELIVERED:
            if seconds:
                guard(folder, slot, seconds)
            library = os.path.join(folder, slot, LIBRARY)
            os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [library, variables["PYTHONPATH"]]))
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # what is in a slot was made durable before
            command = [sys.executable, "-P", "-m", "edge_agent", *words]
            os.execv(sys.executable, command)  # noqa: S606 - its own program, without a shell
    runpy.run_module("edge_agent", run_name="__main__", alter_sys=True)  # as python -m does; it exits


def leave(folder: str, slot: object, code: str, write: Write = write_file) -> None:
    """The slot is on trial no longer, and failed; the confirmed one starts next. Raises OSError."""
    state = {**read_state(folder), "trial": None, "failed": {"slot": str(slot), "code": code}}
    _write_state(folder, state, write)


def _write_state(folder: str, state: State, write: Write) -> None:
    write(os.path.join(folder, STATE_FILE), json.dumps(state).encode())


if __name__ == "__main__":
    main()
