"""Addresses that only the gateway with an order has: its id and a digest of it under a key of this cloud."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

KEY_BYTES = 32
PATH = "/api/v1/firmware/download"


class Tickets:
    """file: of the key, made at the first ticket; an order that is out keeps its address over restarts."""

    def __init__(self, file: Path, base_url: str) -> None:
        self._file = file
        self._base_url = base_url.rstrip("/")
        self._key = b""

    @property
    def is_ready(self) -> bool:
        """Whether it is known where gateways reach this cloud over HTTP."""
        return bool(self._base_url)

    def url(self, upgrade_id: str) -> str:
        """Where a gateway loads the file of an order. Blocks at its first call. Raises OSError."""
        return f"{self._base_url}{PATH}/{upgrade_id}/{self._digest(upgrade_id)}"

    def fits(self, upgrade_id: str, ticket: str) -> bool:
        """Whether a ticket is of this order. Raises OSError."""
        return hmac.compare_digest(self._digest(upgrade_id).encode(), ticket.encode())

    def _digest(self, upgrade_id: str) -> str:
        self._key = self._key or self._read()
        return hmac.new(self._key, upgrade_id.encode(), hashlib.sha256).hexdigest()

    def _read(self) -> bytes:
        with contextlib.suppress(FileNotFoundError):
            if len(key := self._file.read_bytes()) == KEY_BYTES:
                return key
        self._file.parent.mkdir(parents=True, exist_ok=True)
        key, part = secrets.token_bytes(KEY_BYTES), self._file.with_suffix(".part")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self._file)
        return key
