"""How many attempts an address or a name has. Pure; the caller gives the time.

An address: 120 attempts and two more a second, right or wrong; as many refreshes with wrong tokens.
"""

from __future__ import annotations

from collections import OrderedDict

AT_ONCE = 120
PER_S = 2.0
"""A bucket of 120 that fills by two a second: a whole site behind one address signs in when shifts change."""

REMEMBERED = 10_000
"""Addresses remembered; the one that tried longest ago is forgotten first."""


class Attempts:
    """A bucket of attempts for each address (or name)."""

    def __init__(self, at_once: int = AT_ONCE, per_s: float = PER_S) -> None:
        self._at_once = at_once
        self._per_s = per_s
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now_s: float) -> bool:
        """Whether one more attempt is allowed; it counts when it is."""
        left, then_s = self._left.pop(address, (float(self._at_once), now_s))
        left = min(float(self._at_once), left + max(0.0, now_s - then_s) * self._per_s)
        allowed = left >= 1.0
        self._left[address] = (left - 1.0 if allowed else left, now_s)
        while len(self._left) > REMEMBERED:
            self._left.popitem(last=False)
        return allowed
