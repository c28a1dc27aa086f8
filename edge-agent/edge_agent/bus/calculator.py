"""When calculated points are calculated: once all operands are new, and at the latest with their period."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from edge_agent.config.calculated import formulas_of
from edge_agent.config.load import period_ms
from edge_agent.config.model import Configuration, Point
from edge_agent.model import PointKey, Row, Sample
from edge_agent.points import LiveTable, PointBlock
from edge_agent.points.calculation import Calculation, stale_after_ms
from edge_agent.points.formula import order
from edge_agent.system.clock import Clock

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
        self.told: Row | None = None


def formulated(configuration: Configuration, numbers: Mapping[PointKey, int]) -> list[Formulated]:
    """The calculated points of a valid configuration, operands first."""
    points = configuration.points
    formulas, _ = formulas_of(points)
    ports = {port.name: port for port in configuration.ports}
    slaves = {slave.name: slave for slave in configuration.slaves}

    def period(point: Point) -> int:
        slave = slaves[point.slave]
        return period_ms(slave, ports[slave.port], point)

    def number(point: Point) -> int:
        return numbers[PointKey(point.slave, point.name)]

    found = []
    for at in order(formulas):
        operands = [points[key] for key in formulas[at].references]
        limits = [
            stale_after_ms(period(operand)) if is_cyclic(operand) else NEVER_STALE_MS for operand in operands
        ]
        calculation = Calculation(PointBlock([points[at]], [number(points[at])]), formulas[at], limits)
        found.append(Formulated(calculation, list(map(number, operands)), period(points[at]) / 1000))
    return found


def is_cyclic(point: Point) -> bool:
    """Whether a point is read by itself; else its last value holds until somebody asks or writes."""
    return point.collect_mode == "cycle" and point.rw != "writeonly"


class Calculator:
    """Takes every row that is published, and publishes the calculated ones.

    A result carries the time of its newest operand, so a formula over points of one slave is as even as they
    are. Where an operand stays away, the period brings the result, and its quality says what is missing.
    """

    def __init__(
        self, formulated: Sequence[Formulated], live: LiveTable, publish: Publish, clock: Clock
    ) -> None:
        """formulated: operands before those that use them."""
        self._formulated = formulated
        self._live = live
        self._publish = publish
        self._clock = clock
        self._by_number = {one.calculation.block.numbers[0]: one for one in formulated}
        self._users: dict[int, list[Formulated]] = {}
        for one in formulated:
            for number in one.operands:
                self._users.setdefault(number, []).append(one)
        self._affected: dict[tuple[int, ...], tuple[tuple[Formulated, frozenset[int]], ...]] = {}
        self._rows: deque[Row] = deque()
        self._busy = False

    def take(self, row: Row) -> None:
        """A row was published: calculate what it completes, and what that completes."""
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
        for one in self._formulated:
            one.due = now + one.period_s
        look_s = max(SHORTEST_LOOK_S, min((one.period_s for one in self._formulated), default=1.0) / 2)
        while True:
            await self._clock.sleep(look_s)
            now = self._clock.monotonic()
            for one in self._formulated:
                if one.due <= now:
                    self._calculate(one)

    def sample(self, number: int) -> Sample:
        """A calculated point as it is now; KeyError when there is none of that number."""
        return self._row(self._by_number[number]).samples()[0]

    def _row(self, one: Formulated) -> Row:
        operands = [self._live.get(number) for number in one.operands]
        return one.calculation.row(operands, self._clock.now_ms())

    def _calculate(self, one: Formulated) -> None:
        """A result that says nothing new, neither by its time nor by its quality, is not told again."""
        one.awaited = set(one.operands)
        one.due = self._clock.monotonic() + one.period_s
        row = self._row(one)
        told = one.told
        if told is not None and (told.t_ms, told.qualities) == (row.t_ms, row.qualities) and one.operands:
            return
        one.told = row
        self._publish(row, one.calculation.block)

    def _affected_by(self, points: tuple[int, ...]) -> tuple[tuple[Formulated, frozenset[int]], ...]:
        """The formulas that a row of these points concerns, with the points of each."""
        found: dict[int, tuple[Formulated, set[int]]] = {}
        for number in points:
            for one in self._users.get(number, ()):
                found.setdefault(id(one), (one, set()))[1].add(number)
        return tuple((one, frozenset(numbers)) for one, numbers in found.values())
