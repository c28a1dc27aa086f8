"""Rows of the bus as the engine reads them. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from operator import itemgetter

from edge_agent.model import Quality, Row
from edge_contract.alarms.rule import Signal
from edge_contract.limits import MAX_TEXT
from edge_contract.model import Value

MAX_ROWS = 20_000
"""That wait for the engine; it takes them at once, so these are minutes of standing still."""

Fed = tuple[int, list[Signal], list[Value], list[int]]
"""Time in UTC milliseconds, signals, values, qualities."""


class WatchedSamples:
    """Keeps what rules look at until it is taken. dropped: rows that went, because too many waited."""

    def __init__(self) -> None:
        self.dropped = 0
        self._signals: Mapping[int, Signal] = {}
        self._places: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._rows: deque[tuple[Row, tuple[int, ...]]] = deque(maxlen=MAX_ROWS)

    def watch(self, signals: Mapping[int, Signal]) -> None:
        """signals: by the number of the point."""
        self._signals, self._places = signals, {}
        self._rows.clear()

    def put(self, row: Row) -> bool:
        """False when no rule looks at any of its points."""
        if not self._signals:
            return False
        places = self._places.get(row.points)
        if places is None:
            places = tuple(at for at, number in enumerate(row.points) if number in self._signals)
            self._places[row.points] = places
        if not places:
            return False
        self.dropped += len(self._rows) == MAX_ROWS
        self._rows.append((row, places))
        return True

    def take(self, now_ms: int) -> list[Fed]:
        """What came since the last call by rising time, samples of one time together and by rising point, as
        the cloud has them. A time ahead of now is one of a clock that was put back since, and counts as now.
        """
        came: dict[int, list[tuple[int, Value, int]]] = {}
        while self._rows:
            row, places = self._rows.popleft()
            t_ms = min(row.t_ms, now_ms)
            same = came.setdefault(t_ms, [])
            for at in places:
                quality = row.qualities[at] if row.qualities else Quality.GOOD
                same.append((row.points[at], cut(row.values[at]), int(quality)))
        return [self._fed(t_ms, sorted(came[t_ms], key=itemgetter(0))) for t_ms in sorted(came)]

    def _fed(self, t_ms: int, samples: list[tuple[int, Value, int]]) -> Fed:
        return (
            t_ms,
            [self._signals[number] for number, _, _ in samples],
            [value for _, value, _ in samples],
            [quality for _, _, quality in samples],
        )


def cut(value: Value) -> Value:
    """A text as long as a state may carry it."""
    return value[:MAX_TEXT] if isinstance(value, str) else value
