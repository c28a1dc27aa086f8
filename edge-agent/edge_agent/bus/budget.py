"""What a configuration will cost each port, before it runs: the real schedule in simulated time. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edge_agent.bus.device_runtime import DeviceRuntime, Reading
from edge_agent.bus.gap_optimiser import byte_s
from edge_agent.bus.schedule import Cycle, Schedule, Urgency
from edge_agent.config.model import Configuration, Point, Port
from edge_agent.model import PointKey
from edge_agent.protocols import PROTOCOLS

TURNAROUND_S = {"COM": 0.020, "NET": 0.005}
"""What a slave is taken to need when nothing was measured: a usual device on a line, a usual PLC."""
MAX_SIMULATED_S = 3600.0
MAX_TURNS = 200_000


@dataclass(frozen=True)
class PortBudget:
    """One port. requests_one_by_one: what a request for each point would need in the same time."""

    port: str
    slaves: int
    points: int
    requests_per_s: float
    requests_one_by_one_per_s: float
    used_percent: float
    worst_late_ms: float
    missed_cycles: int
    simulated_s: float

    @property
    def fits(self) -> bool:
        """Whether every cycle of the simulated time was read in its period."""
        return self.missed_cycles == 0


def budget(configuration: Configuration, turnaround_s: float | None = None) -> list[PortBudget]:
    """Every enabled port with slaves, in the order of the configuration. turnaround_s: of every slave."""
    numbers = {PointKey(point.slave, point.name): 1 for point in configuration.points}
    points: dict[str, list[Point]] = {slave.name: [] for slave in configuration.slaves}
    for point in configuration.points:
        points[point.slave].append(point)
    budgets = []
    for port in configuration.ports:
        devices = [
            DeviceRuntime(slave, port, PROTOCOLS[slave.protocol], points[slave.name], numbers)
            for slave in configuration.slaves
            if slave.port == port.name and slave.enable and port.enable
        ]
        if devices:
            wait_s = TURNAROUND_S[port.type] if turnaround_s is None else turnaround_s
            budgets.append(_simulated(port, devices, wait_s))
    return budgets


def _simulated(port: Port, devices: Sequence[DeviceRuntime], turnaround_s: float) -> PortBudget:
    pause_s = max(port.min_interval_ms / 1000, PROTOCOLS[devices[0].slave.protocol].driver(port).gap_s)
    cycles = [cycle for device in devices for cycle in device.cycles()]
    run = _Run(cycles, byte_s(port) or 0.0, turnaround_s + pause_s)
    lasts_s = min(MAX_SIMULATED_S, 10 * max((cycle.period_s for cycle in cycles), default=1.0))
    run.until(lasts_s)
    return PortBudget(
        port=port.name,
        slaves=len(devices),
        points=sum(len(device.points) for device in devices),
        requests_per_s=sum(len(cycle.what.polls) / cycle.period_s for cycle in cycles),
        requests_one_by_one_per_s=sum(
            len(poll.points.points) / cycle.period_s for cycle in cycles for poll in cycle.what.polls
        ),
        used_percent=100 * sum(run.cost_s(cycle.what) / cycle.period_s for cycle in cycles),
        worst_late_ms=1000 * max((cycle.worst_late_s for cycle in cycles), default=0.0),
        missed_cycles=sum(cycle.missed for cycle in cycles),
        simulated_s=run.now,
    )


class _Run:
    """A port in simulated time, interrupted between requests as the real one is."""

    def __init__(self, cycles: Sequence[Cycle[Reading]], byte_s: float, request_s: float) -> None:
        self.now = 0.0
        self._byte_s = byte_s
        self._request_s = request_s
        self._schedule = Schedule(cycles, 0.0)
        self._turns = 0

    def cost_s(self, reading: Reading) -> float:
        """Time on the wire of one period."""
        return sum(self._request_s + poll.block.wire_bytes * self._byte_s for poll in reading.polls)

    def until(self, end_s: float) -> None:
        while self.now < end_s and self._turns < MAX_TURNS:
            cycle = self._schedule.take(self.now)
            if cycle is None:
                due = self._schedule.next_due
                if due is None:
                    return
                self.now = due
            else:
                self._turn(cycle)

    def _turn(self, cycle: Cycle[Reading]) -> None:
        self._turns += 1
        urgency = self._schedule.urgency(cycle, self.now)
        for poll in cycle.what.polls:
            self._interrupted(urgency)
            self.now += self._request_s + poll.block.wire_bytes * self._byte_s
        self._schedule.done(cycle, self.now)

    def _interrupted(self, urgency: Urgency) -> None:
        while (urgent := self._schedule.take(self.now, before=urgency)) is not None:
            self._turn(urgent)
