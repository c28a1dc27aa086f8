"""Rows that say why points have no value, published in place of a reading.

A request without an answer marks its own points at once, and those of the requests that its reading
gives up because of it; the slave itself is offline after three (breaker.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from edge_agent.bus.device_runtime import DeviceRuntime, Poll, Reading
from edge_agent.bus.schedule import Cycle
from edge_agent.errors import PortLocked
from edge_agent.model import Quality, Row
from edge_agent.points import PointBlock
from edge_agent.system.clock import Clock

Publish = Callable[[Row, PointBlock], None]


class AbsentValues:
    """Of the points of one port."""

    def __init__(self, publish: Publish, clock: Clock) -> None:
        self._publish = publish
        self._clock = clock

    def of_failed(self, device: DeviceRuntime, polls: Sequence[Poll], quality: Quality) -> None:
        """Points of a failed request, and of those that are not made because of it; those of an offline slave
        and of refused requests that rest were reported already.
        """
        if not device.breaker.is_open:
            now = self._clock.monotonic()
            self.of_polls([poll for poll in polls if poll.not_before <= now], quality)

    def of_polls(self, polls: Iterable[Poll], quality: Quality) -> None:
        """Publish rows without values, of this quality, for the points of these polls."""
        for poll in polls:
            poll.reported_at = self._clock.monotonic()
            self._publish(poll.points.without_value(quality, self._clock.now_ms()), poll.points)

    def of_device(self, device: DeviceRuntime, quality: Quality) -> None:
        """Every readable point of a slave."""
        points = device.readable
        self._publish(points.without_value(quality, self._clock.now_ms()), points)

    async def while_locked(self, cycles: Iterable[Cycle[Reading]]) -> None:
        """While the port is locked: points whose reading missed a whole period are as a silent slave's."""
        left = [cycle for cycle in cycles if not cycle.what.device.breaker.is_open]
        while left:
            cycle = min(left, key=lambda one: one.missed_at)
            await self._clock.sleep(max(cycle.missed_at - self._clock.monotonic(), 0.0))
            left.remove(cycle)
            self.of_polls(cycle.what.polls, PortLocked.quality)
