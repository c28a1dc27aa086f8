"""Few samples for a chart out of many: no extreme, no gap is lost. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from edge_agent.history.base import StoredSample
from edge_agent.model import Value


class Envelope:
    """At most `max_samples` samples of one point in [from_ms, to_ms].

    As long as all fit, all are held; then of every equal part of the range the lowest, the highest and one
    without a value. Of texts the first of each part stands for it.
    """

    def __init__(self, from_ms: int, to_ms: int, max_samples: int) -> None:
        self._from_ms = from_ms
        self._max_samples = max_samples
        self._width_ms = max(-(-(to_ms - from_ms + 1) // max(max_samples // 3, 1)), 1)
        self._all: list[StoredSample] | None = []
        self._parts: dict[int, _Part] = {}
        self.samples = 0

    @property
    def reduced(self) -> bool:
        return self._all is None

    def take(self, samples: Iterable[StoredSample]) -> None:
        """In any order."""
        for one in samples:
            self.samples += 1
            if self._all is not None:
                self._all.append(one)
                if len(self._all) > self._max_samples:
                    taken, self._all = self._all, None
                    for early in taken:
                        self._fold(early)
            else:
                self._fold(one)

    def chosen(self) -> list[StoredSample]:
        """By rising time."""
        if self._all is not None:
            samples = self._all
        else:
            samples = [one for part in self._parts.values() for one in part.chosen()]
        return sorted(samples, key=lambda one: one.t_ms)

    def _fold(self, one: StoredSample) -> None:
        at = (one.t_ms - self._from_ms) // self._width_ms
        self._parts.setdefault(at, _Part()).take(one)


class _Part:
    """Of one part of the range."""

    def __init__(self) -> None:
        self._low: StoredSample | None = None
        self._high: StoredSample | None = None
        self._gap: StoredSample | None = None
        self._text: StoredSample | None = None

    def take(self, one: StoredSample) -> None:
        value = one.value
        if value is None:
            self._gap = self._gap or one
        elif isinstance(value, str):
            self._text = self._text or one
        else:
            if self._low is None or value < number(self._low.value):
                self._low = one
            if self._high is None or value > number(self._high.value):
                self._high = one

    def chosen(self) -> list[StoredSample]:
        lowest = self._low if self._low is not None else self._text
        samples = [one for one in (lowest, self._high, self._gap) if one is not None]
        return list(dict.fromkeys(samples))


def number(value: Value) -> float | int:
    return value if isinstance(value, (int, float)) else 0
