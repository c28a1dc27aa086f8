"""Samples of the operands to a sample of the calculated point: value, time and quality. Pure.

A formula that compares gives a switch its position.
"""

from __future__ import annotations

from collections.abc import Sequence

from edge_agent.model import Quality, Row, Sample, Value
from edge_agent.points.block import PointBlock
from edge_agent.points.formula import Formula, NoValue
from edge_contract.freshness import HAS_VALUE

SEVERITY = (
    Quality.GOOD,
    Quality.UNCERTAIN_TIME,
    Quality.STALE,
    Quality.NOT_YET_READ,
    Quality.OUT_OF_RANGE,
    Quality.DEVICE_ERROR,
    Quality.BAD_FRAME,
    Quality.DEVICE_OFFLINE,
    Quality.PORT_DOWN,
)
RANK = {quality: rank for rank, quality in enumerate(SEVERITY)}


class Calculation:
    """One calculated point. limits_ms: of each operand, the age from which it is stale."""

    def __init__(self, block: PointBlock, formula: Formula, limits_ms: Sequence[int]) -> None:
        self.block = block
        self.formula = formula
        self.limits_ms = tuple(limits_ms)

    def row(self, operands: Sequence[Sample | None], now_ms: int) -> Row:
        """The result, or why there is none."""
        t_ms = newest_ms(operands, now_ms)
        worst = worst_quality(operands, self.limits_ms, now_ms)
        if worst not in HAS_VALUE:
            return self.block.without_value(worst, t_ms)
        values: list[Value] = [None if sample is None else sample.value for sample in operands]
        value, reason = self.formula.evaluate(values)
        if reason is not None:
            return self.block.without_value(
                Quality.NOT_YET_READ if reason is NoValue.MISSING else Quality.OUT_OF_RANGE, t_ms
            )
        row = self.block.row([value], t_ms)
        if worst is Quality.UNCERTAIN_TIME and row.qualities is None:
            return Row(row.points, t_ms, row.values, (worst,))
        return row


def newest_ms(operands: Sequence[Sample | None], now_ms: int) -> int:
    """The newest operand's time is the result's; of now where there are no operands."""
    return max((sample.t_ms for sample in operands if sample is not None), default=now_ms)


def worst_quality(operands: Sequence[Sample | None], limits_ms: Sequence[int], now_ms: int) -> Quality:
    """Of several bad qualities the worst counts; GOOD without operands."""
    return max(
        (quality_of(sample, limit_ms, now_ms) for sample, limit_ms in zip(operands, limits_ms, strict=True)),
        key=RANK.__getitem__,
        default=Quality.GOOD,
    )


def quality_of(sample: Sample | None, limit_ms: int, now_ms: int) -> Quality:
    """Of one operand, its age considered."""
    if sample is None:
        return Quality.NOT_YET_READ
    if sample.quality in HAS_VALUE and now_ms - sample.t_ms > limit_ms:
        return Quality.STALE
    return sample.quality
