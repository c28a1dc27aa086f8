"""Argon2id with the OWASP minimum: 19 MiB, two passes, one lane."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from cloud.errors import Busy

P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE = 2
"""Hashes computed at the same time; a flood of sign-ins must not take all the memory."""

MOST_WAITING = 100
"""Sign-ins that wait for a slot, at 30 ms each; who comes then is told to try again."""

LEAST_LENGTH = 8


class Passwords:
    """Hashing and checking in threads."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self._nobody = self._hasher.hash("nobody has this password")

    async def hash(self, password: str) -> str:
        return await self._in_turn(self._hasher.hash, password)

    async def matches(self, stored: str | None, password: str) -> bool:
        """Takes the same time when there is no such user."""
        return await self._in_turn(self._verify, stored or self._nobody, password) and bool(stored)

    async def _in_turn(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._waiting >= MOST_WAITING:
            raise Busy("too many sign-ins at once")
        self._waiting += 1
        try:
            async with self._slots:
                return await asyncio.to_thread(work, *args, **kwargs)
        finally:
            self._waiting -= 1

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False
