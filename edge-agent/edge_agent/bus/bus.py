"""The collecting side as a whole: every port's task, and the way in for reads and writes on demand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from edge_agent.bus.calculator import Calculator, Workings
from edge_agent.bus.commands import BusCommand, Loan, QueueFull, Work, lend
from edge_agent.bus.line import Line
from edge_agent.bus.port import PortTask
from edge_agent.bus.state import PortState
from edge_agent.bus.trace import FrameTrace, TracedFrame, depth_of
from edge_agent.bus.unread import UnreadWatch
from edge_agent.config.model import Configuration, Point, Port
from edge_agent.errors import BadValue, PortDown, StoreError
from edge_agent.model import DeviceState, PointKey, PointKind, Quality, Reads, Row, Sample, Span, Value
from edge_agent.points import LiveTable, PointBlock, Recorder, raw_of
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.base import Driver
from edge_agent.store.base import PlanMemory, SampleSink
from edge_agent.system.clock import Clock, SystemClock

if TYPE_CHECKING:
    from edge_agent.bus.script_runner import ScriptRunner

log = logging.getLogger(__name__)

T = TypeVar("T")

RESTART_S = 5.0
"""Pause before a port whose code failed is started again."""


class Bus:
    """Collects every point of a valid configuration into live and sink. numbers: of every point."""

    def __init__(
        self,
        configuration: Configuration,
        numbers: Mapping[PointKey, int],
        sink: SampleSink,
        live: LiveTable,
        *,
        clock: Clock | None = None,
        driver: Callable[[Port, str], Driver] | None = None,
        memory: PlanMemory | None = None,
    ) -> None:
        """driver: makes the driver of a port and a protocol; the protocol's own when not given.

        memory: keeps what was learned about refused blocks beyond the restart.
        """
        self._memory = memory
        self._sink = sink
        self._live = live
        self._clock = clock or SystemClock()
        self._driver = driver or (lambda port, protocol: PROTOCOLS[protocol].driver(port))
        points: dict[str, list[Point]] = {slave.name: [] for slave in configuration.slaves}
        for point in configuration.points:
            if point.type is not PointKind.CALCULATED:
                points[point.slave].append(point)
        workings = Workings(configuration, numbers)
        self._calculated = workings.keys
        self._numbers = numbers
        self._scripts: ScriptRunner | None = None
        if workings.scripted:
            self._scripts = self._script_runner(workings)
        want = self._scripts.want if self._scripts else lambda script: None
        self._calculator = Calculator(workings, live, self._publish, self._clock, want)
        self._recorder = Recorder()
        ports = {port.name: port for port in configuration.ports}
        begun_ms = self._clock.now_ms()
        self._lines = {
            slave.name: Line(
                slave, ports[slave.port], PROTOCOLS[slave.protocol], points[slave.name], numbers, begun_ms
            )
            for slave in configuration.slaves
        }
        self._all_ports = configuration.ports
        self._lent: set[str] = set()
        self._ports = {
            port.name: self._task(port)
            for port in configuration.ports
            if any(line.port is port for line in self._lines.values())
        }

    async def run(self) -> None:
        """Until cancelled. A port whose code fails is restarted and touches no other port."""
        if self._memory is not None:
            for line in self._lines.values():
                line.recall(await self._memory.recall(line.slave.name, line.digest))
        async with asyncio.TaskGroup() as group:
            for task in self._ports.values():
                if any(line.enable for line in task.lines):
                    group.create_task(self._supervise(task), name=f"port {task.port.name}")
            self._tell_disabled()
            group.create_task(self._again("unread points", UnreadWatch(self._ports, self._clock).run))
            if self._calculated:
                group.create_task(self._again("calculated points", self._calculator.run))
            if self._scripts is not None:
                group.create_task(self._again("scripts", self._scripts.run))
            try:
                await asyncio.Event().wait()
            finally:
                for task in self._ports.values():
                    task.stop()

    def ports(self) -> list[PortState]:
        return [
            self._ports[port.name].state()
            if port.name in self._ports
            else PortState.unused(port, lent=port.name in self._lent)
            for port in self._all_ports
        ]

    def states(self) -> list[DeviceState]:
        ports, now = self._ports, self._clock.monotonic()
        return [
            line.state(ports[line.port.name].open, now, lent=ports[line.port.name].lent is not None)
            for line in self._lines.values()
        ]

    def reads(self, now: float, frozen: Span, *, final: bool = False) -> Iterator[Reads]:
        """What became of the reads whose period ended since the last call; final: nothing more is read."""
        for task in self._ports.values():
            yield from task.reads(now, frozen, final=final)

    def reads_per_hour(self) -> dict[str, float]:
        """What is to be read of every slave; 0 of one that is disabled or not read by itself."""
        return {
            name: sum(len(slots.names) * 3600 / slots.period_s for slots in line.slots)
            for name, line in self._lines.items()
        }

    def silent(self) -> frozenset[str]:
        """Slaves that have answered and do not any more."""
        ports = self._ports
        return frozenset(
            name
            for name, line in self._lines.items()
            if line.enable and line.last_good_ms and (line.breaker.is_open or not ports[line.port.name].open)
        )

    def disabled(self) -> list[str]:
        """Slaves that are not read because they, or their port, are disabled."""
        return [name for name, line in self._lines.items() if not line.enable]

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        """Write a value in engineering units before any poll; the sample that was read back afterwards.

        BadValue: no such point, read only, or not a value of the point. FieldbusError: the device. A point
        that cannot be read gives what the device confirmed. Whether the sample holds the wanted value is
        for the caller to say (points.same_value).
        """
        if key in self._calculated:
            raise BadValue(f"{key}: is calculated")
        line, point = self._find(key)
        if point.rw == "readonly":
            raise BadValue(f"{key}: is read only")
        return await self._command(BusCommand(line, point, True, raw_of(point, value)), timeout_s)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        """A fresh sample of a point, taken before any poll. Errors of write."""
        if key in self._calculated:
            return self._calculator.sample(self._numbers[key])
        line, point = self._find(key)
        if point.rw == "writeonly":
            raise BadValue(f"{key}: cannot be read")
        return await self._command(BusCommand(line, point, False), timeout_s)

    async def borrow(self, port: str, work: Work[T], longest_s: float, wait_s: float, who: str = "") -> T:
        """What work makes of a port that it has to itself, closed, for at most longest_s. who: borrows it.

        BadValue: no such port. FieldbusError: not lent within wait_s, or not done in time. What the work
        raises reaches the caller.
        """
        task = self._ports.get(port)
        if task is not None and any(line.enable for line in task.lines):
            found: T = await task.commands.run(Loan(task.port, work, longest_s, who), wait_s + longest_s)
            return found
        unused = next((one for one in self._all_ports if one.name == port), None)
        if unused is None:
            raise BadValue(f"{port}: no such port")
        if port in self._lent:
            raise QueueFull(f"port {port} is lent already")
        self._lent.add(port)
        try:
            loan = Loan(unused, work, longest_s, who)
            await lend(loan, FrameTrace(self._clock.now_ms).seen)
            result: T = loan.outcome.result()
            return result
        finally:
            self._lent.discard(port)

    def trace(self, port: str) -> list[TracedFrame]:
        """What went over a port lately, oldest first; empty for an unused one. BadValue: no such port."""
        if port in self._ports:
            return self._ports[port].trace.frames()
        if any(one.name == port for one in self._all_ports):
            return []
        raise BadValue(f"{port}: no such port")

    async def _command(self, command: BusCommand, timeout_s: float) -> Sample:
        if not command.line.enable:
            raise PortDown(f"{command.line.slave.name} or its port is disabled")
        task = self._ports[command.port.name]
        if task.lent is not None:
            raise task.lent
        sample: Sample = await task.commands.run(command, timeout_s)
        return sample

    def _find(self, key: PointKey) -> tuple[Line, Point]:
        line = self._lines.get(key.slave)
        point = line.points.get(key.point) if line else None
        if line is None or point is None:
            raise BadValue(f"{key}: no such point")
        return line, point

    def _script_runner(self, workings: Workings) -> ScriptRunner:
        # Imported late: a gateway without scripts does not load what they need.
        from edge_agent.bus.script_runner import ScriptRunner, sandbox_script
        from edge_agent.sandbox import ScriptHost

        host = ScriptHost([sandbox_script(one.plan) for one in workings.scripted])
        return ScriptRunner(host, self._live, self._publish, self._clock)

    def _task(self, port: Port) -> PortTask:
        lines = [line for line in self._lines.values() if line.port is port]
        driver = self._driver(port, lines[0].slave.protocol)
        depth = depth_of(len(self._all_ports))
        return PortTask(port, lines, driver, self._publish, self._keep_learned, self._clock, depth)

    def _publish(self, row: Row, block: PointBlock) -> None:
        self._live.update(row)
        self._calculator.take(row)
        stored = self._recorder.select(row, block)
        if stored is not None:
            self._sink.put(stored)

    def _tell_disabled(self) -> None:
        """What nobody reads any more has no value of now."""
        for line in self._lines.values():
            if not line.enable:
                points = line.readable
                self._publish(points.without_value(Quality.STALE, self._clock.now_ms()), points)

    async def _keep_learned(self, line: Line) -> None:
        if self._memory is not None:
            try:
                await self._memory.keep(line.slave.name, line.digest, line.refused())
            except StoreError as error:
                log.warning("what %s refused is not kept beyond the restart: %s", line.slave.name, error)

    async def _again(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except Exception:  # supervisor: a fault in a calculation must not stop collecting
                log.exception("%s failed, starting again in %.0f s", what, RESTART_S)
            await self._clock.sleep(RESTART_S)

    async def _supervise(self, task: PortTask) -> None:
        while not task.stopping:
            try:
                await task.run()
                return
            except Exception:  # supervisor: a fault in one port's code must not stop the others
                log.exception("port %s failed, starting it again in %.0f s", task.port.name, RESTART_S)
            await self._clock.sleep(RESTART_S)
