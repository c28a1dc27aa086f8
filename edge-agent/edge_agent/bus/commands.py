"""Reads and writes on demand, waiting for their port."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from edge_agent.bus.line import Line
from edge_agent.config.model import Point, Port
from edge_agent.errors import AgentError, FieldbusError, NoAnswer, PortDown, PortLent
from edge_agent.model import Sample, Seen
from edge_agent.protocols.base import Raw

T = TypeVar("T")

MOST_WAITING = 64
"""Commands of one port; people and rules make a few a second, more is a fault upstream."""


class QueueFull(FieldbusError):
    """Too many commands wait for the port."""

    code = "busy"


class NotBegun(AgentError):
    """Whoever asked for a write has been told that it was not done, before it was sent."""


Work = Callable[[Port, Seen], Awaitable[T]]
"""What a borrower does with a port of its own; it hands what it sends and receives to the trace."""

LET_GO_S = 3.0
"""How long a borrower may take to close what it opened."""


@dataclass(eq=False)
class Loan:
    """The port itself for a while: its owner closes it, awaits the work and opens it again. who: has it."""

    port: Port
    work: Work[Any]
    longest_s: float
    who: str = ""
    outcome: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


@dataclass(eq=False)
class BusCommand:
    """Write a raw value and read it back, or only read. outcome: cancelled when nobody waits any more.

    on_wire: the request of the write may have left.
    """

    line: Line
    point: Point
    write: bool
    raw: Raw = None
    on_wire: bool = False
    outcome: asyncio.Future[Sample] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def port(self) -> Port:
        return self.line.port


class CommandQueue:
    """Bounded, first come first served."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.refused = 0
        self._waiting: deque[BusCommand | Loan] = deque()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    async def run(self, command: BusCommand | Loan, timeout_s: float) -> Any:
        """The command's sample, the loan's result. After the time-out a waiting command is never begun."""
        if len(self._waiting) >= MOST_WAITING:
            self.refused += 1
            raise QueueFull(f"{MOST_WAITING} commands wait for port {command.port.name}")
        self._waiting.append(command)
        self.wake.set()
        try:
            async with asyncio.timeout(timeout_s):
                return await command.outcome
        except TimeoutError:
            error = NoAnswer(f"not done within {timeout_s:g} s")
            error.may_have_acted = isinstance(command, BusCommand) and command.on_wire
            raise error from None

    def take(self) -> BusCommand | Loan | None:
        """The next command that somebody still waits for."""
        while self._waiting:
            command = self._waiting.popleft()
            if not command.outcome.done():
                return command
        return None

    def turn_away(self, error: PortLent) -> None:
        """The port is lent: who waits to read or write is told at once; who waits to borrow it waits on."""
        for command in self._waiting:
            if isinstance(command, BusCommand) and not command.outcome.done():
                command.outcome.set_exception(error)
        self._waiting = deque(one for one in self._waiting if isinstance(one, Loan))

    def fail_all(self, reason: str) -> None:
        while (command := self.take()) is not None:
            command.outcome.set_exception(PortDown(reason))


async def lend(loan: Loan, seen: Seen) -> None:
    """Do the work of a loan; its outcome takes what came of it. Ends when nobody waits any more."""
    work: asyncio.Future[Any] = asyncio.ensure_future(loan.work(loan.port, seen))
    loan.outcome.add_done_callback(lambda _: work.cancel())
    try:
        await asyncio.wait({work}, timeout=loan.longest_s)
        late = not work.done()
    finally:
        work.cancel()
        await asyncio.wait({work}, timeout=LET_GO_S)
    if loan.outcome.done():
        return
    if late or not work.done() or work.cancelled():
        loan.outcome.set_exception(NoAnswer(f"not done within {loan.longest_s:g} s"))
    elif (error := work.exception()) is not None:
        loan.outcome.set_exception(error)
    else:
        loan.outcome.set_result(work.result())
