"""Reads and writes on demand, waiting for their port."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from edge_agent.bus.device_runtime import DeviceRuntime
from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import AgentError, FieldbusError, NoAnswer, PortDown, PortLocked
from edge_agent.model import Sample, Seen
from edge_agent.protocols.base import Driver, Raw

T = TypeVar("T")

MAX_WAITING = 64
"""Commands of one port; people and rules make a few a second, more is a fault upstream."""


class QueueFull(FieldbusError):
    """Too many commands wait for the port."""

    code = "busy"


class NotStarted(AgentError):
    """Whoever asked for a write has the answer that it was not done, before it was sent."""


Work = Callable[[Port, Seen], Awaitable[T]]
"""What the holder of a lock does with the port; it hands what it sends and receives to the trace."""

Ask = Callable[[Any, Slave], Awaitable[T]]
"""A request to a slave with the driver of its port, which is of the slave's protocol."""

RELEASE_S = 3.0
"""How long the holder of a lock may take to close what it opened."""


@dataclass(eq=False)
class PortLock:
    """Exclusive use of a port for at most max_s: its owner closes it, awaits the work and opens it again.

    who: holds it. is_brief: no longer than a request, so that what else waits for the port waits on.
    """

    port: Port
    work: Work[Any]
    max_s: float
    who: str = ""
    is_brief: bool = False
    outcome: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


@dataclass(eq=False)
class BusCommand:
    """Write a raw value and read it back, or only read. outcome: cancelled when nobody waits any more.

    on_wire: the request of the write may have left.
    """

    device: DeviceRuntime
    point: Point
    write: bool
    raw: Raw = None
    on_wire: bool = False
    outcome: asyncio.Future[Sample] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def port(self) -> Port:
        """The port that the command's device is on."""
        return self.device.port

    async def send(self, driver: Driver, slave: Slave) -> None:
        """Write the raw value. Raises NotStarted when nobody waits any more; the errors of Driver.write."""
        if self.outcome.done():
            raise NotStarted("nobody waits for it any more")
        self.on_wire = True
        await driver.write(slave, self.point, self.raw)


@dataclass(eq=False)
class DriverRequest:
    """One request of its caller's own, in the port's order. ask: makes it with the port's driver."""

    device: DeviceRuntime
    ask: Ask[Any]
    outcome: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def port(self) -> Port:
        """The port that the device is on."""
        return self.device.port

    async def send(self, driver: Driver, slave: Slave) -> Any:
        """What ask returns. Raises NotStarted when nobody waits any more; the errors of ask."""
        if self.outcome.done():
            raise NotStarted("nobody waits for it any more")
        return await self.ask(driver, slave)


Waiting = BusCommand | DriverRequest | PortLock
"""What waits for a port."""


class CommandQueue:
    """Bounded, first come first served."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.refused = 0
        self._waiting: deque[Waiting] = deque()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    async def run(self, command: Waiting, timeout_s: float) -> Any:
        """The command's sample, or the result of the lock's work, within timeout_s.

        QueueFull. NoAnswer: not done in time; a command that still waited is never begun.
        """
        if len(self._waiting) >= MAX_WAITING:
            self.refused += 1
            raise QueueFull(f"{MAX_WAITING} commands wait for port {command.port.name}")
        self._waiting.append(command)
        self.wake.set()
        try:
            async with asyncio.timeout(timeout_s):
                return await command.outcome
        except TimeoutError:
            error = NoAnswer(f"not done within {timeout_s:g} s")
            error.may_have_acted = isinstance(command, BusCommand) and command.on_wire
            raise error from None

    def take(self) -> Waiting | None:
        """The next command that somebody still waits for."""
        while self._waiting:
            command = self._waiting.popleft()
            if not command.outcome.done():
                return command
        return None

    def turn_away(self, error: PortLocked) -> None:
        """The port is locked: waiting reads and writes fail at once; who waits for the lock waits on."""
        for command in self._waiting:
            if not isinstance(command, PortLock) and not command.outcome.done():
                command.outcome.set_exception(error)
        self._waiting = deque(one for one in self._waiting if isinstance(one, PortLock))

    def fail_all(self, reason: str) -> None:
        """End every waiting command with PortDown and this reason."""
        while (command := self.take()) is not None:
            command.outcome.set_exception(PortDown(reason))


async def run_locked(lock: PortLock, seen: Seen) -> None:
    """Do the work of a lock; its outcome takes the result or the error. Ends when nobody waits any more."""
    work: asyncio.Future[Any] = asyncio.ensure_future(lock.work(lock.port, seen))
    lock.outcome.add_done_callback(lambda _: work.cancel())
    try:
        await asyncio.wait({work}, timeout=lock.max_s)
        late = not work.done()
    finally:
        work.cancel()
        await asyncio.wait({work}, timeout=RELEASE_S)
    if lock.outcome.done():
        return
    if late or not work.done() or work.cancelled():
        lock.outcome.set_exception(NoAnswer(f"not done within {lock.max_s:g} s"))
    elif (error := work.exception()) is not None:
        lock.outcome.set_exception(error)
    else:
        lock.outcome.set_result(work.result())
