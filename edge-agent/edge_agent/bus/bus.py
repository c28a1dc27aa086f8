"""The collecting side as a whole: every port's task, and the way in for reads and writes on demand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from edge_agent.bus.calculator import Calculator, Workings
from edge_agent.bus.commands import (
    Ask,
    BusCommand,
    DriverRequest,
    PortLock,
    QueueFull,
    Work,
    run_locked,
)
from edge_agent.bus.device_runtime import DeviceRuntime
from edge_agent.bus.port import PortTask
from edge_agent.bus.state import PortState
from edge_agent.bus.trace import FrameTrace, TracedFrame, depth_of
from edge_agent.bus.unread import UnreadWatch
from edge_agent.config.model import Configuration, Point, Port
from edge_agent.errors import BadValue, NoAnswer, PortDown, StoreError
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
        watch: Callable[[Row], None] = lambda row: None,
    ) -> None:
        """driver: makes the driver of a port and a protocol; the protocol's own when not given.

        memory: keeps what was learned about refused blocks beyond the restart. watch: takes every row,
        whatever is stored of it.
        """
        self._watch = watch
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
        self._devices = {
            slave.name: DeviceRuntime(
                slave, ports[slave.port], PROTOCOLS[slave.protocol], points[slave.name], numbers, begun_ms
            )
            for slave in configuration.slaves
        }
        self._all_ports = configuration.ports
        self._locked: set[str] = set()
        self._ports = {
            port.name: self._task(port)
            for port in configuration.ports
            if any(device.port is port for device in self._devices.values())
        }

    async def run(self) -> None:
        """Until cancelled. A port whose code fails is restarted and touches no other port."""
        if self._memory is not None:
            for device in self._devices.values():
                device.recall(await self._memory.recall(device.slave.name, device.digest))
        async with asyncio.TaskGroup() as group:
            for task in self._ports.values():
                if any(device.enable for device in task.devices):
                    group.create_task(self._supervise(task), name=f"port {task.port.name}")
            self._report_disabled()
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
        """State of every configured port, in the configuration's order."""
        return [
            self._ports[port.name].state()
            if port.name in self._ports
            else PortState.unused(port, locked=port.name in self._locked)
            for port in self._all_ports
        ]

    def states(self) -> list[DeviceState]:
        """State of every configured slave, in the configuration's order."""
        ports, now = self._ports, self._clock.monotonic()
        return [
            device.state(ports[device.port.name].open, now, locked=ports[device.port.name].locked is not None)
            for device in self._devices.values()
        ]

    def reads(self, now: float, frozen: Span, *, final: bool = False) -> Iterator[Reads]:
        """What became of the reads whose period ended since the last call; final: nothing more is read."""
        for task in self._ports.values():
            yield from task.reads(now, frozen, final=final)

    def reads_per_hour(self) -> dict[str, float]:
        """What is to be read of every slave; 0 of one that is disabled or not read by itself."""
        return {
            name: sum(len(slots.names) * 3600 / slots.period_s for slots in device.slots)
            for name, device in self._devices.items()
        }

    def silent(self) -> frozenset[str]:
        """Slaves that have answered and do not any more."""
        ports = self._ports
        return frozenset(
            name
            for name, device in self._devices.items()
            if device.enable
            and device.last_good_ms
            and (device.breaker.is_open or not ports[device.port.name].open)
        )

    def disabled(self) -> list[str]:
        """Slaves that are not read because they, or their port, are disabled."""
        return [name for name, device in self._devices.items() if not device.enable]

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        """Write a value in engineering units before any poll; the sample that was read back afterwards.

        BadValue: no such point, read only, or not a value of the point. FieldbusError: the device. A point
        that cannot be read gives what the device confirmed. Whether the sample holds the wanted value is
        for the caller to say (points.same_value).
        """
        if key in self._calculated:
            raise BadValue(f"{key}: is calculated")
        device, point = self._find(key)
        if point.rw == "readonly":
            raise BadValue(f"{key}: is read only")
        return await self._command(BusCommand(device, point, True, raw_of(point, value)), timeout_s)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        """A fresh sample of a point, taken before any poll. BadValue: cannot be read. FieldbusError."""
        if key in self._calculated:
            return self._calculator.sample(self._numbers[key])
        device, point = self._find(key)
        if point.rw == "writeonly":
            raise BadValue(f"{key}: cannot be read")
        return await self._command(BusCommand(device, point, False), timeout_s)

    async def ask(self, slave: str, ask: Ask[T], timeout_s: float) -> T:
        """Result of one request of the caller's own, before any poll; ask: makes it with the port's driver.

        NoAnswer: also while the slave is offline, but for its probes. FieldbusError, and what ask raises.
        """
        device = self._devices[slave]
        if not device.breaker.may_ask(self._clock.monotonic()):
            raise NoAnswer(f"{slave} is offline")
        done: T = await self._queued(DriverRequest(device, ask), timeout_s)
        return done

    async def run_locked(
        self,
        port: str,
        work: Work[T],
        max_s: float,
        wait_s: float,
        who: str = "",
        *,
        is_brief: bool = False,
    ) -> T:
        """Result of work on a port that it has to itself, closed, for at most max_s. who: holds it.

        is_brief: no longer than a request: what else waits for the port waits on, and is not refused.

        BadValue: no such port. QueueFull. FieldbusError: not locked within wait_s, or not done in time.
        What the work raises reaches the caller.
        """
        task = self._ports.get(port)
        if task is not None and any(device.enable for device in task.devices):
            done: T = await task.commands.run(PortLock(task.port, work, max_s, who, is_brief), wait_s + max_s)
            return done
        unused = next((one for one in self._all_ports if one.name == port), None)
        if unused is None:
            raise BadValue(f"{port}: no such port")
        if port in self._locked:
            raise QueueFull(f"port {port} is lent already")
        self._locked.add(port)
        try:
            lock = PortLock(unused, work, max_s, who)
            await run_locked(lock, FrameTrace(self._clock.now_ms).seen)
            result: T = lock.outcome.result()
            return result
        finally:
            self._locked.discard(port)

    def trace(self, port: str) -> list[TracedFrame]:
        """What went over a port lately, oldest first; empty for an unused one. BadValue: no such port."""
        if port in self._ports:
            return self._ports[port].trace.frames()
        if any(one.name == port for one in self._all_ports):
            return []
        raise BadValue(f"{port}: no such port")

    def traces(self) -> dict[str, FrameTrace]:
        """Of every port that is used, by its name."""
        return {name: task.trace for name, task in self._ports.items()}

    async def _command(self, command: BusCommand, timeout_s: float) -> Sample:
        sample: Sample = await self._queued(command, timeout_s)
        return sample

    async def _queued(self, command: BusCommand | DriverRequest, timeout_s: float) -> Any:
        if not command.device.enable:
            raise PortDown(f"{command.device.slave.name} or its port is disabled")
        task = self._ports[command.port.name]
        if task.locked is not None:
            raise task.locked
        return await task.commands.run(command, timeout_s)

    def _find(self, key: PointKey) -> tuple[DeviceRuntime, Point]:
        device = self._devices.get(key.slave)
        point = device.points.get(key.point) if device else None
        if device is None or point is None:
            raise BadValue(f"{key}: no such point")
        return device, point

    def _script_runner(self, workings: Workings) -> ScriptRunner:
        # Imported late: a gateway without scripts does not load what they need.
        from edge_agent.bus.script_runner import ScriptRunner, sandbox_script
        from edge_agent.sandbox import ScriptHost

        host = ScriptHost([sandbox_script(one.plan) for one in workings.scripted])
        return ScriptRunner(host, self._live, self._publish, self._clock)

    def _task(self, port: Port) -> PortTask:
        devices = [device for device in self._devices.values() if device.port is port]
        driver = self._driver(port, devices[0].slave.protocol)
        depth = depth_of(len(self._all_ports))
        return PortTask(port, devices, driver, self._publish, self._keep_learned, self._clock, depth)

    def _publish(self, row: Row, block: PointBlock) -> None:
        self._live.update(row)
        self._watch(row)
        self._calculator.take(row)
        stored = self._recorder.select(row, block)
        if stored is not None:
            self._sink.put(stored)

    def _report_disabled(self) -> None:
        """What nobody reads any more has no value of now."""
        for device in self._devices.values():
            if not device.enable:
                points = device.readable
                self._publish(points.without_value(Quality.STALE, self._clock.now_ms()), points)

    async def _keep_learned(self, device: DeviceRuntime) -> None:
        if self._memory is not None:
            try:
                await self._memory.keep(device.slave.name, device.digest, device.refused())
            except StoreError as error:
                log.warning("what %s refused is not kept beyond the restart: %s", device.slave.name, error)

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
