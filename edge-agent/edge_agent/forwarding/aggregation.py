"""Samples of a point to one row a period: statistics of them, or the newest one. Pure.

Periods are aligned to UTC, moved by an offset. Time is that of the samples: a period ends with the batch that
has a sample grace_ms beyond its end, so the same batches give the same rows, also after a restart. What comes
later for an ended period is counted as late and changes nothing. Samples of a period may come in any order;
first and last go by their times. After a clock was put back by more than PUT_BACK_MS, periods begin there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from edge_agent.model import Quality, Sample

PUT_BACK_MS = 24 * 3600 * 1000
"""A batch that was committed so long before periods that have ended comes from a clock that was put back."""


@dataclass(frozen=True)
class Aggregate:
    """One point in one period [from_ms, to_ms). count: all samples; good: those that the numbers are made of.

    The numbers are None without a good numeric sample; sum and mean are of those samples.
    """

    point: int
    from_ms: int
    to_ms: int
    first: float | None
    last: float | None
    min: float | None
    max: float | None
    mean: float | None
    sum: float | None
    count: int
    good: int


class _Statistics:
    """Of two samples of the same time the one that came later is the last."""

    __slots__ = ("count", "first", "good", "last", "maximum", "minimum", "numeric", "total")

    def __init__(self) -> None:
        self.first: tuple[int, float] | None = None
        self.last: tuple[int, float] | None = None
        self.minimum, self.maximum = float("inf"), float("-inf")
        self.total = 0.0
        self.count = self.good = self.numeric = 0

    def add(self, sample: Sample) -> None:
        self.count += 1
        if sample.quality is not Quality.GOOD:
            return
        self.good += 1
        if isinstance(sample.value, str) or sample.value is None:
            return
        value = float(sample.value)
        if self.first is None or sample.t_ms < self.first[0]:
            self.first = sample.t_ms, value
        if self.last is None or sample.t_ms >= self.last[0]:
            self.last = sample.t_ms, value
        self.minimum, self.maximum = min(self.minimum, value), max(self.maximum, value)
        self.total += value
        self.numeric += 1

    def row(self, point: int, from_ms: int, to_ms: int) -> Aggregate:
        if self.first is None or self.last is None:
            nothing = None, None, None, None, None, None
            return Aggregate(point, from_ms, to_ms, *nothing, self.count, self.good)
        return Aggregate(
            point,
            from_ms,
            to_ms,
            self.first[1],
            self.last[1],
            self.minimum,
            self.maximum,
            self.total / self.numeric,
            self.total,
            self.count,
            self.good,
        )


class Collected(Protocol):
    """What is made of the samples of one point in one period."""

    def add(self, sample: Sample) -> None:
        """One more, in any order."""


A = TypeVar("A", bound=Collected)


class Periods(Generic[A]):
    """Samples by period and point, fed batch by batch, by rising number. make: for a point in a period.

    ended_ms: periods before it have ended; 0 for none. late: samples that came for an ended period.
    """

    def __init__(
        self,
        make: Callable[[], A],
        period_ms: int,
        *,
        offset_ms: int = 0,
        grace_ms: int = 0,
        ended_ms: int = 0,
    ) -> None:
        self._make = make
        self._period_ms = period_ms
        self._offset_ms = offset_ms
        self._grace_ms = grace_ms
        self._open: dict[int, dict[int, A]] = {}  # by begin, then by point
        self._from_seq: dict[int, int] = {}  # the first batch of each open period
        self.ended_ms = ended_ms
        self.late = 0

    def begin_of(self, t_ms: int) -> int:
        """Begin of the period in which a time lies."""
        return t_ms - (t_ms - self._offset_ms) % self._period_ms

    def needs_seq(self, read_seq: int) -> int:
        """Up to this batch nothing is needed to make the open periods again. read_seq: fed last."""
        return min(self._from_seq.values(), default=read_seq + 1) - 1

    def collect(self, seq: int, t_ms: int, samples: Iterable[Sample]) -> list[tuple[int, dict[int, A]]]:
        """Periods that end with this batch, as begin and what each point has. t_ms: of its commit."""
        if t_ms < self.ended_ms - PUT_BACK_MS:
            self.ended_ms = self.begin_of(t_ms - self._grace_ms)
        newest_ms = 0
        for sample in samples:
            begin_ms = self.begin_of(sample.t_ms)
            newest_ms = max(newest_ms, sample.t_ms)
            if begin_ms < self.ended_ms:
                self.late += 1
                continue
            self._from_seq.setdefault(begin_ms, seq)
            points = self._open.setdefault(begin_ms, {})
            if sample.point not in points:
                points[sample.point] = self._make()
            points[sample.point].add(sample)
        return self.end_before(newest_ms) if newest_ms else []

    def end_before(self, t_ms: int) -> list[tuple[int, dict[int, A]]]:
        """Periods that have ended when it is so late, and were open until now."""
        self.ended_ms = max(self.ended_ms, self.begin_of(t_ms - self._grace_ms))
        ended = []
        for begin_ms in sorted(begin for begin in self._open if begin < self.ended_ms):
            del self._from_seq[begin_ms]
            ended.append((begin_ms, self._open.pop(begin_ms)))
        return ended


class Aggregation(Periods[_Statistics]):
    """Statistics of each point and period."""

    def __init__(self, period_ms: int, *, offset_ms: int = 0, grace_ms: int = 0, ended_ms: int = 0) -> None:
        super().__init__(_Statistics, period_ms, offset_ms=offset_ms, grace_ms=grace_ms, ended_ms=ended_ms)

    def feed(self, seq: int, t_ms: int, samples: Iterable[Sample]) -> list[Aggregate]:
        """Rows of the periods that end with this batch, by time and point. t_ms: of its commit."""
        return [
            points[point].row(point, begin_ms, begin_ms + self._period_ms)
            for begin_ms, points in self.collect(seq, t_ms, samples)
            for point in sorted(points)
        ]


@dataclass(frozen=True)
class Newest:
    """The last sample of a period [from_ms, to_ms), whatever its quality."""

    sample: Sample
    to_ms: int


class _Newest:
    """Of two samples of the same time the one that came later."""

    __slots__ = ("sample",)

    def __init__(self) -> None:
        self.sample: Sample | None = None

    def add(self, sample: Sample) -> None:
        if self.sample is None or sample.t_ms >= self.sample.t_ms:
            self.sample = sample


class NewestOfPeriods(Periods[_Newest]):
    """The newest sample of each point and period."""

    def __init__(self, period_ms: int, *, offset_ms: int = 0, grace_ms: int = 0, ended_ms: int = 0) -> None:
        super().__init__(_Newest, period_ms, offset_ms=offset_ms, grace_ms=grace_ms, ended_ms=ended_ms)

    def feed(self, seq: int, t_ms: int, samples: Iterable[Sample]) -> list[Newest]:
        """Of the periods that end with this batch, by time and point. t_ms: of its commit."""
        return [
            Newest(sample, begin_ms + self._period_ms)
            for begin_ms, points in self.collect(seq, t_ms, samples)
            for point in sorted(points)
            if (sample := points[point].sample) is not None
        ]
