"""How much of a time is known of a point, by its stored samples and the absences of gateway and slave. Pure.

A point of which every reading is stored speaks for itself: a sample counts until the next one, or until it
is stale (C-063). Any other holds its value until the next sample, but not while gateway or slave were away,
unless samples of that time came later.
"""

from __future__ import annotations

from collections.abc import Sequence

Absence = tuple[int, int]
"""Beginning and end in ms."""


class Coverage:
    """Of one point from start_ms on. hold_ms: how long a sample counts, None: until the next one. absences:
    by rising time, none of a point with hold_ms. first_ms: of the first sample; known_ms: since when the
    value is known first, once what comes next has been told.
    """

    def __init__(self, start_ms: int, hold_ms: int | None, absences: Sequence[Absence] = ()) -> None:
        self._start_ms = start_ms
        self._hold_ms = hold_ms
        self._absences = list(absences)[::-1]
        self._good_ms: int | None = None
        self._covered_ms = 0
        self.samples = 0
        self.first_ms: int | None = None
        self.known_ms: int | None = None

    def before(self, t_ms: int) -> None:
        """The newest good sample before the start."""
        self._good_ms = t_ms

    def note(self, t_ms: int, *, is_good: bool) -> None:
        """A stored sample; they come by rising time."""
        self.samples += 1
        if self.first_ms is None:
            self.first_ms = t_ms
        self._end(t_ms, self._passed(t_ms))
        if self._absences and self._absences[-1][0] < t_ms:
            self._absences.pop()  # what was read then came later
        self._good_ms = t_ms if is_good else None

    def share(self, upto_ms: int) -> float:
        """Part of the time up to then, 0 to 1. Nothing comes afterwards."""
        self._end(upto_ms, [*self._passed(upto_ms), *self._absences[-1:]])
        self._good_ms = None
        length_ms = upto_ms - self._start_ms
        return self._covered_ms / length_ms if length_ms > 0 else 0.0

    def _passed(self, t_ms: int) -> list[Absence]:
        """Absences that are over by then, each once."""
        passed = []
        while self._absences and self._absences[-1][1] <= t_ms:
            passed.append(self._absences.pop())
        return passed

    def _end(self, t_ms: int, absences: Sequence[Absence]) -> None:
        if self._good_ms is None:
            return
        begin_ms = max(self._good_ms, self._start_ms)
        end_ms = t_ms if self._hold_ms is None else min(t_ms, self._good_ms + self._hold_ms)
        if end_ms > begin_ms:
            away = sum(max(0, min(end_ms, end) - max(begin_ms, begin)) for begin, end in absences)
            self._covered_ms += end_ms - begin_ms - away
            if self.known_ms is None and end_ms - begin_ms > away:
                left = [end for begin, end in absences if begin <= begin_ms < end]
                self.known_ms = max([begin_ms, *left])


def joined(absences: Sequence[Absence]) -> list[Absence]:
    """By rising time, those that touch as one."""
    merged: list[Absence] = []
    for begin, end in sorted(absences):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((begin, end))
    return merged
