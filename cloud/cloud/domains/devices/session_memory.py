"""What each gateway had proved when its session was right, over restarts of the cloud, in a file.

A broker of its own keeps sessions while the cloud restarts; without this, one whose secret was renewed
meanwhile, or that could not be ended before, would go on.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

log = logging.getLogger(__name__)

Proved = Mapping[str, str]
"""Gateway to the fingerprint of its credential."""


class SessionMemory:
    """path: None where the broker's sessions end with the cloud's process."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._saved: Proved | None = None

    def load(self) -> Proved:
        """What was saved last; empty when nothing was, or when it cannot be read."""
        if self._path is None or not self._path.exists():
            return {}
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, str])
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("sessions of before are not known: %s: %s", self._path, error)
            return {}

    def save(self, proved: Proved) -> None:
        """Replace it, when it is another. A write that fails is tried again by the next call."""
        if self._path is None or proved == self._saved:
            return
        part = self._path.with_suffix(".part")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(msgspec.json.encode(proved))
            part.replace(self._path)
        except OSError as error:
            log.warning("sessions cannot be written down: %s: %s", self._path, error)
        else:
            self._saved = proved
