"""A file that holds space free, so that deleting still works when the medium is full.

Its size follows from the write-ahead log (database.LOG_BYTES): before deleted pages are used again the log
must fit into the database file, which may have to grow by as much.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

RESERVE_BYTES = 6 * 1024 * 1024
COMFORT_BYTES = 4 * RESERVE_BYTES  # free space at which the reserve file is put back


class ReserveFile:
    """Deleting rows in write-ahead mode writes first; on a full medium that needs space of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def hold(self) -> bool:
        """Put it in place when there is space to spare; True when it is there."""
        if self._path.exists():
            return True
        try:
            usage = os.statvfs(self._path.parent)
            if usage.f_bavail * usage.f_frsize < COMFORT_BYTES:
                return False
            with self._path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
        except OSError:
            self.release()
            return False
        return True

    def release(self) -> bool:
        """Give the space back; True when there was any to give."""
        with contextlib.suppress(OSError):
            self._path.unlink()
            return True
        return False
