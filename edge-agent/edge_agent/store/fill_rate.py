"""How long until the outbox is full: pure arithmetic over what was observed."""

from __future__ import annotations

from collections import deque

STEP_S = 10.0
WINDOW_STEPS = 61  # ten minutes lie between the first and the last
SHORTEST_S = 600.0  # before that the first commits of a start swing the rate by the double


class FillRate:
    """Net growth of the pages in use over the last ten minutes."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque(maxlen=WINDOW_STEPS)

    def observe(self, now_s: float, used: int) -> None:
        """Note the pages in use; at most one note each STEP_S."""
        if not self._seen or now_s - self._seen[-1][0] >= STEP_S:
            self._seen.append((now_s, used))

    def hours_left(self, now_s: float, used: int, capacity: int) -> float | None:
        """Hours until capacity; None when it does not fill or nothing is known yet."""
        if not self._seen:
            return None
        since_s, then = self._seen[0]
        grown = used - then
        if now_s - since_s < SHORTEST_S or grown <= 0:
            return None
        return max(capacity - used, 0) * (now_s - since_s) / grown / 3600
