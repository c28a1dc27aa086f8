"""What the agent writes to its media in a day at the present rate: flash wears by it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

STEP_S = 60.0
WINDOW_STEPS = 61
"""An hour when asked often enough; longer, never shorter, when asked seldom."""
SHORTEST_S = 3600.0
"""What a start writes is no rate of a day."""
DAY_S = 86_400


class Wear:
    """written: bytes written since the process began, None where the system does not count them."""

    def __init__(self, monotonic: Callable[[], float], written: Callable[[], int | None]) -> None:
        self._monotonic = monotonic
        self._written = written
        self._seen: deque[tuple[float, int]] = deque(maxlen=WINDOW_STEPS)
        self.bytes_day()

    def bytes_day(self) -> int | None:
        """None as long as too little time has passed to know."""
        now, written = self._monotonic(), self._written()
        if written is None:
            return None
        if not self._seen or now - self._seen[-1][0] >= STEP_S:
            self._seen.append((now, written))
        then, before = self._seen[0]
        if now - then < SHORTEST_S:
            return None
        return round((written - before) / (now - then) * DAY_S)
