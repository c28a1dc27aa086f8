"""Between collecting and committing: what is read before the clock is set waits, and no time is used twice.

A time from a clock that was not set is worth nothing until the clock is set; then it is moved by what the
clock moved. After a clock was put back, the same milliseconds come by again.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import replace

from edge_agent.model import Quality, Row
from edge_agent.store.base import OutboxState, SampleSink
from edge_agent.store.distinct import DistinctTimes
from edge_agent.system.clock import Clock, clock_set
from edge_contract.limits import EARLIEST_MS

log = logging.getLogger(__name__)

MAX_HELD = 200_000
"""Samples held while the clock is not set; about 8 MB."""
STEP_MS = 10
"""A clock that is disciplined moves by less than a millisecond a second; this much at once is a step."""
READINGS = 3
APART_MS = 1.0
"""A busy machine may stop a process between its readings of two clocks; then both are read again."""
LOOK_S = 1.0
"""How often the clock is looked at when nothing is collected."""


class ClockGate:
    """store.base.SampleSink before another one."""

    def __init__(self, sink: SampleSink, clock: Clock, max_held: int = MAX_HELD) -> None:
        self._sink = sink
        self._clock = clock
        self._max_held = max_held
        self._held: deque[tuple[float, Row]] = deque()  # monotonic milliseconds at which a row was read
        self._samples = 0
        self._distinct = DistinctTimes()
        self._offset_ms = self._unset_ms = self._offset()
        self.dropped = 0

    @property
    def held_samples(self) -> int:
        """Samples that wait here for the clock to be set."""
        return self._samples

    def put(self, row: Row) -> None:
        """Pass a row on, or hold it while the clock is not set (bounded; the oldest go first, counted)."""
        if row.t_ms < EARLIEST_MS:
            self._hold(row)
            self.look()
            return
        self.look()
        self._sink.put(self._distinct.distinct(row))

    def look(self) -> None:
        """Notice that the clock was set, or put back."""
        offset_ms = self._offset()
        if not clock_set(self._clock.now_ms()):
            self._offset_ms = self._unset_ms = offset_ms
            return
        if offset_ms <= self._offset_ms - STEP_MS:
            self._distinct.put_back()
        self._offset_ms = offset_ms
        if self._held:
            log.info("the clock was set: %d samples get the times at which they were read", self._samples)
            self._release(offset_ms)

    async def run(self) -> None:
        """Look at the clock for ever."""
        try:
            while True:
                self.look()
                await self._clock.sleep(LOOK_S)
        finally:
            if self._held:
                log.error("%d samples are lost: the clock was never set", self._samples)

    def with_held(self, state: OutboxState) -> OutboxState:
        """State of the outbox with what waits here."""
        return replace(
            state,
            pending_samples=state.pending_samples + self._samples,
            dropped_samples=state.dropped_samples + self.dropped,
        )

    def _offset(self) -> float:
        """Milliseconds that the wall clock shows beyond the monotonic one."""
        tightest, offset_ms = float("inf"), 0.0
        for _ in range(READINGS):
            before = self._clock.monotonic()
            wall_ms = self._clock.now_ms()
            passed_ms = (self._clock.monotonic() - before) * 1000
            if passed_ms < tightest:
                tightest, offset_ms = passed_ms, wall_ms - before * 1000
            if passed_ms <= APART_MS:
                break
        return offset_ms

    def _hold(self, row: Row) -> None:
        if not self._held:
            log.warning("the clock is not set: samples are held in memory until it is")
        self._held.append((self._read_at(row.t_ms), row))
        self._samples += len(row)
        while self._samples > self._max_held:
            gone = len(self._held.popleft()[1])
            if self.dropped == 0:
                log.error("samples are dropped: %d wait for the clock to be set", self._samples)
            self._samples -= gone
            self.dropped += gone

    def _read_at(self, t_ms: int) -> float:
        """Monotonic milliseconds of a time lately read from the unset clock, which may have moved since."""
        offsets = {self._unset_ms}
        if not clock_set(self._clock.now_ms()):
            offsets.add(self._offset())
        now = self._clock.monotonic() * 1000
        return min((t_ms - offset for offset in offsets), key=lambda read: abs(now - read))

    def _release(self, offset_ms: float) -> None:
        held, self._held = self._held, deque()
        self._samples = 0
        for read_ms, row in held:
            qualities = row.qualities or (Quality.GOOD,) * len(row)
            known = tuple(Quality.UNCERTAIN_TIME if q is Quality.GOOD else q for q in qualities)
            moved = Row(row.points, max(round(read_ms + offset_ms), EARLIEST_MS), row.values, known)
            self._sink.put(self._distinct.distinct(moved))
