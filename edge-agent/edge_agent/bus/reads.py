"""Which periods of which points brought a good value, and why the others did not. Pure: the time comes in.

Points of one slave that have a period and a delay in common share a grid of slots. A good value counts for
the slot in which its answer arrived. How many reads were expected follows from the grid and the time alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf

from edge_agent.model import Quality, Reads, Row, Span
from edge_agent.points import PointBlock
from edge_contract.collection import Missed

EARLY_S = 1e-6  # of rounding
POINTWISE = {Missed.BAD_FRAME, Missed.DEVICE_ERROR, Missed.OUT_OF_RANGE}
"""What can befall some points of a slave while the others are read."""

Why = Callable[[float, float], tuple[str, str]]
"""Reason for a slot in which nothing was even tried, and who locked the port."""


@dataclass
class _Slot:
    good: int = 0
    rows: list[tuple[PointBlock, Row]] = field(default_factory=list)
    failed: list[tuple[PointBlock, str]] = field(default_factory=list)


class ReadSlots:
    """One grid. names: its points; only: whether the slave has no other grid."""

    def __init__(self, slave: str, grid: int, names: Sequence[str], period_s: float) -> None:
        self.slave = slave
        self.grid = grid
        self.names = tuple(names)
        self.period_s = period_s
        self.only = True
        self._origin = inf
        self._next = 0  # the first slot that is not reported yet
        self._slots: dict[int, _Slot] = {}

    def begin(self, at: float) -> None:
        """The first slot begins."""
        self._origin = at

    def arrived(self, points: PointBlock, row: Row, now: float) -> None:
        """An answer, good or not value by value."""
        slot = self._at(now)
        slot.rows.append((points, row))
        slot.good += len(row) if row.good else sum(quality is Quality.GOOD for quality in row.qualities or ())

    def failed(self, points: PointBlock, reason: str, now: float) -> None:
        """Note in the period under way that these points brought no value. now: seconds, monotonic."""
        self._at(now).failed.append((points, reason))

    def has_value(self, now: float) -> bool:
        """Whether the period under way has brought a value, or has not begun yet."""
        if now < self._origin:
            return True
        slot = self._slots.get(floor((now - self._origin) / self.period_s + EARLY_S))
        return slot is not None and slot.good > 0

    def take_ended(self, now: float, why: Why, frozen: Span, *, final: bool = False) -> Iterator[Reads]:
        """Slots that have ended since the last time; final: the one that is open too, if it was read."""
        if now < self._origin:
            return
        open_slot = floor((now - self._origin) / self.period_s + EARLY_S)
        at = self._next
        self._next = max(open_slot, at)
        for index in sorted(index for index in self._slots if index < open_slot):
            yield from self._empty(at, index, why, frozen)
            yield from self._read(index, self._slots.pop(index), why, frozen)
            at = index + 1
        yield from self._empty(at, open_slot, why, frozen)
        if final and (slot := self._slots.pop(open_slot, None)) is not None and slot.good:
            yield from self._read(open_slot, slot, why, frozen)

    def _at(self, now: float) -> _Slot:
        index = max(floor((now - self._origin) / self.period_s + EARLY_S), self._next)
        return self._slots.setdefault(index, _Slot())

    def _read(self, index: int, slot: _Slot, why: Why, frozen: Span) -> Iterator[Reads]:
        """A slot in which something was tried."""
        count, good = len(self.names), min(slot.good, len(self.names))
        start, end = self._bounds(index, index + 1)
        all_of_it = Reads(self.slave, self.grid, start, end, 1, count, good)
        if good == count:
            yield all_of_it
            return
        if good == 0:
            reason = slot.failed[-1][1] if slot.failed else Missed.OUT_OF_RANGE
            if start < frozen[1] and end > frozen[0]:
                reason = Missed.FROZEN
            yield replace(all_of_it, missed=count, reason=reason, points=self._named(reason, self.names))
            return
        yield all_of_it
        reasons = self._reasons(slot, why(start, end)[0])
        if start < frozen[1] and end > frozen[0]:
            reasons = dict.fromkeys(reasons, Missed.FROZEN)
        for reason in sorted(set(reasons.values())):
            missing = tuple(name for name, of_name in reasons.items() if of_name == reason)
            yield Reads(
                self.slave, self.grid, start, end, 0, 0, 0, len(missing), reason, points=missing
            )  # fmt: skip

    def _reasons(self, slot: _Slot, otherwise: str) -> dict[str, str]:
        """Missing points to why: their own request failed, or the turn ended before it came to them.

        otherwise: when no request of theirs failed.
        """
        good: set[str] = set()
        reasons: dict[str, str] = {}
        for points, row in slot.rows:
            for at, point in enumerate(points.points):
                if row.qualities is None or row.qualities[at] is Quality.GOOD:
                    good.add(point.name)
                else:
                    reasons[point.name] = Missed.OUT_OF_RANGE
        for points, reason in slot.failed:
            reasons.update((point.name, reason) for point in points.points)
        rest = slot.failed[-1][1] if slot.failed else otherwise
        return {name: reasons.get(name, rest) for name in self.names if name not in good}

    def _empty(self, first: int, end: int, why: Why, frozen: Span) -> Iterator[Reads]:
        """Slots in which nothing was tried, by reason."""
        low = min(max(ceil((frozen[0] - self._origin) / self.period_s - 1 + EARLY_S), first), end)
        high = min(max(ceil((frozen[1] - self._origin) / self.period_s - EARLY_S), low), end)
        yield from self._untried(first, low, why)
        yield from self._missing(low, high, Missed.FROZEN, "")
        yield from self._untried(high, end, why)

    def _untried(self, first: int, end: int, why: Why) -> Iterator[Reads]:
        """Looked at one by one: while the agent is not frozen, it is looked often."""
        begun, last = first, ("", "")
        for index in range(first, end):
            reason = why(*self._bounds(index, index + 1))
            if reason != last:
                yield from self._missing(begun, index, *last)
                begun, last = index, reason
        yield from self._missing(begun, end, *last)

    def _missing(self, first: int, end: int, reason: str, by: str) -> Iterator[Reads]:
        if first < end:
            slots, missed = end - first, (end - first) * len(self.names)
            names = self._named(reason, self.names)
            yield Reads(
                self.slave, self.grid, *self._bounds(first, end), slots, missed, 0, missed, reason, by, names
            )

    def _named(self, reason: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Points to name beside a gap: none when it is the slave that is missing."""
        return names if reason in POINTWISE and not self.only else ()

    def _bounds(self, first: int, end: int) -> Span:
        return self._origin + first * self.period_s, self._origin + end * self.period_s


@dataclass
class _Away:
    since: float
    reason: str
    by: str
    until: float = inf


class Absences:
    """When a port could not be read from. The newest are enough: slots are closed every second."""

    def __init__(self) -> None:
        self._spans: deque[_Away] = deque(maxlen=16)

    def begin(self, now: float, reason: str, by: str = "") -> None:
        """A reason holds from now on; by: who has the port. now: seconds, monotonic."""
        if not any(span.reason == reason and span.until == inf for span in self._spans):
            self._spans.append(_Away(now, reason, by))

    def end(self, now: float, reason: str = "") -> None:
        """reason: "" for all."""
        for span in self._spans:
            if reason in ("", span.reason):
                span.until = min(span.until, now)

    def within(self, start: float, end: float) -> tuple[str, str] | None:
        """Reason and who locked it, of the first that touches this time; locked before down."""
        touching = [span for span in self._spans if span.since < end and span.until > start]
        best = min(touching, key=lambda span: span.reason != Missed.PORT_LOCKED, default=None)
        return None if best is None else (best.reason, best.by)

    def why(self, otherwise: str, waited: Span, silences: Absences) -> Why:
        """What to answer for a slot in which nothing was tried. waited: for an answer longer than a slot;
        silences: of the slave, which may be over when it is asked about.
        """

        def of(start: float, end: float) -> tuple[str, str]:
            if matching := self.within(start, end) or silences.within(start, end):
                return matching
            is_slow = start < waited[1] and end > waited[0]
            return Missed.NO_ANSWER if is_slow else otherwise, ""

        return of


def grids(slots: Iterable[ReadSlots]) -> list[ReadSlots]:
    """The grids of one slave; each knows whether it is the only one."""
    members = list(slots)
    for one in members:
        one.only = len(members) == 1
    return members
