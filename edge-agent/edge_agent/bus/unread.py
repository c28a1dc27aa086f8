"""Notices points that were not read for three of their periods, whatever the reason (C-140).

Such are points on a line without time, or of a suspect that waits. They get STALE, or what their slave failed
with. A look that comes late itself, as after SIGSTOP, begins to count anew.
"""

from __future__ import annotations

from collections.abc import Mapping

from edge_agent.bus.device_runtime import Poll, Reading
from edge_agent.bus.port import PortTask
from edge_agent.bus.schedule import Cycle
from edge_agent.model import Quality
from edge_agent.system.clock import Clock
from edge_contract.freshness import unread_after_ms

LOOK_S = 1.0

LATE_S = 2.0
"""A look that comes later than this finds an agent that was stopped or starved itself: it counts anew."""


class UnreadWatch:
    """Looks at every request of every port. Readings report their failures; this reports their absence."""

    def __init__(self, ports: Mapping[str, PortTask], clock: Clock) -> None:
        self._ports = ports
        self._clock = clock

    async def run(self) -> None:
        """Until cancelled."""
        before = self._clock.monotonic()
        while True:
            await self._clock.sleep(LOOK_S)
            now = self._clock.monotonic()
            for task in self._ports.values():
                self._look(task, now, counts=now - before <= LOOK_S + LATE_S)
            before = now

    def _look(self, task: PortTask, now: float, *, counts: bool) -> None:
        """counts: whether the time since the last look is held against the readings."""
        counted = counts and task.open and task.locked is None
        for cycle in task.cycles:
            device = cycle.what.device
            for poll in cycle.what.polls:
                if not counted or device.breaker.is_open or poll.not_before > now or poll.reported_at is None:
                    poll.reported_at = now  # reported by others, or not asked yet
                elif now - poll.reported_at > unread_after_ms(_period_ms(cycle)) / 1000:
                    task.absent.of_polls([poll], _why(poll, cycle.what))


def _period_ms(cycle: Cycle[Reading]) -> int:
    return round(cycle.period_s * 1000)


def _why(poll: Poll, reading: Reading) -> Quality:
    """A slave that has failed waits for its next attempt; any other waits for its turn."""
    return reading.device.trouble if reading.device.breaker.failures else Quality.STALE
