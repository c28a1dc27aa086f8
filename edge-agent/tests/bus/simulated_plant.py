"""A simulated clock, a simulated plant, and the bus that runs on them."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from edge_agent.bus import Bus
from edge_agent.config.model import Configuration, Point, Port, Slave
from edge_agent.errors import DeviceRefused, NoAnswer, PortDown
from edge_agent.model import PointKey, Row, Sample, Seen
from edge_agent.points import LiveTable
from edge_agent.protocols.modbus.planner import ModbusBlock

EPOCH_MS = 1_790_000_000_000
TURNS = 60  # turns of the loop that let every task run until it sleeps


class SimulatedClock:
    """Time moves only in advance()."""

    def __init__(self) -> None:
        self.now = 0.0
        self.wall_ms = EPOCH_MS  # what the wall clock shows beyond now
        self._turn = 0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now_ms(self) -> int:
        return self.wall_ms + round(self.now * 1000)

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self._turn += 1
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, self._turn, woken))
        await woken

    async def advance(self, seconds: float) -> None:
        until = self.now + seconds
        await run_until_idle()
        while self._sleepers and self._sleepers[0][0] <= until:
            self.now, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
                await run_until_idle()
        self.now = until

    def freeze(self, seconds: float) -> None:
        """Time passes and nothing runs: whoever slept wakes late."""
        self.now += seconds
        self._sleepers = [(max(at, self.now), turn, woken) for at, turn, woken in self._sleepers]
        heapq.heapify(self._sleepers)


async def run_until_idle() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


@dataclass
class Sink:
    """What a store would get."""

    samples: list[Sample] = field(default_factory=list)

    def put(self, row: Row) -> None:
        self.samples.extend(row.samples())


@dataclass
class Plant:
    """Every slave behind every port. memory: registers by slave; missing ones are refused with exception 2.

    silent: slaves that do not answer; down: ports that cannot be opened; latency_s: of an answer.
    log: (time, port, slave, what) of each request.
    """

    clock: SimulatedClock
    memory: dict[str, dict[int, int]] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    down: set[str] = field(default_factory=set)
    latency_s: float = 0.01
    log: list[tuple[float, str, str, str]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    fault: Callable[[str], None] = lambda slave: None

    def requests(self, slave: str, what: str = "") -> list[float]:
        return [at for at, _, name, kind in self.log if name == slave and kind.startswith(what)]


class PlantDriver:
    """Driver of one port of the plant."""

    gap_s = 0.0

    def __init__(self, plant: Plant, port: Port) -> None:
        self._plant = plant
        self._port = port
        self._seen: Seen | None = None

    async def connect(self) -> None:
        self._plant.opened.append(self._port.name)
        if self._port.name in self._plant.down:
            raise PortDown(f"{self._port.name}: refused")

    async def close(self) -> None:
        pass

    def watch(self, seen: Seen | None) -> None:
        self._seen = seen

    async def read(self, slave: Slave, block: ModbusBlock) -> list[Any]:
        await self._answer(slave, f"read {block.start}+{block.count}")
        memory = self._plant.memory.setdefault(slave.name, {})
        if any(n not in memory for n in range(block.start, block.start + block.count)):
            raise DeviceRefused(2, "illegal data address")
        places = {item.index: item.start for item in block.items}
        return [memory[places[index]] for index in block.points]

    async def write(self, slave: Slave, point: Point, raw: Any) -> None:
        await self._answer(slave, f"write {point.address['offset']}={raw}")
        self._plant.memory[slave.name][point.address["offset"]] = raw

    async def _answer(self, slave: Slave, what: str) -> None:
        plant = self._plant
        plant.log.append((round(plant.clock.now, 6), self._port.name, slave.name, what))
        if self._seen is not None:
            self._seen("request", what.encode())
        plant.fault(slave.name)
        if self._port.name in plant.down:
            raise PortDown(f"{self._port.name}: broken")
        if slave.name in plant.silent:
            await plant.clock.sleep(slave.response_timeout_ms / 1000)
            raise NoAnswer(f"no answer within {slave.response_timeout_ms} ms")
        await plant.clock.sleep(plant.latency_s)


@dataclass
class Site:
    """A bus that runs on a plant."""

    bus: Bus
    plant: Plant
    clock: SimulatedClock
    sink: Sink
    live: LiveTable
    numbers: dict[PointKey, int]
    task: asyncio.Task[None]

    def stop(self) -> None:
        self.task.cancel()

    async def stopped(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await self.task

    def stored(self, slave: str, point: str = "p0") -> list[tuple[Any, str]]:
        number = self.numbers[PointKey(slave, point)]
        return [(sample.value, sample.quality.name) for sample in self.sink.samples if sample.point == number]

    def online(self) -> dict[str, bool]:
        return {state.slave: state.online for state in self.bus.states()}


def number_points(configuration: Configuration) -> dict[PointKey, int]:
    return {PointKey(point.slave, point.name): n for n, point in enumerate(configuration.points, start=1)}
