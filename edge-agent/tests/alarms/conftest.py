"""A gateway with a boiler whose clock the test moves: samples in, events out, on both stores."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from edge_agent.alarms.linkage import LinkageRunner
from edge_agent.alarms.runner import RuleRunner, Sources
from edge_agent.model import DeviceState, PointKey, Quality, Row, Sample
from edge_agent.store.base import Store
from edge_agent.store.memory import open_memory
from edge_agent.store.sqlite import open_sqlite
from edge_contract.alarms.rule import Comparison, Condition, Operator, Rule
from edge_contract.alarms.state import EngineState
from edge_contract.edge_rules import (
    GatewayRule,
    RuleEvent,
    RuleLinkage,
    Rules,
    RuleWrite,
    point_signal,
    rules_hash,
)
from edge_contract.model import Value
from edge_contract.payloads import Command, CommandResult

BEGIN_MS = 1_790_000_000_000
TEMPERATURE, PRESSURE = PointKey("boiler", "temperature"), PointKey("boiler", "pressure")
NUMBERS = {TEMPERATURE: 1, PRESSURE: 2}
HOT = point_signal("boiler", "temperature")


class MovedClock:
    """wall_ms: what the wall clock shows beyond the monotonic one, for who sets it."""

    def __init__(self, wall_ms: int = BEGIN_MS) -> None:
        self.wall_ms = wall_ms
        self.passed_ms = 0

    def now_ms(self) -> int:
        return self.wall_ms + self.passed_ms

    def monotonic(self) -> float:
        return self.passed_ms / 1000

    async def sleep(self, seconds: float) -> None:
        self.passed_ms += round(seconds * 1000)


class Scene:
    """kill(): the process ends without a word and another one begins."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = MovedClock()
        self.numbers = dict(NUMBERS)
        self.live: dict[int, Sample] = {}
        self.connected: dict[str, bool] = {}
        self.writes: list[tuple[str, Value, str]] = []
        self.answer = "resp"

    async def start(self) -> None:
        sources = Sources(self.numbers, frozenset({"boiler"}), self.live.get, self.states)
        self.runner = RuleRunner(
            sources, self.store.rules, self.clock, lambda noted: self.linkages.put(noted)
        )
        self.linkages = LinkageRunner(self.execute, self.store.rules, self.clock, self.runner.changed.set)
        await self.runner.open()

    async def kill(self, off_s: float = 0) -> None:
        await self.clock.sleep(off_s)
        await self.start()

    async def stop(self, off_s: float = 0) -> None:
        await self.runner.finish()
        await self.kill(off_s)

    def states(self) -> Sequence[DeviceState]:
        return [DeviceState(name, online, 1, "ok") for name, online in self.connected.items()]

    async def give(
        self, *rules: GatewayRule, state: EngineState | None = None, returned: Sequence[int] = ()
    ) -> None:
        await self.runner.take(
            Rules(hash=rules_hash(rules), rules=list(rules), state=state, returned=list(returned))
        )

    async def value(
        self,
        value: Value,
        key: PointKey = TEMPERATURE,
        *,
        seconds: float = 1,
        quality: Quality = Quality.GOOD,
    ) -> None:
        """Some seconds later a sample is read; what came of it is noted."""
        await self.clock.sleep(seconds)
        number, t_ms = self.numbers[key], self.clock.now_ms()
        self.live[number] = Sample(number, t_ms, value, quality)
        self.runner.put(Row((number,), t_ms, (value,), (quality,) if quality else None))
        await self.look()

    async def look(self, seconds: float = 0) -> None:
        await self.clock.sleep(seconds)
        await self.runner._look()

    async def execute(self, command: Command, who: str) -> CommandResult:
        self.writes.append((f"{command.slave}.{command.point}", command.value, who))
        return CommandResult(
            id=command.id, state=self.answer, t_ms=1, value=6.5,
            code="" if self.answer == "resp" else "mismatch",
        )  # fmt: skip

    async def events(self) -> list[RuleEvent]:
        return await self.store.rules.waiting(1000)

    async def shown(self) -> list[tuple[str, float]]:
        """Kind and seconds since the beginning."""
        return [(event.kind.value, (event.t_ms - BEGIN_MS) / 1000) for event in await self.events()]


def above(
    limit: float, *, rule: int = 1, version: int = 1, signal: str = HOT, deadband: float = 0, **others: object
) -> GatewayRule:
    condition = Comparison(signal=signal, op=Operator.GREATER, threshold=limit, deadband=deadband)
    return of(condition, rule=rule, version=version, **others)


def of(*conditions: Condition, rule: int = 1, version: int = 1, **others: object) -> GatewayRule:
    linkages = others.pop("linkages", [])
    made = Rule(id=rule, version=version, conditions=list(conditions), **others)  # type: ignore[arg-type]
    return GatewayRule(rule=made, title="too hot", linkages=linkages)  # type: ignore[arg-type]


def writing(value: float, on: str = "raised", expires_s: int = 20) -> RuleLinkage:
    write = RuleWrite(slave="boiler", point="pressure", value=value)
    return RuleLinkage(on=on, preset=3, expires_s=expires_s, writes=[write])  # type: ignore[arg-type]


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
