"""Bytes in the data folder, named by their SHA-256. Whole or absent, also after a power cut."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import time
from pathlib import Path

MIN_AGE_S = 3600.0
"""Nobody is at work any more on what was written so long ago; a temporary file was left by a dead process."""

SHA256 = re.compile(r"[0-9a-f]{64}")


class FileStore:
    """Works in threads; the caller keeps writers and cleaners apart."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, sha256: str, data: bytes) -> None:
        """Keep these bytes; on disk when this returns."""
        await asyncio.to_thread(self._put, self._place(sha256), data)

    async def get(self, sha256: str) -> bytes | None:
        """The bytes, or None when they are not there."""
        return await asyncio.to_thread(_read, self._place(sha256))

    async def remove(self, sha256: str) -> None:
        """Forget the bytes; no error when they are not there."""
        await asyncio.to_thread(self._place(sha256).unlink, missing_ok=True)

    async def old_names(self) -> list[str]:
        """Names of the files that nobody is writing. Temporary ones of processes that died are deleted."""
        return await asyncio.to_thread(self._old)

    def _place(self, sha256: str) -> Path:
        if not SHA256.fullmatch(sha256):
            raise ValueError("no SHA-256")
        return self._folder / sha256[:2] / sha256

    def _put(self, place: Path, data: bytes) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        half = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
        try:
            with half.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            half.replace(place)
        except OSError:
            half.unlink(missing_ok=True)
            raise
        for folder in (place.parent, self._folder):
            _sync(folder)

    def _old(self) -> list[str]:
        names = []
        for path in self._folder.glob("*/*"):
            with contextlib.suppress(FileNotFoundError):  # another process was faster
                if time.time() - path.stat().st_mtime <= MIN_AGE_S:
                    continue
                if SHA256.fullmatch(path.name):
                    names.append(path.name)
                elif path.name.startswith("."):
                    path.unlink()
        return names


def _read(place: Path) -> bytes | None:
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
