"""How fast one socket may ask. Pure; the caller gives the time and waits."""

from __future__ import annotations

from collections.abc import Callable

BURST = 6000.0
"""A page that comes back subscribes to all that a socket may have (5,000) in a few messages."""

PER_S = 600.0
MESSAGE_COST = 25.0
"""What a message costs beside its ids, each of which costs one."""


class MessageRate:
    """A bucket of cost that may fall below nothing once: the next message waits until it is filled."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._left = BURST
        self._then_s = clock()

    def wait_s(self, ids: int) -> float:
        """Seconds to wait before a message with so many ids is served; it counts."""
        now_s = self._clock()
        self._left = min(BURST, self._left + (now_s - self._then_s) * PER_S) - MESSAGE_COST - ids
        self._then_s = now_s
        return max(0.0, -self._left / PER_S)
