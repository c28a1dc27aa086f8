"""Faults of a point's alarm settings, as the editor shows them while one types. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from cloud.domains.points.faults import Cell, Shown, number, ranged, text

MAX_DELAY_S = 86_400
DELAYS = ("alarm_delay_s", "alarm_off_delay_s")
PAIRS = {
    "single": (("alarm_lower", "alarm_upper"),),
    "multi": (("alarm_lower", "alarm_upper"), ("alarm_lower2", "alarm_upper2")),
}
"""Limits that count, by mode; the inner pair first."""


def alarm_faults(point: Shown) -> Iterator[Cell]:
    """point: its type with its settings. What is set must be in order, whether the alarm is on or not."""
    kind, enabled = text(point, "ds_type", "num"), point.get("alarm_enable") is True
    for name in DELAYS:
        yield from ranged(point, name, 0, MAX_DELAY_S)
    if enabled and kind in ("str", "loc"):
        yield Cell("alarm_enable", "no_alarm")
    elif kind == "swh":
        yield from ranged(point, "alarm_state", 0, 1)
        if enabled and number(point, "alarm_state") is None:
            yield Cell("alarm_state", "required")
    else:
        yield from _limit_faults(point, enabled)


def _limit_faults(point: Shown, enabled: bool) -> Iterator[Cell]:
    pairs = PAIRS.get(text(point, "alarm_mode", "single"), ())
    limits = [(number(point, lower), number(point, upper)) for lower, upper in pairs]
    if enabled and all(limit is None for pair in limits for limit in pair):
        yield Cell("alarm_enable", "no_limit")
    lowers = [(low, pair[0]) for (low, _), pair in zip(limits, pairs, strict=True) if low is not None]
    uppers = [high for _, high in limits if high is not None]
    if lowers and uppers and max(lowers)[0] >= min(uppers):
        yield Cell(max(lowers)[1], "limit_order")
    if len(limits) == 2:
        (lower, upper), (lower2, upper2) = limits
        if lower is not None and lower2 is not None and lower2 > lower:
            yield Cell("alarm_lower2", "outer_lower")
        if upper is not None and upper2 is not None and upper2 < upper:
            yield Cell("alarm_upper2", "outer_upper")
    deadband = number(point, "alarm_deadband") or 0
    if deadband < 0:
        yield Cell("alarm_deadband", "negative")
    elif any(low is not None and high is not None and 2 * deadband > high - low > 0 for low, high in limits):
        yield Cell("alarm_deadband", "wide_deadband")
