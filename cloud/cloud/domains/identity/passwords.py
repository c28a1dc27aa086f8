"""Passwords: transform, rules of a new one, Argon2id with the OWASP minimum (19 MiB, two passes).

Hashed is the transformed word: s1$ + hex(SHA-256("edge-portal/1" + line feed + word)), vectors in
tests/domains/identity/transform.csv. A word that does not look like one is transformed here. Of a
transformed word only the browser can check length and characters. Hashes of before the transform fit no
more: edge-cloud user password NAME sets a new one.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
import string
from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from cloud.errors import Busy, ParameterError

P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE = 2
"""Hashes computed at the same time; a flood of sign-ins must not take all the memory."""

MAX_WAITING = 100
"""Sign-ins that wait for a slot, at 30 ms each; a further one gets Busy."""

MIN_LENGTH = 8
MAX_LENGTH = 200
PUNCTUATION = "!@#$%^&*"
MADE_LENGTH = 16

_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_DOMAIN = "edge-portal/1\n"
_TRANSFORMED = re.compile(r"s1\$[0-9a-f]{64}")
_FITTING = re.compile(rf"[A-Za-z0-9{re.escape(PUNCTUATION)}]{{{MIN_LENGTH},{MAX_LENGTH}}}")


def transformed(word: str) -> str:
    """What is hashed and compared: s1$ and the SHA-256 in hex. A browser sends this instead of the word."""
    if _TRANSFORMED.fullmatch(word):
        return word
    return "s1$" + hashlib.sha256((_DOMAIN + word).encode()).hexdigest()


def check(word: str, field: str = "password") -> None:
    """ParameterError for a new word that breaks the rule. Of a transformed one the browser has checked it."""
    if not _TRANSFORMED.fullmatch(word) and not _FITTING.fullmatch(word):
        rule = f"{MIN_LENGTH} to {MAX_LENGTH} letters, digits and {PUNCTUATION}"
        raise ParameterError(field, rule, reason="user.password")


def made() -> str:
    """A random word that keeps the rule and can be typed."""
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(MADE_LENGTH))


@cache
def _hash_of_nobody(hasher: PasswordHasher) -> str:
    """What a password is compared with when there is no such user. Computed once: it takes 30 ms."""
    return hasher.hash("nobody has this password")


class Passwords:
    """Hashing and checking in threads. hasher: another strength, for tests."""

    def __init__(self, hasher: PasswordHasher = _HASHER) -> None:
        self._hasher = hasher
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self._nobody = _hash_of_nobody(hasher)

    async def hash(self, password: str) -> str:
        return await self._in_turn(self._hasher.hash, transformed(password))

    async def matches(self, stored: str | None, password: str) -> bool:
        """Takes the same time when there is no such user."""
        right = await self._in_turn(self._verify, stored or self._nobody, transformed(password))
        return right and bool(stored)

    async def _in_turn(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._waiting >= MAX_WAITING:
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
