"""One engine, two homes: gateway and cloud find the same in the same random samples.

A bounded number of scenarios; EDGE_RULE_SCENARIOS says how many others.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from cloud.domains.triggers.evaluator import Evaluator
from cloud.domains.triggers.rule_group import RuleGroup
from cloud.domains.triggers.rules import slave_signal
from cloud.domains.triggers.running import ConditionPlace, EvaluatedRule, Running
from cloud.timeseries.base import SeriesColumn
from edge_agent.alarms.runner import RuleRunner, Sources
from edge_agent.model import DeviceState, PointKey, Quality, Row
from edge_agent.store.memory import open_memory
from edge_contract.alarms.linkage_limit import MAX_LINKAGE_RUNS
from edge_contract.alarms.rule import (
    Comparison,
    Condition,
    Direction,
    Limits,
    Logic,
    NotConnected,
    Operator,
    Rule,
    Script,
    SingleChange,
    Trend,
    Unchanged,
)
from edge_contract.alarms.state import On
from edge_contract.edge_rules import (
    GatewayRule,
    RuleEventKind,
    RuleLinkage,
    Rules,
    RuleWrite,
    connection_signal,
    point_signal,
    rules_hash,
)

SCENARIOS = int(os.environ.get("EDGE_RULE_SCENARIOS", "300"))
BEGIN_MS = 1_790_000_000_000
DEVICE, SLAVE = 1, 5
POINTS = (11, 12, 13)
SAMPLES = 60
END_MS = 120_000

Found = tuple[int, str, int, int, int, int, Any]
"""Rule, kind, time, beginning of the alarm and of its conditions, condition, value."""
Written = tuple[list[int], list[tuple[int, int]]]
"""Times of transitions whose linkages are carried out; rests, by beginning and how many were left out."""
TARGETS = {7: frozenset({99})}
Step = tuple[int, dict[int, tuple[Any, Quality]], bool | None]
"""Milliseconds, samples by point, and whether the slave is connected if that changes."""


class SetClock:
    """Of the gateway: the test sets both clocks together."""

    def __init__(self) -> None:
        self.t_ms = BEGIN_MS

    def now_ms(self) -> int:
        return self.t_ms

    def monotonic(self) -> float:
        return self.t_ms / 1000

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody waits here")


def condition(rng: random.Random) -> Condition:
    """Signals as the cloud has them."""
    point, low = rng.choice(POINTS), float(rng.randint(0, 8))
    match rng.randrange(7):
        case 0 | 1:
            op = rng.choice(list(Operator))
            if op not in (Operator.IN_RANGE, Operator.OUT_OF_RANGE):
                return Comparison(signal=point, op=op, threshold=low, deadband=float(rng.randint(0, 2)))
            high = low + rng.randint(2, 5)
            return Comparison(
                signal=point, op=op, threshold=Limits(low=low, high=high), deadband=float(rng.randint(0, 1))
            )
        case 2:
            still_s, deadband = float(rng.randint(1, 9)), float(rng.randint(0, 2))
            return Unchanged(signal=point, duration_s=still_s, deadband=deadband)
        case 3:
            return SingleChange(signal=point, magnitude=float(rng.randint(1, 6)))
        case 4:
            return Trend(signal=point, direction=rng.choice(list(Direction)), count=rng.randint(2, 4))
        case 5:
            return NotConnected(signal=slave_signal(SLAVE))
        case _:
            return Script(signal=point)


def rules_of(rng: random.Random) -> list[Rule]:
    return [
        Rule(
            id=number,
            logic=rng.choice(list(Logic)),
            conditions=[condition(rng) for _ in range(rng.randint(1, 3))],
            interval_s=rng.choice([0, 0, 0, 4]),
            on_delay_s=float(rng.choice([0, 0, 2, 5])),
            off_delay_s=float(rng.choice([0, 0, 3])),
            again_s=rng.choice([0, 0, 7]),
        )
        for number in range(1, rng.randint(2, 4))
    ]


def steps_of(rng: random.Random) -> list[Step]:
    """A second apart at least, so that the gateway has looked at its slaves."""
    steps: list[Step] = []
    t_ms, is_connected = BEGIN_MS, True
    for _ in range(SAMPLES):
        t_ms += rng.randint(1000, 2500)
        if rng.random() < 0.1:
            is_connected = not is_connected
            steps.append((t_ms, {}, is_connected))
            continue
        samples: dict[int, tuple[Any, Quality]] = {}
        for point in rng.sample(POINTS, rng.randint(1, len(POINTS))):
            is_missing = rng.random() < 0.1
            value = rng.choice([float(rng.randint(0, 10)), rng.randint(0, 10), rng.random() < 0.5])
            samples[point] = (None, Quality.DEVICE_OFFLINE) if is_missing else (value, Quality.GOOD)
        steps.append((t_ms, samples, None))
    return steps


def in_the_cloud(
    rules: Sequence[Rule], steps: Sequence[Step], linked: Sequence[str] = ()
) -> tuple[list[Found], Written]:
    """By the evaluator, which gets samples in batches as ingest does."""
    place = ConditionPlace(DEVICE, SLAVE, None)
    body = SimpleNamespace(linkage=[SimpleNamespace(on=on, preset_id=7) for on in linked])
    evaluated = {
        rule.id: EvaluatedRule(rule, body, 1, "", (place,) * len(rule.conditions), TARGETS)  # type: ignore[arg-type]
        for rule in rules
    }
    evaluator = Evaluator(None, None, None, None, clock=lambda: END_MS + BEGIN_MS * 2)  # type: ignore[arg-type]
    group = RuleGroup(DEVICE, evaluated, None, BEGIN_MS)
    group.waiting = None
    evaluator._running = Running({DEVICE: evaluated}, stored=frozenset(POINTS))
    evaluator._groups = {DEVICE: group}
    waiting: list[Step] = []

    def take() -> None:
        columns = []
        for point in POINTS:
            of_point = [(t_ms, *samples[point]) for t_ms, samples, _ in waiting if point in samples]
            if of_point:
                times, values, qualities = zip(*of_point, strict=True)
                columns.append(SeriesColumn(point, list(times), list(values), list(map(int, qualities))))
        waiting.clear()
        if columns:
            evaluator.take(DEVICE, columns)

    for at, step in enumerate(steps):
        if step[2] is not None:
            take()
            evaluator.slave(DEVICE, SLAVE, step[2], step[0])
            continue
        waiting.append(step)
        if at % 3 == 0:
            take()
    take()
    evaluator._note(group, group.engine.advance(steps[-1][0] + END_MS))
    return [
        (one.rule, one.kind.value, one.t_ms, one.raised_ms, one.since_ms, one.condition, one.value)
        for one in group.transitions
    ], ([one.t_ms for one in group.writing], [(one.since_ms, one.left_out) for one in group.rests])


async def at_the_gateway(
    rules: Sequence[Rule], steps: Sequence[Step], linked: Sequence[On] = ()
) -> tuple[list[Found], Written]:
    """By the runner, row by row, as the bus publishes them."""
    store, clock = open_memory(8 << 20), SetClock()
    keys = {PointKey("boiler", f"p{point}"): point for point in POINTS}
    connected: list[DeviceState] = []
    written: list[int] = []
    runner = RuleRunner(
        Sources(keys, frozenset({"boiler"}), lambda _: None, lambda: connected),
        store.rules,
        clock,
        lambda noted: written.extend(each.expires_ms - each.linkage.expires_s * 1000 for _, each in noted),
    )
    names: dict[Any, str] = {point: point_signal("boiler", f"p{point}") for point in POINTS}
    names[slave_signal(SLAVE)] = connection_signal("boiler")
    given = [
        GatewayRule(
            rule=msgspec.structs.replace(
                rule,
                conditions=[
                    msgspec.structs.replace(each, signal=names[each.signal]) for each in rule.conditions
                ],
            ),
            linkages=[
                RuleLinkage(on=on, preset=7, writes=[RuleWrite(slave="boiler", point="p99", value=1)])
                for on in linked
            ],
        )
        for rule in rules
    ]
    await runner.open()
    await runner.take(Rules(hash=rules_hash(given), rules=given))
    for t_ms, samples, is_connected in steps:
        clock.t_ms = t_ms
        if is_connected is not None:
            connected[:] = [DeviceState("boiler", is_connected, 1, "ok")]
        for point, (value, quality) in samples.items():
            runner.put(Row((point,), t_ms, (value,), (quality,) if quality else None))
        await runner._look()
    clock.t_ms += END_MS + 1000
    await runner._look()
    events = await store.rules.waiting(100_000)
    return [
        (one.rule, one.kind.value, one.t_ms, one.raised_ms, one.since_ms, one.condition, one.value)
        for one in events
        if one.kind is not RuleEventKind.LINKAGE
    ], (written, [(one.t_ms, one.left_out) for one in events if one.kind is RuleEventKind.LINKAGE])


@pytest.mark.clause("C-164")
def test_gateway_and_cloud_find_the_same() -> None:
    async def compare() -> int:
        found = 0
        for seed in range(SCENARIOS):
            rng = random.Random(seed)
            rules, steps = rules_of(rng), steps_of(rng)
            here = in_the_cloud(rules, steps)
            assert await at_the_gateway(rules, steps) == here, f"scenario {seed}"
            found += len(here[0])
        return found

    assert asyncio.run(compare()) > 5 * SCENARIOS


def test_gateway_and_cloud_leave_the_same_linkages_out() -> None:
    over = Comparison(signal=POINTS[0], op=Operator.GREATER, threshold=5.0)
    under = Comparison(signal=POINTS[0], op=Operator.LESS, threshold=5.0)
    rules = [Rule(id=1, conditions=[over]), Rule(id=2, conditions=[under])]
    steps: list[Step] = [
        (BEGIN_MS + 1100 * at, {POINTS[0]: (float(at % 2 * 10), Quality.GOOD)}, None) for at in range(60)
    ]
    linked: list[On] = ["raised"]
    here = in_the_cloud(rules, steps, linked)
    there = asyncio.run(at_the_gateway(rules, steps, linked))
    assert there == here
    written, rests = here[1]
    assert len(written) == MAX_LINKAGE_RUNS, "of both rules together, for they write one point"
    assert len(rests) == 2
