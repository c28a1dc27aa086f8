"""Token buckets: how much of the same work one asker may ask for."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

KIB = 1024

REMEMBERED = 20_000
"""TokenBuckets of one kind; the one that was used longest ago is forgotten, which fills it."""


@dataclass(frozen=True)
class TokenRate:
    """burst: what may come at once; per_s: what comes back. A message costs 1, and per_kib for each KiB."""

    burst: float
    per_s: float
    per_kib: float = 0.0

    def cost(self, size: int) -> float:
        """Of a message of so many bytes."""
        return 1.0 + self.per_kib * (size / KIB)


class TokenBuckets:
    """Token buckets of one rate by key. clock: monotonic seconds."""

    def __init__(
        self, rate: TokenRate, clock: Callable[[], float] = time.monotonic, max_keys: int = REMEMBERED
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._max_keys = max_keys
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # tokens, at what time

    def take(self, key: Hashable, size: int = 0) -> bool:
        """Pay for a message of so many bytes; False when there is not enough."""
        now, cost = self._clock(), self._rate.cost(size)
        left, then = self._left.pop(key, (self._rate.burst, now))
        left = min(self._rate.burst, left + (now - then) * self._rate.per_s)
        is_paid = left >= cost
        self._left[key] = (left - cost if is_paid else left, now)
        while len(self._left) > self._max_keys:
            self._left.popitem(last=False)
        return is_paid

    def forget(self, key: Hashable) -> None:
        """A gateway is no more."""
        self._left.pop(key, None)
