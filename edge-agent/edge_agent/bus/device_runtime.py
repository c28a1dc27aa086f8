"""Run-time side of one slave: its requests, its breaker, its counters."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import msgspec

from edge_agent.bus.breaker import Breaker
from edge_agent.bus.gap_optimiser import GapOptimiser, byte_s
from edge_agent.bus.reads import Absences, ReadSlots, Why, grids
from edge_agent.bus.request_counts import RequestCounts
from edge_agent.bus.schedule import Cycle, Urgency
from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import DeviceRefused, FieldbusError, PortLocked
from edge_agent.model import DeviceState, PointKey, PointKind, Quality, RefusedBlock
from edge_agent.points import PointBlock
from edge_agent.protocols.base import Block, FieldProtocol
from edge_contract.collection import Missed

TURNAROUND_WEIGHT = 0.1  # of the newest answer in the running mean
NOTABLE_GAP = 2  # addresses, and a quarter: less is not worth other requests

NEVER_READ, OK, DISABLED = "never_read", "ok", "disabled"


@dataclass(eq=False)
class Poll:
    """One request that is made every cycle. not_before: a refused one rests until then.

    reported_at: monotonic time when its points were last reported, as values or with a reason; None: not yet.
    """

    block: Block
    points: PointBlock
    not_before: float = 0.0
    reported_at: float | None = None


@dataclass(eq=False)
class Reading:
    """Requests of one slave, period and urgency. members: all points planned together; slots: theirs."""

    device: DeviceRuntime
    members: Sequence[Point]
    urgency: Urgency
    slots: ReadSlots
    polls: list[Poll] = field(default_factory=list)


def urgency_of(point: Point) -> Urgency:
    """The configured priority as a queue of the schedule."""
    return Urgency[point.priority.upper()]


class DeviceRuntime:
    """A slave on its port."""

    def __init__(
        self,
        slave: Slave,
        port: Port,
        protocol: FieldProtocol,
        points: Sequence[Point],
        numbers: Mapping[PointKey, int],
        since_ms: int = 0,
    ) -> None:
        """since_ms: wall clock, from when its requests are counted."""
        self.slave = slave
        self.port = port
        self.protocol = protocol
        self.breaker = Breaker()
        self.gap_optimiser = GapOptimiser(byte_s(port))
        self.points = {point.name: point for point in points}
        self.enable = slave.enable and port.enable
        self.digest = hashlib.sha256(msgspec.json.encode((slave, points))).hexdigest()[:16]
        self.gap: int | None = None
        self.replan_at = 0.0
        self._numbers = {point.name: numbers[PointKey(slave.name, point.name)] for point in points}
        self._refused: dict[tuple[str, ...], int] = {}
        self._together: list[list[Reading]] = []
        self.slots: list[ReadSlots] = []
        self.reason = NEVER_READ if self.enable else DISABLED
        self.trouble = Quality.DEVICE_OFFLINE
        self.last_good_ms = 0
        self.sent_at = inf  # monotonic: when the request that is on the wire began
        self.waited = -1.0, -1.0  # of the newest request that took longer than a period
        self.silences = Absences()  # from a failed request to the next answer
        self.reads = 0
        self.failures = 0
        self.turnaround_ms = 0.0
        self.counts = RequestCounts(since_ms)

    def cycles(self) -> list[Cycle[Reading]]:
        """What is to be read, by period and delay; a request is as urgent as its most urgent point."""
        base_ms = self.slave.capture_cycle_ms or self.port.capture_cycle_ms
        members: dict[tuple[int, int], list[Point]] = {}
        for point in self.points.values():
            if (
                point.rw != "writeonly"
                and point.collect_mode == "cycle"
                and point.type is not PointKind.CALCULATED
            ):
                at = base_ms * point.capture_freq, point.collect_delay_ms
                members.setdefault(at, []).append(point)
        cycles = []
        for (period_ms, delay_ms), points in sorted(members.items()):
            names = [point.name for point in points]
            slots = ReadSlots(self.slave.name, len(self.slots), names, period_ms / 1000)
            self.slots.append(slots)
            readings = [
                Reading(self, points, urgency, slots) for urgency in sorted(set(map(urgency_of, points)))
            ]
            self._together.append(readings)
            cycles += [
                Cycle(reading, period_ms / 1000, reading.urgency, delay_ms / 1000) for reading in readings
            ]
        self.slots = grids(self.slots)
        self._plan()
        return cycles

    def replan(self, pause_s: float) -> bool:
        """Plan anew when the hole that is worth reading along has changed notably. True when it has."""
        rule = self.protocol.gap_rule
        gap = self.gap_optimiser.gap(rule, pause_s) if rule else None
        if gap is None or (self.gap is not None and abs(gap - self.gap) <= NOTABLE_GAP + self.gap // 4):
            return False
        wider = gap >= (rule.max_gap if rule and self.gap is None else self.gap or 0)
        self.gap = gap
        if not (wider and self._at_fewest()):
            self._plan()
        return True

    def _at_fewest(self) -> bool:
        """Whether wider gaps could not save a request: there is one for each cycle, or none."""
        return all(sum(len(one.polls) for one in readings) <= 1 for readings in self._together)

    def learn(self, members: Sequence[Point], block: Block, error: DeviceRefused) -> None:
        """The slave refused this block and answered parts of it: it is never asked as a whole again."""
        self._refused[_names(members, block)] = error.device_code

    def refused(self) -> list[RefusedBlock]:
        """What was learned."""
        return [RefusedBlock(list(names), code) for names, code in self._refused.items()]

    def recall(self, refused: Sequence[RefusedBlock]) -> None:
        """Take what was learned before the restart."""
        self._refused.update({tuple(one.points): one.device_code for one in refused})
        self._plan()

    def _plan(self) -> None:
        for readings in self._together:
            by_urgency = {reading.urgency: reading for reading in readings}
            for reading in readings:
                reading.polls = []
            members = readings[0].members
            for block in self.protocol.plan(self.slave, members, self.gap):
                for known in self._known(members, block):
                    poll = self.poll(members, known)
                    by_urgency[min(map(urgency_of, poll.points.points))].polls.append(poll)

    def _known(self, members: Sequence[Point], block: Block) -> Iterator[Block]:
        """The block, or the parts that the slave is known to answer."""
        code = self._refused.get(_names(members, block))
        parts = block.split(DeviceRefused(code, "learned")) if code is not None else ()
        if not parts:
            yield block
        for part in parts:
            yield from self._known(members, part)

    def poll(self, members: Sequence[Point], block: Block) -> Poll:
        """A block with the points that it serves."""
        return Poll(block, self.block_of([members[index] for index in block.points]))

    @property
    def readable(self) -> PointBlock:
        """All points that can be read."""
        return self.block_of([point for point in self.points.values() if point.rw != "writeonly"])

    def block_of(self, points: Sequence[Point]) -> PointBlock:
        """What makes rows of these points, with their numbers in the store."""
        return PointBlock(points, [self._numbers[point.name] for point in points])

    def request_ended(self, now: float) -> None:
        """Count a request that ended now, in seconds of the monotonic clock."""
        self.counts.record_request(now)
        if any(now - self.sent_at > slots.period_s for slots in self.slots):
            self.waited = self.sent_at, now
        self.sent_at = inf

    def why(self, port_open: bool, absences: Absences) -> Why:
        """Why a slot in which nothing was tried brought nothing: the port first, then the slave."""
        return absences.why(self.unread(port_open), self.waited, self.silences)

    def missed(self, now: float) -> Callable[[Reading], bool]:
        """Which readings are this slave's, and brought nothing in the period under way."""
        return lambda reading: reading.device is self and not reading.slots.has_value(now)

    def unread(self, port_open: bool) -> str:
        """Why nothing was tried, as far as the slave is the reason; its port had no time otherwise."""
        if self.breaker.failures or (not port_open and self.reason != OK):
            return Missed.PORT_DOWN if self.reason == NEVER_READ else self.reason
        return Missed.LATE

    def answered(self, turnaround_ms: float, t_ms: int, now: float) -> bool:
        """A good frame came. True when the slave was offline before."""
        self.reads += 1
        self.counts.answered(turnaround_ms, now)
        if self.breaker.failures:
            self.silences.end(now)
        weight = TURNAROUND_WEIGHT if self.last_good_ms else 1.0
        self.turnaround_ms += (turnaround_ms - self.turnaround_ms) * weight
        self.last_good_ms = t_ms
        self.reason = OK
        return self.breaker.good()

    def failed(self, error: FieldbusError, now: float) -> bool:
        """A request failed after its retries. True when this made the slave offline."""
        self.failures += 1
        if self.breaker.failures and self.reason != error.code:
            self.silences.end(now)
        self.silences.begin(now, error.code)
        self.reason = error.code
        self.trouble = error.quality
        return self.breaker.failed(now)

    def port_down(self, error: FieldbusError, t_ms: int) -> None:
        """Its port could not be opened, or broke."""
        self.reason = error.code
        self.counts.fault(error, t_ms)

    def state(self, port_open: bool, now: float, *, locked: bool = False) -> DeviceState:
        """locked: a tunnel or a tool has the port, and the slave is not asked."""
        heard = self.enable and port_open and self.last_good_ms > 0 and not self.breaker.is_open
        return DeviceState(
            slave=self.slave.name,
            online=heard and not locked,
            last_good_ms=self.last_good_ms,
            reason=PortLocked.code if locked and self.enable else self.reason,
            reads=self.reads,
            failures=self.failures,
            turnaround_ms=round(self.turnaround_ms, 2),
            heard=heard,
            bus=self.counts.state(now) if self.enable else None,
        )


def _names(members: Sequence[Point], block: Block) -> tuple[str, ...]:
    return tuple(members[index].name for index in block.points)
