"""Files of firmware in the data folder, named by their SHA-256: complete or absent, also after a power cut.

Methods block; callers run them in threads and keep writers and cleaners apart.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Collection
from pathlib import Path

SHA256 = re.compile(r"[0-9a-f]{64}")
ENDING = ".bin"
PART_ENDING = ".part"


class BlobStore:
    """folder: made when it is needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, sha256: str) -> Path:
        """Where a file lies. Raises ValueError for what is no SHA-256."""
        if not SHA256.fullmatch(sha256):
            raise ValueError("no SHA-256")
        return self._folder / f"{sha256}{ENDING}"

    def free_bytes(self) -> int:
        """On the medium of the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)
        status = os.statvfs(self._folder)
        return status.f_bavail * status.f_frsize

    def new_part(self) -> Path:
        """Where a file may be written that is not complete. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{secrets.token_hex(8)}{PART_ENDING}"

    def complete(self, part: Path, sha256: str) -> None:
        """A part that was synced becomes the file; durable when this returns. Raises OSError."""
        part.replace(self.path(sha256))
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self, sha256: str) -> None:
        """No error when it is not there."""
        self.path(sha256).unlink(missing_ok=True)

    def clean(self, used: Collection[str], parts_before_s: float) -> int:
        """Delete files that nothing names, and parts that nobody has written to since then; how many."""
        removed = 0
        for path in self._folder.glob("*"):
            with contextlib.suppress(FileNotFoundError):  # its upload has ended meanwhile
                is_left = path.suffix == PART_ENDING and path.stat().st_mtime < parts_before_s
                if is_left or (path.suffix == ENDING and path.stem not in used):
                    path.unlink()
                    removed += 1
        return removed
