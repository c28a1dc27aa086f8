"""When calculated points are calculated: once all operands are new, and at the latest with their period.

What gives nothing new is not published again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from edge_agent.config.calculated import ScriptPlan, calculated_of
from edge_agent.config.model import Configuration, Point
from edge_agent.config.period import period_ms
from edge_agent.model import PointKey, PointKind, Quality, Row, Sample
from edge_agent.points import LiveTable, PointBlock
from edge_agent.points.calculation import Calculation
from edge_agent.points.formula import Formula, order
from edge_agent.system.clock import Clock
from edge_contract.freshness import unread_after_ms

SHORTEST_LOOK_S = 0.1
NEVER_STALE_MS = 2**62

Publish = Callable[[Row, PointBlock], None]


class Formulated:
    """One calculated point at run time. operands: numbers of the points that it needs."""

    def __init__(self, calculation: Calculation, operands: Sequence[int], period_s: float) -> None:
        self.calculation = calculation
        self.operands = tuple(operands)
        self.period_s = period_s
        self.awaited = set(operands)
        self.due = 0.0
        self.reported: Row | None = None


@dataclass(eq=False)
class Scripted:
    """operands: numbers of its inputs, in their order; limits_ms: the age from which each is stale."""

    plan: ScriptPlan
    block: PointBlock
    operands: tuple[int, ...]
    limits_ms: tuple[int, ...]
    period_s: float
    awaited: set[int] = field(default_factory=set)
    due: float = 0.0
    reported: object = None
    trouble: str = ""


Affected = tuple[tuple["Formulated | Scripted", frozenset[int]], ...]
"""The formulas and scripts that a row concerns, with the points of each."""


class Workings:
    """What the calculator is built from: the calculated points of a valid configuration.

    formulated: operands before those that use them; scripted: the scripts, in the order of the configuration.
    """

    def __init__(self, configuration: Configuration, numbers: Mapping[PointKey, int]) -> None:
        self._points = configuration.points
        self._numbers = numbers
        self._ports = {port.name: port for port in configuration.ports}
        self._slaves = {slave.name: slave for slave in configuration.slaves}
        calculated = calculated_of(configuration.points, configuration.scripts)
        self.formulated = [
            self._formulated(at, calculated.formulas[at].compiled()) for at in order(calculated.formulas)
        ]
        self.scripted = [self._scripted(plan) for plan in calculated.scripts]
        self.keys = {
            PointKey(point.slave, point.name)
            for point in configuration.points
            if point.type is PointKind.CALCULATED
        }

    def _formulated(self, at: int, formula: Formula) -> Formulated:
        point = self._points[at]
        operands = [self._points[key] for key in formula.references]
        calculation = Calculation(
            PointBlock([point], [self._number(point)]), formula, list(map(self._limit_ms, operands))
        )
        return Formulated(calculation, list(map(self._number, operands)), self._period_ms(point) / 1000)

    def _scripted(self, plan: ScriptPlan) -> Scripted:
        script = plan.script
        slave = self._slaves[script.slave]
        cycle_ms = slave.capture_cycle_ms or self._ports[slave.port].capture_cycle_ms
        operands = [self._points[at] for at in plan.inputs.values()]
        outputs = [self._points[at] for at in plan.outputs.values()]
        return Scripted(
            plan,
            PointBlock(outputs, list(map(self._number, outputs))),
            tuple(map(self._number, operands)),
            tuple(map(self._limit_ms, operands)),
            cycle_ms * script.capture_freq / 1000,
        )

    def _period_ms(self, point: Point) -> int:
        slave = self._slaves[point.slave]
        return period_ms(slave, self._ports[slave.port], point)

    def _number(self, point: Point) -> int:
        return self._numbers[PointKey(point.slave, point.name)]

    def _limit_ms(self, operand: Point) -> int:
        return unread_after_ms(self._period_ms(operand)) if is_cyclic(operand) else NEVER_STALE_MS


def is_cyclic(point: Point) -> bool:
    """Whether a point is read by itself; else its last value holds until somebody asks or writes."""
    return point.collect_mode == "cycle" and point.rw != "writeonly"


class Calculator:
    """Takes every row that is published, and publishes the calculated ones.

    A result carries the time of its newest operand, so a formula over points of one slave is as even as they
    are. Where an operand stays away, the period brings the result, and its quality says what is missing.
    """

    def __init__(
        self,
        workings: Workings,
        live: LiveTable,
        publish: Publish,
        clock: Clock,
        want: Callable[[Scripted], None] = lambda script: None,
    ) -> None:
        """want: takes the scripts that are to run."""
        self._all: list[Formulated | Scripted] = [*workings.formulated, *workings.scripted]
        self._want = want
        self._live = live
        self._publish = publish
        self._clock = clock
        self._by_number = {one.calculation.block.numbers[0]: one for one in workings.formulated}
        self._users: dict[int, list[Formulated | Scripted]] = {}
        for one in self._all:
            one.awaited = set(one.operands)
            for number in one.operands:
                self._users.setdefault(number, []).append(one)
        self._affected: dict[tuple[int, ...], Affected] = {}
        self._rows: deque[Row] = deque()
        self._busy = False

    def take(self, row: Row) -> None:
        """A row was published: calculate what it completes, and what that completes."""
        if not self._users:
            return
        affected = self._affected.get(row.points)
        if affected is None:
            affected = self._affected[row.points] = self._affected_by(row.points)
        if not affected:
            return
        self._rows.append(row)
        if self._busy:
            return  # a result of ours: the loop below takes it
        self._busy = True
        try:
            while self._rows:
                for one, arrived in self._affected[self._rows.popleft().points]:
                    one.awaited -= arrived
                    if not one.awaited:
                        self._calculate(one)
        finally:
            self._rows.clear()
            self._busy = False

    async def run(self) -> None:
        """Until cancelled: what no operand brought about is calculated with its period."""
        now = self._clock.monotonic()
        for one in self._all:
            one.due = now + one.period_s
        look_s = max(SHORTEST_LOOK_S, min((one.period_s for one in self._all), default=1.0) / 2)
        while True:
            await self._clock.sleep(look_s)
            now = self._clock.monotonic()
            for one in self._all:
                if one.due <= now:
                    self._calculate(one)

    def sample(self, number: int) -> Sample:
        """A calculated point as it is now: a formula's is calculated, a script's is its last one."""
        if number in self._by_number:
            return self._row(self._by_number[number]).samples()[0]
        newest = self._live.get(number)
        return newest or Sample(number, self._clock.now_ms(), None, Quality.NOT_YET_READ)

    def _row(self, one: Formulated) -> Row:
        operands = [self._live.get(number) for number in one.operands]
        return one.calculation.row(operands, self._clock.now_ms())

    def _calculate(self, one: Formulated | Scripted) -> None:
        """A result that says nothing new, neither by its time nor by its quality, is not reported again."""
        one.awaited = set(one.operands)
        one.due = self._clock.monotonic() + one.period_s
        if isinstance(one, Scripted):
            self._want(one)
            return
        row = self._row(one)
        last = one.reported
        if last is not None and (last.t_ms, last.qualities) == (row.t_ms, row.qualities) and one.operands:
            return
        one.reported = row
        self._publish(row, one.calculation.block)

    def _affected_by(self, points: tuple[int, ...]) -> Affected:
        affected: dict[int, tuple[Formulated | Scripted, set[int]]] = {}
        for number in points:
            for one in self._users.get(number, ()):
                affected.setdefault(id(one), (one, set()))[1].add(number)
        return tuple((one, frozenset(numbers)) for one, numbers in affected.values())
