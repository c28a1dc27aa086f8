"""How many rows of refused calls one user gets, so that a flood of them drowns nobody's history. Pure."""

from __future__ import annotations

from collections import Counter

UNAUTHENTICATED_PER_MINUTE = 60
"""Rows of requests without a user, of all of them together."""

REFUSED_PER_MINUTE = 120
"""Rows of calls of one user that were refused or failed."""


class Quota:
    """Counts by user and minute; the caller gives the time in UTC milliseconds."""

    def __init__(self) -> None:
        self._minute = 0
        self._put: Counter[int | None] = Counter()

    def takes(self, user_id: int | None, status: int, at_ms: int) -> bool:
        """Whether a row may be put; it counts when it is. user_id: None without a user."""
        if user_id is not None and status < 400:
            return True
        if at_ms // 60_000 != self._minute:
            self._minute = at_ms // 60_000
            self._put.clear()
        self._put[user_id] += 1
        return self._put[user_id] <= (UNAUTHENTICATED_PER_MINUTE if user_id is None else REFUSED_PER_MINUTE)
