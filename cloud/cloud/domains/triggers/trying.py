"""Trying a rule over what is stored; nothing is saved or sent."""

from __future__ import annotations

import asyncio

from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.telemetry.service import check_range, mapped_errors
from cloud.domains.triggers.backtest import tried
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.rules import engine_rule
from cloud.domains.triggers.schemas import (
    BacktestBody,
    BacktestRow,
    ConditionAtEnd,
    EpisodeRow,
    subjects,
)
from cloud.domains.triggers.subject_checks import checked_subjects
from cloud.errors import Busy
from cloud.timeseries.base import TimeSeries

TRY_WAIT_S = 1.0
"""One rule is tried at a time: it takes most of a core."""


class TriggerTrials:
    """One rule at a time."""

    def __init__(self, database: Database, series: TimeSeries) -> None:
        self._database = database
        self._series = series
        self._trying = asyncio.Lock()

    async def backtest(self, user: CurrentUser, body: BacktestBody) -> BacktestRow:
        """When a rule would have made alarms, and how it is at the end. Raises NotFound and ParameterError as
        for a new trigger, ParameterError for a range turned round, Busy when others try, Unavailable when the
        store does not answer.
        """
        check_range(body.start_ms, body.end_ms)
        rule = engine_rule(1, 1, body.interval_s, body.rule)
        async with self._database.reading() as session:
            repository = TriggerRepository(session, user.scope)
            await checked_subjects(repository, [body.rule])
            wanted = subjects([body.rule])
            slaves = {number for kind, number in wanted if kind == "slave"}
            absences = await repository.absences(slaves, body.start_ms, body.end_ms) if slaves else []
        changes = sorted(
            [(max(begin, body.start_ms), f"slave:{slave}", False) for slave, begin, _ in absences]
            + [
                (end, f"slave:{slave}", True)
                for slave, _, end in absences
                if end is not None and end < body.end_ms
            ]
        )
        points = [number for kind, number in wanted if kind == "point"]
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
        )
