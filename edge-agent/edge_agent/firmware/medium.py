"""File operations of an upgrade. Each says what a power cut leaves; tests cut the power at each of them."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from edge_agent.firmware.launcher import sync_folder, write_file


class Medium:
    """The file system that holds the slots. Every method raises OSError."""

    def replace(self, path: Path, content: bytes) -> None:
        """Durable when it returns: a power cut leaves the old content or the new one."""
        write_file(str(path), content)

    def write_at(self, path: Path, offset: int, content: bytes) -> None:
        """Bytes of a file from offset on; what is beyond them is cut off. Not durable before sync()."""
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.truncate(offset)
            file.seek(offset)
            file.write(content)

    def sync(self, path: Path) -> None:
        """Make the content of a file durable."""
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def sync_folder(self, path: Path) -> None:
        """Make the names in a folder durable."""
        sync_folder(str(path))

    def make_folder(self, path: Path) -> None:
        """With those above it. Not durable before sync_folder()."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def remove(self, path: Path) -> None:
        """A file, or a folder with all that is in it, if it is there. Not durable before sync_folder()."""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
