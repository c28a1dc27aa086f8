"""What scripts/bench measures of alarm rules: the engine with its state beside bare loops without any."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.ingest import Figures
from edge_contract.alarms.engine import Engine
from edge_contract.alarms.rule import (
    Comparison,
    Condition,
    Direction,
    Limits,
    Logic,
    Operator,
    Rule,
    SingleChange,
    Trend,
    Unchanged,
)

POINTS = 1000
ROWS = 60
MANY_POINTS, RULES_A_POINT = 10_000, 10
MANY_ROWS = 10

Row = list[float]


def thresholds() -> list[Rule]:
    """A rule a point: outside 5 to 95, and every second one only while the next point is above 50."""
    rules = []
    for point in range(1, POINTS + 1):
        outside = Comparison(
            signal=point, op=Operator.OUT_OF_RANGE, threshold=Limits(low=5, high=95), deadband=1.0
        )
        other = Comparison(signal=point % POINTS + 1, op=Operator.GREATER, threshold=50.0)
        conditions: list[Condition] = [outside, other] if point % 2 else [outside]
        rules.append(Rule(id=point, conditions=conditions, logic=Logic.ALL, on_delay_s=5.0))
    return rules


def generated() -> Callable[[Sequence[float]], list[bool]]:
    """The same comparisons as one Python function, without state."""
    parts = []
    for place in range(POINTS):
        text = f"(v[{place}] < 5 or v[{place}] > 95)"
        parts.append(f"{text} and v[{(place + 1) % POINTS}] > 50" if place % 2 == 0 else text)
    scope: dict[str, Any] = {}
    exec(  # noqa: S102 - the yardstick is a generated function
        f"def evaluate(v): return [{', '.join(parts)}]", scope
    )
    made: Callable[[Sequence[float]], list[bool]] = scope["evaluate"]
    return made


def columns(row: Row) -> None:
    """The same comparisons as numpy columns, without state."""
    values = np.array(row)
    outside = (values < 5) | (values > 95)
    outside[::2] &= np.roll(values, -1)[::2] > 50


def calm(points: int, rows: int, seed: int = 1) -> list[Row]:
    """Values that wander slowly around the middle."""
    chance = random.Random(seed)
    row, made = [50.0] * points, []
    for _ in range(rows):
        row = [value + chance.gauss(0, 1) for value in row]
        made.append(row)
    return made


def busy(points: int, rows: int, seed: int = 1) -> list[Row]:
    """Values without any memory: each tenth is beyond its limits."""
    chance = random.Random(seed)
    return [[chance.uniform(0, 100) for _ in range(points)] for _ in range(rows)]


def many_rules() -> list[Rule]:
    """Ten a point: limits of several levels, a jump, a trend and a standing value of some."""
    rules: list[Rule] = []
    for point in range(1, MANY_POINTS + 1):
        for level in range(RULES_A_POINT):
            condition: Any = Comparison(
                signal=point,
                op=Operator.OUT_OF_RANGE,
                threshold=Limits(low=10 - level, high=90 + level),
                deadband=0.5,
            )
            if level == 9 and point % 10 == 0:
                condition = Trend(signal=point, direction=Direction.UP, count=6)
            elif level == 9 and point % 10 == 1:
                condition = Unchanged(signal=point, duration_s=60.0)
            elif level == 9 and point % 5 == 2:
                condition = SingleChange(signal=point, magnitude=80.0)
            rules.append(
                Rule(id=len(rules) + 1, conditions=[condition], on_delay_s=5.0 * (level % 2), off_delay_s=3.0)
            )
    return rules


def rate(work: Callable[[Row], object], rows: list[Row], rules: int) -> float:
    """Millions of rules a CPU-second."""
    begun = time.process_time()
    for row in rows:
        work(row)
    return rules * len(rows) / (time.process_time() - begun) / 1e6


def fed(rules: list[Rule], rows: list[Row]) -> tuple[float, int, float]:
    """Millions of rules a CPU-second, transitions, and seconds that building took; rows a second apart."""
    begun = time.process_time()
    engine = Engine(rules)
    built_s = time.process_time() - begun
    signals = list(range(1, len(rows[0]) + 1))
    engine.feed(1, signals, [50.0] * len(signals))
    transitions = t_ms = 0

    def feed(row: Row) -> None:
        nonlocal transitions, t_ms
        t_ms += 1000
        transitions += len(engine.feed(t_ms, signals, row))

    return rate(feed, rows, len(rules)), transitions, built_s


def alarms() -> Figures:
    """Rules with state beside the same comparisons without, in millions of rules a CPU-second."""
    figures: Figures = {"load average": os.getloadavg()[0]}
    evaluate = generated()
    for name, made in (("calm", calm), ("busy", busy)):
        rows = made(POINTS, ROWS)
        engine, transitions, _ = fed(thresholds(), rows)
        bare = rate(evaluate, rows, POINTS)
        figures |= {
            f"{POINTS} rules, {name} values: engine": engine,
            f"{POINTS} rules, {name} values: one generated function, no state": bare,
            f"{POINTS} rules, {name} values: numpy columns, no state": rate(columns, rows, POINTS),
            f"{POINTS} rules, {name} values: engine / generated function": engine / bare,
            f"{POINTS} rules, {name} values: transitions": transitions,
        }
    rules = many_rules()
    for name, made in (("calm", calm), ("busy", busy)):
        engine, transitions, built_s = fed(rules, made(MANY_POINTS, MANY_ROWS))
        label = f"{len(rules)} rules of {MANY_POINTS} points, {name} values"
        figures |= {
            f"{label}: engine": engine,
            f"{label}: part of a core at one row a second": len(rules) / engine / 1e6,
            f"{label}: transitions a row": transitions / MANY_ROWS,
        }
    figures[f"{len(rules)} rules: seconds to build"] = built_s
    return figures


ALARM_BENCHMARKS: dict[str, Callable[[], Figures]] = {"alarms": alarms}
