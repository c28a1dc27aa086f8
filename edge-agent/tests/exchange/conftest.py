"""A gateway with two slaves whose clock the test moves: rows in, writes and results out, on both stores."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from edge_agent.config.model import Point
from edge_agent.exchange.runner import ExchangeRunner, Plant
from edge_agent.model import DeviceState, PointKey, PointKind, Quality, Row
from edge_agent.store.base import Store
from edge_agent.store.memory import open_memory
from edge_agent.store.sqlite import open_sqlite
from edge_contract.exchange_rules import (
    ExchangeEnd,
    ExchangeReport,
    ExchangeResult,
    ExchangeRule,
    ExchangeRules,
    ExchangeState,
    exchange_hash,
)
from edge_contract.model import Value
from edge_contract.payloads import Command, CommandResult, Outcome

BEGIN_MS = 1_790_000_000_000
POINTS = [
    Point(slave="meter", name="level", address={}),
    Point(slave="meter", name="open", type=PointKind.SWITCH, address={}),
    Point(slave="meter", name="words", type=PointKind.STRING, data_type="string", address={}),
    Point(slave="pump", name="speed", rw="readwrite", address={}),
    Point(slave="pump", name="other", rw="readwrite", address={}),
    Point(slave="pump", name="run", type=PointKind.SWITCH, rw="readwrite", address={}),
    Point(slave="valve", name="lift", rw="readwrite", address={}),
]
KEYS = {PointKey(point.slave, point.name): point for point in POINTS}
NUMBERS = {key: at for at, key in enumerate(KEYS, start=1)}


class MovedClock:
    """wall_ms: what the wall clock shows beyond the monotonic one, for who sets it."""

    def __init__(self) -> None:
        self.wall_ms = BEGIN_MS
        self.passed_ms = 0

    def now_ms(self) -> int:
        return self.wall_ms + self.passed_ms

    def monotonic(self) -> float:
        return self.passed_ms / 1000

    async def sleep(self, seconds: float) -> None:
        self.passed_ms += round(seconds * 1000)


class Scene:
    """writes: what was written, by the name of the point. hold: writes go on until it is set. answer: state,
    code and outcome of each write.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = MovedClock()
        self.points = dict(KEYS)
        self.offline: set[str] = set()
        self.writes: list[tuple[str, Value]] = []
        self.hold: asyncio.Event | None = None
        self.answer: tuple[str, str, Outcome] = ("resp", "", Outcome.DONE)
        self.at_once = self.max_at_once = 0

    async def start(self) -> None:
        plant = Plant(self.points, NUMBERS, self.states)
        self.runner = ExchangeRunner(plant, self.store.exchange, self.execute, self.clock)
        await self.runner.open()

    def states(self) -> Sequence[DeviceState]:
        return [
            DeviceState(name, name not in self.offline, 1, "no_answer" if name in self.offline else "ok")
            for name in ("meter", "pump", "valve")
        ]

    async def execute(self, command: Command, who: str) -> CommandResult:
        self.writes.append((f"{command.slave}.{command.point}", command.value))
        self.at_once += 1
        self.max_at_once = max(self.max_at_once, self.at_once)
        try:
            if self.hold is not None:
                await self.hold.wait()
        finally:
            self.at_once -= 1
        state, code, outcome = self.answer
        return CommandResult(
            id=command.id,
            state=state,
            t_ms=self.clock.now_ms(),
            value=command.value,
            code=code,
            outcome=outcome,
        )

    async def give(self, *rules: ExchangeRule, states: Sequence[ExchangeState] = ()) -> str:
        """The hash of the rules."""
        digest = exchange_hash(rules)
        await self.runner.take(ExchangeRules(hash=digest, rules=list(rules), states=list(states)))
        return digest

    async def value(
        self, value: Value, name: str = "meter.level", *, seconds: float = 2, quality: Quality = Quality.GOOD
    ) -> None:
        """Some seconds later a sample is read, and what is due is begun."""
        slave, point = name.split(".")
        number = NUMBERS[PointKey(slave, point)]
        await self.clock.sleep(seconds)
        row = Row((99, number), self.clock.now_ms(), (0, value), (Quality.GOOD, quality) if quality else None)
        self.runner.put(row)
        await self.look()

    async def look(self, seconds: float = 0) -> None:
        """Begin what is due; it ends, unless it is held."""
        await self.clock.sleep(seconds)
        self.runner.look()
        for _ in range(5):
            await asyncio.sleep(0)

    def report(self) -> ExchangeReport:
        return self.runner.report("0" * 16)

    def results(self) -> dict[int, ExchangeResult]:
        return {each.rule: each for each in self.report().results}


def rule(
    number: int = 1, source: str = "meter.level", target: str = "pump.speed", **others: object
) -> ExchangeRule:
    ends = [ExchangeEnd(slave=slave, point=point) for slave, point in (source.split("."), target.split("."))]
    return ExchangeRule(id=number, title=f"rule {number}", source=ends[0], target=ends[1], **others)  # type: ignore[arg-type]


@pytest.fixture(params=["sqlite", "memory"])
async def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Scene]:
    if request.param == "memory":
        made = Scene(open_memory(1 << 20))
        await made.start()
        yield made
        return
    async with open_sqlite(tmp_path, 16 << 20, lambda: BEGIN_MS, time.monotonic) as store:
        made = Scene(store)
        await made.start()
        yield made
