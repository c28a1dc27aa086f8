"""Small files that only the agent's user may read."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from edge_agent.errors import StoreError

SECRET_FILE = "cloud-secret"  # noqa: S105 - a file name


def make_folder(folder: Path) -> None:
    """The data folder, for the agent's user alone. StoreError when it cannot be made."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(folder, error) from error


def unusable(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"the data folder {folder} cannot be used: {error.strerror}")


def cloud_secret(folder: Path) -> str | None:
    """The gateway's secret for the cloud, None while there is none."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return (folder / SECRET_FILE).read_text(encoding="utf-8").strip() or None
    return None


def write_private(path: Path, text: str) -> None:
    """Replace a file that only its owner can read, whole or not at all. StoreError when that fails."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
