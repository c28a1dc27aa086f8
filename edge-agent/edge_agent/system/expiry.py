"""Which samples have outlived their retention. Pure.

A clock that has just jumped is not believed: one that shows 2099 would empty the store.
"""

from __future__ import annotations

DAY_MS = 24 * 3600 * 1000
STEADY_S = 3600.0
"""So long a clock has to go on without a jump before samples are deleted by it."""
JUMP_MS = 60_000


class SteadyClock:
    """Pure: the caller gives wall time (ms) and monotonic time (s)."""

    def __init__(self, now_ms: int, monotonic_s: float) -> None:
        self._seen = now_ms, monotonic_s
        self._steady_since_s = monotonic_s

    def believed_ms(self, now_ms: int, monotonic_s: float) -> int | None:
        """The wall time; None while the clock is not believed."""
        then_ms, then_s = self._seen
        self._seen = now_ms, monotonic_s
        if abs((now_ms - then_ms) - (monotonic_s - then_s) * 1000) > JUMP_MS:
            self._steady_since_s = monotonic_s
        return None if monotonic_s - self._steady_since_s < STEADY_S else now_ms


class Expiry:
    """Of samples that are stored so many days."""

    def __init__(self, retention_days: int, now_ms: int, monotonic_s: float) -> None:
        self._retention_ms = retention_days * DAY_MS
        self._clock = SteadyClock(now_ms, monotonic_s)

    def before_ms(self, now_ms: int, monotonic_s: float) -> int | None:
        """Samples older than this may go; None while the clock is not believed."""
        believed_ms = self._clock.believed_ms(now_ms, monotonic_s)
        return None if believed_ms is None else believed_ms - self._retention_ms
