"""Newest values that travel without being stored: of unstored points, and of watched ones. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import groupby
from operator import attrgetter

from edge_agent.config.model import Point
from edge_agent.model import PointKey, RecordMode, Row, Sample
from edge_agent.points.record import differs
from edge_contract.limits import EARLIEST_MS


class LiveValues:
    """newest: of a point by number. Times of watching are monotonic seconds."""

    def __init__(
        self,
        points: Mapping[PointKey, Point],
        numbers: Mapping[PointKey, int],
        newest: Callable[[int], Sample | None],
    ) -> None:
        self._deadbands = {numbers[key]: point.deadband for key, point in points.items()}
        self._unstored = [numbers[key] for key, point in points.items() if point.record is RecordMode.NONE]
        self._newest = newest
        self._sent: dict[int, Sample] = {}
        self._watched: tuple[int, ...] = ()
        self._until_s = 0.0

    def watch(self, numbers: Collection[int], until_s: float) -> None:
        """These points are watched until then, in place of those before; what is no point here is ignored."""
        watched = tuple(number for number in numbers if number in self._deadbands)
        for number in set(self._watched).difference(watched, self._unstored):
            self._sent.pop(number, None)
        self._watched, self._until_s = watched, until_s

    def watched(self, now_s: float) -> int:
        """How many points are watched now."""
        if self._watched and now_s >= self._until_s:
            self.watch((), now_s)
        return len(self._watched)

    def watched_changes(self) -> list[Row]:
        """Of watched points, what has changed since it was last given; a newly watched one has."""
        return _rows(self._changed(self._watched))

    def changes(self, *, everything: bool = False) -> list[Row]:
        """Of points that are not stored, what has changed since it was last given, or all that is known."""
        samples = list(self._changed(self._unstored))
        if everything:
            given = {sample.point for sample in samples}
            samples += [
                self._sent[number]
                for number in self._unstored
                if number in self._sent and number not in given
            ]
        return _rows(samples)

    def _changed(self, numbers: Iterable[int]) -> Iterable[Sample]:
        """Noted as sent. What was read before the clock was set has no time to send."""
        for number in numbers:
            sample = self._newest(number)
            if sample is None or sample.t_ms < EARLIEST_MS:
                continue
            sent = self._sent.get(number)
            if (
                sent is None
                or sent.quality is not sample.quality
                or differs(sent.value, sample.value, self._deadbands[number])
            ):
                self._sent[number] = sample
                yield sample


def _rows(samples: Iterable[Sample]) -> list[Row]:
    ordered = sorted(samples, key=attrgetter("t_ms", "point"))
    return [_row(t_ms, list(group)) for t_ms, group in groupby(ordered, key=attrgetter("t_ms"))]


def _row(t_ms: int, samples: list[Sample]) -> Row:
    qualities = tuple(sample.quality for sample in samples)
    return Row(
        tuple(sample.point for sample in samples),
        t_ms,
        tuple(sample.value for sample in samples),
        qualities if any(qualities) else None,
    )
