"""Of how many points a change of what is kept would delete something, and what."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from cloud.domains.retention.periods import WIDTHS_MS, RetentionPeriods, newly_lost
from cloud.domains.retention.schemas import Loss, RetentionDays, RetentionEffect
from cloud.timeseries.base import TimeSeries, TimeSeriesError

log = logging.getLogger(__name__)

MAX_LOOKED_AT = 5000
"""Points whose history is looked at; of more all count, as if they had some that is old enough."""


@dataclass(frozen=True)
class Group:
    """So many points of which the same counts before and after. dsids: None when they are too many."""

    count: int
    dsids: Sequence[int] | None
    before: RetentionDays
    after: RetentionDays


async def effect_of(groups: Sequence[Group], now_ms: int, series: TimeSeries) -> RetentionEffect:
    """Only points count that have something as old; where the series do not tell, those of the group do."""
    losses: dict[str, Loss] = {}
    for group in groups:
        lost = newly_lost(
            RetentionPeriods(**group.before.model_dump()),
            RetentionPeriods(**group.after.model_dump()),
            now_ms,
        )
        for field, before_ms in lost.items():
            points = await _having(group, before_ms, WIDTHS_MS[field], series)
            if not points:
                continue
            known = losses.setdefault(field, Loss(field=field, before_ms=before_ms, points=0))
            known.points += points
            known.before_ms = max(known.before_ms, before_ms)
    ordered = [losses[field] for field in WIDTHS_MS if field in losses]
    return RetentionEffect(points=sum(group.count for group in groups), losses=ordered)


async def _having(group: Group, before_ms: int, width_ms: int, series: TimeSeries) -> int:
    if group.dsids is None:
        return group.count
    try:
        return len(await series.older(group.dsids, before_ms, width_ms))
    except TimeSeriesError as error:
        log.warning("what a change deletes is told of all points, not of those that have it: %s", error)
        return group.count
