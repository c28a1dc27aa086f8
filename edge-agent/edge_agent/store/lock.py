"""One agent for each data folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from edge_agent.errors import StoreError


class SingleInstanceLock:
    """Held from construction until the with block or the process ends. StoreError names who holds it."""

    def __init__(self, folder: Path) -> None:
        path = folder / "agent.lock"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = path.open("a+")
        except OSError as error:
            raise StoreError(f"the data folder {folder} cannot be used: {error.strerror}") from error
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
