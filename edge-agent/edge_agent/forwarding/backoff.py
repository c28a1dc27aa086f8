"""How long to wait before the next attempt: doubling, with jitter, so that a fleet does not return as one."""

from __future__ import annotations

import random
from collections.abc import Callable

from edge_agent.system.clock import Clock


class Backoff:
    """Each answer lies between first_s and a bound that doubles up to max_s.

    next_try_ms: when the pause ends that is under way (UTC), 0 while there is none.
    """

    def __init__(self, first_s: float, max_s: float, draw: Callable[[], float] = random.random) -> None:
        self._first_s = first_s
        self._max_s = max_s
        self._draw = draw
        self._bound_s = first_s
        self.next_try_ms = 0

    def next_s(self) -> float:
        """Seconds to wait before the next try, drawn anew each time."""
        self._bound_s = min(self._bound_s * 2, self._max_s)
        return self._first_s + self._draw() * (self._bound_s - self._first_s)

    async def rest(self, clock: Clock) -> None:
        """Wait before the next try."""
        wait_s = self.next_s()
        self.next_try_ms = clock.now_ms() + round(wait_s * 1000)
        try:
            await clock.sleep(wait_s)
        finally:
            self.next_try_ms = 0

    def reset(self) -> None:
        """Begin with the first bound again, after a success."""
        self._bound_s = self._first_s
