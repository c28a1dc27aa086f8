"""Trying a rule over what is stored; nothing is saved or sent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.telemetry.service import check_range, mapped_errors
from cloud.domains.triggers.backtest import TriedPoint, tried
from cloud.domains.triggers.coverage import joined
from cloud.domains.triggers.repository import Away, PointPlace, TriggerRepository
from cloud.domains.triggers.rules import engine_rule
from cloud.domains.triggers.schemas import (
    BacktestBody,
    BacktestRow,
    ConditionAtEnd,
    CoverageRow,
    EpisodeRow,
    subjects,
)
from cloud.domains.triggers.subject_checks import checked_subjects
from cloud.errors import Busy
from cloud.timeseries.base import TimeSeries
from edge_contract.freshness import EVERY_READING, stale_after_ms

TRY_WAIT_S = 1.0
"""One rule is tried at a time: it takes most of a core."""


class TriggerTrials:
    """One rule at a time."""

    def __init__(self, database: Database, series: TimeSeries) -> None:
        self._database = database
        self._series = series
        self._trying = asyncio.Lock()

    async def backtest(self, user: CurrentUser, body: BacktestBody) -> BacktestRow:
        """When a rule would have made alarms, by how much data, and how it is at the end. Raises NotFound and
        ParameterError as for a new trigger, ParameterError for a range turned round, Busy when others try,
        Unavailable when the store does not answer.
        """
        check_range(body.start_ms, body.end_ms)
        rule = engine_rule(1, 1, body.interval_s, body.rule)
        async with self._database.reading() as session:
            repository = TriggerRepository(session, user.scope)
            await checked_subjects(repository, [body.rule])
            wanted = subjects([body.rule])
            places = await repository.points({number for kind, number in wanted if kind == "point"})
            slaves = await repository.slaves({number for kind, number in wanted if kind == "slave"})
            devices = {place[0].id for place in (*places.values(), *slaves.values())}
            away = await repository.away(devices, body.start_ms, body.end_ms)
        points = _tried_points(places, away, body.end_ms)
        absences = [(slave, begin, end) for _, slave, begin, end in away if slave in slaves]
        changes = sorted(
            [(max(begin, body.start_ms), f"slave:{slave}", False) for slave, begin, _ in absences]
            + [
                (end, f"slave:{slave}", True)
                for slave, _, end in absences
                if end is not None and end < body.end_ms
            ]
        )
        try:
            async with asyncio.timeout(TRY_WAIT_S):
                await self._trying.acquire()
        except TimeoutError:
            raise Busy("other rules are being tried") from None
        try:
            found = await mapped_errors(
                tried(self._series, rule, points, changes, body.start_ms, body.end_ms)
            )
        finally:
            self._trying.release()
        return BacktestRow(
            upto_ms=found.upto_ms,
            count=found.count,
            short=found.short,
            raised_ms=found.raised_ms_sum,
            samples=found.samples,
            episodes=[EpisodeRow.model_validate(each, from_attributes=True) for each in found.episodes],
            holds=found.holds,
            at_end=[ConditionAtEnd.model_validate(each, from_attributes=True) for each in found.at_end],
            coverage=[CoverageRow.model_validate(each, from_attributes=True) for each in found.coverage],
        )


def _tried_points(places: Mapping[int, PointPlace], away: Sequence[Away], end_ms: int) -> list[TriedPoint]:
    """Points with how long their samples count, and when their gateways and slaves were away."""
    points = []
    for number, (device, slave, point) in sorted(places.items()):
        if point.record == EVERY_READING and point.period_ms > 0:
            report_ms = device.reports_every_s * 1000
            points.append(TriedPoint(number, stale_after_ms(point.period_ms, point.record, report_ms)))
            continue
        mine = [
            (begin, end_ms if end is None else end)
            for device_id, slave_id, begin, end in away
            if device_id == device.id and slave_id in (None, slave.id)
        ]
        points.append(TriedPoint(number, None, joined(mine)))
    return points
