"""A command desk whose field bus takes a second of a simulated clock for each read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from edge_agent.actions import Action
from edge_agent.config.model import Point
from edge_agent.model import PointKey, PointKind, Sample, Value
from edge_agent.points import same_value
from edge_agent.remote.commands import CommandDispatcher
from edge_agent.remote.execution import Execution
from edge_agent.remote.service import Refresh, ServiceActions
from edge_agent.store.memory import MemoryJournal
from edge_contract.payloads import Argument, Command, CommandAction, CommandResult

NOW = 1_800_000_000_000
DAY_MS = 24 * 3600 * 1000
POINTS = {
    PointKey("boiler", "sp"): Point(slave="boiler", name="sp", rw="readwrite"),
    PointKey("boiler", "t"): Point(slave="boiler", name="t"),
    PointKey("boiler", "sum"): Point(slave="boiler", name="sum", type=PointKind.CALCULATED),
    PointKey("pump", "reset"): Point(slave="pump", name="reset", rw="writeonly"),
    PointKey("pump", "p"): Point(slave="pump", name="p"),
    PointKey("pump", "q"): Point(slave="pump", name="q"),
}
PORTS = {"boiler": "com1", "pump": "com2"}


class StillClock:
    """Moves only when set; who sleeps until then gives way."""

    def __init__(self) -> None:
        self.ms = NOW

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


class SleptClock:
    """A clock that moves only when set, or slept on."""

    def __init__(self) -> None:
        self.ms = NOW
        self.steady_s = 0.0

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.steady_s

    async def sleep(self, seconds: float) -> None:
        self.ms += round(seconds * 1000)
        self.steady_s += seconds
        await asyncio.sleep(0)


class FakeBus:
    """Each read takes a second of the clock."""

    def __init__(self, clock: SleptClock) -> None:
        self.clock = clock
        self.read_keys: list[tuple[str, str]] = []
        self.errors: dict[str, Exception] = {}
        self.gate = asyncio.Event()
        self.gate.set()

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        self.read_keys.append((key.slave, key.point))
        await self.gate.wait()
        await self.clock.sleep(1)
        if key.point in self.errors:
            raise self.errors[key.point]
        return Sample(1, NOW, 1)

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        self.read_keys.append((key.slave, key.point))
        return Sample(1, NOW, value)


class Bench:
    def __init__(self, journal: Any = None) -> None:
        self.clock = SleptClock()
        self.bus = FakeBus(self.clock)
        self.journal = journal or MemoryJournal()
        self.actions: dict[CommandAction, Action] = {
            CommandAction.REFRESH: Refresh(POINTS, PORTS, self.bus, self.clock)
        }
        services = ServiceActions(self.actions)
        self.dispatcher = CommandDispatcher(
            Execution(POINTS, self.bus, same_value, self.clock, services), self.journal
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.ensure_future(self.dispatcher.run())
        yield
        task.cancel()
        await asyncio.wait([task])

    async def result(self, command_id: str = "command-1") -> CommandResult:
        async with asyncio.timeout(20):
            while (found := await self.journal.result(command_id)) is None:  # noqa: ASYNC110 - the journal tells nobody
                await asyncio.sleep(0.005)
        assert isinstance(found, CommandResult)
        return found

    async def ask(self, command: Command) -> CommandResult:
        async with self.running():
            self.dispatcher.take(command)
            return await self.result(command.id)


def ask(
    action: CommandAction = CommandAction.REFRESH,
    command_id: str = "command-1",
    expires_ms: int = NOW + 20_000,
    slave: str | None = None,
    **arguments: Argument,
) -> Command:
    return Command(id=command_id, action=action, expires_ms=expires_ms, slave=slave, arguments=arguments)
