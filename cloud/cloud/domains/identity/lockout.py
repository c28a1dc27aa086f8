"""Failures lock an account and an address for a while that doubles. Pure; the caller gives the time."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

FREE_FAILURES = 5
FIRST_LOCK_S = 1.0
LONGEST_LOCK_S = 900.0
FORGIVEN_AFTER_S = 900.0
"""So long after the last failure the count starts again: many users may share an address."""

REMEMBERED = 10_000
"""Keys remembered; the least recently failed are forgotten first."""


@dataclass
class _Record:
    failures: int = 0
    until_s: float = 0.0
    last_s: float = 0.0


class Lockout:
    """Keys are account names and addresses."""

    def __init__(self) -> None:
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def locked(self, keys: list[str], now_s: float) -> bool:
        return any(key in self._records and now_s < self._records[key].until_s for key in keys)

    def failed(self, keys: list[str], now_s: float) -> None:
        for key in keys:
            record = self._records.setdefault(key, _Record())
            self._records.move_to_end(key)
            if now_s - max(record.last_s, record.until_s) > FORGIVEN_AFTER_S:
                record.failures = 0
            record.last_s = now_s
            record.failures += 1
            if record.failures >= FREE_FAILURES:
                lock_s = FIRST_LOCK_S * 2 ** min(record.failures - FREE_FAILURES, 20)
                record.until_s = now_s + min(lock_s, LONGEST_LOCK_S)
        while len(self._records) > REMEMBERED:
            self._records.popitem(last=False)

    def succeeded(self, key: str) -> None:
        self._records.pop(key, None)
