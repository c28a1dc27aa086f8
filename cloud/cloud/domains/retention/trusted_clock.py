"""What time it is for a deletion, which no wrong clock may cause.

The later of two: what half of the gateways of the newest 500 batches say by their own clocks, and the last
result plus what this process has run since, which no setting of a clock moves. A clock that jumps ahead
deletes nothing that it should not, one that falls back deletes less. While nobody sends it is as long
behind as the cloud was off: then nothing grows either. A difference of a day is logged when it begins and
ends, and is in /metrics and in GET /retention (clock_ahead_ms). Alarms, audit, sign-ins and the like go by
the clock where no gateway ever said a time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prometheus_client import Gauge

from cloud.core.clock import NowMs
from cloud.domains.retention.periods import DAY_MS
from edge_contract.limits import EARLIEST_MS

log = logging.getLogger(__name__)

TOLERANCE_MS = DAY_MS
"""A clock that is farther ahead is told: less changes no day that is deleted by much."""

AHEAD_S = Gauge(
    "edge_retention_clock_ahead_seconds", "By how much the clock is ahead of the time that deletions go by"
)


@dataclass(frozen=True)
class ClockReading:
    """ms: UTC, None while nothing tells it. clock_ms: what the clock said."""

    ms: int | None
    clock_ms: int

    @property
    def best_ms(self) -> int:
        """Of what is told and not done."""
        return self.clock_ms if self.ms is None else self.ms

    @property
    def ahead_ms(self) -> int:
        """0 while the clock is believed."""
        ahead = self.clock_ms - self.best_ms
        return ahead if ahead > TOLERANCE_MS else 0


class TrustedClock:
    """The clock, but never later than gateways confirm by their own clocks, or than this process has run
    since it was last certain. clock: UTC milliseconds; running: seconds that no setting of a clock moves.
    """

    def __init__(self, clock: NowMs, running: Callable[[], float]) -> None:
        self._clock = clock
        self._running = running
        self._last: tuple[int, float] | None = None
        self._is_ahead = False

    def read(self, heard: Sequence[int]) -> ClockReading:
        """heard: the newest time that each gateway told of late, by its own clock."""
        clock_ms, running_s = self._clock(), self._running()
        known = [found for found in (confirmed(heard), self._passed(running_s)) if found is not None]
        if not known:
            return ClockReading(None, clock_ms)
        reading = ClockReading(min(clock_ms, max(known)), clock_ms)
        self._last = (min(clock_ms, max(known)), running_s)
        self._log(reading)
        return reading

    def _passed(self, running_s: float) -> int | None:
        if self._last is None:
            return None
        was_ms, at_s = self._last
        return was_ms + int((running_s - at_s) * 1000)

    def _log(self, reading: ClockReading) -> None:
        """Once when it begins, once when it ends."""
        AHEAD_S.set(reading.ahead_ms / 1000)
        if bool(reading.ahead_ms) == self._is_ahead:
            return
        self._is_ahead = not self._is_ahead
        if self._is_ahead:
            log.warning(
                "the clock is %.1f days ahead of what the gateways confirm: history is deleted by their time",
                reading.ahead_ms / DAY_MS,
            )
        else:
            log.info("the gateways confirm the clock: history is deleted by it")


def confirmed(heard: Sequence[int]) -> int | None:
    """What at least half of the gateways say that it is by now: one with a wrong clock decides nothing."""
    told = sorted(t_ms for t_ms in heard if t_ms >= EARLIEST_MS)
    return told[(len(told) - 1) // 2] if told else None
