"""Versions of the configuration, each in a file named by its hash; durable or not there."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Collection
from pathlib import Path

import msgspec

from edge_agent.errors import StoreError, StoreFull
from edge_contract.deployment import Document, canonical, document_hash

FOLDER = "configurations"
HASH_CHARACTERS = 64
MAX_VERSIONS = 20
"""Versions stored for a return to them; those in use are stored beyond that."""


class Versions:
    """folder: of the agent's data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER

    def keep(self, document: Document) -> str:
        """Its hash; durable when this returns. StoreFull when the medium refuses."""
        name = document_hash(document)
        path = self._path(name)
        if self.read(name) is None:
            write_durable(path, canonical(document))
        else:
            with contextlib.suppress(OSError):
                os.utime(path)  # the newest in use is the last to go
        return name

    def read(self, name: str) -> Document | None:
        """None when it is not stored, or when the file is not what its name says."""
        try:
            payload = self._path(name).read_bytes()
            if hashlib.sha256(payload).hexdigest() != name:
                return None
            document: Document = msgspec.json.decode(payload)
        except (OSError, msgspec.DecodeError):
            return None
        return document

    def hashes(self) -> list[str]:
        """Hashes, newest first."""
        aged: list[tuple[int, str]] = []
        with contextlib.suppress(OSError):
            aged += [
                (path.stat().st_mtime_ns, path.stem)
                for path in self._folder.glob("*.json")
                if len(path.stem) == HASH_CHARACTERS
            ]
        return [name for _, name in sorted(aged, reverse=True)]

    def prune(self, needed: Collection[str]) -> None:
        """Delete all but the newest and those that are needed."""
        for name in self.hashes()[MAX_VERSIONS:]:
            if name not in needed:
                with contextlib.suppress(OSError):
                    self._path(name).unlink()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


def write_durable(path: Path, payload: bytes) -> None:
    """Replace a file that only its owner can read: after a power cut there is the old one or the new one.

    Raises StoreFull when the medium takes no more.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise StoreFull(f"{path.name} cannot be written: {error.strerror}") from error


def read_text(path: Path) -> bytes | None:
    """Content of a file that may not be there; StoreError when it is there and cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
