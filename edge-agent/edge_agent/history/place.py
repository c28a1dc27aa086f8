"""Where a store comes from: the data folder, an external medium that may be missing, or memory."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from edge_agent.config.model import History
from edge_agent.errors import StoreError
from edge_agent.history.base import HistoryStore
from edge_agent.history.memory import MemoryHistoryStore
from edge_agent.history.sqlite import SqliteHistoryStore
from edge_agent.store.database import StoreCorrupt
from edge_agent.store.sqlite import set_aside

log = logging.getLogger(__name__)

MEGABYTE = 1024 * 1024


class HistoryPlace(Protocol):
    """Synchronous, like the store."""

    def open(self) -> HistoryStore:
        """StoreError when that is not possible now."""

    def present(self) -> bool:
        """Whether the opened store still lies where it was opened."""

    def damaged(self) -> None:
        """Set a damaged file aside; the next open() begins a new one."""


class Memory:
    """One store for the life of the process."""

    def __init__(self, capacity_bytes: int) -> None:
        self._store = MemoryHistoryStore(capacity_bytes)

    def open(self) -> HistoryStore:
        return self._store

    def present(self) -> bool:
        return True

    def damaged(self) -> None:
        """Memory has no file."""


class Disk:
    """A file in a folder. mounted: whether the medium is there, asked before every use."""

    def __init__(
        self, path: Path, max_bytes: int, mounted: Callable[[Path], bool], now_ms: Callable[[], int]
    ) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._mounted = mounted
        self._now_ms = now_ms
        self._identity: tuple[int, int] | None = None

    def open(self) -> HistoryStore:
        """Raises StoreError when no medium is mounted there or it cannot be opened."""
        if not self._mounted(self._path.parent):
            raise StoreError(f"no medium is mounted at {self._path.parent}")
        try:
            store = SqliteHistoryStore.open(self._path, self._max_bytes)
        except StoreCorrupt:
            self.damaged()
            store = SqliteHistoryStore.open(self._path, self._max_bytes)
        self._identity = self._identified()
        return store

    def present(self) -> bool:
        return self._mounted(self._path.parent) and self._identified() == self._identity

    def damaged(self) -> None:
        """One damaged file is stored as evidence, not more: the medium is small.

        Raises StoreError when the file cannot be set aside.
        """
        try:
            for old in self._path.parent.glob(f"{self._path.name}.bad-*"):
                old.unlink()
            aside = set_aside(self._path, self._now_ms())
        except OSError as error:
            raise StoreError(f"the damaged local history cannot be set aside: {error}") from error
        log.error("the local history is damaged: kept as %s, a new one begins", aside)

    def _identified(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


def place_of(settings: History, folder: Path, gateway: str, now_ms: Callable[[], int]) -> HistoryPlace:
    """The place that the configuration names. folder: of the agent's data."""
    capacity_bytes = settings.max_mb * MEGABYTE
    if settings.type == "memory":
        return Memory(capacity_bytes)
    if settings.medium == "internal":
        return Disk(folder / "history.sqlite", capacity_bytes, lambda _: True, now_ms)
    # A card of another gateway keeps what it holds.
    return Disk(Path(settings.path) / f"history-{gateway}.sqlite", capacity_bytes, foreign(folder), now_ms)


def foreign(folder: Path) -> Callable[[Path], bool]:
    """Whether a path lies on another file system than folder; without a medium its mount point does not."""

    def mounted(path: Path) -> bool:
        try:
            return path.stat().st_dev != folder.stat().st_dev
        except OSError:
            return False

    return mounted
