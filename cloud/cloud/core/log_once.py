"""Complaints that are made once, however often there is reason to (C-009)."""

from __future__ import annotations

from collections.abc import Hashable

COMPLAINTS = 1000
"""Remembered by one place; beyond them it makes no more."""


class LogOnce:
    """What was complained about."""

    def __init__(self) -> None:
        self._said: set[tuple[Hashable, ...]] = set()

    def first(self, *about: Hashable) -> bool:
        """Is this the time to say it?"""
        if about in self._said or len(self._said) >= COMPLAINTS:
            return False
        self._said.add(about)
        return True
