"""Files and folders that only their owner may read: sign-in, secrets, configurations, logs."""

from __future__ import annotations

import os
from pathlib import Path

UMASK = 0o077
"""Of every program that is started here."""


def make_private(folder: Path) -> None:
    """A folder for its owner alone, with everything in it, also what an earlier release left open."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for place, _, files in os.walk(folder):
        Path(place).chmod(0o700)
        for name in files:
            file = Path(place) / name
            if not file.is_symlink():
                file.chmod(file.stat().st_mode & 0o700)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, also where another one lay."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)


def private_opener(path: str, flags: int) -> int:
    """For open(): a new file is its owner's alone."""
    return os.open(path, flags, 0o600)
