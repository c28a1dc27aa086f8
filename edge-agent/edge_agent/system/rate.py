"""A token bucket: how much is taken in a time. Pure."""

from __future__ import annotations


class Rate:
    """per_s on average, at_once after a pause. Times are seconds of a clock that never jumps."""

    def __init__(self, per_s: float, at_once: int) -> None:
        self._per_s = per_s
        self._at_once = at_once
        self._tokens = float(at_once)
        self._looked_s: float | None = None

    def admits(self, now_s: float, count: int = 1) -> bool:
        """Whether count more are taken now, all of them or none."""
        if self._looked_s is not None:
            self._tokens = min(self._tokens + (now_s - self._looked_s) * self._per_s, self._at_once)
        self._looked_s = now_s
        if self._tokens < count:
            return False
        self._tokens -= count
        return True
