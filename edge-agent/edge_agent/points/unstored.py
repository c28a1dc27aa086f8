"""Newest values of points that are not stored anywhere, as far as they are news. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from operator import attrgetter

from edge_agent.config.model import Point
from edge_agent.model import PointKey, RecordMode, Row, Sample
from edge_agent.points.record import differs
from edge_contract.limits import EARLIEST_MS


class UnstoredValues:
    """points that are stored are left out. newest: of a point by number."""

    def __init__(
        self,
        points: Mapping[PointKey, Point],
        numbers: Mapping[PointKey, int],
        newest: Callable[[int], Sample | None],
    ) -> None:
        unstored = {key: point for key, point in points.items() if point.record is RecordMode.NONE}
        self._deadbands = {numbers[key]: point.deadband for key, point in unstored.items()}
        self._newest = newest
        self._told: dict[int, Sample] = {}

    def news(self, *, everything: bool = False) -> list[Row]:
        """Rows of what has changed since the last call, or of all that is known.

        What was read before the clock was set has no time to send.
        """
        found: list[Sample] = []
        for number, deadband in self._deadbands.items():
            sample = self._newest(number)
            if sample is None or sample.t_ms < EARLIEST_MS:
                continue
            told = self._told.get(number)
            is_news = (
                told is None
                or told.quality is not sample.quality
                or differs(told.value, sample.value, deadband)
            )
            if is_news:
                self._told[number] = told = sample
            if is_news or everything:
                found.append(told if told is not None else sample)
        found.sort(key=attrgetter("t_ms", "point"))
        return [_row(t_ms, list(group)) for t_ms, group in groupby(found, key=attrgetter("t_ms"))]


def _row(t_ms: int, samples: list[Sample]) -> Row:
    qualities = tuple(sample.quality for sample in samples)
    return Row(
        tuple(sample.point for sample in samples),
        t_ms,
        tuple(sample.value for sample in samples),
        qualities if any(qualities) else None,
    )
