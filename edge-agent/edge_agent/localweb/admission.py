"""Who may sign in when, and who is signed in: pure state, times given by the caller in seconds."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field

FREE_FAILURES = 5
FIRST_LOCK_S = 1.0
LONGEST_LOCK_S = 15 * 60.0
FORGET_S = 3600.0
MAX_ADDRESSES = 1000
IDLE_S = 30 * 60.0
ABSOLUTE_S = 12 * 3600.0
MAX_SESSIONS = 16


@dataclass
class _Failures:
    count: int = 0
    locked_until: float = 0.0
    last: float = 0.0


@dataclass
class LoginGate:
    """After five failures an address waits 1 s, doubling with each further one up to 15 minutes."""

    _failures: dict[str, _Failures] = field(default_factory=dict)

    def wait_s(self, address: str, now: float) -> float:
        """How long this address has to wait; 0 when it may try."""
        known = self._failures.get(address)
        return max(known.locked_until - now, 0.0) if known else 0.0

    def failed(self, address: str, now: float) -> None:
        self._forget_old(now)
        known = self._failures.setdefault(address, _Failures())
        known.count += 1
        known.last = now
        beyond = known.count - FREE_FAILURES
        if beyond >= 0:
            known.locked_until = now + min(FIRST_LOCK_S * 2.0 ** min(beyond, 20), LONGEST_LOCK_S)

    def succeeded(self, address: str) -> None:
        self._failures.pop(address, None)

    def _forget_old(self, now: float) -> None:
        for address in [a for a, known in self._failures.items() if known.last + FORGET_S < now]:
            del self._failures[address]
        while len(self._failures) >= MAX_ADDRESSES:
            del self._failures[next(iter(self._failures))]


@dataclass
class _Session:
    begun: float
    used: float


@dataclass
class Sessions:
    """Random tokens, stored as hashes; the oldest goes when there are too many."""

    _sessions: dict[bytes, _Session] = field(default_factory=dict)

    def begin(self, now: float) -> str:
        """A new token."""
        while len(self._sessions) >= MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        token = secrets.token_urlsafe(32)
        self._sessions[_key(token)] = _Session(now, now)
        return token

    def valid(self, token: str, now: float) -> bool:
        """Whether the token is signed in; being asked keeps it so."""
        session = self._sessions.get(_key(token))
        if session is None:
            return False
        if now > session.used + IDLE_S or now > session.begun + ABSOLUTE_S:
            self.end(token)
            return False
        session.used = now
        return True

    def end(self, token: str) -> None:
        self._sessions.pop(_key(token), None)

    def end_all(self) -> None:
        self._sessions.clear()


def _key(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
