"""One agent for each data folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from edge_agent.errors import StoreError
from edge_agent.system.private_files import make_folder, unusable


class SingleInstanceLock:
    """Held from construction until the with block or the process ends. StoreError names who holds it."""

    def __init__(self, folder: Path) -> None:
        path = folder / "agent.lock"
        make_folder(folder)
        try:
            self._file = path.open("a+")
        except OSError as error:
            raise unusable(folder, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreError(
                f"another agent (process {holder}) works on {folder}; stop it or choose another --data"
            ) from None
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def __enter__(self) -> SingleInstanceLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
