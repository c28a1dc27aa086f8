"""Which samples are stored: record mode, deadband, and every change of quality.

What is not stored at all has a way of its own (live_values.py). A point without a value is recorded once,
when its quality changes, and not in every cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from math import inf
from typing import Any

from edge_agent.model import Quality, RecordMode, Row, Value
from edge_agent.points.block import PointBlock
from edge_agent.points.location import distance_m
from edge_contract.freshness import HAS_VALUE


class Recorder:
    """Remembers what was recorded last of every point, by number."""

    def __init__(self) -> None:
        self._troubled: dict[int, Quality] = {}
        self._stored: dict[int, Any] = {}

    def select(self, row: Row, block: PointBlock) -> Row | None:
        """The part of a block's row to store; the row itself when that is all of it."""
        if row.qualities is None and (not self._troubled or self._troubled.keys().isdisjoint(row.points)):
            if block.always_recorded:
                return row
            if block.recorded_on_change:
                return self._moved(row, block.deadbands)
        wanted = [
            self._wanted(block, at, number, value, quality)
            for at, (number, value, quality) in enumerate(
                zip(row.points, row.values, row.qualities or (Quality.GOOD,) * len(row), strict=True)
            )
        ]
        return part(row, wanted)

    def _moved(self, row: Row, deadbands: Sequence[float]) -> Row | None:
        """Numbers, all good, all recorded on change: those that left their deadband."""
        stored = self._stored
        moved = [
            not -deadband <= value - stored.get(number, inf) <= deadband
            for number, value, deadband in zip(row.points, row.values, deadbands, strict=True)
        ]
        chosen = part(row, moved)
        if chosen is not None:
            stored.update(zip(chosen.points, chosen.values, strict=True))
        return chosen

    def _wanted(self, block: PointBlock, at: int, number: int, value: Value, quality: Quality) -> bool:
        mode = block.modes[at]
        if quality not in HAS_VALUE:
            changed = self._troubled.get(number) is not quality
            self._troubled[number] = quality
            return changed and mode is not RecordMode.NONE
        recovered = self._troubled.pop(number, None) is not None
        if mode is RecordMode.ALWAYS:
            return True
        if mode is RecordMode.NONE:
            return False
        if recovered or self._differs(number, value, block.deadbands[at]):
            self._stored[number] = value
            return True
        return False

    def _differs(self, number: int, value: Value, deadband: float) -> bool:
        return number not in self._stored or differs(self._stored[number], value, deadband)


def differs(last: Value, value: Value, deadband: float) -> bool:
    """Whether a value has left the deadband around the last one; of positions in metres."""
    if deadband and isinstance(last, (int, float)) and isinstance(value, (int, float)):
        return abs(value - last) > deadband
    if deadband and isinstance(last, str) and isinstance(value, str):
        return last != value and distance_m(last, value) > deadband
    return last != value


def part(row: Row, wanted: Sequence[bool]) -> Row | None:
    """The wanted samples of a row; None when there are none."""
    if all(wanted):
        return row
    if not any(wanted):
        return None
    return Row(
        tuple(compress(row.points, wanted)),
        row.t_ms,
        tuple(compress(row.values, wanted)),
        tuple(compress(row.qualities, wanted)) if row.qualities else None,
    )
