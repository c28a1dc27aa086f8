"""Counts and gaps of one record. Pure: times are seconds of the monotonic clock until the record is made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from edge_agent.model import Reads
from edge_contract.collection import CollectionRecord, Missed, PointReads, ReadGap, SlaveReads
from edge_contract.limits import COLLECTION_GAPS, COLLECTION_POINTS, COLLECTION_SPAN_MS

GATEWAY_WIDE = {Missed.FROZEN, Missed.CLOCK_NOT_SET}
"""What befalls every slave at once is reported once."""
POINTS_NAMED = 20
"""A gap of more points is reported as one of their slave."""
SAME_S = 0.001  # of rounding, between the end of one gap and the beginning of the next
MAX_RECORDS = 8
"""A longer absence than so many records can cover is reported in its newest part."""
HOUR_MS = 3_600_000

GapKey = tuple[str | None, tuple[str, ...], str, str]


@dataclass
class Gap:
    from_s: float
    to_s: float
    missed: int


@dataclass
class _Slave:
    expected: int = 0
    good: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    slots: Counter[int] = field(default_factory=Counter)  # periods by grid
    fully_missing: Counter[int] = field(default_factory=Counter)  # of these, missing as a whole
    points: dict[str, tuple[int, int]] = field(default_factory=dict)  # grid, and periods missed apart


class Counts:
    """Of one record. slaves: all of the configuration; disabled: those that are not read."""

    def __init__(self, slaves: Iterable[str], disabled: Iterable[str]) -> None:
        self.slaves = {name: _Slave() for name in slaves}
        self._disabled = tuple(disabled)
        self._gaps: dict[GapKey, list[Gap]] = defaultdict(list)
        self._number = 0
        self._left_out = 0

    @property
    def gaps(self) -> int:
        return self._number

    def add(self, reads: Reads) -> None:
        slave = self.slaves[reads.slave]
        slave.expected += reads.expected
        slave.good += reads.good
        slave.slots[reads.grid] += reads.slots
        if not reads.missed:
            return
        slave.missed[reads.reason] += reads.missed
        if reads.slots:
            slave.fully_missing[reads.grid] += reads.slots
        else:
            for name in reads.points:
                slave.points[name] = reads.grid, slave.points.get(name, (0, 0))[1] + 1
        self._gap(reads)

    def _gap(self, reads: Reads) -> None:
        points = reads.points if len(reads.points) <= POINTS_NAMED else ()
        key: GapKey = (reads.slave, points, reads.reason, reads.by)
        if reads.reason in GATEWAY_WIDE:
            key = (None, (), reads.reason, "")
        known = self._gaps[key]
        for gap in reversed(known):
            if reads.from_s <= gap.to_s + SAME_S and reads.to_s >= gap.from_s - SAME_S:
                gap.from_s, gap.to_s = min(gap.from_s, reads.from_s), max(gap.to_s, reads.to_s)
                gap.missed += reads.missed
                return
            if gap.to_s < reads.from_s - SAME_S:
                break
        if self._number >= COLLECTION_GAPS - len(self._disabled):
            self._left_out += 1
            return
        self._number += 1
        known.append(Gap(reads.from_s, reads.to_s, reads.missed))

    def record(self, seq: int, from_ms: int, to_ms: int, wall_ms: Callable[[float], int]) -> CollectionRecord:
        """What was counted so far, of from_ms to to_ms. wall_ms: of a monotonic time."""
        points = sorted(
            self._points(), key=lambda one: (one.good / max(one.expected, 1), one.slave, one.point)
        )
        return CollectionRecord(
            seq=seq,
            from_ms=from_ms,
            to_ms=to_ms,
            slaves=[
                SlaveReads(name=name, expected=one.expected, good=one.good, missed=dict(one.missed))
                for name, one in self.slaves.items()
            ],
            points=points[:COLLECTION_POINTS],
            gaps=[*self._read_gaps(wall_ms), *_disabled(self._disabled, from_ms, to_ms)][:COLLECTION_GAPS],
            more_gaps=self._left_out,
        )

    def _points(self) -> Iterator[PointReads]:
        for name, slave in self.slaves.items():
            for point, (grid, missed) in slave.points.items():
                expected = slave.slots[grid]
                good = max(expected - slave.fully_missing[grid] - missed, 0)
                yield PointReads(slave=name, point=point, expected=expected, good=good)

    def _read_gaps(self, wall_ms: Callable[[float], int]) -> Iterator[ReadGap]:
        for (slave, points, reason, by), gaps in self._gaps.items():
            for gap in gaps:
                yield ReadGap(
                    slave=slave,
                    points=list(points),
                    from_ms=max(wall_ms(gap.from_s), 0),
                    to_ms=max(wall_ms(gap.to_s), 0),
                    reason=reason,
                    by=by[:200],
                    missed=gap.missed,
                )


def _disabled(slaves: Iterable[str], from_ms: int, to_ms: int) -> Iterator[ReadGap]:
    for name in slaves:
        yield ReadGap(slave=name, from_ms=from_ms, to_ms=to_ms, reason=Missed.DISABLED)


def absence(
    seq: int, from_ms: int, to_ms: int, per_hour: Mapping[str, float], reason: str
) -> list[CollectionRecord]:
    """Records of a time in which nothing was read. per_hour: what should have been, of each slave."""
    from_ms = max(from_ms, to_ms - MAX_RECORDS * COLLECTION_SPAN_MS)
    records: list[CollectionRecord] = []
    while from_ms < to_ms:
        end_ms = min(from_ms + COLLECTION_SPAN_MS, to_ms)
        hours = (end_ms - from_ms) / HOUR_MS
        expected = {name: round(rate * hours) for name, rate in per_hour.items()}
        gap = ReadGap(from_ms=from_ms, to_ms=end_ms, reason=reason, missed=sum(expected.values()))
        slaves = [
            SlaveReads(name=name, expected=count, good=0, missed={reason: count} if count else {})
            for name, count in expected.items()
        ]
        records.append(
            CollectionRecord(seq=seq + len(records), from_ms=from_ms, to_ms=end_ms, slaves=slaves, gaps=[gap])
        )
        from_ms = end_ms
    return records
