"""The owner of one port: opens it, serves commands, reads what is due, and never does two things at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from edge_agent.bus.absent_values import AbsentValues, Publish
from edge_agent.bus.commands import BusCommand, CommandQueue, DriverRequest, PortLock, run_locked
from edge_agent.bus.connection import PortConnection
from edge_agent.bus.device_runtime import DeviceRuntime, Poll, Reading
from edge_agent.bus.schedule import Cycle, Schedule, Urgency, keeps_beat, next_beat
from edge_agent.bus.slave_presence import SlavePresence
from edge_agent.bus.state import BusyMeter, PortState
from edge_agent.bus.trace import MAX_CHUNKS, FrameTrace
from edge_agent.config.model import Port, Slave
from edge_agent.errors import (
    AgentError,
    BadFrame,
    DeviceRefused,
    FieldbusError,
    NoAnswer,
    PortDown,
    PortLocked,
)
from edge_agent.model import Quality, Reads, Row, Span
from edge_agent.points import PointBlock
from edge_agent.protocols.base import Block, Driver, Raw
from edge_agent.system.clock import Clock, wait

log = logging.getLogger(__name__)

IDLE_S = 60.0  # a port without anything due still looks up
REPLAN_S = 60.0  # a slave's requests are planned anew at most this often
REFUSED_REST_S = 180.0  # a point that the device refuses is asked again this much later

T = TypeVar("T")
Key = TypeVar("Key")


class PortTask:
    """One port with its slaves.

    publish: takes a row and its block. learned: called when a slave answered parts of a refused block.
    """

    def __init__(
        self,
        port: Port,
        devices: Sequence[DeviceRuntime],
        driver: Driver,
        publish: Publish,
        learned: Callable[[DeviceRuntime], Awaitable[None]],
        clock: Clock,
        trace_depth: int = MAX_CHUNKS,
    ) -> None:
        self.port = port
        self.devices = devices
        self.commands = CommandQueue()
        self.trace = FrameTrace(clock.now_ms, trace_depth)
        self.stopping = False
        self._driver = driver
        driver.watch(self.trace.seen)
        self._publish = publish
        self.absent = AbsentValues(publish, clock)
        self._learned = learned
        self._clock = clock
        self._gap_s = max(port.min_interval_ms / 1000, driver.gap_s)
        now = clock.monotonic()
        self._cycles = [cycle for device in devices if device.enable for cycle in device.cycles()]
        self._schedule: Schedule[Reading] = Schedule(self._cycles, now)
        for cycle in self._cycles:
            cycle.what.slots.begin(cycle.due)
        self._beats = port.type == "NET" and keeps_beat(self._cycles)
        self._busy = BusyMeter(now)
        self._last_end = now - self._gap_s
        self._connection = PortConnection(port, driver, clock)
        self._serving = False
        self._port_lock: PortLock | None = None
        self._requests = 0
        self._presence = SlavePresence(port, self._schedule, self._connection, self.absent, clock)

    @property
    def open(self) -> bool:
        return self._connection.open

    @property
    def cycles(self) -> Sequence[Cycle[Reading]]:
        """Every reading of the port in the schedule, until it is planned anew."""
        return self._cycles

    @property
    def locked(self) -> PortLocked | None:
        """Why nothing can be asked now."""
        return None if self._port_lock is None else PortLocked(self.port.name, self._port_lock.who)

    def state(self) -> PortState:
        """What the page and the cloud see of the port; utilisation in percent."""
        return replace(
            PortState.unused(self.port, locked=self._port_lock is not None),
            open=self.open,
            requests=self._requests,
            failures=self._presence.failures,
            busy_percent=round(self._busy.percent(self._clock.monotonic()), 1),
            last_error=self._presence.last_error,
            missed=sum(cycle.missed for cycle in self._cycles),
            refused_commands=self.commands.refused,
        )

    def reads(self, now: float, frozen: Span, *, final: bool) -> Iterator[Reads]:
        """What became of the reads whose period has ended; frozen: when the agent stood still."""
        for device in self.devices:
            why = device.why(self.open, self._connection.absences)
            upto = now if final else min(now, device.sent_at)  # what is being asked may still be answered
            for slots in device.slots:
                yield from slots.take_ended(upto, why, frozen, final=final)

    def stop(self) -> None:
        """End run() soon. Cancelling alone is not enough: asyncio.wait_for of Python 3.11, which pymodbus
        uses, forgets a cancellation that meets an answer."""
        self.stopping = True
        self.commands.wake.set()

    async def run(self) -> None:
        """Until stopped or cancelled."""
        try:
            while not self.stopping:
                try:
                    if self._connection.usable or await self._opened():
                        await self._step()
                except PortDown as error:
                    await self._went_down(error)
        finally:
            self._connection.open = False
            self.commands.fail_all(f"port {self.port.name} is stopping")
            await self._driver.close()

    async def _step(self) -> None:
        """Commands, then the most overdue reading, else wait."""
        if self.commands:
            await self._serve_commands()
        now = self._clock.monotonic()
        cycle = self._schedule.take(now)
        if cycle is None:
            due = now + IDLE_S if self._schedule.next_due is None else self._schedule.next_due
            if self._beats:
                due = next_beat(due)
            await wait(self._clock, self.commands.wake, due - now)
            return
        await self._turn(cycle, self._schedule.urgency(cycle, now))

    async def _turn(self, cycle: Cycle[Reading], urgency: Urgency) -> None:
        """One period of a cycle."""
        reading = cycle.what
        try:
            await self._read(reading, urgency)
        finally:
            now = self._clock.monotonic()
            cycle.urgency = Urgency.SUSPECT if reading.device.breaker.failures else reading.urgency
            self._schedule.done(cycle, now)
        if now >= reading.device.replan_at:
            self._replan(reading.device, now)

    def _replan(self, device: DeviceRuntime, now: float) -> None:
        if device.gap_optimiser.costs() is not None:
            device.replan_at = now + REPLAN_S
            if device.replan(self._gap_s):
                log.debug("%s: holes of up to %d addresses are read along", device.slave.name, device.gap)

    async def _before_poll(self, urgency: Urgency) -> None:
        """Commands, and readings that are more urgent than the one under way."""
        await self._serve_commands()
        while not self.stopping:
            now = self._clock.monotonic()
            cycle = self._schedule.take(now, before=urgency)
            if cycle is None:
                return
            await self._turn(cycle, self._schedule.urgency(cycle, now))
            await self._serve_commands()

    async def _read(self, reading: Reading, urgency: Urgency) -> None:
        """Every request of one period of one slave; a silent slave ends it."""
        device = reading.device
        polls = tuple(reading.polls)
        for at, poll in enumerate(polls):
            now = self._clock.monotonic()
            if self.stopping or not device.breaker.may_ask(now):
                return
            if poll.not_before > now:
                reading.slots.failed(poll.points, DeviceRefused.code, now)
                continue
            if self.commands or self._schedule.waits(now):
                await self._before_poll(urgency)
            try:
                row = await self._read_block(device, poll.block, poll.points)
                poll.reported_at = self._clock.monotonic()
                reading.slots.arrived(poll.points, row, poll.reported_at)
            except DeviceRefused as error:
                await self._cut(reading, poll, error)
            except BadFrame as error:
                reading.slots.failed(poll.points, error.code, self._clock.monotonic())
                self.absent.of_failed(device, [poll], error.quality)
            except NoAnswer as error:
                reading.slots.failed(poll.points, error.code, self._clock.monotonic())
                self.absent.of_failed(device, polls[at:], error.quality)
                return

    async def _cut(self, reading: Reading, poll: Poll, error: DeviceRefused) -> None:
        """A refused block is read in parts, which take its place if any succeeds."""
        readable = await self._read_parts(reading, poll, error)
        if readable:
            if poll in reading.polls:  # else it was planned anew meanwhile
                at = reading.polls.index(poll)
                reading.polls[at : at + 1] = readable
            log.info("%s: reads a refused block in %d pieces", reading.device.slave.name, len(readable))
            await self._learned(reading.device)

    async def _read_parts(self, reading: Reading, poll: Poll, error: DeviceRefused) -> list[Poll]:
        """The polls that replace a refused one; none when nothing of it could be read."""
        device = reading.device
        readable: list[Poll] = []
        some_read = False
        for block in poll.block.split(error):
            part = device.poll(reading.members, block)
            await self._serve_commands()
            try:
                row = await self._read_block(device, block, part.points)
                reading.slots.arrived(part.points, row, self._clock.monotonic())
                readable.append(part)
                some_read = True
            except DeviceRefused as refused:
                smaller = await self._read_parts(reading, part, refused)
                readable += smaller or [part]
                some_read = some_read or bool(smaller)
        if some_read:
            device.learn(reading.members, poll.block, error)
            return readable
        now = self._clock.monotonic()
        reading.slots.failed(poll.points, error.code, now)
        poll.not_before = now + REFUSED_REST_S
        self.absent.of_polls([poll], error.quality)
        return []

    async def _read_block(self, device: DeviceRuntime, block: Block, points: PointBlock) -> Row:
        """With the slave's retries; one that failed before is asked once until it answers."""
        left = 0 if device.breaker.failures else device.slave.retries
        while True:
            try:
                raw: Sequence[Raw] = await self._request(device, self._driver.read, block, block.wire_bytes)
                break
            except (NoAnswer, BadFrame) as error:
                if left == 0:
                    self._presence.failed(device, error)
                    raise
                left -= 1
                await self._serve_commands()
        row = points.row(raw, device.last_good_ms)
        self._publish(row, points)
        return row

    async def _request(
        self, device: DeviceRuntime, ask: Callable[[Slave, Key], Awaitable[T]], what: Key, wire_bytes: int = 0
    ) -> T:
        """One request on the wire: pause before it, counters, presence of the slave.

        wire_bytes: of a read, to learn what a request costs.
        """
        start = self._clock.monotonic()
        pause = self._last_end + self._gap_s - start
        if pause > 0:
            await self._clock.sleep(pause)
            start = self._clock.monotonic()
        self._requests += 1
        device.sent_at = start
        self.trace.slave = device.slave.name
        try:
            answer = await ask(device.slave, what)
        except DeviceRefused as error:
            self._presence.note(device, error)
            self._presence.answered(device, self._clock.monotonic() - start)
            device.reason = error.code
            raise
        except FieldbusError as error:
            self._presence.note(device, error)
            if isinstance(error, NoAnswer):
                self._connection.silent_requests += 1
            raise
        finally:
            self._last_end = end = self._clock.monotonic()
            device.request_ended(end)
            self._busy.add(start, end)
        self._presence.answered(device, end - start)
        if wire_bytes:
            device.gap_optimiser.observe(wire_bytes, end - start)
        return answer

    async def _serve_commands(self) -> None:
        """Every waiting command, before anything else goes on the wire; one under way is not cut into."""
        if self._serving:
            return
        self._serving = True
        try:
            await self._serve_each()
        finally:
            self._serving = False

    async def _serve_each(self) -> None:
        while (command := self.commands.take()) is not None:
            if isinstance(command, PortLock):
                await self._run_locked(command)
                continue
            try:
                done = await self._execute(command)
            except AgentError as error:
                if not command.outcome.done():
                    command.outcome.set_exception(error)
                if isinstance(error, PortDown):
                    raise
            else:
                if not command.outcome.done():
                    command.outcome.set_result(done)

    async def _run_locked(self, lock: PortLock) -> None:
        """Polling rests meanwhile. PortDown when the port cannot be opened again."""
        if lock.is_brief:
            await self._run_closed(lock)
            return
        self._port_lock = lock
        self._connection.absences.begin(self._clock.monotonic(), PortLocked.code, lock.who)
        self.commands.turn_away(PortLocked(self.port.name, lock.who))
        telling = asyncio.ensure_future(self.absent.while_locked(self._cycles))
        try:
            await self._run_closed(lock)
        finally:
            telling.cancel()
            self._port_lock = None
            self._connection.absences.end(self._clock.monotonic(), PortLocked.code)

    async def _run_closed(self, lock: PortLock) -> None:
        """The work of a lock, with the port closed for it and opened again afterwards."""
        try:
            await self._driver.close()
            await run_locked(lock, self.trace.seen_locked(is_brief=lock.is_brief))
        finally:
            await self._driver.connect()
            self._last_end = self._clock.monotonic()

    async def _execute(self, command: BusCommand | DriverRequest) -> Any:
        """A write goes out once, and not at all when nobody waits any more; then the value is read back."""
        device = command.device
        if isinstance(command, DriverRequest):
            try:
                return await self._request(device, lambda slave, one: one.send(self._driver, slave), command)
            except (NoAnswer, BadFrame) as error:
                self._presence.failed(device, error)
                raise
        point = command.point
        if command.write:
            try:
                await self._request(device, lambda slave, point: command.send(self._driver, slave), point)
            except FieldbusError as error:
                if error.may_have_acted is None:
                    error.may_have_acted = command.on_wire and not isinstance(error, DeviceRefused)
                if isinstance(error, (NoAnswer, BadFrame)):
                    self._presence.failed(device, error)
                raise
        points = device.block_of([point])
        if point.rw == "writeonly":
            row = points.row([command.raw], self._clock.now_ms())
            self._publish(row, points)
            return row.samples()[0]
        (block,) = device.protocol.plan(device.slave, [point])
        try:
            return (await self._read_block(device, block, points)).samples()[0]
        except FieldbusError as error:
            error.may_have_acted = command.write
            raise

    async def _opened(self) -> bool:
        """Open the port when it is time, or when a command waits; PortDown when that fails."""
        if (pause := self._connection.pause_s) > 0 and not self.commands:
            await wait(self._clock, self.commands.wake, pause)
            return False
        if await self._connection.renew():
            for device in self.devices:
                device.breaker.probe_now()
        return True

    async def _went_down(self, error: PortDown) -> None:
        """The points are reported once."""
        self._presence.last_error = str(error)
        self.commands.fail_all(str(error))
        is_new = await self._connection.lost(error)
        for device in (one for one in self.devices if one.enable):
            device.port_down(error, self._clock.now_ms())
            if is_new:
                self.absent.of_device(device, Quality.PORT_DOWN)
