"""Where a comparison becomes true and where it stays true, as closed intervals. Pure."""

from __future__ import annotations

from math import inf, nextafter

from edge_contract.alarms.rule import Comparison, Limits, Operator

Interval = tuple[float, float]
"""Both ends are within it."""
Region = tuple[Interval, ...]
"""Rising and apart."""

NOWHERE: Interval = (inf, -inf)
"""Contains no value."""


def above(value: float) -> float:
    """The next number."""
    return nextafter(value, inf)


def below(value: float) -> float:
    """The number before."""
    return nextafter(value, -inf)


def regions(condition: Comparison) -> tuple[Region, Region]:
    """Where it becomes true, and where it stays true once it is: the second contains the first."""
    op, threshold, deadband = condition.op, condition.threshold, condition.deadband
    if isinstance(threshold, Limits):
        clear = condition.clear if isinstance(condition.clear, Limits) else None
        low, high = threshold.low, threshold.high
        if op is Operator.IN_RANGE:
            if clear is not None:
                return ((low, high),), ((clear.low, clear.high),)
            return ((low, high),), ((low - deadband, high + deadband),)
        inner_low = clear.low if clear is not None else low + deadband
        inner_high = clear.high if clear is not None else high - deadband
        return _beyond(low, high), _beyond(inner_low, inner_high)
    if op is Operator.EQUAL:
        return ((threshold, threshold),), ((threshold - deadband, threshold + deadband),)
    if op in (Operator.GREATER, Operator.GREATER_OR_EQUAL):
        stays = condition.clear if isinstance(condition.clear, float | int) else threshold - deadband
        if op is Operator.GREATER:
            return ((above(threshold), inf),), ((above(stays), inf),)
        return ((threshold, inf),), ((stays, inf),)
    stays = condition.clear if isinstance(condition.clear, float | int) else threshold + deadband
    if op is Operator.LESS:
        return ((-inf, below(threshold)),), ((-inf, below(stays)),)
    return ((-inf, threshold),), ((-inf, stays),)


def _beyond(low: float, high: float) -> Region:
    return (-inf, below(low)), (above(high), inf)


def gaps(region: Region) -> Region:
    """What is not in a region."""
    between: list[Interval] = []
    begin = -inf
    for low, high in region:
        if low > begin:
            between.append((begin, below(low)))
        begin = above(high)
        if high == inf:
            return tuple(between)
    between.append((begin, inf))
    return tuple(between)


def around(region: Region, value: float) -> Interval | None:
    """The interval of a region that a value lies in."""
    for interval in region:
        if interval[0] <= value <= interval[1]:
            return interval
    return None
