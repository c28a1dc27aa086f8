"""Run-time side of one slave: its requests, its breaker, its counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from edge_agent.bus.breaker import Breaker
from edge_agent.bus.schedule import Cycle
from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import FieldbusError
from edge_agent.model import DeviceState, PointKey
from edge_agent.points import PointBlock
from edge_agent.protocols.base import Block, Room

TURNAROUND_WEIGHT = 0.1  # of the newest answer in the running mean

NEVER_READ, OK, DISABLED = "never_read", "ok", "disabled"


@dataclass(eq=False)
class Poll:
    """One request that is made every cycle. not_before: a refused one rests until then."""

    block: Block
    points: PointBlock
    not_before: float = 0.0


@dataclass(eq=False)
class Reading:
    """Requests of one slave with one period."""

    line: Line
    members: Sequence[Point]
    polls: list[Poll] = field(default_factory=list)


class Line:
    """A slave on its port."""

    def __init__(
        self, slave: Slave, port: Port, room: Room, points: Sequence[Point], numbers: Mapping[PointKey, int]
    ) -> None:
        self.slave = slave
        self.port = port
        self.room = room
        self.breaker = Breaker()
        self.points = {point.name: point for point in points}
        self.enable = slave.enable and port.enable
        self._numbers = {point.name: numbers[PointKey(slave.name, point.name)] for point in points}
        self.reason = NEVER_READ if self.enable else DISABLED
        self.last_good_ms = 0
        self.reads = 0
        self.failures = 0
        self.turnaround_ms = 0.0

    def cycles(self) -> list[Cycle[Reading]]:
        """What is to be read, by period."""
        base_ms = self.slave.capture_cycle_ms or self.port.capture_cycle_ms
        members: dict[int, list[Point]] = {}
        for point in self.points.values():
            if point.rw != "writeonly":
                members.setdefault(base_ms * point.capture_freq, []).append(point)
        cycles = []
        for period_ms, points in sorted(members.items()):
            reading = Reading(self, points)
            reading.polls = [self.poll(points, block) for block in self.room.plan(self.slave, points)]
            cycles.append(Cycle(reading, period_ms / 1000))
        return cycles

    def poll(self, members: Sequence[Point], block: Block) -> Poll:
        """A block with the points that it serves."""
        return Poll(block, self.block_of([members[index] for index in block.points]))

    def block_of(self, points: Sequence[Point]) -> PointBlock:
        return PointBlock(points, [self._numbers[point.name] for point in points])

    def answered(self, turnaround_ms: float, t_ms: int) -> bool:
        """A good frame came. True when the slave was offline before."""
        self.reads += 1
        weight = TURNAROUND_WEIGHT if self.last_good_ms else 1.0
        self.turnaround_ms += (turnaround_ms - self.turnaround_ms) * weight
        self.last_good_ms = t_ms
        self.reason = OK
        return self.breaker.good()

    def failed(self, error: FieldbusError, now: float) -> bool:
        """A request failed after its retries. True when this made the slave offline."""
        self.failures += 1
        self.reason = error.code
        return self.breaker.failed(now)

    def state(self, port_open: bool) -> DeviceState:
        online = self.enable and port_open and self.last_good_ms > 0 and not self.breaker.is_open
        return DeviceState(
            slave=self.slave.name,
            online=online,
            last_good_ms=self.last_good_ms,
            reason=self.reason,
            reads=self.reads,
            failures=self.failures,
            turnaround_ms=round(self.turnaround_ms, 2),
        )
