"""The folder of a running simulator: links, the control port's file, a lock."""

from __future__ import annotations

import fcntl
from contextlib import ExitStack
from pathlib import Path

from firmware_sim.errors import StartError


def locked(state: Path) -> ExitStack:
    """Holds the folder, which is made if need be: two simulators would take each other's lines. Raises
    StartError when it cannot be made or another one has it.
    """
    held = ExitStack()
    try:
        state.mkdir(parents=True, exist_ok=True)
        file = held.enter_context((state / "lock").open("w"))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        held.close()
        raise StartError(f"state folder {state}: {error.strerror}, or in use") from None
    return held
