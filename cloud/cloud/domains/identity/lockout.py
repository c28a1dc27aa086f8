"""Failures lock a key for a while that doubles. Pure; the caller gives the time.

Five failures lock for 1 s, doubling to 15 minutes, forgiven after 15 quiet minutes.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice, takewhile

FREE_FAILURES = 5
FIRST_LOCK_S = 1.0
LONGEST_LOCK_S = 900.0
FORGIVEN_AFTER_S = 900.0
"""So long after the last failure the count starts again: many users may share an address."""

REMEMBERED = 10_000
"""Keys remembered in one table. Forgiven ones are forgotten first, then the least recently failed that are
not locked: a flood of new keys frees nobody before his time."""


@dataclass
class _Record:
    failures: int = 0
    until_s: float = 0.0
    last_s: float = 0.0

    def forgiven(self, now_s: float) -> bool:
        return now_s - max(self.last_s, self.until_s) > FORGIVEN_AFTER_S


class Lockout:
    """One table of keys of one kind, so that a flood of another kind does not reach it."""

    def __init__(self) -> None:
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def locked(self, keys: list[str], now_s: float) -> bool:
        return any(key in self._records and now_s < self._records[key].until_s for key in keys)

    def failed(self, keys: list[str], now_s: float) -> None:
        for key in keys:
            record = self._records.setdefault(key, _Record())
            self._records.move_to_end(key)
            if record.forgiven(now_s):
                record.failures = 0
            record.last_s = now_s
            record.failures += 1
            if record.failures >= FREE_FAILURES:
                lock_s = FIRST_LOCK_S * 2 ** min(record.failures - FREE_FAILURES, 20)
                record.until_s = now_s + min(lock_s, LONGEST_LOCK_S)
        if len(self._records) > REMEMBERED:
            self._forget(now_s)

    def _forget(self, now_s: float) -> None:
        long_ago = takewhile(lambda each: now_s - each[1].last_s > FORGIVEN_AFTER_S, self._records.items())
        for key in [key for key, record in long_ago if record.forgiven(now_s)]:
            del self._records[key]
        while len(self._records) > REMEMBERED:
            others = islice(self._records.items(), len(self._records) - 1)  # the last one has just failed
            free = (key for key, record in others if record.until_s <= now_s)
            del self._records[next(free, next(iter(self._records)))]

    def succeeded(self, key: str) -> None:
        self._records.pop(key, None)
