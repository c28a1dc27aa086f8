"""Reads and writes on demand, waiting for their port."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from edge_agent.bus.line import Line
from edge_agent.config.model import Point
from edge_agent.errors import FieldbusError, NoAnswer, PortDown
from edge_agent.model import Sample
from edge_agent.protocols.base import Raw

MOST_WAITING = 64
"""Commands of one port; people and rules make a few a second, more is a fault upstream."""


class QueueFull(FieldbusError):
    """Too many commands wait for the port."""

    code = "busy"


@dataclass(eq=False)
class BusCommand:
    """Write a raw value and read it back, or only read. outcome: cancelled when nobody waits any more."""

    line: Line
    point: Point
    write: bool
    raw: Raw = None
    outcome: asyncio.Future[Sample] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class CommandQueue:
    """Bounded, first come first served."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.refused = 0
        self._waiting: deque[BusCommand] = deque()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    async def run(self, command: BusCommand, timeout_s: float) -> Sample:
        """The command's sample. After the time-out a waiting command is never begun."""
        if len(self._waiting) >= MOST_WAITING:
            self.refused += 1
            raise QueueFull(f"{MOST_WAITING} commands wait for port {command.line.port.name}")
        self._waiting.append(command)
        self.wake.set()
        try:
            async with asyncio.timeout(timeout_s):
                return await command.outcome
        except TimeoutError:
            raise NoAnswer(f"not done within {timeout_s:g} s") from None

    def take(self) -> BusCommand | None:
        """The next command that somebody still waits for."""
        while self._waiting:
            command = self._waiting.popleft()
            if not command.outcome.done():
                return command
        return None

    def fail_all(self, reason: str) -> None:
        while (command := self.take()) is not None:
            command.outcome.set_exception(PortDown(reason))
