"""Circuit breaker of one slave on one port: a silent slave costs one probe at growing intervals. Pure."""

from __future__ import annotations

FAILURES_TO_OPEN = 3
FIRST_PAUSE_S = 2.0
MAX_PAUSE_S = 60.0  # a slave that comes back is seen within a minute


class Breaker:
    """Closed, open, half open. Pure: the time comes in."""

    def __init__(self) -> None:
        self.failures = 0
        self.is_open = False
        self.retry_at = 0.0
        self._pause_s = 0.0

    def may_ask(self, now: float) -> bool:
        """Whether a request is allowed: always when closed, one probe when the pause is over."""
        return not self.is_open or now >= self.retry_at

    def good(self) -> bool:
        """The slave answered. True when the breaker was open."""
        if not self.failures:
            return False
        was_open = self.is_open
        self.failures, self.is_open, self._pause_s = 0, False, 0.0
        return was_open

    def failed(self, now: float) -> bool:
        """A request failed after its retries. True when this opened the breaker."""
        self.failures += 1
        if self.failures < FAILURES_TO_OPEN:
            return False
        opened = not self.is_open
        self.is_open = True
        self._pause_s = FIRST_PAUSE_S if opened else min(2 * self._pause_s, MAX_PAUSE_S)
        self.retry_at = now + self._pause_s
        return opened

    def probe_now(self) -> None:
        """The port was opened again: the next request is allowed at once."""
        self.retry_at = 0.0
