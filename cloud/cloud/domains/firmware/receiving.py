"""Takes a file of firmware as it comes: header, signature, size and digests, before anything of it counts.

A file that is refused is refused as early as its bytes say so: nobody sends a payload for nothing.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import os
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from edge_contract.firmware import (
    PREFIX_BYTES,
    FirmwareError,
    FirmwareHeader,
    FirmwareRefusal,
    PayloadCheck,
    check_signature,
    header_size,
    read_header,
)

PART_BYTES = 1024 * 1024
"""So much is held in memory and written at once."""

Trusted = Collection[tuple[str, str]]
"""Key ids and public keys in base64; an id may be of several keys."""


@dataclass(frozen=True)
class ReceivedFile:
    """A file that was verified and synced at its part. public_key: by which."""

    header: FirmwareHeader
    sha256: str
    size: int
    public_key: str


class Receiver:
    """Of one file, which has length bytes by the word of who sends it."""

    def __init__(self, part: Path, length: int, trusted: Trusted) -> None:
        self._part = part
        self._length = length
        self._trusted = trusted
        self._digest = hashlib.sha256()
        self._start = bytearray()
        self._header: FirmwareHeader | None = None
        self._check: PayloadCheck | None = None
        self._public_key = ""
        self._size = 0

    async def take(self, stream: AsyncIterator[bytes]) -> ReceivedFile:
        """Raises FirmwareError and OSError; then the part is gone."""
        try:
            return await self._take(stream)
        except BaseException:
            with contextlib.suppress(OSError):
                self._part.unlink(missing_ok=True)
            raise

    async def _take(self, stream: AsyncIterator[bytes]) -> ReceivedFile:
        with await asyncio.to_thread(self._part.open, "xb") as file:
            held = bytearray()
            async for chunk in stream:
                held += chunk
                if len(held) >= PART_BYTES or self._header is None:
                    await asyncio.to_thread(self._write, file, bytes(held))
                    held.clear()
            await asyncio.to_thread(self._write, file, bytes(held))
            if self._header is None or self._check is None:
                rule = f"a header and a payload; it has {self._size} bytes"
                raise FirmwareError(FirmwareRefusal.FORMAT, "manifest", rule)
            await asyncio.to_thread(self._finish, file)
        return ReceivedFile(self._header, self._digest.hexdigest(), self._size, self._public_key)

    def _write(self, file: BinaryIO, content: bytes) -> None:
        file.write(content)
        self._digest.update(content)
        self._size += len(content)
        if self._check is not None:
            self._check.update(content)
            return
        self._start += content
        if len(self._start) < PREFIX_BYTES:
            return
        size = header_size(bytes(self._start[:PREFIX_BYTES]))
        if len(self._start) < size:
            return
        self._header = header = read_header(bytes(self._start[:size]))
        self._verify(header)
        if header.file_size != self._length:
            rule = f"{header.file_size} bytes by its manifest, the file has {self._length}"
            raise FirmwareError(FirmwareRefusal.SIZE, "payload", rule)
        self._check = PayloadCheck(header.manifest)
        self._check.update(bytes(self._start[size:]))
        self._start.clear()

    def _verify(self, header: FirmwareHeader) -> None:
        def verify(key_id: str, signed: bytes, signature: bytes) -> bool:
            keys = sorted(key for name, key in self._trusted if name == key_id)
            self._public_key = next((key for key in keys if is_signed(key, signed, signature)), "")
            return bool(self._public_key)

        check_signature(header, {name for name, _ in self._trusted}, verify)

    def _finish(self, file: BinaryIO) -> None:
        assert self._check is not None
        self._check.finish()
        file.flush()
        os.fsync(file.fileno())


def is_signed(public_key: str, signed: bytes, signature: bytes) -> bool:
    """public_key: base64 of 32 bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key)).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def is_public_key(text: str) -> bool:
    """Base64 of 32 bytes, written in its one form."""
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return len(content) == 32 and base64.b64encode(content).decode() == text
