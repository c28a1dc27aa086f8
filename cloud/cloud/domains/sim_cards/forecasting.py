"""When a data plan is used up, and how what was billed differs from what was counted. Pure.

The forecast goes on with the mean of the days so far. Its uncertainty is that of a sum of further days like
them: t * s * sqrt(h + h^2 / n) after h days, with s the standard deviation of n days and t of Student's
distribution (95 of 100). Between records of the operator that lie k days apart only means are known, whose
deviation is s / sqrt(k). Where data is missing there is no figure, but the reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from statistics import stdev
from typing import Literal

from cloud.domains.sim_cards.schemas import UsageComparison, UsageForecast

MIN_DAYS = 3
"""Days, or spans between the operator's records, that a mean needs."""

T_95 = (4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t, two-sided, for 2, 3 ... 10 degrees of freedom (ISO 2854, table)."""
T_MANY = 2.2


@dataclass(frozen=True)
class BillingPeriod:
    """First and last day of a billing period; None: unknown."""

    begin: date | None
    end: date | None

    def holds(self, day: date) -> bool:
        return (self.begin is None or day >= self.begin) and (self.end is None or day <= self.end)


def billed_in(period: BillingPeriod, billed: Mapping[date, int]) -> list[tuple[date, int]]:
    """Records of a period by day, from the last that is below the one before it: there the operator has begun
    anew, or corrected.
    """
    records = sorted((day, used) for day, used in billed.items() if period.holds(day))
    begin = max((at for at in range(1, len(records)) if records[at][1] < records[at - 1][1]), default=0)
    return records[begin:]


def forecast(
    plan_bytes: int | None,
    period: BillingPeriod,
    billed: Mapping[date, int],
    counted: Mapping[date, int],
    today: date,
) -> UsageForecast:
    """billed: by day, since the period began. counted: bytes of each day, today's not complete."""
    if plan_bytes is None:
        return UsageForecast(reason="no_plan")
    if period.begin is None or period.end is None:
        return UsageForecast(reason="no_period")
    if not period.holds(today):
        return UsageForecast(reason="period_over" if today > period.end else "period_ahead")
    records = billed_in(period, billed)
    days = {day: used for day, used in counted.items() if period.holds(day) and day <= today}
    used = _used(records, days, is_all=bool(counted) and min(counted) <= period.begin)
    if used is None:
        return UsageForecast(reason="partial" if days else "no_usage")
    complete = [(1, float(amount)) for day, amount in days.items() if min(counted) < day < today]
    spans = _spans(records)
    basis: Literal["billed", "counted"] = "billed" if len(spans) >= MIN_DAYS else "counted"
    rates = spans if basis == "billed" else complete
    if len(rates) < MIN_DAYS:
        return UsageForecast(reason="few_days", used_bytes=used)
    count = sum(length for length, _ in rates)
    mean = sum(length * rate for length, rate in rates) / count
    deviation = stdev(rate for _, rate in rates) * math.sqrt(count / len(rates))
    t = T_95[len(rates) - 3] if len(rates) - 3 < len(T_95) else T_MANY
    horizon = (period.end - today).days
    left = plan_bytes - used

    def reached(sign: int) -> date | None:
        """The first day on which the plan is used up, with sign times the uncertainty."""
        if left <= 0:
            return today
        for h in range(1, horizon + 1):
            if mean * h + sign * t * deviation * math.sqrt(h + h * h / count) >= left:
                return today + timedelta(days=h)
        return None

    return UsageForecast(
        basis=basis,
        days=count,
        used_bytes=used,
        mean_bytes=round(mean),
        earliest=reached(1),
        expected=reached(0),
        latest=reached(-1),
        end_bytes=used + round(mean * horizon),
        end_margin_bytes=round(t * deviation * math.sqrt(horizon + horizon * horizon / count)),
    )


def comparison(
    period: BillingPeriod, billed: Mapping[date, int], counted: Mapping[date, int]
) -> UsageComparison:
    """Up to the newest record of the operator."""
    if period.begin is None:
        return UsageComparison(reason="no_period")
    records = billed_in(period, billed)
    begun = min(counted, default=None)
    if not records:
        return UsageComparison(reason="no_billing", counted_from=begun)
    day, used = records[-1]
    days = [amount for at, amount in counted.items() if period.begin <= at <= day]
    if begun is None or not days or begun > period.begin:
        return UsageComparison(
            reason="partial",
            day=day,
            billed_bytes=used,
            counted_bytes=sum(days) if days else None,
            counted_from=begun,
        )
    return UsageComparison(
        day=day,
        billed_bytes=used,
        counted_bytes=sum(days),
        counted_from=begun,
        difference_bytes=used - sum(days),
    )


def _used(records: Sequence[tuple[date, int]], days: Mapping[date, int], *, is_all: bool) -> int | None:
    """Of the period: the newest record and what was counted after its day, else the count if it is of all."""
    if records:
        day, used = records[-1]
        return used + sum(amount for at, amount in days.items() if at > day)
    return sum(days.values()) if is_all else None


def _spans(records: Sequence[tuple[date, int]]) -> list[tuple[int, float]]:
    """Days between the operator's records, and bytes a day in them."""
    return [
        ((day - earlier).days, (used - before) / (day - earlier).days)
        for (earlier, before), (day, used) in pairwise(records)
    ]
