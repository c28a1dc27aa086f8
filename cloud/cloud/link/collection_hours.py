"""Records of collection made into hours: clamped, spread, added up. Pure."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

import msgspec

from edge_contract.collection import CollectionRecord, Missed, PointReads, ReadGap

HOUR_MS = 3_600_000
MAX_READS_PER_MS = 2000
"""20,000 points at 10 ms."""
MAX_COUNT = 2**48
"""What an hour counts to, as of batches."""
SLAVES_NAMED = 1000
POINTS_NAMED = 1000
MAX_GAPS = 1000
"""Of one gateway in one hour; what is beyond is counted for the gateway and not named."""


class MissedReason(StrEnum):
    """Why reads are missing: what gateways say, and what the cloud adds."""

    NO_ANSWER = "no_answer"
    BAD_FRAME = "bad_frame"
    DEVICE_ERROR = "device_error"
    OUT_OF_RANGE = "out_of_range"
    PORT_DOWN = "port_down"
    PORT_LENT = "port_lent"
    DISABLED = "disabled"
    LATE = "late"
    FROZEN = "frozen"
    NOT_RUNNING = "not_running"
    SWITCHING = "switching"
    CLOCK_NOT_SET = "clock_not_set"
    CLOCK_MOVED = "clock_moved"
    NOT_REPORTED = "not_reported"  # no record covers the time
    OTHER = "other"  # a code of a newer gateway


_KNOWN_REASONS = {str(reason) for reason in Missed}


def reason_of(code: str) -> str:
    """A code that the cloud knows."""
    return code if code in _KNOWN_REASONS else MissedReason.OTHER


class SlaveDetail(msgspec.Struct, array_like=True):
    """Good reads of a slave, and the missing ones by reason."""

    good: int = 0
    missed: dict[str, int] = {}

    @property
    def expected(self) -> int:
        return self.good + sum(self.missed.values())

    def add(self, other: SlaveDetail) -> None:
        self.good = min(self.good + other.good, MAX_COUNT)
        for reason, count in other.missed.items():
            self.missed[reason] = min(self.missed.get(reason, 0) + count, MAX_COUNT)


PointCounts = tuple[int, int]
"""Expected and good."""


class Detail(msgspec.Struct, array_like=True):
    """Slaves by name, and points that fared worse, by slave and name."""

    slaves: dict[str, SlaveDetail] = {}
    points: dict[str, dict[str, PointCounts]] = {}

    def add(self, other: Detail) -> None:
        """Up to the bounds."""
        for name, slave in other.slaves.items():
            if name in self.slaves or len(self.slaves) < SLAVES_NAMED:
                self.slaves.setdefault(name, SlaveDetail()).add(slave)
        free = POINTS_NAMED - sum(map(len, self.points.values()))
        for slave_name, points in other.points.items():
            known = self.points.setdefault(slave_name, {})
            for point, (expected, good) in points.items():
                if point not in known:
                    free -= 1
                    if free < 0:
                        continue
                before = known.get(point, (0, 0))
                known[point] = min(before[0] + expected, MAX_COUNT), min(before[1] + good, MAX_COUNT)


def pack(detail: Detail) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(detail))


def unpack(blob: bytes) -> Detail:
    return msgspec.msgpack.decode(zlib.decompress(blob), type=Detail) if blob else Detail()


@dataclass
class Hour:
    """What a record brings to one hour."""

    covered_ms: int = 0
    good: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    detail: Detail = field(default_factory=Detail)

    @property
    def expected(self) -> int:
        return self.good + self.missed.total()


def clamped(record: CollectionRecord) -> dict[str, SlaveDetail]:
    """Slaves of a record, with what can be: good up to expected, all reads up to what points can be read."""
    left = MAX_READS_PER_MS * (record.to_ms - record.from_ms)
    result: dict[str, SlaveDetail] = {}
    for counts in record.slaves:
        expected = min(counts.expected, left)
        left -= expected
        good = min(counts.good, expected)
        missing = expected - good
        missed: dict[str, int] = {}
        for code, count in counts.missed.items():
            if taken := min(count, missing):
                missing -= taken
                reason = reason_of(code)
                missed[reason] = missed.get(reason, 0) + taken
        if missing:
            missed[MissedReason.OTHER] = missed.get(MissedReason.OTHER, 0) + missing
        result.setdefault(counts.name, SlaveDetail(0, {})).add(SlaveDetail(good, missed))
    return result


def hours_of(record: CollectionRecord, earliest_ms: int, latest_ms: int) -> dict[int, Hour]:
    """Hour (its beginning) to what a record brings; time outside the bounds is left out. Missing reads are in
    the hours of the gaps that name them, the rest evenly over the record.
    """
    edges = _edges(record.from_ms, record.to_ms)
    result = {low - low % HOUR_MS: Hour() for low in edges[:-1]}
    hours = list(result.values())
    for hour, low, high in zip(hours, edges, edges[1:], strict=False):
        hour.covered_ms = high - low
    slaves = clamped(record)
    placed = _Placed(record.gaps if len(hours) > 1 else [], slaves, edges)
    for name, slave in slaves.items():
        missed = {reason: placed.missed(name, reason, count) for reason, count in slave.missed.items()}
        goods = _rest(slave.expected, [sum(counts) for counts in zip(*missed.values(), strict=True)], edges)
        for at, hour in enumerate(hours):
            part = {reason: counts[at] for reason, counts in missed.items() if counts[at]}
            hour.good += goods[at]
            hour.missed.update(part)
            hour.detail.slaves[name] = SlaveDetail(goods[at], part)
    for point in record.points:
        missing = placed.of_point(point)
        goods = _rest(point.expected, missing, edges)
        for at, hour in enumerate(hours):
            hour.detail.points.setdefault(point.slave, {})[point.point] = goods[at] + missing[at], goods[at]
    return {start: hour for start, hour in result.items() if earliest_ms <= start < latest_ms}


class _Placed:
    """Missing reads of a record by hour. edges: of the hours within the record."""

    def __init__(self, gaps: Iterable[ReadGap], slaves: dict[str, SlaveDetail], edges: list[int]) -> None:
        self._edges = edges
        self._by_reason: dict[tuple[str | None, str], list[ReadGap]] = {}
        self._by_slave: dict[str | None, list[ReadGap]] = {}
        for gap in gaps:
            if gap.missed:
                self._by_reason.setdefault((gap.slave, reason_of(gap.reason)), []).append(gap)
                self._by_slave.setdefault(gap.slave, []).append(gap)
        self._common: Counter[str] = Counter()
        """Missing reads by reason that gaps of their slaves do not name."""
        for name, slave in slaves.items():
            for reason, count in slave.missed.items():
                own = sum(gap.missed for gap in self._by_reason.get((name, reason), ()))
                self._common[reason] += max(count - own, 0)

    def missed(self, slave: str, reason: str, count: int) -> list[int]:
        """In the gaps of the slave as they count them, then in its share of the gateway's."""
        parts = [0] * (len(self._edges) - 1)
        for gap in self._by_reason.get((slave, reason), ()):
            taken = min(gap.missed, count)
            count -= taken
            self._put(parts, taken, gap)
        common = self._by_reason.get((None, reason), [])
        if count and common:
            total = sum(gap.missed for gap in common)
            named = min(count, count * total // self._common[reason])
            self._share(parts, named, common, [gap.missed for gap in common])
            count -= named
        return _added(parts, _spread(count, self._edges))

    def of_point(self, point: PointReads) -> list[int]:
        """In the gaps that name it or all of its slave, as many as are due in so much time."""
        missing = point.expected - min(point.good, point.expected)
        gaps = [
            gap
            for gap in (*self._by_slave.get(point.slave, ()), *self._by_slave.get(None, ()))
            if not gap.points or point.point in gap.points
        ]
        parts = [0] * (len(self._edges) - 1)
        if missing and gaps:
            length = self._edges[-1] - self._edges[0]
            spans = [max(high - low, 1) for low, high in map(self._within, gaps)]
            named = min(missing, sum(-(-point.expected * span // length) for span in spans))
            self._share(parts, named, gaps, spans)
            missing -= named
        return _added(parts, _spread(missing, self._edges))

    def _share(self, parts: list[int], count: int, gaps: list[ReadGap], weights: list[int]) -> None:
        total, before = sum(weights), 0
        for gap, weight in zip(gaps, weights, strict=True):
            self._put(parts, count * (before + weight) // total - count * before // total, gap)
            before += weight

    def _put(self, parts: list[int], count: int, gap: ReadGap) -> None:
        """Evenly over the gap; one that is outside of the record counts at its end that is nearer."""
        low, high = self._within(gap)
        if low == high:
            parts[0 if low == self._edges[0] else -1] += count
            return
        cuts = [min(max(edge, low), high) for edge in self._edges]
        for at, part in enumerate(_spread(count, cuts)):
            parts[at] += part

    def _within(self, gap: ReadGap) -> tuple[int, int]:
        first, last = self._edges[0], self._edges[-1]
        low = min(max(gap.from_ms, first), last)
        return low, min(max(gap.to_ms, low), last)


def _rest(expected: int, missed: list[int], edges: list[int]) -> list[int]:
    """Good reads by hour: those expected, evenly over the time, less the missing ones. An hour in which more
    are missing than evenly expected takes from the others.
    """
    due = _spread(expected, edges)
    rest = [count - lost for count, lost in zip(due, missed, strict=True)] if missed else due
    debt = -sum(count for count in rest if count < 0)
    for at, count in enumerate(rest):
        taken = min(max(count, 0), debt)
        rest[at] = max(count, 0) - taken
        debt -= taken
    return rest


def _added(ones: list[int], others: list[int]) -> list[int]:
    return [one + other for one, other in zip(ones, others, strict=True)]


def _edges(from_ms: int, to_ms: int) -> list[int]:
    """The hours' boundaries within a time, and its ends."""
    first = from_ms - from_ms % HOUR_MS + HOUR_MS
    return [from_ms, *range(first, to_ms, HOUR_MS), to_ms]


def _spread(count: int, edges: list[int]) -> list[int]:
    """Evenly over the time; the parts add up to it."""
    if len(edges) == 2:
        return [count]
    start, length = edges[0], edges[-1] - edges[0]
    return [
        count * (high - start) // length - count * (low - start) // length for low, high in pairwise(edges)
    ]


def total_of(details: Iterable[Detail]) -> Detail:
    """Of several hours, without the bounds of one."""
    result = Detail({}, {})
    for detail in details:
        for name, slave in detail.slaves.items():
            result.slaves.setdefault(name, SlaveDetail(0, {})).add(slave)
        for slave_name, points in detail.points.items():
            known = result.points.setdefault(slave_name, {})
            for point, (expected, good) in points.items():
                before = known.get(point, (0, 0))
                known[point] = before[0] + expected, before[1] + good
    return result


def worst(points: dict[str, dict[str, PointCounts]]) -> Iterator[tuple[str, str, int, int]]:
    """Slave, point, expected, good; the lowest share first."""
    flat = [(slave, point, *counts) for slave, named in points.items() for point, counts in named.items()]
    yield from sorted(flat, key=lambda one: (one[3] / max(one[2], 1), one[0], one[1]))
