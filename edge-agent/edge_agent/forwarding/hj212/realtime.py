"""Real-time data and states of equipment at each full interval; the newest of each waits to be sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from edge_agent.forwarding.hj212.collector import Collector
from edge_agent.forwarding.hj212.packet import Area
from edge_agent.forwarding.hj212.parameters import Parameters
from edge_agent.forwarding.hj212.record_queue import RecordQueue
from edge_agent.forwarding.hj212.records import REALTIME, STATES
from edge_agent.system.clock import Clock, clock_set, wait

IDLE_S = 30.0
"""How often it is looked whether anything is wanted; a change wakes it before."""
TICK_S = 0.02
"""A timer may fire a moment before the full second."""


@dataclass(frozen=True)
class RealtimeArea:
    """Data of one moment. kind: its command."""

    kind: str
    t_ms: int
    area: Area


class RealtimeData:
    """changed: to be set when parameters are. wake: called when something waits. While nothing is connected,
    and when newer data come, those that wait go to the queue.
    """

    def __init__(
        self,
        collector: Collector,
        parameters: Parameters,
        queue: RecordQueue,
        clock: Clock,
        wake: Callable[[], None],
    ) -> None:
        self.changed = asyncio.Event()
        self.is_connected = False
        self._collector = collector
        self._parameters = parameters
        self._queue = queue
        self._clock = clock
        self._wake = wake
        self._waiting: dict[str, RealtimeArea] = {}

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            parameters = self._parameters
            interval_s = parameters.rtd_interval_s if parameters.realtime or parameters.states else 0
            now_ms = self._clock.now_ms()
            left_s = interval_s - now_ms / 1000 % interval_s + TICK_S if interval_s else IDLE_S
            if await wait(self._clock, self.changed, left_s) or not interval_s:
                continue
            if not clock_set(self._clock.now_ms()):
                continue
            if parameters.realtime:
                await self._offer(REALTIME, *self._collector.realtime())
            if parameters.states:
                await self._offer(STATES, *self._collector.states())

    def next(self) -> RealtimeArea | None:
        """What is to be sent; it waits until it is done."""
        return next(iter(self._waiting.values()), None)

    def done(self, newest: RealtimeArea) -> None:
        """It was sent, or never will be; newer data of its kind stay."""
        if self._waiting.get(newest.kind) is newest:
            del self._waiting[newest.kind]

    async def connection_ended(self) -> None:
        """What waits goes to the queue."""
        while (newest := self.next()) is not None:
            self.done(newest)
            await self._queue.keep_realtime(newest.kind, newest.t_ms, newest.area)

    async def _offer(self, kind: str, t_ms: int, area: Area) -> None:
        if not area:
            return
        if not self.is_connected:
            await self._queue.keep_realtime(kind, t_ms, area)
            return
        before = self._waiting.pop(kind, None)
        self._waiting[kind] = RealtimeArea(kind, t_ms, area)
        self._wake()
        if before is not None:
            await self._queue.keep_realtime(before.kind, before.t_ms, before.area)
