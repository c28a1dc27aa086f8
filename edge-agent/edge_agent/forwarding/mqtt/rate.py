"""A token bucket: how many orders are taken in a time. Pure."""

from __future__ import annotations


class Rate:
    """per_s on average, at_once after a pause. Times are seconds of a clock that never jumps."""

    def __init__(self, per_s: float, at_once: int) -> None:
        self._per_s = per_s
        self._at_once = at_once
        self._tokens = float(at_once)
        self._looked_s: float | None = None

    def admits(self, now_s: float) -> bool:
        """Whether one more is taken now."""
        if self._looked_s is not None:
            self._tokens = min(self._tokens + (now_s - self._looked_s) * self._per_s, self._at_once)
        self._looked_s = now_s
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
