"""Argon2id with the OWASP minimum: 19 MiB, two passes, one lane."""

from __future__ import annotations

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

AT_ONCE = 2
"""Hashes computed at the same time; a flood of sign-ins must not take all the memory."""

LEAST_LENGTH = 8


class Passwords:
    """Hashing and checking in threads."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._nobody = self._hasher.hash("nobody has this password")

    async def hash(self, password: str) -> str:
        async with self._slots:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def matches(self, stored: str | None, password: str) -> bool:
        """Takes the same time when there is no such user."""
        async with self._slots:
            return await asyncio.to_thread(self._verify, stored or self._nobody, password) and bool(stored)

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
